"""The service under load on SQLite and PostgreSQL, beside a bare FastAPI echo in the same run.

Run: python benchmarks/service.py [SECONDS]      (PostgreSQL needs the test extra)

Client, servers and database share the machine: only ratios within one run count.
"""

import json
import os
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.http_load import Figures, Line, Request, load, repeated, request
from tests.postgres import PostgresServer, start_bundled
from tests.servers.program import ServeProgram
from tests.world.bank import MONEYED, build

from chainteller.domain.clock import SystemClock

ECHO = """
    import sys
    import uvicorn
    from fastapi import FastAPI

    app = FastAPI()

    @app.get("/ping")
    async def ping() -> dict[str, str]:
        return {"ping": "pong"}

    uvicorn.run(app, port=int(sys.argv[1]), loop="uvloop", http="httptools", access_log=False,
                log_level="error")
"""
SETTINGS = {"service__rate_limits": "off", "engine__fill_delay_s": "86400"}
TARGETS = (
    ("the service at 8 clients / at 1, executes, SQLite", 1.3),
    ("the worst read / the echo, 8 clients, SQLite", 0.25),
    ("executes with two servers / one, PostgreSQL, 8 clients", 1.1),
)


class Bank:
    """Servers on one database, with funded accounts and a key."""

    def __init__(self, url: str, home: Path, servers: int = 1) -> None:
        world = build(url, clock=SystemClock())
        self.key = world.key()
        world.engine.close()
        self.programs = [ServeProgram(url, home, **SETTINGS) for _ in range(servers)]
        self.addresses = [each.address for each in self.programs]
        self._line = Line(self.addresses[0])
        self.accounts = [self._opened(number) for number in range(1, MONEYED + 1)]

    def _post(self, path: str, **fields: object) -> dict[str, str]:
        status, body = self._line.ask(request("POST", path, self.key, json.dumps(fields)))
        if status >= 300:
            raise AssertionError(body)
        found: dict[str, str] = json.loads(body)
        return found

    def _opened(self, number: int) -> str:
        kind = "checking" if number % 2 else "savings"
        opening = {"bankAccountId": f"DDA-{number}", "bankAccountType": kind}
        account = self._post("/trading-accounts", **opening)["id"]
        currency = {"type": "deposit-token-currency", "id": "DPT_USD"}
        path = f"/trading-accounts/{account}/deposits"
        self._post(path, amount="900000.00", currency=currency)
        return account

    def reads(self, path: str, clients: int, seconds: float) -> Figures:
        """``{}`` in the path stands for an account, another for each client."""
        each = [
            repeated(request("GET", path.format(self.accounts[number]), self.key))
            for number in range(clients)
        ]
        return load(self.addresses, each, seconds)[0]

    def quotes_and_executes(self, clients: int, seconds: float) -> tuple[Figures, Figures]:
        """Quotes for a while, then their execution, each client on an account of its own."""
        body = json.dumps({"amount": "10.00", "side": "buy"})
        quote = request("POST", "/trading/markets/sol-usd/quotes", self.key, body)
        quoted, bodies = load(self.addresses, [repeated(quote) for _ in range(clients)], seconds)
        ids = [json.loads(each)["data"][0]["id"] for each in bodies]
        executions = [
            self._executions(ids[number::clients], self.accounts[number])
            for number in range(clients)
        ]
        return quoted, load(self.addresses, executions, seconds)[0]

    def _executions(self, ids: list[str], account: str) -> Iterator[Request]:
        body = json.dumps({"tradingAccountId": account})
        for each in ids:
            yield request("POST", f"/trading/quotes/{each}", self.key, body)

    def stop(self) -> None:
        self._line.close()
        for each in self.programs:
            each.stop()


READS = (
    ("markets", "/trading/markets"),
    ("balances", "/trading-accounts/{}/token-balances"),
    ("page of trades", "/trading-accounts/{}/trades?limit=20"),
)


def measured(name: str, bank: Bank, seconds: float) -> dict[tuple[str, int], Figures]:
    found: dict[tuple[str, int], Figures] = {}
    for clients in (1, 8):
        found["quote", clients], found["execute", clients] = bank.quotes_and_executes(
            clients, seconds
        )
        for what, path in READS:
            found[what, clients] = bank.reads(path, clients, seconds)
    for (what, clients), figures in sorted(found.items()):
        print(f"{name:22} {what:15} {clients} clients {figures}", flush=True)
    return found


def echo(stack: ExitStack, home: Path) -> str:
    script = home / "echo.py"
    script.write_text(textwrap.dedent(ECHO))
    port = 18_080 + os.getpid() % 1_000
    process = subprocess.Popen([sys.executable, str(script), str(port)])
    stack.callback(process.wait)
    stack.callback(process.terminate)
    while True:
        try:
            Line(f"127.0.0.1:{port}").close()
        except OSError:
            continue
        return f"http://127.0.0.1:{port}"


def main(seconds: float = 3.0) -> None:
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        address = echo(stack, home)
        ping = repeated(request("GET", "/ping"))
        bare = {count: load([address], [ping] * count, seconds)[0] for count in (1,)}
        bare[8] = load([address], [repeated(request("GET", "/ping")) for _ in range(8)], seconds)[0]
        for count, figures in bare.items():
            print(f"{'FastAPI echo':22} {'ping':15} {count} clients {figures}", flush=True)

        small = Bank(f"sqlite:///{home / 'bank.db'}", home)
        sqlite = measured("SQLite", small, seconds)
        small.stop()
        bundled = start_bundled()
        stack.callback(bundled.remove)
        server = PostgresServer(bundled.url)
        one = Bank(server.fresh(), home)
        postgres = measured("PostgreSQL", one, seconds)
        again = one.quotes_and_executes(8, seconds)[1]
        one.stop()
        two = Bank(server.fresh(), home, servers=2)
        doubled = two.quotes_and_executes(8, seconds)[1]
        two.stop()
        print(f"{'PostgreSQL, 1 server':22} {'execute':15} 8 clients {again}")
        print(f"{'PostgreSQL, 2 servers':22} {'execute':15} 8 clients {doubled}")

    worst = min(sqlite[what, 8].per_second for what, _ in READS) / bare[8].per_second
    best = max(again.per_second, postgres["execute", 8].per_second)
    ratios = (
        sqlite["execute", 8].per_second / sqlite["execute", 1].per_second,
        worst,
        doubled.per_second / best,
    )
    print()
    for (what, target), ratio in zip(TARGETS, ratios, strict=True):
        print(f"{what}: {ratio:.2f} (target {target})")
    for what, _ in READS:
        pair = [found[what, 8].per_second / bare[8].per_second for found in (sqlite, postgres)]
        print(f"{what} / the echo, 8 clients: SQLite {pair[0]:.2f}, PostgreSQL {pair[1]:.2f}")


if __name__ == "__main__":
    main(*(float(each) for each in sys.argv[1:]))
