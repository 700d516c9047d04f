"""Processor time of a server per request, without telemetry, with it, and beside another build.

    PYTHONPATH=src:. python benchmarks/telemetry.py [--rounds 10] [--beside CHECKOUT]

Servers on PostgreSQL databases of their own take turns: in each round, each of them executes quotes
and answers pages of trades, and its processor time is read once its telemetry is sent. The
collector is a process of its own. ``CHECKOUT`` is a build without any tracing in it.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
from tests.postgres import PostgresServer, start_bundled

HERE = Path(__file__).parents[1]
EXECUTES, PAGES = 60, 200
SETTLED_S = 0.6
"""For what a round leaves to be sent; the batches go every 0.2 s."""
_COLLECTOR = """
import sys
sys.path.insert(0, sys.argv[1])
from tests.telemetry.collector import collecting
with collecting() as found:
    print(found.address, flush=True)
    sys.stdin.read()
"""


class Server:
    """A server with an account, its client, and its processor time."""

    def __init__(self, process: "subprocess.Popen[str]", address: str, key: str) -> None:
        self._pid = process.pid
        headers = {"Authorization": f"Bearer {key}"}
        self._client = httpx.Client(base_url=address, headers=headers, timeout=30)
        self.figures: dict[str, list[float]] = {"execute": [], "page": []}
        token = {"type": "deposit-token-currency", "id": "DPT_USD"}
        opening = {"bankAccountId": "DDA-1001", "bankAccountType": "checking"}
        self._account = self._post("/trading-accounts", opening)["id"]
        paid = {"amount": "20000.00", "currency": token}
        self._post(f"/trading-accounts/{self._account}/deposits", paid)

    def run(self) -> None:
        """One round: milliseconds of the processor for each request."""
        asked = {"amount": "5.00", "side": "buy"}
        path = "/trading/markets/sol-usd/quotes?side=buy"
        quotes = [self._post(path, asked)["data"][0]["id"] for _ in range(EXECUTES)]
        before = self._used()
        for quote in quotes:
            self._post(f"/trading/quotes/{quote}", {"tradingAccountId": self._account})
        between = self._used()
        for _ in range(PAGES):
            self._client.get(f"/trading-accounts/{self._account}/trades").raise_for_status()
        after = self._used()
        self.figures["execute"].append((between - before) / EXECUTES)
        self.figures["page"].append((after - between) / PAGES)

    def _post(self, path: str, body: object) -> dict[str, list[dict[str, str]]]:
        reply = self._client.post(path, json=body)
        reply.raise_for_status()
        found: dict[str, list[dict[str, str]]] = reply.json()
        return found

    def _used(self) -> float:
        time.sleep(SETTLED_S)
        threads = Path(f"/proc/{self._pid}/task").glob("*/schedstat")
        return sum(int(each.read_text().split()[0]) for each in threads) / 1e6


@contextmanager
def serving(folder: Path, url: str, checkout: Path, collector: str) -> Iterator[Server]:
    environ = os.environ | {
        "PYTHONPATH": str(checkout / "src"),
        "CHAINTELLER_HOME": str(folder),
        "CHAINTELLER_DATABASE": url,
        "CHAINTELLER_SERVICE__RATE_LIMITS": "off",
        "CHAINTELLER_ENGINE__QUOTE_WINDOW_S": "900",
        "OTEL_EXPORTER_OTLP_ENDPOINT": collector,
        "OTEL_BSP_SCHEDULE_DELAY": "200",
        "OTEL_BLRP_SCHEDULE_DELAY": "200",
    }
    program = [sys.executable, "-m", "chainteller"]
    process = subprocess.Popen(
        [*program, "serve", "--port", "0", "--sample"],
        env=environ, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        address = (process.stdout.readline() if process.stdout else "").split()[-1]
        made = subprocess.run(
            [*program, "keys", "create", "--name", "x"],
            env=environ, capture_output=True, text=True, check=True,
        )  # fmt: skip
        yield Server(process, address, made.stdout.strip())
    finally:
        process.terminate()
        process.wait()


@contextmanager
def collector() -> Iterator[str]:
    command = [sys.executable, "-c", _COLLECTOR, str(HERE)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process.stdout.readline().strip() if process.stdout else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--beside", type=Path)
    options = parser.parse_args()
    with ExitStack() as opened:
        bundled = start_bundled()
        opened.callback(bundled.remove)
        database = PostgresServer(bundled.url)
        address = opened.enter_context(collector())
        kinds = {"off": (HERE, ""), "on": (HERE, address)}
        if options.beside is not None:
            kinds = {"without": (options.beside, ""), **kinds}
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory()))
        servers = {}
        for name, (checkout, sent) in kinds.items():
            home = folder / name
            home.mkdir()
            served = serving(home, database.fresh(), checkout, sent)
            servers[name] = opened.enter_context(served)
        for _ in range(options.rounds + 1):
            for server in servers.values():
                server.run()
        report(servers)


def report(servers: dict[str, Server]) -> None:
    """The median of the rounds, without the first one, and of their ratios to the first kind."""
    first = next(iter(servers))
    for call in ("execute", "page"):
        for name, server in servers.items():
            found = server.figures[call][1:]
            ratio = statistics.median(
                mine / other
                for mine, other in zip(found, servers[first].figures[call][1:], strict=True)
            )
            print(f"{call:8} {name:8} {statistics.median(found):6.2f} ms  {ratio:5.2f} of {first}")


if __name__ == "__main__":
    main()
