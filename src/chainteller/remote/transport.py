"""HTTP transport on httpx.

Requests run on one background loop, so that a total deadline also ends a reply that arrives byte by
byte; the synchronous side waits for the outcome. Replies are bounded: no redirects, no compression,
at most 4 MiB.
"""

import asyncio
import os
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Generic, Protocol, TypeVar

from chainteller.authorities import authorities, why_untrusted
from chainteller.domain.signed_requests import Target

_is_first = "httpx" not in sys.modules
if _is_first:
    # Its command line imports click, rich and pygments, and is left out where it can't be.
    sys.modules["httpx._main"] = None  # type: ignore[assignment]  # how an import is refused

import httpx  # noqa: E402 - not before its command line is refused

if _is_first:
    del sys.modules["httpx._main"]

Bearer = Callable[[str], str]
"""The access token for the next request, after one was refused; empty before that. It may take
seconds, and raise TellerError."""
Sign = Callable[[Target, Mapping[str, str], bytes | None], Mapping[str, str]]
"""The headers with an agent's signature, of a request with these headers and this body."""

DEADLINE_S = 10.0
_ROUNDED_S = 1.5
"""A shorter time is told as a second."""
CONNECT_S = 4.0
TIMED_OUT = 408
UNCLEAR = frozenset({TIMED_OUT, 409, 425})
"""Refusals of HTTP after which a request may be carried out all the same."""
MAXIMUM_BODY_BYTES = 4 * 1024 * 1024
MAXIMUM_CONNECTIONS = 20
UNIX = "unix:"
"""What the address of a UNIX socket begins with."""


class TransportFault(Exception):
    """There is no usable reply; the subclass says how far the request got."""


class NotSent(TransportFault):
    """The connection failed; nothing was sent."""


class Unanswered(TransportFault):
    """The request was sent, at least in part, and no reply began."""


class ReplyBroken(TransportFault):
    """The reply is incomplete or can't be used."""


class ReplyRefused(ReplyBroken):
    """The reply would be the same again: too large, compressed, or a redirect."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A request; ``path`` is percent-encoded and starts with a slash."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    headers: Mapping[str, str] | None = None
    body: bytes | None = None
    route: str = ""
    """The path with names for its ids, for the request's span."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A complete reply; header names are lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    follows_doubt: bool = False
    """Whether an earlier attempt of the same request may have been carried out."""


class Phase(Enum):
    CONNECTING = "connecting"
    SENT = "sent"
    ANSWERING = "answering"


@dataclass(frozen=True, slots=True)
class Destination:
    """The base address of a deployment, and the path of its UNIX socket if it has one."""

    base: str
    socket: str | None = None

    @property
    def shown(self) -> str:
        return self.base if self.socket is None else f"{UNIX}{self.socket}"


