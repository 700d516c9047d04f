"""uvicorn's HTTP protocol, with bounds on what a peer may do to a connection.

Every moment of a connection has a deadline: its head, its body, the time between requests, reading
a reply, and the rest that arrives after a refusal. Who may hold one is decided by ``connections``.
"""

import asyncio
import json
import re
from enum import Enum
from typing import Any, cast

from starlette.types import Scope
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from chainteller.api.connections import Connections
from chainteller.api.hosts import Hosts, arrives_on_loopback
from chainteller.api.peers import Peers
from chainteller.api.reading import BODY_DEADLINE_S, MAXIMUM_BODY_BYTES
from chainteller.api.request_context import API_VERSION
from chainteller.service.errors import MalformedRequest, ServiceError, ServiceUnavailable

HEAD_BYTES = 32 * 1024
HEAD_DEADLINE_S = 10.0
BODY_GRACE_S = 2.0
"""How much later than the refusal of a late body its connection ends."""
BODY_WIRE_BYTES = 8 * MAXIMUM_BODY_BYTES
"""The most that a body may have on the wire, with the framing of its chunks and its trailers."""
KEEP_ALIVE_S = 30.0
LINGER_S = 2.0
LINGER_BYTES = 256 * 1024
"""What is read and ignored after a refusal, so that the peer can read the refusal."""
LAST_REQUEST_S = 1.0
STALL_S = 10.0
"""How long a peer may leave a reply unread."""
PIPELINED = 8
"""Requests that may wait on a connection until earlier ones are answered."""
CONNECTION = "chainteller.connection"
"""The name in the scope under which a request finds its connection."""

_GO_ON = b"HTTP/1.1 100"
_REASONS = {400: "Bad Request", 503: "Service Unavailable"}
_HOST = re.compile(rb"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~!$&'()*+,;=%-]*)(:[0-9]*)?")

_LARGE_HEAD = "The head of the request is too large."
_CODING = b"transfer-encoding"
_TARGET = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]*://([^/?#]*)")
"""The host of a request's address, where a client sends the whole address."""


class Phase(Enum):
    """What a connection is waiting for; the value is for people who debug."""

    HEAD = "the head of a request"
    BODY = "the rest of its body"
    ANSWER = "the answer of the service"
    IDLE = "the next request"
    ENDING = "the end"


