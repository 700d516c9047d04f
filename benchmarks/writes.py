"""Writes on PostgreSQL over a link with a delay: quotes, deposits and executes a second.

    python -m benchmarks.writes --servers 1 2 4 --organisations 1 8 --delay-ms 2

Each server is a process with an engine (no HTTP) and eight threads; each thread has a trading
account of its own. While they write, sessions that wait for a lock are counted: no thread has
business with another one's account, so none should wait.

    python -m benchmarks.writes --single

One connection without a delay: executes a second beside one function call in the database that
writes the same rows, taking turns, and the round trips of each kind of write.
"""

import argparse
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
from benchmarks.link import Link
from psycopg.types.json import Jsonb
from sqlalchemy import make_url
from tests.world.files import KEYS, sealed

from chainteller.adapters.prices_simulated import SimulatedPrices
from chainteller.adapters.venue_simulated import SimulatedVenue
from chainteller.domain.actors import DEFAULT_ORGANISATION, Actor
from chainteller.domain.clock import SystemClock
from chainteller.domain.options import EngineOptions
from chainteller.domain.preconditions import TERMS_VERSION
from chainteller.domain.randomness import SystemRandomness
from chainteller.engine.core.context import EngineContext
from chainteller.engine.deployment import EmbeddedDeployment
from chainteller.engine.engine import Engine
from chainteller.engine.verification.full_pass import verify_books
from chainteller.service.deployment import DeploymentOptions
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.funding import Currency, DepositRequest
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.storage.database import open_database
from chainteller.storage.db.records import Tables
from chainteller.storage.log.rows import Writer
from chainteller.storage.schema import ddl

THREADS = 8
KINDS = ("quote", "deposit", "execute")
DEPOSIT = DepositRequest(
    amount="10.00", currency=Currency(type="deposit-token-currency", id="DPT_USD")
)
_OPTIONS = EngineOptions(rate_limits=False, quote_window_s=3_600, fill_delay_s=7_200)
_LOOK_S = 0.02
_WAITING = (
    "SELECT count(*) FROM pg_stat_activity "
    "WHERE datname = current_database() AND wait_event_type = 'Lock'"
)


def engine_at(url: str) -> Engine:
    database = open_database(url, KEYS)
    context = EngineContext(
        database,
        SystemClock(),
        SystemRandomness(),
        SimulatedPrices("1"),
        SimulatedVenue(),
        _OPTIONS,
    )
    return Engine(context)


@contextmanager
def serving(url: str) -> Iterator[Engine]:
    """An engine as a server has it, with the threads that work beside the requests."""
    engine = engine_at(url)
    deployment = EmbeddedDeployment(engine, DeploymentOptions("0", "Bank"))
    deployment.start()
    try:
        yield engine
    finally:
        deployment.stop()


# A database


@contextmanager
def cluster() -> Iterator[str]:
    """A PostgreSQL server of this program's own; the URL of its maintenance database."""
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not installed:
        raise SystemExit("no PostgreSQL is installed: name a server with --url")
    with tempfile.TemporaryDirectory(prefix="writes-") as name:
        folder, user = Path(name), "nobody" if os.geteuid() == 0 else None
        folder.chmod(0o777)

        def run(program: str, *arguments: str) -> None:
            subprocess.run(
                [str(installed[-1] / program), *arguments],
                check=True, user=user, cwd=folder, stdout=subprocess.DEVNULL,
            )  # fmt: skip

        data = str(folder / "data")
        run("initdb", "-D", data, "-A", "trust", "-U", "bank", "-E", "UTF8", "--no-locale")
        said = f"-c listen_addresses='' -k {folder} -c max_connections=300"
        run("pg_ctl", "-D", data, "-w", "-l", str(folder / "log"), "-o", said, "start")
        try:
            yield f"postgresql://bank@/postgres?host={folder}"
        finally:
            run("pg_ctl", "-D", data, "-m", "immediate", "stop")


def plain(url: str) -> psycopg.Connection[Any]:
    return psycopg.connect(url, autocommit=True)


def fresh(url: str, name: str, template: str = "template0") -> str:
    """The URL of a new database of the server."""
    with plain(url) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'.encode())
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"'.encode())
    return make_url(url).set(database=name).render_as_string(hide_password=False)