class Transport:
    """Connections to one deployment.

    Args:
        url: the base address, http or https, with or without a path; or ``unix:/PATH``.
        api_key: sent after ``Bearer``; its format isn't checked. Or what gives an access token for
            each request. None: no such header.
        deadline_s: maximum duration of a request with its reply, in seconds.
        sign: signs each request as an agent; None: nobody signs.

    Raises:
        ValueError: ``url`` is no such address, or contains credentials.
    """

    def __init__(
        self,
        url: str,
        api_key: "str | Bearer | None",
        *,
        deadline_s: float = DEADLINE_S,
        sign: Sign | None = None,
    ) -> None:
        self._destination = destination(url)
        self._sign = sign
        self.deadline_s = deadline_s
        self._bearer = api_key if callable(api_key) else None
        self._headers = {
            **({"Authorization": f"Bearer {api_key}"} if isinstance(api_key, str) else {}),
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "User-Agent": "chainteller",
        }
        self._loop = asyncio.new_event_loop()
        self._client: httpx.AsyncClient | None = None
        self._closing = False
        self._submitting = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="remote", daemon=True)
        self._thread.start()

    def __repr__(self) -> str:
        return f"Transport({self.address})"

    @property
    def address(self) -> str:
        """Where the deployment is, as people write it."""
        return self._destination.shown

    def send(self, request: Outgoing, deadline_s: float | None = None) -> Reply:
        """Send a request and wait for its whole reply.

        Raises:
            NotSent, Unanswered, ReplyBroken: within the deadline.
            TellerError: there is no access token.
        """
        within_s = self.deadline_s if deadline_s is None else deadline_s
        if self._bearer is None:
            return self._reply(request, within_s)
        token = self._bearer("")
        reply = self._reply(_bearing(token, request), within_s)
        if reply.status == 401 and (other := self._bearer(token)) != token:
            return self._reply(_bearing(other, request), within_s)
        return reply

    def _reply(self, request: Outgoing, within_s: float) -> Reply:
        with self._submitting:
            if self._closing:
                raise NotSent("the connection was closed")
            sending = asyncio.run_coroutine_threadsafe(self._send(request, within_s), self._loop)
        try:
            return sending.result()
        except CancelledError:
            raise Unanswered("the connection was closed before the reply") from None

    def close(self) -> None:
        """Close every connection and end the loop; requests under way are cancelled."""
        with self._submitting:
            if self._closing:
                return
            self._closing = True
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(timeout=5)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=5)

    async def _send(self, request: Outgoing, within_s: float) -> Reply:
        """Raises NotSent, Unanswered, ReplyBroken."""
        phase = Phase.CONNECTING

        async def trace(event: str, _info: Mapping[str, Any]) -> None:
            nonlocal phase
            if event.endswith("send_request_headers.started"):
                phase = Phase.SENT

        client = self._opened_client()
        try:
            async with asyncio.timeout(within_s):
                sending = client.build_request(
                    request.method,
                    self._destination.base + request.path,
                    params=list(request.query) or None,
                    headers=dict(request.headers or {}),
                    content=request.body,
                    extensions={"trace": trace, "timeout": _timeouts(within_s)},
                )
                self._add_signature(request, sending)
                response = await client.send(sending, stream=True)
                phase = Phase.ANSWERING
                try:
                    return await _whole(response)
                finally:
                    client.cookies.clear()
                    await response.aclose()
        except TimeoutError:
            within = "a second" if within_s < _ROUNDED_S else f"{within_s:.0f} s"
            raise _fault(phase, f"no complete reply within {within}") from None
        except httpx.RemoteProtocolError as fault:
            if phase is Phase.SENT and not _is_cut_off(fault):
                phase = Phase.ANSWERING
            raise _fault(phase, _words(fault)) from None
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError) as fault:
            raise _fault(phase, _words(fault)) from None

    def _add_signature(self, request: Outgoing, sending: httpx.Request) -> None:
        """Sign a request as an agent: the path from the deployment's address on, which proxies may
        have put under another one."""
        if self._sign is None:
            return
        target = Target(request.method, request.path, sending.url.query.decode("ascii"))
        headers = {name.lower(): value for name, value in (request.headers or {}).items()}
        sending.headers.update(self._sign(target, headers, request.body))

    def _opened_client(self) -> httpx.AsyncClient:
        """Create the client, once, on the background loop.

        Proxies from the environment are ignored, because they would see the API key.
        """
        if self._client is None:
            encrypted = self._destination.base.startswith("https:")
            self._client = httpx.AsyncClient(
                headers=self._headers,
                follow_redirects=False,
                trust_env=False,
                transport=httpx.AsyncHTTPTransport(
                    verify=authorities() if encrypted else False,
                    trust_env=False,
                    limits=httpx.Limits(
                        max_connections=MAXIMUM_CONNECTIONS, max_keepalive_connections=10
                    ),
                    uds=self._destination.socket,
                ),
            )
        return self._client

    async def _close(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        if self._client is not None:
            await self._client.aclose()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        self._loop.close()


class Closing(Protocol):
    def close(self) -> None: ...


Opened = TypeVar("Opened", bound=Closing)


class OfProcess(Generic[Opened]):
    """What each process that inherits it opens for itself; threads may share it."""

    def __init__(self, opening: Callable[[], Opened]) -> None:
        self._opening, self._lock = opening, threading.Lock()
        self._opened: tuple[int, Opened] | None = None

    def get(self) -> Opened:
        """Raises what ``opening`` raises."""
        with self._lock:
            if self._opened is None or self._opened[0] != os.getpid():
                self._opened = os.getpid(), self._opening()
            return self._opened[1]

    def close(self) -> None:
        with self._lock:
            if self._opened is not None and self._opened[0] == os.getpid():
                self._opened[1].close()
            self._opened = None


def destination(url: str) -> Destination:
    """Check an address, and remove its final slash. Raises ValueError: it is neither an http or
    https address nor that of a UNIX socket, or contains credentials or a query."""
    if url.startswith(UNIX):
        path = url.removeprefix(UNIX).removeprefix("//")
        if not path.startswith("/"):
            raise ValueError("unix: and an absolute path, such as unix:/run/chainteller.sock")
        if not hasattr(socket, "AF_UNIX"):
            raise ValueError("an http or https address: this system offers no UNIX sockets")
        return Destination("http://localhost", path)
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL as fault:
        raise ValueError(f"{url!r} is no address: {fault}") from None
    if parsed.scheme not in {"http", "https"} or not parsed.host:
        raise ValueError(
            "an address such as https://bank.example/trading or unix:/run/chainteller.sock"
        )
    if parsed.userinfo or parsed.query or parsed.fragment:
        raise ValueError("an address without credentials, query and fragment")
    return Destination(str(parsed).rstrip("/"))


def _bearing(token: str, request: Outgoing) -> Outgoing:
    headers = {**(request.headers or {}), "Authorization": f"Bearer {token}"}
    return replace(request, headers=headers)


async def _whole(response: httpx.Response) -> Reply:
    """Read a reply to its end. Raises ReplyRefused: it's none that was asked for."""
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise ReplyRefused("the reply is compressed although that was not asked for")
    if 300 <= response.status_code < 400:
        raise ReplyRefused(f"a redirect ({response.status_code}), which is not followed")
    length, body = response.headers.get("content-length", ""), bytearray()
    if length.isdecimal() and int(length[:20]) > MAXIMUM_BODY_BYTES:
        raise ReplyRefused("the reply is too large")
    async for chunk in response.aiter_raw():
        body += chunk
        if len(body) > MAXIMUM_BODY_BYTES:
            raise ReplyRefused("the reply is too large")
    return Reply(response.status_code, dict(response.headers), bytes(body))


def _timeouts(within_s: float) -> dict[str, float | None]:
    """Timeouts: only connecting has its own; the total deadline covers the rest."""
    connect_s = min(CONNECT_S, within_s)
    return {"connect": connect_s, "pool": connect_s, "read": None, "write": None}


def _fault(phase: Phase, words: str) -> TransportFault:
    if phase is Phase.CONNECTING:
        return NotSent(words)
    return Unanswered(words) if phase is Phase.SENT else ReplyBroken(words)


def _words(fault: Exception) -> str:
    """Describe a fault, without the address or the reply."""
    if untrusted := why_untrusted(fault):
        return untrusted
    if _is_cut_off(fault):
        return _BROKE
    return next((said for kind, said in _SAID if isinstance(fault, kind)), _BROKE)


def _is_cut_off(fault: Exception) -> bool:
    """Whether the other side went away before its reply began."""
    return isinstance(fault, httpx.RemoteProtocolError) and "disconnected" in str(fault)


_BROKE = "the connection broke"
_SAID: tuple[tuple[type[Exception], str], ...] = (
    (httpx.TimeoutException, "it took too long"),
    (httpx.ConnectError, "it can't be reached"),
    (httpx.ProtocolError, "what came isn't HTTP"),
    (httpx.InvalidURL, "the address can't be used"),
)
