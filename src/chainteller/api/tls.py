"""TLS of the service: certificate files that are read again when they change, and the handshake."""

import asyncio
import logging
import os
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chainteller.api.connections import Connections
from chainteller.api.protocol import HEAD_DEADLINE_S, BoundedHttpProtocol, last_reply
from chainteller.given_files import read_bytes
from chainteller.service.errors import MalformedRequest

_LOOK_S = 1.0
_HANDSHAKE = 0x16
"""The first byte of a client that speaks TLS."""
_Stamp = tuple[tuple[int, int, int], ...]
_log = logging.getLogger("chainteller.api")


@dataclass(slots=True)
class Certificate:
    """A certificate chain and its key, as PEM files.

    Changed files are used for new connections within a second. While they can't be used, the last
    ones that could are.

    Raises:
        OSError: the files can't be read, or don't belong together (``ssl.SSLError``).
    """

    chain: Path
    key: Path
    elapsed: Callable[[], float] = time.monotonic
    _context: ssl.SSLContext = field(init=False)
    _stamp: _Stamp = field(init=False)
    _looked_at: float = field(init=False)

    def __post_init__(self) -> None:
        self._stamp = self._files()
        self._context = self._loaded()
        self._looked_at = self.elapsed()

    def context(self) -> ssl.SSLContext:
        """The context for the next connection; never raises."""
        now = self.elapsed()
        if now - self._looked_at >= _LOOK_S:
            self._looked_at = now
            self._look()
        return self._context

    def _look(self) -> None:
        try:
            stamp = self._files()
            if stamp != self._stamp:
                self._context = self._loaded()
                self._stamp = stamp
                _log.info("certificate read again")
        except OSError as error:
            _log.warning("the changed certificate can't be used: %s", error.strerror or error)

    def _files(self) -> _Stamp:
        found = (os.stat(each) for each in (self.chain, self.key))  # noqa: PTH116 - follows links, as load_cert_chain
        return tuple((each.st_ino, each.st_size, each.st_mtime_ns) for each in found)

    def _loaded(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.set_alpn_protocols(["http/1.1"])
        for each in (self.chain, self.key):
            read_bytes(each)  # OpenSSL would wait for a pipe, or for the end of a device
        context.load_cert_chain(self.chain, self.key)
        return context


class TlsGate(asyncio.Protocol):
    """A connection until its handshake is complete; it holds a stranger's place meanwhile.

    Args:
        http: makes the protocol that takes over.
        certificate: what the service identifies itself with.
        connections: the places of this process.
    """

    is_busy = False

    def __init__(
        self,
        http: Callable[[], BoundedHttpProtocol],
        certificate: Certificate,
        connections: Connections[Any],
    ) -> None:
        self._http = http
        self._certificate = certificate
        self._places = connections
        self._loop = asyncio.get_running_loop()
        self._transport: Any = None
        self._received = bytearray()
        self._deadline: asyncio.TimerHandle | None = None
        self._handshake: asyncio.Task[None] | None = None

    def give_way(self) -> None:
        self._transport.abort()

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        peer = transport.get_extra_info("peername")
        address = str(peer[0]) if isinstance(peer, tuple) else ""
        if self._places.admit_stranger(self, address):
            self._deadline = self._loop.call_later(HEAD_DEADLINE_S, self.give_way)
        else:
            transport.abort()

    def data_received(self, data: bytes) -> None:
        """Begin the handshake."""
        self._received += data
        if self._handshake is not None:
            return
        if self._received and self._received[0] != _HANDSHAKE:
            clear = MalformedRequest("This address speaks TLS: use https://.", {"position": 0})
            self._transport.write(last_reply(clear))
            self._transport.close()
        elif self._received:
            self._transport.pause_reading()
            self._handshake = self._loop.create_task(self._encrypt())

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's signature
        self._places.leave(self)
        if self._deadline is not None:
            self._deadline.cancel()

    async def _encrypt(self) -> None:
        encrypting = self._loop.create_task(
            self._loop.start_tls(
                self._transport,
                self,
                self._certificate.context(),
                server_side=True,
                ssl_handshake_timeout=HEAD_DEADLINE_S,
            )
        )
        await asyncio.sleep(0)
        self._loop.call_soon(self._replay)
        try:
            encrypted = await encrypting
        except (OSError, ssl.SSLError):
            self._transport.abort()
            return
        finally:
            self._places.leave(self)
            if self._deadline is not None:
                self._deadline.cancel()
        if encrypted is not None and not encrypted.is_closing():
            self._hand_over(encrypted)

    def _replay(self) -> None:
        """Give the handshake the bytes that arrived before it began."""
        handshake = self._transport.get_protocol()
        data = memoryview(bytes(self._received))
        self._received.clear()
        while data and not self._transport.is_closing():
            buffer = handshake.get_buffer(len(data))
            size = min(len(buffer), len(data))
            buffer[:size] = data[:size]
            handshake.buffer_updated(size)
            data = data[size:]

    def _hand_over(self, encrypted: Any) -> None:
        http = self._http()
        http.connection_made(encrypted)
        encrypted.set_protocol(http)
        if self._received:
            http.data_received(bytes(self._received))
