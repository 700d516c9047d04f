"""PostgreSQL stopped, crashed, failed over, dumped and pooled while clients deposit.

Every failure is reported with its code, a repeated request has one effect, nothing that was
acknowledged is lost, and the books verify.
"""

import contextlib
import http.client
import json
import os
import shutil
import socket
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.storage.clusters import NAME, Cluster, cluster_folder, free_port
from tests.world.bank import World, build
from tests.world.serving import ServerProcess
from tests.world.waiting import PATIENCE_S

from chainteller.domain.clock import SystemClock
from chainteller.engine.verification.full_pass import verify, verify_chain
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.funding import Transfer
from chainteller.service.models.pages import ListQuery

CLIENTS = 6
AT_LEAST = 15
"""Deposits of each client between two events."""
pytestmark = pytest.mark.slow


class Depositor(threading.Thread):
    """Deposits into an account of its own, one request after another, each until it is done."""

    def __init__(self, account: str, key: str, address: str) -> None:
        super().__init__(daemon=True)
        self.done: list[str] = []
        """The ids of deposits that were acknowledged."""
        self.failed: Counter[str] = Counter()
        self._account, self._key, self._address = account, key, address
        self._ends = threading.Event()

    def end(self) -> None:
        self._ends.set()
        self.join(PATIENCE_S)
        assert not self.is_alive()

    def run(self) -> None:
        connection = http.client.HTTPConnection(self._address, timeout=PATIENCE_S)
        while not self._ends.is_set():
            once = f"{self._account}-{len(self.done)}"
            while not self._is_done(connection, once):
                self._ends.wait(0.1)
        connection.close()

    def _is_done(self, connection: http.client.HTTPConnection, once: str) -> bool:
        try:
            status, body = self._send(connection, once)
        except (OSError, http.client.HTTPException) as fault:
            connection.close()
            status, body = 0, {"error": type(fault).__name__}
        if status == http.HTTPStatus.CREATED:
            self.done.append(str(body["id"]))
            return True
        self.failed[f"{status} {body['error']} {body.get('details', {}).get('reason')}"] += 1
        return False

    def _send(
        self, connection: http.client.HTTPConnection, once: str
    ) -> tuple[int, dict[str, Any]]:
        body = {"amount": "1.00", "currency": {"type": "deposit-token-currency", "id": "DPT_USD"}}
        said = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}
        path = f"/trading-accounts/{self._account}/deposits"
        connection.request("POST", path, json.dumps(body), said | {"Idempotency-Key": once})
        reply = connection.getresponse()
        return reply.status, json.loads(reply.read())


class Load:
    """Clients of two servers on one database."""

    def __init__(self, url: str) -> None:
        world = build(url, clock=SystemClock())
        self.accounts = [_opened(world, number) for number in range(1, CLIENTS + 1)]
        key = world.key()
        world.engine.close()
        self._servers = [ServerProcess(url) for _ in "12"]
        places = [each.address.removeprefix("http://") for each in self._servers]
        self.clients = [
            Depositor(account, key, places[at % 2]) for at, account in enumerate(self.accounts)
        ]
        for each in self.clients:
            each.start()

    def go_on(self) -> None:
        """Wait until every client has had answers again."""
        before = [len(each.done) for each in self.clients]
        ends = time.monotonic() + PATIENCE_S
        while min(len(c.done) - b for c, b in zip(self.clients, before, strict=True)) < AT_LEAST:
            assert time.monotonic() < ends, [each.failed for each in self.clients]
            time.sleep(0.05)

    def end(self) -> Counter[str]:
        """End clients and servers; the failures that were reported."""
        for client in self.clients:
            client.end()
        for server in self._servers:
            server.kill()
        return sum((each.failed for each in self.clients), Counter())

    def require_whole(self, url: str) -> int:
        """Everything acknowledged is there, once, and the books verify; how much it was."""
        world = build(url, clock=SystemClock())
        try:
            assert verify(world.context.database) == ()
            assert verify_chain(world.context.database).intact
            for account, client in zip(self.accounts, self.clients, strict=True):
                found = [each.id for each in _deposits(world, account)]
                assert sorted(found) == sorted(client.done)
        finally:
            world.engine.close()
        return sum(len(client.done) for client in self.clients)


