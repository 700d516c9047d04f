"""One organisation of eight moves between two PostgreSQL databases while clients of all of them and
of the destination go on; the move is killed twice on its way."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

import pytest
from tests.postgres import PostgresServer
from tests.world.bank import World, build
from tests.world.customers import CustomerSeed, add_customers
from tests.world.files import sealed

from chainteller.domain.actors import Actor
from chainteller.domain.clock import SystemClock
from chainteller.engine.engine import Engine
from chainteller.engine.verification import verify
from chainteller.service.errors import ServiceUnavailable
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.funding import Currency, DepositRequest
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.storage import log, organisations, residence, sequencer
from chainteller.storage.sequencer import Sequencer

pytestmark = pytest.mark.slow

_ROOT = Path(__file__).parents[2]
EIGHT = [f"branch-{number}" for number in range(1, 9)]
MOVED = EIGHT[4]
TOKEN = Currency(type="deposit-token-currency", id="DPT_USD")
DEPOSIT = DepositRequest(amount="2.00", currency=TOKEN)
RECORDS = int(os.environ.get("CHAINTELLER_MOVED_RECORDS", "150"))
"""Deposits of each organisation before its move begins."""
KILLED_AFTER_S = [float(each) for each in os.environ.get("CHAINTELLER_KILLED", "0 0.4").split()]
"""How long after it has closed the organisation the move is killed, each time."""
PAUSE_S = 0.2
"""Between two requests of a client: ten of them in one process are slower than the sequencer."""


@dataclass
class Client:
    """Deposits and trades for one organisation, wherever that is, until it's told to stop."""

    organisation: str
    engine: Engine
    elsewhere: Engine
    account: str = ""
    done: int = 0
    trades: int = 0
    closed: int = 0
    longest_s: float = 0
    failures: list[str] = field(default_factory=list)

    def open(self) -> None:
        opening = OpenTradingAccount(
            bank_account_id=f"DDA-{self.organisation}", bank_account_type="checking"
        )
        self.account = self.engine.open_trading_account(opening).value.id

    def run(self, stop: threading.Event) -> None:
        while not stop.wait(PAUSE_S):
            self.step()

    def step(self) -> None:
        began = monotonic()
        key = f"{self.organisation}-{self.done}"
        try:
            self.engine.deposit(self.account, DEPOSIT, idempotency_key=key)
            self.done += 1
            if not self.done % 5:
                asked = QuoteRequest(amount="5.00", side="buy")
                quote = self.engine.create_quote("sol-usd", asked).value
                execute = ExecuteRequest(trading_account_id=self.account)
                self.engine.execute_quote(quote.id, execute)
                self.trades += 1
        except ServiceUnavailable as error:
            reason = error.details["reason"]
            if reason == residence.LEFT:
                self.engine = self.elsewhere
            elif reason == residence.LEAVING:
                self.closed += 1
            else:
                self.failures.append(str(reason))
        self.longest_s = max(self.longest_s, monotonic() - began)


@pytest.fixture(name="banks")
def two_deployments(postgres_server: PostgresServer) -> Iterator[tuple[World, World, str, str]]:
    urls = postgres_server.fresh(), postgres_server.fresh()
    here, there = (build(url, clock=SystemClock()) for url in urls)
    for world, names in ((here, EIGHT), (there, ["branch-11", "branch-12"])):
        with sealed(world.context.database) as rows:
            for name in names:
                organisations.create(rows, name, 1)
            add_customers(rows, [CustomerSeed(f"DDA-{n}", organisation=n) for n in names])
    threads = [Sequencer(each.context.database) for each in (here, there)]
    for each in threads:
        each.start()
    yield here, there, *urls
    for each in threads:
        each.stop()
    for world in (here, there):
        world.engine.close()


def command(here: str, there: str) -> subprocess.Popen[str]:
    line = ["db", "move", MOVED, "--to", there, "--database", here, "--json"]
    return subprocess.Popen(
        [sys.executable, "-m", "chainteller", *line],
        cwd=_ROOT,
        env=os.environ | {"PYTHONPATH": str(_ROOT / "src")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def kill_once_closed(here: World, urls: tuple[str, str], pause_s: float) -> None:
    """Kill a move some time after it has closed the organisation."""
    move, began = command(*urls), monotonic()
    while True:
        with here.context.database.read() as connection:
            if residence.find(connection, MOVED) is not None:
                break
        assert move.poll() is None, move.communicate()[0]
        assert monotonic() - began < 60
    threading.Event().wait(pause_s)
    with suppress(ProcessLookupError):
        os.kill(move.pid, signal.SIGKILL)
    move.communicate()


@contextmanager
def going_on(clients: list[Client]) -> Iterator[threading.Event]:
    stop = threading.Event()
    threads = [threading.Thread(target=client.run, args=(stop,)) for client in clients]
    for thread in threads:
        thread.start()
    try:
        yield stop
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_one_of_eight_moves_under_load(banks: tuple[World, World, str, str]) -> None:
    here, there, *urls = banks
    clients = [
        Client(name, world.engine.acting_as(Actor(name)), there.engine.acting_as(Actor(name)))
        for world, names in ((here, EIGHT), (there, ["branch-11", "branch-12"]))
        for name in names
    ]
    moved = clients[EIGHT.index(MOVED)]
    for client in clients:
        client.open()
    while moved.done < RECORDS:
        moved.step()
    with going_on(clients) as stop:
        for pause_s in KILLED_AFTER_S:
            kill_once_closed(here, (urls[0], urls[1]), pause_s)
        move = command(urls[0], urls[1])
        said, _ = move.communicate(timeout=300)
        assert move.returncode == 0, said
        done, began = moved.done, monotonic()
        while moved.done < done + 20:
            assert monotonic() - began < 60
            stop.wait(0.05)
    require_equal_heads(here, there)
    for client in clients:
        require_all_there(client)
    assert moved.closed > 0
    assert [verify(each.context.database) for each in (here, there)] == [(), ()]
    sys.stdout.write(said)
    for each in clients:
        counts = f"{each.done} deposits, {each.trades} trades, refused {each.closed} times"
        sys.stdout.write(f"{each.organisation}: {counts}, longest {each.longest_s:.2f} s\n")


def require_all_there(client: Client) -> None:
    """What was acknowledged is there, once, and nothing else is."""
    assert not client.failures, client
    sequencer.settle(client.engine.context.database)
    deposits = client.engine.deposits(client.account, ListQuery(limit=1)).pagination.total
    assert client.done <= deposits <= client.done + 1, client
    trades = client.engine.trades(client.account, ListQuery(limit=1)).pagination.total
    assert client.trades <= trades <= client.trades + 1, client


def require_equal_heads(here: World, there: World) -> None:
    with here.context.database.read() as source, there.context.database.read() as target:
        left, came = residence.find(source, MOVED), residence.arrival(target, MOVED)
        head = log.head(source, MOVED)
        assert left is not None
        assert came is not None
        heads = {(left.size, left.root), (came.size, came.root), (head.size, head.root.hex())}
        assert len(heads) == 1
        assert log.leaves(target, MOVED, head.size) == log.leaves(source, MOVED)
