"""An upgrade beside servers that answer 100 requests a second: none fails.

pytest -m slow -s tests/storage/test_upgrade_under_load.py
"""

import http.client
import itertools
import json
import threading
import time
from collections import Counter
from pathlib import Path

import pytest
from tests.storage.clusters import NAME, Cluster, cluster_folder
from tests.storage.later_builds import expanded
from tests.world.bank import build
from tests.world.serving import ServerProcess
from tests.world.waiting import PATIENCE_S

from chainteller.domain.clock import SystemClock
from chainteller.service.models.accounts import OpenTradingAccount

CLIENTS = 20
EVERY_S = 0.2
"""Each client sends five requests a second."""
pytestmark = pytest.mark.slow


class Client(threading.Thread):
    """Sends a request every ``EVERY_S``, one of four a deposit, the others reads."""

    def __init__(self, place: str, account: str, key: str, first: float) -> None:
        super().__init__(daemon=True)
        self.statuses: Counter[str] = Counter()
        self.slowest_s = 0.0
        self._place, self._account, self._key, self._first = place, account, key, first
        self._ends = threading.Event()

    def end(self) -> None:
        self._ends.set()
        self.join(PATIENCE_S)
        assert not self.is_alive()

    def run(self) -> None:
        connection = http.client.HTTPConnection(self._place, timeout=PATIENCE_S)
        for number in itertools.count():
            if self._ends.wait(max(0.0, self._first + number * EVERY_S - time.monotonic())):
                break
            began = time.monotonic()
            self.statuses[self._send(connection, number)] += 1
            self.slowest_s = max(self.slowest_s, time.monotonic() - began)
        connection.close()

    def _send(self, connection: http.client.HTTPConnection, number: int) -> str:
        said = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}
        path = f"/trading-accounts/{self._account}"
        if number % 4 == 0:
            said["Idempotency-Key"] = f"{self._account}-{number}"
            currency = {"type": "deposit-token-currency", "id": "DPT_USD"}
            body = json.dumps({"amount": "1.00", "currency": currency})
            connection.request("POST", f"{path}/deposits", body, said)
        else:
            path = (path, f"{path}/deposits", f"{path}/transactions")[number % 3]
            connection.request("GET", path, headers=said)
        reply = connection.getresponse()
        found = reply.read()
        is_done = reply.status in (200, 201)
        return "done" if is_done else f"{reply.status} {json.loads(found)['error']}"


@pytest.mark.parametrize("turn", [1, 2, 3])
def test_an_upgrade_beside_a_hundred_requests_a_second_fails_none(
    turn: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    later = expanded(tmp_path / "later")
    with cluster_folder() as folder:
        cluster = Cluster.new(folder / "one")
        url = f"postgresql://postgres@127.0.0.1:{cluster.port}/{NAME}"
        world = build(url, clock=SystemClock())
        accounts = [
            world.engine.open_trading_account(
                OpenTradingAccount(
                    bank_account_id=f"DDA-{number}",
                    bank_account_type="checking" if number % 2 else "savings",
                )
            ).value.id
            for number in range(1, CLIENTS + 1)
        ]
        key = world.key()
        world.engine.close()
        servers = [ServerProcess(url) for _ in "12"]
        try:
            now = time.monotonic()
            clients = [
                Client(
                    servers[at % 2].address.removeprefix("http://"),
                    account,
                    key,
                    now + at * EVERY_S / CLIENTS,
                )
                for at, account in enumerate(accounts)
            ]
            for each in clients:
                each.start()
            _until(clients, 500)
            done = later.run("db", "upgrade", "--database", url, "--json")
            _until(clients, 500)
            for each in clients:
                each.end()
            took_s = time.monotonic() - now
        finally:
            for server in servers:
                server.kill()
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    statuses = sum((each.statuses for each in clients), Counter())
    slowest_s = max(each.slowest_s for each in clients)
    with capsys.disabled():
        print(  # noqa: T201 - the figures of the proof
            f"\nturn {turn}: {statuses.total() / took_s:.0f} requests/s, {dict(statuses)}, "
            f"{found['tries']} tries, slowest {slowest_s:.2f} s, said {done.stderr!r}"
        )
    assert set(statuses) == {"done"}
    assert 1 <= found["tries"] <= 3


def _until(clients: list[Client], more: int) -> None:
    """Wait until the clients have had more answers."""
    wanted = sum(each.statuses.total() for each in clients) + more
    ends = time.monotonic() + 120
    while sum(each.statuses.total() for each in clients) < wanted:
        assert time.monotonic() < ends
        time.sleep(0.05)