def populated(url: str, organisations_wanted: int, accounts_each: int) -> dict[str, list[str]]:
    """Organisations with rich customers; their trading accounts, by organisation."""
    engine = engine_at(url)
    made: dict[str, list[str]] = {}
    names = [DEFAULT_ORGANISATION, *(f"org-{n}" for n in range(1, organisations_wanted))]
    for name in names:
        with sealed(engine.context.database) as rows:
            if name != DEFAULT_ORGANISATION:
                rows.insert(Tables.organisation, [ddl.organisation_row(name, name, 0)])
            _add_customers(rows, name, accounts_each)
        service = engine.acting_as(Actor(name))
        made[name] = []
        for number in range(accounts_each):
            request = OpenTradingAccount(
                bank_account_id=f"DDA-{number}", bank_account_type="checking"
            )
            account = service.open_trading_account(request).value.id
            service.deposit(account, DEPOSIT.model_copy(update={"amount": "900000.00"}))
            made[name].append(account)
    engine.close()
    return made


def _add_customers(rows: Writer, organisation: str, count: int) -> None:
    people, accounts = [], []
    for number in range(count):
        person = f"CUS_{organisation}_{number}"
        people.append(
            {
                "id": person, "organisation_id": organisation, "name": person,
                "search_name": person.casefold(), "reference": f"CU-{number}",
                "kyc_level": "enhanced", "terms_version": TERMS_VERSION, "control": None,
                "control_reason": None,
            }
        )  # fmt: skip
        accounts.append(
            {
                "organisation_id": organisation, "id": f"DDA-{number}", "customer_id": person,
                "type": "checking", "balance": 10**12, "trading_account_id": None,
            }
        )  # fmt: skip
    rows.insert(Tables.customer, people)
    rows.insert(Tables.bank_account, accounts)


# Writes


@dataclass
class Client:
    """One trading account of an organisation, and its writes."""

    engine: Engine
    organisation: str
    account: str
    kind: str
    quotes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.service = self.engine.acting_as(Actor(self.organisation))

    def prepare(self, count: int) -> None:
        """Make the quotes that are to be executed."""
        if self.kind == "execute":
            self.quotes = [self._quote() for _ in range(count)]

    def write(self) -> bool:
        """One write; False when there is nothing left to execute."""
        key = os.urandom(9).hex()
        if self.kind == "quote":
            self._quote(key)
        elif self.kind == "deposit":
            self.service.deposit(self.account, DEPOSIT, idempotency_key=key)
        elif not self.quotes:
            return False
        else:
            request = ExecuteRequest(trading_account_id=self.account)
            self.service.execute_quote(self.quotes.pop(), request, idempotency_key=key)
        return True

    def _quote(self, key: str | None = None) -> str:
        request = QuoteRequest(amount="5.00", side="buy", trading_account_id=self.account)
        made = self.service.create_quote("sol-usd", request, idempotency_key=key)
        return str(made.value.id)


class Task(NamedTuple):
    """What one server process does: its database, its (organisation, account) pairs, the kind of
    write, and for how long."""

    url: str
    pairs: list[tuple[str, str]]
    kind: str
    seconds: float


def serve(task: Task, ready: Any, go: Any, told: Any) -> None:
    """One server process: writes from all threads until the time is over."""
    seconds = task.seconds
    with serving(task.url) as engine, ThreadPoolExecutor(len(task.pairs)) as pool:
        clients = [Client(engine, *pair, task.kind) for pair in task.pairs]
        list(pool.map(lambda each: each.prepare(1) or each.write(), clients))
        list(pool.map(lambda each: each.prepare(round(seconds * 40)), clients))
        ready.release()
        go.wait()
        until, cpu = time.monotonic() + seconds, time.process_time()

        def work(client: Client) -> int:
            count = 0
            while time.monotonic() < until and client.write():
                count += 1
            return count

        done = sum(pool.map(work, clients))
        told.put((done, time.process_time() - cpu))


@dataclass
class Figures:
    """``waiting``: sessions that waited for a lock, at each look. CPU time is in ms a write."""

    kind: str
    servers: int
    organisations: int
    per_second: float
    waiting: list[int]
    server_ms: float
    database_ms: float
    round_trips: float

    def __str__(self) -> str:
        return (
            f"{self.kind:8} {self.servers} servers, {self.organisations} organisations: "
            f"{self.per_second:6.1f}/s  waiting for a lock {statistics.mean(self.waiting):4.1f} of "
            f"{self.servers * THREADS}  round trips {self.round_trips:4.1f}  "
            f"CPU ms a write: server {self.server_ms:.1f}, database {self.database_ms:.1f}"
        )


