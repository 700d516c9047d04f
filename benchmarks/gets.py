"""Every GET of the service under load on the sample bank, the slowest first.

Run: python benchmarks/gets.py [SECONDS] [postgres]

Eight clients; each call is compared with the read of one trade by its id in the same turn: its
rate, and the processor time of the server for a request, which others on the machine disturb less.
Lists have 20 rows where the bank has so many. Only ratios of one run count. A statement is no list:
it checks the account's whole history.
"""

import json
import os
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import replace
from http.client import OK
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.http_load import Line, load, request
from benchmarks.service import CLIENTS, SETTINGS
from tests.postgres import PostgresServer, start_bundled
from tests.servers.program import ServeProgram
from tests.world import samples
from tests.world.files import KEY_SETTING

from chainteller.domain.clock import SystemClock
from chainteller.engine.operations.keys import ApiKeys
from chainteller.service.operations import OPERATIONS

BESIDE = "trade"
ROWS = {"events": "?limit=20"}
"""Of lists that have another number of rows by themselves."""
_LEFT_OUT = {"diagnose_signature", "find"}
"""They need more than ids."""
_TURNS = 3


def paths(line: Line, key: str) -> dict[str, str]:
    """A path of each operation with ids that exist; without those whose list is empty."""

    def first(path: str) -> dict[str, Any]:
        _, body = line.ask(request("GET", path, key))
        found: list[dict[str, Any]] = json.loads(body).get("data") or [{}]
        return found[0]

    trade = first("/trading/trades")
    account = str(trade["tradingAccountId"])
    custody = str(first("/blockchain-accounts").get("id", ""))
    owned = f"/blockchain-accounts/{custody}/1P-counterparty-ownership"
    own = f"/trading-accounts/{account}"
    ids = {
        "tradingAccountId": account,
        "tradeId": trade["id"],
        "quoteId": trade["quoteId"],
        "market": trade["market"],
        "depositId": first(f"{own}/deposits").get("id"),
        "withdrawalId": first(f"{own}/withdrawals").get("id"),
        "transactionId": first(f"{own}/transactions").get("id"),
        "blockchainAccountId": custody,
        "counterpartyId": first("/counterparties").get("id"),
        "ownershipChallengeId": first(f"{owned}-challenges").get("id"),
        "smallTransferId": first(f"{owned}-transfers").get("id"),
        "ownershipStatementId": first(f"{owned}-statements").get("id"),
        "seq": "1",
    }
    found = {}
    for operation in OPERATIONS:
        path = operation.path
        for name, value in ids.items():
            path = path.replace(f"{{{name}}}", str(value)) if value else path
        if operation.writes or operation.name in _LEFT_OUT or "{" in path:
            continue
        status, _ = line.ask(request("GET", path, key))
        if status == OK:
            found[operation.name] = path + ROWS.get(operation.name, "")
    return found


def _busy_ns(process_id: int) -> int:
    """Processor time of a process's threads so far, in nanoseconds (Linux)."""
    tasks = Path(f"/proc/{process_id}/task").iterdir()
    return sum(int((each / "schedstat").read_text().split()[0]) for each in tasks)


def main(seconds: float = 1.0, *databases: str) -> None:
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        url = f"sqlite:///{home / 'bank.db'}"
        if "postgres" in databases:
            bundled = start_bundled()
            stack.callback(bundled.remove)
            url = PostgresServer(bundled.url).fresh()
        os.environ |= KEY_SETTING
        bank = replace(samples.new_bank(url), clock=SystemClock())
        samples.load(bank)
        key = ApiKeys(bank, environment="test").create("benchmark", (), "default", None).text
        bank.database.close()
        program = ServeProgram(url, home, **SETTINGS)
        stack.callback(program.stop)
        line = Line(program.address)
        asked = paths(line, key)
        ratios: dict[str, list[tuple[float, float]]] = {name: [] for name in asked}
        for _ in range(_TURNS):
            beside = (1.0, 1.0)
            for name in (BESIDE, *(each for each in asked if each != BESIDE)):
                sent = [request("GET", asked[name], key)] * CLIENTS
                before = _busy_ns(program.process_id)
                rate = load([program.address], sent, seconds)[0].per_second
                by_processor = rate / (_busy_ns(program.process_id) - before)
                if name == BESIDE:
                    beside = (rate, by_processor)
                ratios[name].append((rate / beside[0], by_processor / beside[1]))
        middle = {
            name: [sorted(each)[_TURNS // 2] for each in zip(*turns, strict=True)]
            for name, turns in ratios.items()
        }
        print(f"{'':28}   rate  by processor time")
        for name, (rate, by_processor) in sorted(middle.items(), key=lambda each: each[1][1]):
            print(f"{name:28} {rate:6.2f} {by_processor:6.2f}", flush=True)


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 1.0, *sys.argv[2:])
