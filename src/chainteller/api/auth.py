"""Authentication: checks the API key or access token before the body is read."""

import hashlib
from collections import OrderedDict
from dataclasses import replace
from functools import partial

from starlette.types import Scope

from chainteller.api.connections import network_of
from chainteller.api.protocol import CONNECTION, BoundedHttpProtocol
from chainteller.api.request_context import RequestContext
from chainteller.api.threads import STRANGERS, Threads, run
from chainteller.api.wrong_keys import WrongKeys
from chainteller.domain import signing_pages
from chainteller.domain.actors import DESK
from chainteller.domain.signed_requests import (
    CASE_HEADER,
    DIGEST_HEADER,
    INPUT_HEADER,
    KEY_HEADER,
    SIGNATURE_HEADER,
    Signed,
    Target,
    read_signature,
)
from chainteller.service.deployment import Deployment, Principal
from chainteller.service.errors import Unauthorized

OPEN_PATHS = frozenset({"/healthz", "/readyz", "/docs"})
"""Paths that need no key."""
_REMEMBERED = 10_000
_LONGEST_BEARER = 4_096
"""Of an access token; an API key is shorter."""


class Authentication:
    """Looks up the API key of a request, and the agent who signed it.

    A key is looked up before anything is held against its address, so a valid key is never refused
    for what others did. The refusal of a wrong key comes late, and ends the connection.
    """

    def __init__(self, deployment: Deployment, wrong_keys: WrongKeys, threads: Threads) -> None:
        self._deployment = deployment
        self._wrong_keys = wrong_keys
        self._threads = threads
        self._holders: OrderedDict[bytes, str] = OrderedDict()

    async def identify(self, scope: Scope, context: RequestContext) -> None:
        """Find the principal of a request, unless its path is open to anybody.

        Raises:
            Unauthorized: it has no valid key, or isn't signed as it should be.
            ServiceUnavailable: all places of key holders are busy.
        """
        path: str = scope["path"]
        # Whoever has the token in the path may see a signing page.
        if path in OPEN_PATHS or path.startswith(signing_pages.PATH):
            return
        connection, principal = scope.get(CONNECTION), None
        try:
            key = key_in(context.headers.get("authorization"), context.repeated)
            principal = await self._principal(key, context.client, connection)
            principal = await self._acting(principal, context, scope)
        except Unauthorized as refusal:
            actor = None if principal is None else principal.actor
            self._deployment.note_refusal(context.client, refusal, actor)
            context.reply_headers.append((b"connection", b"close"))
            raise
        context.principal = principal
        if connection is not None:
            connection.recognise(principal.actor.organisation, principal.actor.key_id)

    async def _acting(
        self, principal: Principal, context: RequestContext, scope: Scope
    ) -> Principal:
        """The agent who signed in, or signed the request; the key's own principal where nobody did.
        A desk's key that needs an agent can only enrol one. Raises Unauthorized."""
        if principal.actor.agent_id:
            return principal
        signed = _signed(context, scope)
        if signed is not None:
            known = self._deployment.recognise_agent(principal, signed)
            if known is not None:
                return known
            work = partial(self._deployment.authenticate_agent, principal, signed)
            return await run(self._threads, work, principal.actor.organisation)
        if DESK not in principal.scopes or not self._deployment.options.needs_agents:
            return principal
        scopes = frozenset({DESK})
        return Principal(replace(principal.actor, scopes=scopes), scopes, is_unsigned=True)

    async def _principal(
        self, key: str, address: str, connection: BoundedHttpProtocol | None
    ) -> Principal:
        known = self._deployment.recognise(key)
        if known is not None:
            return known
        digest = hashlib.sha256(key.encode()).digest()
        holder = self._holders.get(digest, STRANGERS)
        try:
            principal = await run(self._threads, lambda: self._deployment.authenticate(key), holder)
        except Unauthorized as refusal:
            if not refusal.is_guess:
                raise
            wait_s = self._wrong_keys.count(network_of(address))
            if wait_s and connection is not None:
                await connection.hold(wait_s)
            raise
        self._remember(digest, principal.actor.organisation)
        return principal

    def _remember(self, digest: bytes, organisation: str) -> None:
        """Look up a key that was valid in its organisation's turn, not among the strangers'."""
        self._holders[digest] = organisation
        self._holders.move_to_end(digest)
        if len(self._holders) > _REMEMBERED:
            self._holders.popitem(last=False)


def _signed(context: RequestContext, scope: Scope) -> Signed | None:
    """What the request's signature says; None without one.

    Raises:
        Unauthorized: it isn't one that an agent's request has.
        ValidationFailed: a header is repeated.
    """
    if context.header(INPUT_HEADER) is None and context.header(SIGNATURE_HEADER) is None:
        return None
    for name in (DIGEST_HEADER, KEY_HEADER, CASE_HEADER):
        context.header(name)
    path = scope.get("raw_path") or scope["path"].encode()
    target = Target(
        scope["method"], path.decode("latin-1"), scope["query_string"].decode("latin-1")
    )
    try:
        return read_signature(target, context.headers)
    except ValueError:
        raise Unauthorized("SIGNATURE_INVALID") from None


def key_in(header: str | None, repeated: frozenset[str] = frozenset()) -> str:
    """The key or token after ``Bearer`` (RFC 6750; the scheme's case does not matter).

    Raises:
        Unauthorized: MISSING or MALFORMED.
    """
    if header is None:
        raise Unauthorized("MISSING")
    scheme, _, key = header.partition(" ")
    key = key.strip(" ")
    plain = key.isascii() and key.isprintable() and " " not in key and len(key) <= _LONGEST_BEARER
    if scheme.lower() != "bearer" or not key or not plain or "authorization" in repeated:
        raise Unauthorized("MALFORMED")
    return key
