"""uvicorn's HTTP protocol, with limits on connections and request headers."""

import asyncio
import json
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from chainteller.service.errors import MalformedRequest, ServiceError, ServiceUnavailable

HEAD_BYTES = 32 * 1024
HEAD_DEADLINE_S = 10.0
CONNECTIONS = 1000
_GO_ON = b"HTTP/1.1 100"
_REASONS = {400: "Bad Request", 503: "Service Unavailable"}


class OneWrite:
    """A transport that sends a reply's headers together with the first part of its body.

    A short reply is one system call and one packet.
    """

    def __init__(self, transport: Any) -> None:
        self._transport = transport
        self._head = b""
        self.is_closing = transport.is_closing

    def write(self, data: bytes) -> None:
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

    def close(self) -> None:
        self.flush()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class BoundedHttpProtocol(HttpToolsProtocol):
    """Limits connections to 1,000, and the size and time of request headers."""

    _head_timer: asyncio.TimerHandle | None = None
    _head_bytes = 0
    _in_head = True

    def connection_made(self, transport: Any) -> None:
        self._one_write = OneWrite(transport)
        super().connection_made(cast("Any", self._one_write))
        if len(self.connections) > CONNECTIONS:
            self._refuse(ServiceUnavailable("Too many connections.", {"reason": "CONNECTIONS"}))
        else:
            self._await_head()

    def on_response_complete(self) -> None:
        self._one_write.flush()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_arrived()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        if self._in_head:
            self._head_bytes += len(data)
        super().data_received(data)
        if not self._in_head:
            return
        if self._head_timer is None:
            self._await_head()
        if self._head_bytes > HEAD_BYTES and not self.transport.is_closing():
            self._refuse(MalformedRequest("The head of the request is too large.", {"position": 0}))

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if not self._in_head:
            self._in_head, self._head_bytes = True, 0

    def on_headers_complete(self) -> None:
        self._head_arrived()
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - uvicorn's signature
        self._refuse(MalformedRequest("This isn't an HTTP request.", {"position": 0}))

    def _await_head(self) -> None:
        self._head_timer = self.loop.call_later(HEAD_DEADLINE_S, self._head_overdue)

    def _head_arrived(self) -> None:
        self._in_head = False
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _head_overdue(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()

    def _refuse(self, error: ServiceError) -> None:
        """Send an error body and close the connection."""
        body = json.dumps(error.to_wire()).encode()
        head = (
            f"HTTP/1.1 {error.status} {_REASONS[error.status]}\r\n"
            "content-type: application/json\r\n"
            f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()
