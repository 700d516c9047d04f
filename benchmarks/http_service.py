"""Calls over HTTP beside a bare FastAPI echo on the same server, in one run.

``python -m benchmarks.http_service [CLIENTS] [REQUESTS]``: requests a second, p50 and p99 in
milliseconds, and each figure's share of the echo's. The database is a fresh SQLite file.
"""

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.api.conftest import Caller
from tests.world.bank import build, sqlite_url
from tests.world.serving import ServerProcess

Make = Callable[[], bytes]
_ECHO = """
import sys, uvicorn, fastapi
app = fastapi.FastAPI()
@app.get("/echo")
async def echo(): return {"status": "ok"}
class Server(uvicorn.Server):
    async def startup(self, sockets=None):
        await super().startup(sockets)
        print(self.servers[0].sockets[0].getsockname()[1], flush=True)
Server(uvicorn.Config(app, port=0, log_level="error")).run()
"""


async def _client(address: tuple[str, int], make: Make, count: int, taken: list[float]) -> None:
    reader, writer = await asyncio.open_connection(*address)
    for _ in range(count):
        started = time.perf_counter()
        writer.write(make())
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        length = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0])
        body = await reader.readexactly(length)
        taken.append(time.perf_counter() - started)
        if not head.startswith((b"http/1.1 200", b"http/1.1 201")):
            raise AssertionError(body.decode())
    writer.close()


def measure(address: str, make: Make, clients: int, count: int) -> tuple[float, float, float]:
    """Requests a second, p50 and p99 in milliseconds."""
    host, _, port = address.removeprefix("http://").partition(":")
    taken: list[float] = []

    async def everyone() -> None:
        target = (host, int(port))
        await asyncio.gather(*(_client(target, make, count, taken) for _ in range(clients)))

    started = time.perf_counter()
    asyncio.run(everyone())
    seconds = time.perf_counter() - started
    taken.sort()
    return len(taken) / seconds, taken[len(taken) // 2] * 1e3, taken[len(taken) * 99 // 100] * 1e3


def request(key: str, method: str, path: str, document: object = None) -> bytes:
    body = b"" if document is None else json.dumps(document).encode()
    head = f"{method} {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n"
    if document is not None:
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return head.encode() + b"\r\n" + body


def _calls(call: Caller, key: str, executes: int) -> dict[str, Make]:
    account = call.account()
    currency = {"type": "deposit-token-currency", "id": "DPT_USD"}
    deposit = {"amount": "900000.00", "currency": currency}
    call("POST", f"/trading-accounts/{account}/deposits", deposit)
    for _ in range(25):
        call("POST", f"/trading/quotes/{call.quote()}", {"tradingAccountId": account})
    quotes = iter([call.quote() for _ in range(executes)])
    buying = {"amount": "1.00", "side": "buy"}
    fixed = {
        "capabilities": request(key, "GET", "/capabilities"),
        "markets": request(key, "GET", "/trading/markets"),
        "balances": request(key, "GET", f"/trading-accounts/{account}/token-balances"),
        "20 trades": request(key, "GET", f"/trading-accounts/{account}/trades"),
        "quote": request(key, "POST", "/trading/markets/sol-usd/quotes", buying),
    }
    calls: dict[str, Make] = {name: (lambda data=data: data) for name, data in fixed.items()}  # type: ignore[misc]  # a default binds the value
    body = {"tradingAccountId": account}
    calls["execute"] = lambda: request(key, "POST", f"/trading/quotes/{next(quotes)}", body)
    return calls


def main(clients: int = 8, count: int = 100) -> None:
    with tempfile.TemporaryDirectory() as folder:
        url = sqlite_url(Path(folder))
        world = build(url)
        key = world.key()
        world.engine.close()
        server = ServerProcess(url)
        echo = subprocess.Popen([sys.executable, "-c", _ECHO], stdout=subprocess.PIPE, text=True)
        try:
            port = echo.stdout.readline().strip() if echo.stdout else ""
            calls = _calls(Caller(server.address, key), key, clients * count)
            ping = request(key, "GET", "/echo")
            floor = measure(f"http://127.0.0.1:{port}", lambda: ping, clients, count * 5)
            print(f"{'call':14}{'req/s':>9}{'p50 ms':>9}{'p99 ms':>9}{'of echo':>9}")
            print(f"{'bare echo':14}{floor[0]:9.0f}{floor[1]:9.2f}{floor[2]:9.2f}{1:9.2f}")
            for name, make in calls.items():
                rate, half, most = measure(server.address, make, clients, count)
                print(f"{name:14}{rate:9.0f}{half:9.2f}{most:9.2f}{rate / floor[0]:9.2f}")
        finally:
            echo.kill()
            echo.communicate()
            server.kill()


if __name__ == "__main__":
    main(*(int(each) for each in sys.argv[1:]))