def _opened(world: World, number: int) -> str:
    request = OpenTradingAccount(bank_account_id=f"DDA-{number}", bank_account_type="checking")
    if number % 2 == 0:
        request = request.model_copy(update={"bank_account_type": "savings"})
    return world.engine.open_trading_account(request).value.id


def _deposits(world: World, account: str) -> Iterator[Transfer]:
    for number in range(1, 10_000):
        page = world.engine.deposits(account, ListQuery(page=number, limit=100))
        yield from page.data
        if len(page.data) < 100:
            return


@pytest.fixture
def folder() -> Iterator[Path]:
    with cluster_folder() as found:
        yield found


def test_a_stopped_a_crashed_and_a_lost_server_lose_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    primary = Cluster.new(folder / "one")
    standby = primary.standby(folder / "two")
    primary.say("ALTER SYSTEM SET synchronous_standby_names = '*'")  # no commit is on one alone
    primary.say("SELECT pg_reload_conf()")
    hosts = f"127.0.0.1:{primary.port},127.0.0.1:{standby.port}"
    url = f"postgresql://postgres@{hosts}/{NAME}?target_session_attrs=read-write"
    load = Load(url)
    load.go_on()
    for mode in ("fast", "immediate"):
        primary.stop(mode)
        time.sleep(1)  # as long as it is away
        primary.start()
        load.go_on()
    assert primary.say("SELECT count(*) FROM pg_stat_replication WHERE sync_state='sync'") == "1"
    primary.stop("immediate")
    standby.promote()
    load.go_on()
    failed = load.end()
    count = load.require_whole(url)
    with capsys.disabled():
        print(f"\n{count} deposits acknowledged, failures reported: {dict(failed)}")  # noqa: T201 - the figures of the proof
    assert failed, "the database was away"
    assert {each.split()[0] for each in failed} <= {"503"}, failed


def test_a_dump_of_a_database_in_use_is_whole(folder: Path) -> None:
    cluster = Cluster.new(folder / "one")
    place = f"postgresql://postgres@127.0.0.1:{cluster.port}"
    load = Load(f"{place}/{NAME}")
    load.go_on()
    before = [list(client.done) for client in load.clients]
    file = folder / "one" / "dump"
    cluster.run("pg_dump", *cluster.address, "-Fc", "-f", str(file), NAME)
    load.go_on()
    assert load.end() == Counter()
    load.require_whole(f"{place}/{NAME}")
    cluster.run("createdb", *cluster.address, "again")
    cluster.run("pg_restore", *cluster.address, "-d", "again", str(file))
    world = build(f"{place}/again", clock=SystemClock())
    assert verify(world.context.database) == ()
    assert verify_chain(world.context.database).intact
    for account, known in zip(load.accounts, before, strict=True):
        assert set(known) <= {each.id for each in _deposits(world, account)}
    world.engine.close()


@contextlib.contextmanager
def pooled(folder: Path, cluster: Cluster) -> Iterator[int]:
    """The port of a pgbouncer in transaction mode with few sessions, which is restarted once."""
    program = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        pytest.skip("pgbouncer is not installed")
    port = free_port()
    settings = folder / "pgbouncer.ini"
    settings.write_text(
        f"[databases]\n{NAME} = host=127.0.0.1 port={cluster.port} user=postgres\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n"
        "auth_type = any\npool_mode = transaction\ndefault_pool_size = 4\nmax_client_conn = 400\n",
        encoding="utf-8",
    )
    settings.chmod(0o644)
    user = "nobody" if os.geteuid() == 0 else None
    process = subprocess.Popen(
        [program, "-q", str(settings)], user=user, stderr=subprocess.DEVNULL, cwd="/"
    )
    try:
        _until_open(port)
        yield port
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def _until_open(port: int) -> None:
    ends = time.monotonic() + PATIENCE_S
    while time.monotonic() < ends:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise AssertionError(f"nothing listens on {port}")


def test_a_pool_in_transaction_mode_changes_nothing(folder: Path) -> None:
    """Four sessions for two servers: each transaction may get another one."""
    cluster = Cluster.new(folder / "one")
    with pooled(folder, cluster) as port:
        url = f"postgresql://postgres@127.0.0.1:{port}/{NAME}"
        load = Load(url)
        load.go_on()
        cluster.stop("fast")
        cluster.start()
        load.go_on()
        failed = load.end()
        load.require_whole(url)
    assert {each.split()[0] for each in failed} <= {"503"}, failed
