"""The service under load, beside a bare FastAPI ping and a page of trades written with SQLModel.

Run: python benchmarks/service.py [SECONDS [sqlite] [postgres]]   (PostgreSQL: the test extra)

Each server is one process of uvicorn on uvloop and httptools; the requests of all carry the same
headers over the same kept-alive connections. What is compared takes turns, several times, and the
medians are taken. Client, servers and database share the machine: only ratios of one run count.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.http_load import Figures, Line, Request, load, median, request
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
TURNS = 5
CLIENTS = 8
ROOT = Path(__file__).parents[1]
PAGE = "/trading-accounts/{}/trades?limit=20"


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

    def _post(self, path: str, **fields: object) -> dict[str, Any]:
        status, body = self._line.ask(request("POST", path, self.key, json.dumps(fields)))
        if status >= 300:
            raise AssertionError(body)
        found: dict[str, Any] = json.loads(body)
        return found

    def _opened(self, number: int) -> str:
        kind = "checking" if number % 2 else "savings"
        opening = {"bankAccountId": f"DDA-{number}", "bankAccountType": kind}
        account: str = self._post("/trading-accounts", **opening)["id"]
        currency = {"type": "deposit-token-currency", "id": "DPT_USD"}
        path = f"/trading-accounts/{account}/deposits"
        self._post(path, amount="900000.00", currency=currency)
        return account

    def reads(self, path: str) -> list[Request]:
        """``{}`` in the path stands for an account, another for each client."""
        return [request("GET", path.format(each), self.key) for each in self.accounts[:CLIENTS]]

    def trade(self, count: int) -> None:
        """``count`` trades in the account of each client."""
        self._line.close()
        self._line = Line(self.addresses[0])
        for account in self.accounts[:CLIENTS]:
            for _ in range(count):
                made = self._post("/trading/markets/sol-usd/quotes", amount="10.00", side="buy")
                quote = made["data"][0]["id"]
                self._post(f"/trading/quotes/{quote}", tradingAccountId=account)

    def writes(self, clients: int, seconds: float) -> tuple[Figures, Figures]:
        """Quotes for a while, then their execution, each client on an account of its own."""
        body = json.dumps({"amount": "10.00", "side": "buy"})
        quote = request("POST", "/trading/markets/sol-usd/quotes", self.key, body)
        quoted, bodies = load(self.addresses, [quote] * clients, seconds, keeps=True)
        ids = [json.loads(each)["data"][0]["id"] for each in bodies]
        executions = [
            [
                request(
                    "POST",
                    f"/trading/quotes/{each}",
                    self.key,
                    json.dumps({"tradingAccountId": self.accounts[number]}),
                )
                for each in ids[number::clients]
            ]
            for number in range(clients)
        ]
        return quoted, load(self.addresses, executions, seconds)[0]

    def stop(self) -> None:
        self._line.close()
        for each in self.programs:
            each.stop()


def port_of(command: list[str], stack: ExitStack) -> str:
    """The address of a server started by a command that takes the port last."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    process = subprocess.Popen([sys.executable, *command, str(port)], env=environment)
    stack.callback(process.wait)
    stack.callback(process.terminate)
    while True:
        try:
            Line(f"127.0.0.1:{port}").close()
        except OSError:
            time.sleep(0.05)
        else:
            return f"http://127.0.0.1:{port}"


def show(name: str, what: str, clients: int, figures: Figures) -> None:
    print(f"{name:18} {what:22} {clients} clients {figures}", flush=True)


def reads(name: str, bank: Bank, others: dict[str, str], seconds: float) -> dict[str, Figures]:
    """Each read and each of the others (by name, their addresses), in turns; medians."""
    asked: dict[str, tuple[str, list[Request]]] = {
        "markets": (bank.addresses[0], bank.reads("/trading/markets")),
        "balances": (bank.addresses[0], bank.reads("/trading-accounts/{}/token-balances")),
        "page of trades": (bank.addresses[0], bank.reads(PAGE)),
    }
    paths = {"FastAPI ping": "/ping", "page with SQLModel": PAGE}
    for other, address in others.items():
        asked[other] = (address, bank.reads(paths[other]))
    found: dict[str, list[Figures]] = {what: [] for what in asked}
    for _ in range(TURNS):
        for what, (address, requests) in asked.items():
            found[what].append(load([address], requests, seconds)[0])
    medians = {what: median(each) for what, each in found.items()}
    for what, figures in medians.items():
        show(name, what, CLIENTS, figures)
    for what in ("markets", "balances", "page of trades"):
        print(f"  {what} / ping: {_ratio(medians, what, 'FastAPI ping')} (target 0.25)")
    if "page with SQLModel" in medians:
        ratio = _ratio(medians, "page of trades", "page with SQLModel")
        print(f"  page of trades / the same with SQLModel: {ratio} (target 6)")
    return medians


