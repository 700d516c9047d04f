"""A server over a plain socket that answers wrongly, in one of many ways."""

import contextlib
import gzip
import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Mapping

from chainteller.service.operations import FEATURES

Fault = Callable[[socket.socket, threading.Event], None]

_GOOD_CAPABILITIES = json.dumps({"features": list(FEATURES)}).encode()
_MARKET = {
    "marketName": "sol-usd",
    "network": "solana",
    "currentPrice": "1.00",
    "yesterdaysPrice": "1.00",
    "at": "2026-11-20T12:00:00.000000Z",
}
GOOD_MARKETS = json.dumps(
    {"data": [_MARKET], "pagination": {"total": 1, "page": 1, "limit": 20}}
).encode()


def reply(
    body: bytes, status: str = "200 OK", headers: str = "", length: int | None = None
) -> bytes:
    size = len(body) if length is None else length
    head = (
        f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\n{headers}"
        f"Content-Length: {size}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body


def says(data: bytes) -> Fault:
    def fault(connection: socket.socket, _ended: threading.Event) -> None:
        connection.sendall(data)

    return fault


def hangs(connection: socket.socket, ended: threading.Event) -> None:
    connection.settimeout(None)
    ended.wait()


def closes(_connection: socket.socket, _ended: threading.Event) -> None:
    return


def resets(connection: socket.socket, _ended: threading.Event) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def drips(connection: socket.socket, ended: threading.Event) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
    while not ended.wait(0.05):
        connection.sendall(b" ")


def drips_headers(connection: socket.socket, ended: threading.Event) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while not ended.wait(0.05):
        connection.sendall(b"a")


def never_ends(connection: socket.socket, ended: threading.Event) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
    block = b" " * 65_536
    while not ended.is_set():
        connection.sendall(block)


def endless_informational(connection: socket.socket, ended: threading.Event) -> None:
    while not ended.is_set():
        connection.sendall(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" * 100)


def endless_headers(connection: socket.socket, ended: threading.Event) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    while not ended.is_set():
        connection.sendall(b"X-More: " + b"a" * 1000 + b"\r\n")


def says_100_megabytes(connection: socket.socket, ended: threading.Event) -> None:
    """A whole answer that is as long as it says."""
    connection.sendall(
        b"HTTP/1.1 201 Created\r\nContent-Type: application/json\r\n"
        b"Content-Length: 104857600\r\nConnection: close\r\n\r\n"
    )
    _pour(connection, ended)


def chunks_without_end(connection: socket.socket, ended: threading.Event) -> None:
    """A body that grows to 100 MB in chunks and never says how long it is."""
    connection.sendall(
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    _pour(connection, ended, b"10000\r\n", b"\r\n")


def _pour(
    connection: socket.socket, ended: threading.Event, before: bytes = b"", after: bytes = b""
) -> None:
    block = before + b" " * 65_536 + after
    for _ in range(1_600):
        if ended.is_set():
            return
        connection.sendall(block)


def stops_in_the_middle(connection: socket.socket, ended: threading.Event) -> None:
    connection.sendall(reply(GOOD_MARKETS[:40], length=len(GOOD_MARKETS)))
    ended.wait()


FAULTS: Mapping[str, Fault] = {
    "accepts and hangs": hangs,
    "closes at once": closes,
    "resets": resets,
    "drips a body": drips,
    "drips headers": drips_headers,
    "never ends": never_ends,
    "endless 1xx": endless_informational,
    "endless headers": endless_headers,
    "100 MB": says_100_megabytes,
    "100 MB in chunks": chunks_without_end,
    "stops in the middle": stops_in_the_middle,
    "truncated body": says(reply(GOOD_MARKETS[:40], length=len(GOOD_MARKETS))),
    "garbage status line": says(b"SSH-2.0-OpenSSH_9.2\r\n\r\n"),
    "HTTP/0.9": says(GOOD_MARKETS),
    "bad chunk": says(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\nxx\r\n"),
    "negative length": says(b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n"),
    "two lengths": says(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello"),
    "huge declared length": says(reply(b"{}", length=10**15)),
    "one header of 200 kB": says(b"HTTP/1.1 200 OK\r\nX: " + b"a" * 200_000 + b"\r\n\r\n{}"),
    "redirect elsewhere": says(reply(b"", "307 x", "Location: http://127.0.0.1:9/steal\r\n")),
    "redirect to itself": says(reply(b"", "302 x", "Location: /trading/markets\r\n")),
    "gzip bomb": says(
        reply(gzip.compress(b" " * 50_000_000), headers="Content-Encoding: gzip\r\n")
    ),
    "broken gzip": says(reply(b"not gzip", headers="Content-Encoding: gzip\r\n")),
    "empty 200": says(reply(b"")),
    "204": says(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"),
    "html": says(reply(b"<html><h1>It works!</h1></html>")),
    "login page": says(reply(b"<html>sign in</html>", "403 Forbidden")),
    "html 404": says(reply(b"<html>nothing here</html>", "404 Not Found")),
    "gateway error": says(reply(b"<html>bad gateway</html>", "502 Bad Gateway")),
    "gateway timeout": says(reply(b"upstream timed out", "504 Gateway Timeout")),
    "JSON of another shape": says(reply(b'{"ok": true}')),
    "JSON array": says(reply(b"[1, 2, 3]")),
    "null": says(reply(b"null")),
    "numbers for money": says(reply(GOOD_MARKETS.replace(b'"1.00"', b"1.00"))),
    "a missing field": says(reply(GOOD_MARKETS.replace(b'"network"', b'"netvork"'))),
    "nested 200,000 deep": says(reply(b"[" * 200_000)),
    "nested to the last byte": says(reply(b'{"error":' * 400_000)),
    "a text of 4 MB": says(reply(b'{"id": "' + b"a" * 4_000_000 + b'"}')),
    "a million lists": says(reply(b'{"data": [' + b"[]," * 1_300_000 + b"[]]}")),
    "a million values that nobody asked for": says(
        reply(b'{"more": [' + b"[]," * 1_300_000 + b"[]]}")
    ),
    "twenty thousand wrong records": says(reply(b'{"data": [' + b"{}," * 20_000 + b"{}]}")),
    "long fields that nobody asked for": says(
        reply(b'{"id": "", "x": ' + b'"' + b"a" * 2_000_000 + b'"' + b', "y": 1}')
    ),
    "a number of 10,000 digits": says(reply(b'{"pagination": ' + b"9" * 10_000 + b"}")),
    "invalid UTF-8": says(reply(b'{"data": "\xff\xfe"}')),
    "UTF-16": says(reply('{"data": []}'.encode("utf-16"))),
    "NaN": says(reply(b'{"data": NaN, "pagination": Infinity}')),
    "an error without a code": says(reply(b'{"detail": "no"}', "422 Unprocessable Content")),
    "an error whose details are text": says(
        reply(b'{"error": "X", "message": "y", "details": "z"}', "409 Conflict")
    ),
    "status 999": says(reply(b"{}", "999 What")),
}


@contextlib.contextmanager
def misbehaving(fault: Fault, *, offers: bool = True) -> Iterator[str]:
    """The address of a server that is well until it is asked for anything but capabilities; it
    ``offers`` them all, or not even these."""
    ended = threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))
    threads: list[threading.Thread] = []

    def serve_one(connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            connection.settimeout(5)
            request = connection.recv(65_536)
            if request.startswith(b"GET /capabilities "):
                offered = reply(_GOOD_CAPABILITIES) if offers else reply(b"", "404 Not Found")
                connection.sendall(offered)
                return
            fault(connection, ended)

    def accept() -> None:
        with contextlib.suppress(OSError):
            while not ended.is_set():
                connection, _ = listener.accept()
                thread = threading.Thread(target=serve_one, args=(connection,), daemon=True)
                threads.append(thread)
                thread.start()

    accepting = threading.Thread(target=accept, daemon=True)
    accepting.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        ended.set()
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        for thread in (accepting, *threads):
            thread.join(timeout=5)