class OneWrite:
    """A transport that sends a reply's headers together with the first part of its body.

    A short reply is one system call and one packet. Closing is left to the protocol.
    """

    def __init__(self, transport: Any, protocol: "BoundedHttpProtocol") -> None:
        self._transport = transport
        self._protocol: BoundedHttpProtocol | None = protocol
        self._head = b""

    def write(self, data: bytes) -> None:
        """What is written after the end is dropped: a reply that was under way when what followed
        its request was refused."""
        if self._has_ended:
            return
        if self._head:
            data, self._head = self._head + data, b""
        elif data.endswith(b"\r\n\r\n") and not data.startswith(_GO_ON):
            self._head = data
            return
        if data:
            self._transport.write(data)

    def flush(self) -> None:
        """Send pending headers without a body."""
        if self._head:
            data, self._head = self._head, b""
            self._transport.write(data)

    def drop(self) -> None:
        """Forget pending headers and the protocol, because the connection is gone."""
        self._head = b""
        self._protocol = None

    def is_closing(self) -> bool:
        return self._has_ended or bool(self._transport.is_closing())

    @property
    def _has_ended(self) -> bool:
        return self._protocol is None or self._protocol.phase is Phase.ENDING

    def close(self) -> None:
        self.flush()
        if self._protocol is not None:
            self._protocol.end()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class BoundedHttpProtocol(HttpToolsProtocol):
    """A connection with deadlines and bounds.

    Args:
        config: uvicorn's configuration.
        server_state: uvicorn's connections and tasks.
        app_state: as uvicorn passes it.
        connections: the places of this process.
        peers: the trusted proxies.
        hosts: the names of this service.
    """

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
        *,
        connections: Connections[Any],
        peers: Peers,
        hosts: Hosts,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self.phase = Phase.HEAD
        self._places = connections
        self._peers = peers
        self._hosts = hosts
        self._is_guarded = True
        self._raw: Any = None
        self._timer: asyncio.TimerHandle | None = None
        self._stall_timer: asyncio.TimerHandle | None = None
        self._receiving = True
        self._has_place = True
        self._head_bytes = 0
        self._body_bytes = 0
        self._in_head = True
        self._refusal: ServiceError | None = None
        self._held: asyncio.Future[None] | None = None

    # A member of the places

    @property
    def is_busy(self) -> bool:
        """Whether a complete request is being answered, or a stream is open."""
        return self.phase is Phase.ANSWER

    def give_way(self) -> None:
        """End at once, because another connection gets this one's place."""
        self._abort()

    def recognise(self, organisation: str, key_id: str) -> None:
        """Note that a key was accepted on this connection; one that has ended gets no place.

        Raises:
            ServiceUnavailable: all places of key holders are busy.
        """
        if self._has_ended:
            return
        if not self._places.recognise(self, organisation, key_id):
            self._has_place = False
            raise _no_place()

    def require_own_name(self, host: str) -> None:
        """Check the ``Host`` of a request. Raises ValidationFailed: it names another service."""
        self._hosts.require(host, is_guarded=self._is_guarded)

    def reply_begins(self, scope: Scope) -> None:
        """Make a reply the last one if the body of its request hasn't arrived completely, if the
        connection has no place, or if the server is about to end."""
        unread = self._receiving and not self._in_head
        is_last = unread or not self._has_place or self._places.is_stopping
        if is_last and self._cycle is not None and self._cycle.scope is scope:
            self._cycle.keep_alive = False

    async def hold(self, seconds: float) -> None:
        """Wait for some time, or until the peer is gone."""
        if self.parser is None:
            return
        self._held = self.loop.create_future()
        timer = self.loop.call_later(seconds, self._release)
        try:
            await self._held
        finally:
            timer.cancel()

    def _release(self) -> None:
        if self._held is not None and not self._held.done():
            self._held.set_result(None)

    # The connection

    def connection_made(self, transport: Any) -> None:
        self._raw = transport
        self._one_write = OneWrite(transport, self)
        super().connection_made(cast("Any", self._one_write))
        peer = self.client[0] if self.client else ""
        is_trusted = self._peers.trusts(peer)
        own = self.server[0] if self.server and self.server[1] is not None else ""  # else a socket
        self._is_guarded = not is_trusted and arrives_on_loopback(own)
        if is_trusted:
            admitted = self._places.admit_proxy(self, peer)
        else:
            admitted = self._places.admit_stranger(self, peer)
        if admitted:
            self._wait(Phase.HEAD, HEAD_DEADLINE_S)
        else:
            self._refuse(_no_place())

    def connection_lost(self, exc: Exception | None) -> None:
        """Free what the connection held.

        Its memory is freed at once, because nothing here refers back to the protocol any more.
        Left to the garbage collector, thousands of ended connections stop the service for a fifth
        of a second.
        """
        self.phase = Phase.ENDING
        self._stop_timers()
        self._places.leave(self)
        self.pipeline.clear()
        super().connection_lost(exc)
        self._release()
        self._one_write.drop()
        self.cycle = cast("Any", None)
        self.scope = cast("Any", None)

    def data_received(self, data: bytes) -> None:
        if self.phase is Phase.ENDING:
            self._ignore(len(data))
            return
        self._count(len(data))
        if self._has_ended:
            return
        super().data_received(data)
        self._look_after(len(data))

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stall_timer = self.loop.call_later(STALL_S, self._abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._stall_timer is not None:
            self._stall_timer.cancel()
            self._stall_timer = None

    # Its requests, as the parser reports them

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._receiving = True
        if not self._in_head:
            self._in_head, self._head_bytes = True, 0

    def on_headers_complete(self) -> None:
        self._in_head, self._body_bytes = False, 0
        self._require_short_head()
        self._require_one_host()
        self._require_known_coding()
        if len(self.pipeline) >= PIPELINED:
            self._refuse_in_parser("Too many requests wait on this connection.")
        scope: dict[str, Any] = cast("dict[str, Any]", self.scope)
        scope[CONNECTION] = self
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._receiving = False
        super().on_message_complete()

    def on_response_complete(self) -> None:
        self._one_write.flush()
        super().on_response_complete()
        self._unset_keepalive_if_required()
        if self.phase is not Phase.ENDING:
            self._places.key_holders.touch(self)
            self._await_next()

    def _unsupported_upgrade_warning(self) -> None:
        """Ignore a wish for another protocol, as HTTP allows; the log isn't told."""

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - uvicorn's signature
        error = self._refusal or MalformedRequest("This isn't an HTTP request.", {"position": 0})
        self._refuse(error)

    def shutdown(self) -> None:
        """Close once what is under way has been answered; a new connection may still send one
        request within ``LAST_REQUEST_S``."""
        if self._is_answering():
            if self._cycle is not None:
                self._cycle.keep_alive = False
        elif self.phase is Phase.HEAD:
            self._wait(Phase.HEAD, LAST_REQUEST_S)
        elif self.phase is Phase.IDLE:
            self.end()

    # The end

    def end(self) -> None:
        """Close; if the peer is still sending, read on for a moment, so that it gets the reply."""
        if self.phase is Phase.ENDING:
            return
        lingers = self._receiving and self._head_bytes > 0
        self.pipeline.clear()
        self._body_bytes = 0
        if lingers and not self._raw.is_closing():
            self._wait(Phase.ENDING, LINGER_S)
            if self._raw.can_write_eof():
                self._raw.write_eof()
            self.flow.resume_reading()
        else:
            self._wait(Phase.ENDING, STALL_S)
            self._raw.close()

    def _abort(self) -> None:
        if self._raw is not None:
            self.phase = Phase.ENDING
            self._raw.abort()

    def _ignore(self, count: int) -> None:
        self._body_bytes += count
        if self._body_bytes > LINGER_BYTES:
            self._abort()

    def _refuse(self, error: ServiceError) -> None:
        """Send an error body and close the connection.

        An answer that is still under way gets lost: its request came before one that is no HTTP.
        A request whose own body is broken is refused like one that is no HTTP, and ends.
        """
        if self.phase is Phase.ENDING:
            return
        if self._breaks_off():
            self.cycle.disconnected = True
            self.cycle.message_event.set()
            self._one_write.write(last_reply(error))
        elif not self._is_answering():
            self._one_write.write(last_reply(error))
        self._receiving = True
        self._head_bytes = max(1, self._head_bytes)
        self.end()

    def _breaks_off(self) -> bool:
        """Whether what arrives is the body of the only request that waits for a reply."""
        cycle = self._cycle
        return (
            cycle is not None
            and cycle.scope is self.scope
            and not (self._in_head or cycle.response_started or self.pipeline)
        )

    def _refuse_in_parser(self, message: str) -> None:
        """Refuse a request within a callback of the parser, which then ends."""
        self._refusal = MalformedRequest(message, {"position": 0})
        raise self._refusal

    # Bounds and deadlines

    def _require_short_head(self) -> None:
        """Of a head that arrives at once; one that doesn't is bounded while it arrives."""
        if len(self.url) + sum(len(name) + len(value) for name, value in self.headers) > HEAD_BYTES:
            self._refuse_in_parser(_LARGE_HEAD)

    def _require_one_host(self) -> None:
        hosts = [value for name, value in self.headers if name == b"host"]
        if len(hosts) > 1:
            self._refuse_in_parser("A request has one Host header.")
        if hosts and not _HOST.fullmatch(hosts[0].strip()):
            self._refuse_in_parser("The Host header is no host.")
        if not hosts and self.parser.get_http_version() != "1.0":
            self._refuse_in_parser("A request needs a Host header.")
        named = _TARGET.match(self.url)
        if named and [named[1].lower()] != [each.strip().lower() for each in hosts]:
            self._refuse_in_parser("The Host header isn't the host of the address.")

    def _require_known_coding(self) -> None:
        codings = [value.strip().lower() for name, value in self.headers if name == _CODING]
        if codings not in ([], [b"chunked"]):
            self._refuse_in_parser("The only Transfer-Encoding is chunked.")

    def _count(self, count: int) -> None:
        """Count what arrives, and end what is too much."""
        if self._in_head:
            self._head_bytes += count
        elif self._receiving:
            self._body_bytes += count
            if self._body_bytes > BODY_WIRE_BYTES:
                self._refuse(MalformedRequest("The body is too large.", {"position": 0}))

    def _look_after(self, count: int) -> None:
        """Set the deadline of what the connection waits for, after data arrived."""
        if self.phase is Phase.ENDING:
            return
        if not self._receiving:
            self._await_answer()
        elif not self._in_head:
            if self.phase is not Phase.BODY:
                self._wait(Phase.BODY, BODY_DEADLINE_S + BODY_GRACE_S)
        else:
            if self._head_bytes == 0:
                self._head_bytes = count
            if self._head_bytes > HEAD_BYTES:
                self._refuse(MalformedRequest(_LARGE_HEAD, {"position": 0}))
            elif self.phase is not Phase.HEAD:
                self._wait(Phase.HEAD, HEAD_DEADLINE_S)

    def _await_answer(self) -> None:
        """A request is complete: nothing is expected of the peer until it was answered."""
        if self._is_answering():
            self._wait(Phase.ANSWER, None)
        elif self.phase is not Phase.IDLE:
            self._wait(Phase.IDLE, KEEP_ALIVE_S)

    def _await_next(self) -> None:
        """Set the deadline after a reply: of what was received meanwhile, or of an idle time."""
        if self._is_answering():
            return
        if not self._receiving:
            self._wait(Phase.IDLE, KEEP_ALIVE_S)
        elif self.phase is Phase.ANSWER:
            self._wait(Phase.HEAD if self._in_head else Phase.BODY, HEAD_DEADLINE_S)

    def _is_answering(self) -> bool:
        return self._cycle is not None and not self._cycle.response_complete

    @property
    def _cycle(self) -> RequestResponseCycle | None:
        """The newest request and its reply; None before the first one."""
        return self.cycle

    @property
    def _has_ended(self) -> bool:
        return self.phase is Phase.ENDING

    def _wait(self, phase: Phase, seconds: float | None) -> None:
        self.phase = phase
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if seconds is None else self.loop.call_later(seconds, self._overdue)

    def _overdue(self) -> None:
        self._timer = None
        if self.phase in {Phase.ENDING, Phase.BODY}:
            self._abort()
        else:
            self.end()

    def _stop_timers(self) -> None:
        for timer in (self._timer, self._stall_timer):
            if timer is not None:
                timer.cancel()
        self._timer = self._stall_timer = None


def last_reply(error: ServiceError) -> bytes:
    """A refusal as it's sent on a connection that ends, where no request could be read."""
    body = json.dumps(error.to_wire()).encode()
    head = (
        f"HTTP/1.1 {error.status} {_REASONS[error.status]}\r\n"
        f"content-type: application/json\r\ncontent-length: {len(body)}\r\n"
        f"api-version: {API_VERSION}\r\nx-content-type-options: nosniff\r\n"
        "cache-control: no-store\r\n"
    )
    retry = "retry-after: 1\r\n" if error.status == ServiceUnavailable.status else ""
    return f"{head}{retry}connection: close\r\n\r\n".encode() + body


def _no_place() -> ServiceUnavailable:
    return ServiceUnavailable("Too many connections.", {"reason": "CONNECTIONS"})