def _ratio(medians: dict[str, Figures], what: str, beside: str) -> str:
    """By requests a second, and by the median time of one, which strangers' load moves less."""
    mine, other = medians[what], medians[beside]
    return f"{mine.per_second / other.per_second:.2f}, by p50 {other.p50_ms / mine.p50_ms:.2f}"


def reads_while_written(name: str, bank: Bank, seconds: float) -> None:
    """The page of trades while another connection asks for quotes, which changes the database
    with every answer: nothing that was read before may be used again."""
    body = json.dumps({"amount": "10.00", "side": "buy"})
    quote = request("POST", "/trading/markets/sol-usd/quotes", bank.key, body)
    found, meanwhile = [], []
    for _ in range(TURNS):
        with ThreadPoolExecutor(1) as other:
            writing = other.submit(load, bank.addresses, [quote], seconds)
            found.append(load(bank.addresses, bank.reads(PAGE), seconds)[0])
            meanwhile.append(writing.result()[0])
    show(name, "page while written", CLIENTS, median(found))
    print(f"  quotes meanwhile, one client: {median(meanwhile).per_second:.0f}/s")


def executes(name: str, bank: Bank, seconds: float) -> None:
    """Quotes and executes of one client and of eight, in turns; medians."""
    found: dict[tuple[str, int], list[Figures]] = {}
    for _ in range(TURNS):
        for clients in (1, CLIENTS):
            quoted, executed = bank.writes(clients, seconds)
            found.setdefault(("quote", clients), []).append(quoted)
            found.setdefault(("execute", clients), []).append(executed)
    for (what, clients), each in sorted(found.items()):
        show(name, what, clients, median(each))
    many, one = (median(found["execute", clients]).per_second for clients in (CLIENTS, 1))
    print(f"  executes of {CLIENTS} clients / of 1: {many / one:.2f} (target 1.3 on SQLite)")


def two_servers(one: Bank, two: Bank, seconds: float) -> None:
    found: dict[int, list[Figures]] = {1: [], 2: []}
    for _ in range(TURNS):
        for servers, bank in ((1, one), (2, two)):
            found[servers].append(bank.writes(CLIENTS, seconds)[1])
    for servers, each in found.items():
        show("PostgreSQL", f"execute, {servers} servers", CLIENTS, median(each))
    ratio = median(found[2]).per_second / median(found[1]).per_second
    print(f"  executes with two servers / with one: {ratio:.2f} (target 1.1)")


def on_sqlite(ping: str, home: Path, stack: ExitStack, seconds: float) -> None:
    bank = Bank(f"sqlite:///{home / 'bank.db'}", home)
    stack.callback(bank.stop)
    bank.trade(100)
    beside = port_of([str(ROOT / "benchmarks/sqlmodel_service.py"), str(home / "bank.db")], stack)
    reads("SQLite", bank, {"FastAPI ping": ping, "page with SQLModel": beside}, seconds)
    reads_while_written("SQLite", bank, seconds)
    executes("SQLite", bank, seconds)


def on_postgres(ping: str, home: Path, stack: ExitStack, seconds: float) -> None:
    bundled = start_bundled()
    stack.callback(bundled.remove)
    server = PostgresServer(bundled.url)
    one, two = Bank(server.fresh(), home), Bank(server.fresh(), home, servers=2)
    stack.callback(two.stop)
    stack.callback(one.stop)
    two_servers(one, two, seconds)
    one.trade(25)
    reads("PostgreSQL", one, {"FastAPI ping": ping}, seconds)
    executes("PostgreSQL", one, seconds)


def main(seconds: float = 2.0, *databases: str) -> None:
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        script = home / "ping.py"
        script.write_text(textwrap.dedent(ECHO))
        ping = port_of([str(script)], stack)
        for name, measured in (("sqlite", on_sqlite), ("postgres", on_postgres)):
            if name in databases or not databases:
                measured(ping, home, stack, seconds)


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 2.0, *sys.argv[2:])
