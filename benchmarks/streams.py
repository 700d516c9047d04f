"""Idle event streams of one server: what they cost, and when the last one has an event.

    PYTHONPATH=src:. python benchmarks/streams.py [--streams 900] [--seconds 10]

Opens streams on a server process of its own (SQLite), measures its CPU time while nothing happens,
then makes quotes and prints when the last stream had each of them. A server holds 1,000 connections
of key holders.
"""

import argparse
import http.client
import json
import os
import resource
import selectors
import socket
import statistics
import tempfile
import time
from pathlib import Path

from tests.world.bank import build, sqlite_url
from tests.world.serving import ServerProcess

QUOTE = json.dumps({"side": "buy", "amount": "10.00"}).encode()


def cpu_seconds(process: int) -> float:
    """CPU time of a process so far, on Linux."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def opened(address: tuple[str, int], key: str) -> socket.socket:
    stream = socket.create_connection(address, 30)
    said = f"GET /events/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n\r\n"
    stream.sendall(said.encode())
    found = b""
    while b"retry: 2000" not in found:
        part = stream.recv(4_096)
        if not part or b" 429 " in part or b" 503 " in part:
            raise SystemExit(f"refused: {part[:100]!r}")
        found += part
    stream.settimeout(0)
    return stream


def quoted(address: tuple[str, int], key: str) -> None:
    connection = http.client.HTTPConnection(*address, timeout=30)
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    connection.request("POST", "/trading/markets/sol-usd/quotes", QUOTE, headers)
    if connection.getresponse().status != 201:
        raise SystemExit("no quote was made")
    connection.close()


def until_all_have_it(streams: list[socket.socket]) -> float:
    """Seconds until the last stream has an event."""
    began = time.perf_counter()
    with selectors.DefaultSelector() as waiting:
        for each in streams:
            waiting.register(each, selectors.EVENT_READ)
        while waiting.get_map():
            for found, _ in waiting.select(30):
                stream = found.fileobj
                if isinstance(stream, socket.socket) and b"event: " in stream.recv(65_536):
                    waiting.unregister(stream)
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--streams", type=int, default=900)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--events", type=int, default=10)
    chosen = parser.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with tempfile.TemporaryDirectory() as folder:
        url = sqlite_url(Path(folder))
        world = build(url)
        key = world.key()
        server = ServerProcess(url)
        host, _, port = server.address.removeprefix("http://").partition(":")
        address = (host, int(port))
        try:
            streams = [opened(address, key) for _ in range(chosen.streams)]
            time.sleep(1)
            before = cpu_seconds(server.process.pid)
            time.sleep(chosen.seconds)
            share = (cpu_seconds(server.process.pid) - before) / chosen.seconds
            delays = []
            for _ in range(chosen.events):
                quoted(address, key)
                delays.append(until_all_have_it(streams))
            for each in streams:
                each.close()
        finally:
            server.kill()
    print(f"{chosen.streams} idle streams: {share:.1%} of a core")
    print(
        f"the last one has an event after {statistics.median(delays) * 1_000:.0f} ms "
        f"(median of {chosen.events}), at most {max(delays) * 1_000:.0f} ms"
    )


if __name__ == "__main__":
    main()
