"""The signing page: one HTML page with its style and script, its message, and what it sends.

It needs no API key. A page's token is in its path, which is never logged; the page itself is the
same for every token, and only its script asks for the message.
"""

from functools import partial
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from chainteller.api.connections import network_of
from chainteller.api.endpoints import Gateway, Handler
from chainteller.api.limits import Bucket
from chainteller.api.protocol import CONNECTION
from chainteller.api.reading import read_document
from chainteller.api.request_context import RequestContext
from chainteller.api.responses import json_reply
from chainteller.api.router import Router
from chainteller.api.threads import STRANGERS, run
from chainteller.api.wrong_keys import WrongKeys
from chainteller.domain.signing_pages import PATH, hash_of
from chainteller.service.errors import NotFound
from chainteller.service.models.base import read_request
from chainteller.service.models.counterparties import PageSignature

_FILES = Path(__file__).parent / "signing_page"
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
}


class SigningPages:
    """The endpoints of signing pages. Guessing tokens costs time, as wrong keys do."""

    def __init__(self, gateway: Gateway, wrong_keys: WrongKeys) -> None:
        self._gateway = gateway
        self._wrong_keys = wrong_keys

    def add_to(self, router: Router) -> None:
        for name, media_type in (("page.css", "text/css"), ("page.js", "text/javascript")):
            router.add("GET", f"{PATH}{name}", _file(name, media_type))
        router.add("GET", f"{PATH}{{token}}", _file("page.html", "text/html"))
        router.add("GET", f"{PATH}{{token}}/message", self.message)
        router.add("POST", f"{PATH}{{token}}/signatures", self.signatures)

    async def message(self, request: Request, context: RequestContext) -> Response:
        """What the page shows."""
        context.operation = "signingPageMessage"
        return await self._answer(request, context, Bucket.READ)

    async def signatures(self, request: Request, context: RequestContext) -> Response:
        """Take a signature from the page."""
        context.operation = "signingPageSignature"
        document = await read_document(request, context.header("content-type"))
        sent = read_request(PageSignature, document)
        return await self._answer(request, context, Bucket.WRITE, sent)

    async def _answer(
        self,
        request: Request,
        context: RequestContext,
        bucket: Bucket,
        sent: PageSignature | None = None,
    ) -> Response:
        """Only tokens of pages have a rate, so that guesses leave nothing in memory."""
        token = request.path_params["token"]
        deployment, threads = self._gateway.deployment, self._gateway.threads
        name = hash_of(token)
        try:
            found = await run(threads, partial(deployment.signing_page, token), STRANGERS)
            self._gateway.limits.take(name, name, bucket)
            if sent is not None:
                take = partial(deployment.take_signature, token, sent)
                found = await run(threads, take, STRANGERS)
        except NotFound:
            wait_s = self._wrong_keys.count(network_of(context.client))
            connection = request.scope.get(CONNECTION)
            if wait_s and connection is not None:
                await connection.hold(wait_s)
            raise
        return json_reply(found.to_json(), headers={"Referrer-Policy": "no-referrer"})


def _file(name: str, media_type: str) -> Handler:
    content = (_FILES / name).read_bytes()

    async def answer(_: Request, context: RequestContext) -> Response:
        context.operation = "signingPage"
        return Response(content, headers=HEADERS, media_type=media_type)

    return answer
