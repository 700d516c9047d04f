"""A deployment that offers the calls and fields of the specification, and nothing else.

It is our own service with everything else taken away: other paths are not found, headers of ours
are neither read nor sent, a body with a field that the specification doesn't have is refused, and
answers keep the specification's fields. Where the specification doesn't show an answer, it is an
empty object. Lists ignore what is asked of their pages.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode

from starlette.types import Message, Receive, Scope, Send
from tests.spec_only.specification import (
    SpecifiedCall,
    error_details,
    find_call,
    only,
    unknown_fields,
)

from chainteller.api.app import App

_FORWARDED = (b"authorization", b"content-type", b"content-length", b"host", b"connection")
_NO_PAGE = b"<html><body><h1>404 Not Found</h1></body></html>"


@dataclass
class _Reply:
    """An answer of our own service, as it comes."""

    status: int = 0
    body: bytearray = field(default_factory=bytearray)

    async def take(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
        elif message["type"] == "http.response.body":
            self.body += message.get("body", b"")


Distort = Callable[[SpecifiedCall, int, Any], bytes | None]
"""Makes the bytes of an answer from its call, its status and its body; None never answers."""


class SpecOnlyApp(App):
    """The application of ``serve``, reduced to the specification; ``distort`` changes answers."""

    distort: Distort | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        call, body = find_call(scope["method"], scope["path"]), await _read(receive)
        if call is None:
            await _send(send, 404, _NO_PAGE, b"text/html")
            return
        unknown = unknown_fields(call.request, _json(body))
        if unknown:
            refusal = {"error": "BAD_REQUEST", "message": f"Unknown: {unknown}.", "details": {}}
            await _send(send, 400, json.dumps(refusal).encode())
            return
        reply = _Reply()
        await super().__call__(_specified(scope, call), _replayed(body), reply.take)
        answer = _answer(call, reply)
        sent: bytes | None = json.dumps(answer).encode()
        if self.distort is not None:
            sent = self.distort(call, reply.status, answer)
        if sent is not None:
            await _send(send, reply.status, sent)
        else:
            await self.streams.closing.wait()


def _answer(call: SpecifiedCall, reply: _Reply) -> Any:
    body = _json(bytes(reply.body))
    if reply.status < 400:
        return call.answer(body)
    known = error_details().get(body["error"], {})
    return {
        "error": body["error"],
        "message": body["message"],
        "details": only(known, body["details"]),
    }


def _specified(scope: Scope, call: SpecifiedCall) -> Scope:
    """The request without what the specification doesn't know."""
    asked = parse_qsl(scope["query_string"].decode(), keep_blank_values=True)
    kept = [(name, value) for name, value in asked if name in call.query]
    headers = [(name, value) for name, value in scope["headers"] if name in _FORWARDED]
    return {**scope, "query_string": urlencode(kept).encode(), "headers": headers}


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None


async def _read(receive: Receive) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            return bytes(body)


def _replayed(body: bytes) -> Receive:
    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


async def _send(send: Send, status: int, body: bytes, kind: bytes = b"application/json") -> None:
    headers = [(b"content-type", kind), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