def loaded(
    url: str, servers: int, organisations_wanted: int, kind: str, seconds: float, delay_s: float
) -> Figures:
    """Figures of ``servers`` processes that write for some seconds."""
    place = fresh(url, "writes")
    by_organisation = populated(
        place, organisations_wanted, -(-servers * THREADS // organisations_wanted)
    )
    pairs = [
        (name, account)
        for accounts in zip(*by_organisation.values(), strict=True)
        for name, account in zip(by_organisation, accounts, strict=True)
    ]
    link, processes = Link(place, delay_s), get_context("spawn")
    ready, go, told = processes.Semaphore(0), processes.Event(), processes.Queue()
    running = [
        processes.Process(
            target=serve,
            args=(Task(link.url, pairs[n::servers][:THREADS], kind, seconds), ready, go, told),
        )
        for n in range(servers)
    ]
    for each in running:
        each.start()
    for _ in running:
        ready.acquire()
    waiting: list[int] = []
    with plain(place) as looking:
        postmaster = _parent(looking.info.backend_pid)
        before, began, trips = _cpu_under(postmaster), time.monotonic(), link.round_trips
        go.set()
        while time.monotonic() < began + seconds:
            waiting += (row[0] for row in looking.execute(_WAITING))
            time.sleep(_LOOK_S)
        after, trips = _cpu_under(postmaster), link.round_trips - trips
    results = [told.get() for _ in running]
    took = time.monotonic() - began
    for each in running:
        each.join()
    link.close()
    count = max(1, sum(done for done, _ in results))
    return Figures(
        kind,
        servers,
        organisations_wanted,
        count / max(seconds, min(took, seconds)),
        waiting,
        sum(cpu for _, cpu in results) / count * 1_000,
        (after - before) / count * 1_000,
        trips / count,
    )


def _stat(process: object) -> list[str]:
    """The fields of ``/proc/<process>/stat`` from the state on; none where it has ended."""
    try:
        text = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return []
    return text[text.rindex(")") + 2 :].split()


def _parent(process: int) -> str:
    return _stat(process)[1]


def _cpu_under(postmaster: str) -> float:
    """CPU seconds of the running processes of a PostgreSQL server on this machine."""
    found = (_stat(each.name) for each in Path("/proc").glob("[0-9]*"))
    ticks = sum(int(each[11]) + int(each[12]) for each in found if each[1:2] == [postmaster])
    return ticks / os.sysconf("SC_CLK_TCK")


# One connection beside one function call

_FLOOR = """
CREATE FUNCTION floor_write(given jsonb) RETURNS void LANGUAGE plpgsql AS $$ BEGIN {} END $$
"""


def tables_of(connection: psycopg.Connection[Any]) -> list[str]:
    found = connection.execute(
        "SELECT relname FROM pg_class WHERE relkind = 'r' "
        "AND relnamespace = current_schema()::regnamespace ORDER BY 1"
    )
    return [row[0] for row in found]


def contents(connection: psycopg.Connection[Any]) -> dict[str, dict[str, Any]]:
    """Every row of every table by its primary key, as JSON."""
    found: dict[str, dict[str, Any]] = {}
    for table in tables_of(connection):
        keys = ", ".join(primary_key(connection, table))
        rows = connection.execute(
            f"SELECT concat_ws(' ', {keys}), to_jsonb(t) FROM {table} t".encode()
        )
        found[table] = dict(rows.fetchall())
    return found


def primary_key(connection: psycopg.Connection[Any], table: str) -> list[str]:
    found = connection.execute(
        "SELECT attname FROM pg_index JOIN pg_attribute ON attrelid = indrelid "
        "AND attnum = ANY(indkey) WHERE indisprimary AND indrelid = %s::regclass",
        [table],
    )
    return [f't."{row[0]}"' for row in found]


def single(url: str, count: int) -> None:
    """Executes of one engine beside the same rows written by one function call."""
    place = fresh(url, "single")
    (accounts,) = populated(place, 1, 1).values()
    with serving(place) as engine:
        client = Client(engine, DEFAULT_ORGANISATION, accounts[0], "execute")
        client.prepare(count)
    before_url = fresh(url, "floor", "single")
    with plain(place) as connection:
        before = contents(connection)
    with serving(place) as engine:
        client = Client(engine, DEFAULT_ORGANISATION, accounts[0], "execute", client.quotes)
        seconds = _timed(lambda: [client.write() for _ in range(count)])
    with plain(place) as connection:
        after = contents(connection)
    parts = _parts(before, after, count)
    with plain(before_url) as floor:
        _make_function(floor, before, after)
        took = _timed(lambda: [floor.execute("SELECT floor_write(%s)", [part]) for part in parts])
    print(
        f"execute  engine {count / seconds:.0f}/s  function {count / took:.0f}/s  "
        f"ratio {took / seconds:.2f}"
    )
    round_trips(url)


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _parts(
    before: dict[str, dict[str, Any]], after: dict[str, dict[str, Any]], count: int
) -> list[Jsonb]:
    """What each of ``count`` writes wrote: new and changed rows by table, an even share each."""
    shares: list[dict[str, list[Any]]] = [{} for _ in range(count)]
    for table, rows in after.items():
        fresh_rows = [row for key, row in rows.items() if key not in before[table]]
        changed = [
            row for key, row in rows.items() if key in before[table] and before[table][key] != row
        ]
        for n, share in enumerate(shares):
            share[table] = fresh_rows[
                n * len(fresh_rows) // count : (n + 1) * len(fresh_rows) // count
            ]
            several = len(changed) >= count
            share[f"{table}_changed"] = [changed[n]] if several else changed
    return [Jsonb(share) for share in shares]


def _make_function(
    connection: psycopg.Connection[Any],
    before: dict[str, dict[str, Any]],
    after: dict[str, dict[str, Any]],
) -> None:
    lines = []
    for table, rows in after.items():
        if any(key not in before[table] for key in rows):
            lines.append(
                f"INSERT INTO {table} SELECT * FROM "
                f"jsonb_populate_recordset(NULL::{table}, given->'{table}');"
            )
        if any(before[table].get(key, row) != row for key, row in rows.items()):
            keys = [each[3:-1] for each in primary_key(connection, table)]
            row = next(iter(rows.values()))
            same = " AND ".join(f't."{name}" = r."{name}"' for name in keys)
            written = ", ".join(f'"{name}" = r."{name}"' for name in row if name not in keys)
            lines.append(
                f"UPDATE {table} t SET {written} FROM "
                f"jsonb_populate_recordset(NULL::{table}, given->'{table}_changed') r WHERE {same};"
            )
    connection.execute(_FLOOR.format("\n".join(lines)).encode())


def round_trips(url: str) -> None:
    """Round trips of each kind of write, transaction and commit included."""
    for kind in KINDS:
        place = fresh(url, "trips")
        (accounts,) = populated(place, 1, 1).values()
        link = Link(place, 0)
        engine = engine_at(link.url)
        client = Client(engine, DEFAULT_ORGANISATION, accounts[0], kind)
        with serving(place):
            client.prepare(14)
            for _ in range(4):
                client.write()
            began = link.round_trips
            for _ in range(10):
                client.write()
            print(f"{kind:8} {(link.round_trips - began) / 10:.1f} round trips")
        engine.close()
        link.close()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--url", help="a server's maintenance database; default: one of our own")
    parser.add_argument("--servers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--organisations", type=int, nargs="+", default=[1, 8])
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=["quote", "deposit"])
    parser.add_argument("--delay-ms", type=float, default=2, help="of each direction")
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--single", action="store_true")
    parser.add_argument("--count", type=int, default=200, help="executes of --single")
    parser.add_argument("--verify", action="store_true", help="check the books after each load")
    chosen = parser.parse_args()
    with cluster() if chosen.url is None else _given(chosen.url) as url:
        if chosen.single:
            single(url, chosen.count)
            return
        for kind in chosen.kinds:
            for organisations_wanted in chosen.organisations:
                for servers in chosen.servers:
                    print(
                        loaded(
                            url, servers, organisations_wanted, kind, chosen.seconds,
                            chosen.delay_ms / 1_000,
                        ),
                        flush=True,
                    )  # fmt: skip
                    if chosen.verify:
                        place = make_url(url).set(database="writes")
                        database = open_database(place.render_as_string(hide_password=False), KEYS)
                        print(f"  breaches: {len(verify_books(database))}")
                        database.close()


@contextmanager
def _given(url: str) -> Iterator[str]:
    yield url


if __name__ == "__main__":
    main()
