"""Upgrades: two builds on one database, and databases that no build can upgrade."""

import hashlib
import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest
from sqlalchemy import text
from tests.storage.later_builds import Build, contracted, expanded
from tests.world.bank import build, sqlite_url
from tests.world.engines import World, make_world
from tests.world.files import KEYS
from tests.world.serving import deployment
from tests.world.waiting import PATIENCE_S

from chainteller.cli.error_output import Exit
from chainteller.cli.main import run
from chainteller.engine.verification.full_pass import verify
from chainteller.service.errors import ServiceUnavailable
from chainteller.service.models.quotes import QuoteRequest
from chainteller.sqlite import sqlite3
from chainteller.storage.database import connect, open_database
from chainteller.storage.db.query import Value, built
from chainteller.storage.revision import REVISION
from chainteller.storage.schema import ddl
from chainteller.storage.schema.wallet_tables import Tables
from chainteller.storage.upkeep import maintenance, upgrade


class DiskUsage(NamedTuple):
    total: int
    used: int
    free: int


_HOLDER = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('SELECT 1 FROM log')"


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    on_postgres = request.param == "postgres"
    return str(request.getfixturevalue("postgres_url") if on_postgres else sqlite_url(tmp_path))


@pytest.fixture
def world(url: str) -> Iterator[World]:
    """A bank with a trade, open in this build."""
    world = make_world(url)
    world.open()
    world.deposit("900.00")
    world.buy("50.00")
    yield world
    world.close()


def execute(url: str, *statements: str) -> None:
    database = connect(url)
    with database.write() as connection:
        for statement in statements:
            connection.execute(text(statement))
        connection.commit()
    database.close()


def content(url: str) -> object:
    """Something that changes with the database."""
    if url.startswith("sqlite"):
        return hashlib.sha256(Path(url.removeprefix("sqlite:///")).read_bytes()).hexdigest()
    database = connect(url)
    with database.read() as connection:
        tables = connection.execute(
            text("SELECT table_name, column_name FROM information_schema.columns ORDER BY 1, 2")
        )
        floor = connection.execute(text("SELECT version_num FROM alembic_version"))
        found = tables.all(), floor.all()
    database.close()
    return found


def upgraded_by(later: Build, url: str) -> dict[str, object]:
    done = later.run("db", "upgrade", "--database", url, "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    assert "breaches" not in found
    return found


@pytest.fixture(scope="module")
def later_builds(tmp_path_factory: pytest.TempPathFactory) -> tuple[Build, Build]:
    """The build after this one, and the one after that."""
    second = expanded(tmp_path_factory.mktemp("second"))
    return second, contracted(second, tmp_path_factory.mktemp("third"))


def trade_with(later: Build, url: str, account: str, *further: tuple[str, ...]) -> None:
    """Buy with another build, and run further commands with it."""
    order = ("trade", "buy", "sol-usd", "--spend", "10", "--account", account, "--yes")
    for command in (order, *further):
        done = later.run(*command, "--database", url)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.forms(1)
def test_an_expanding_revision_lets_the_earlier_build_go_on_and_a_contracting_one_does_not(
    world: World, url: str, later_builds: tuple[Build, Build], request: pytest.FixtureRequest
) -> None:
    second, third = later_builds
    account, verify_all = world.engine.trading_accounts().data[0].id, ("db", "verify")
    for later in (second, third) if world.database.is_postgres else ():
        place = request.getfixturevalue("postgres_server").fresh()
        assert later.run(place, module="tests.storage.catalogue").returncode == 0
    planned = json.loads(second.run("db", "upgrade", "--plan", "--database", url, "--json").stdout)
    assert [step["step"] for step in planned["steps"]] == [planned["after"], "verify"]
    assert planned["steps"][0]["indexes"] == ["ix_trade_updated"]
    refused = second.run("accounts", "list", "--database", url)
    assert (refused.returncode, "OUTDATED_SCHEMA" in refused.stderr) == (Exit.UNREACHABLE, True)
    found = upgraded_by(second, url)
    assert (found["from"], found["to"]) == (REVISION, planned["after"])
    for further in ((), (verify_all,)):  # in turns
        world.buy("20.00")
        trade_with(second, url, account, *further)
    world.close()
    open_database(url, KEYS).close()  # this build also starts on it
    assert upgraded_by(third, url)["from"] == found["to"]
    trade_with(third, url, account, verify_all)
    with pytest.raises(ServiceUnavailable) as refused_here:
        open_database(url, KEYS)
    assert refused_here.value.details["reason"] == "NEWER_SCHEMA"


UNSUPPORTED: dict[str, tuple[str, ...]] = {
    "0002": ("DROP TABLE schema_revision", "UPDATE alembic_version SET version_num = '0002'"),
    "0016": (
        "UPDATE schema_revision SET version_num = '0016'",
        "UPDATE alembic_version SET version_num = '0002'",
    ),
}


@pytest.mark.parametrize("revision", UNSUPPORTED)
@pytest.mark.parametrize(
    "command", ["db upgrade", "db upgrade --plan", "db verify", "accounts list"]
)
def test_a_database_of_a_build_before_0_2_0_is_refused_by_name_and_left_alone(
    url: str, revision: str, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    open_database(url, KEYS).close()
    execute(url, *UNSUPPORTED[revision])
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as connection:
            connection.execute("PRAGMA user_version=2")
            connection.execute("PRAGMA journal_mode=TRUNCATE")
    before = content(url)
    assert run([*command.split(), "--database", url]) == Exit.USAGE
    said = capsys.readouterr().err
    assert said.startswith("SERVICE_UNAVAILABLE") or "UNSUPPORTED_SCHEMA" in said
    assert "before 0.2.0" in said
    assert "Start a new database" in said
    name = url.removeprefix("sqlite:///") if url.startswith("sqlite") else url.rpartition("/")[2]
    assert name in said.replace("\n", "")
    assert content(url) == before


def test_an_upgrade_seals_no_row_that_is_not_in_the_log(world: World, url: str) -> None:
    with world.database.write() as connection:
        columns = [column.name for column in Tables.api_key.columns]
        values = {"id": "'KEY_FORGED'", "salt": "NULL", "organisation_id": "'default'"}
        values |= {"scopes": "'admin'", "name": "'x'", "hash": "'x'", "created": "1"}
        filled = [
            values.get(name, "NULL" if Tables.api_key.c[name].nullable else "'0'")
            for name in columns
        ]
        insert = f"INSERT INTO api_key ({', '.join(columns)}) VALUES ({', '.join(filled)})"  # noqa: S608 - our own names
        connection.execute(text(insert))
        connection.commit()
    world.close()
    for _ in range(2):
        upgrade.upgrade(url)
        database = open_database(url, KEYS)
        found = {(each.invariant, each.what) for each in verify(database)}
        database.close()
        assert (20, "inserted without an entry") in found


def test_a_new_database_is_built_and_a_current_one_stays_as_it_is(url: str) -> None:
    assert upgrade.upgrade(url, KEYS) == ("", REVISION, 0)
    assert not maintenance.init(url, KEYS)
    before = content(url)
    assert upgrade.upgrade(url) == (REVISION, REVISION, 0)
    assert content(url) == before
    assert [step.step for step in upgrade.plan(url).steps] == ["verify"]


def test_a_file_without_a_revision_is_damaged_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "stuck.db"
    ddl.touch(path, "TRUNCATE")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE trade (id TEXT)")
    before = path.read_bytes()
    with pytest.raises(ServiceUnavailable) as refused:
        upgrade.upgrade(f"sqlite:///{path}")
    assert refused.value.details["reason"] == "DAMAGED"
    assert path.read_bytes() == before


@pytest.mark.parametrize("stamp", ["0113x", "", "-1", "\u0661"])
def test_a_revision_that_is_no_number_is_damage(tmp_path: Path, stamp: str) -> None:
    url = sqlite_url(tmp_path)
    build(url).engine.close()
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as connection:
        connection.execute("UPDATE schema_revision SET version_num = ?", (stamp,))
        connection.commit()
    with pytest.raises(ServiceUnavailable) as refused:
        upgrade.upgrade(url)
    assert refused.value.details["reason"] == "DAMAGED"


def test_alembic_is_imported_only_to_migrate() -> None:
    script = (
        "import sys, chainteller.engine.engine, chainteller.storage.upkeep.upgrade\n"
        "assert not [name for name in sys.modules if name.startswith('alembic')]"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def _take_tables(url: str, say: Callable[[str], None]) -> int:
    database = connect(url)
    try:
        with database.write(is_gated=False) as connection:
            return upgrade._lock_tables(connection, upgrade.Notices(say))
    finally:
        database.close()


@pytest.mark.parametrize("statement", ["SELECT 1", "SELECT id FROM trade"])
def test_what_is_in_the_way_of_an_upgrade_is_named_once_and_waited_for(
    postgres_url: str, statement: str
) -> None:
    """A write that holds nothing but the gate, and one that uses a table."""
    opened = open_database(postgres_url, KEYS)
    said: list[str] = []
    with opened.write() as session:
        session.execute(text(statement))
        pid = session.driver.info.backend_pid
        upgrading = threading.Thread(target=lambda: tries.append(_take_tables(postgres_url, tell)))
        tries: list[int] = []
        told = threading.Event()

        def tell(what: str) -> None:
            said.append(what)
            told.set()

        upgrading.start()
        assert told.wait(PATIENCE_S)
    upgrading.join(PATIENCE_S)
    assert tries[0] >= 2
    (line,) = said
    assert line.startswith(f"waiting for the database's process {pid} (chainteller)")
    opened.close()


@pytest.mark.parametrize("patient", [False, True])
def test_what_reads_is_in_the_way_as_well(postgres_url: str, patient: bool) -> None:
    """A short one by the gate, a read of the whole database by its tables."""
    opened, upgrading = open_database(postgres_url, KEYS), connect(postgres_url)
    with (
        opened.read(patient=patient) as session,
        upgrading.write(is_gated=False) as connection,
    ):
        session.execute(text("SELECT id FROM trade"))
        assert not upgrade._has_tables(connection)
        session.execute(text("SELECT id FROM quote"))  # what it wants next isn't taken from it
        session.close()
        assert upgrade._has_tables(connection)
    upgrading.close()
    opened.close()


def test_forty_busy_connections_let_an_upgrade_have_its_moment(postgres_url: str) -> None:
    """Without reads that share the gate, one is always in the middle of something."""
    open_database(postgres_url, KEYS).close()
    busy, upgrading = [connect(postgres_url) for _ in "12"], connect(postgres_url)
    ends, failed = threading.Event(), list[BaseException]()

    def work(at: int) -> None:
        database = busy[at % 2]
        try:
            while not ends.is_set():
                with database.write() if at % 4 == 0 else database.read() as session:
                    for step in range(3):
                        name = ("trade", "quote", "log", "entry")[(at + step) % 4]
                        counted = f"SELECT count(*) AS value FROM {name}"  # noqa: S608 - our own
                        session.execute(built(counted, Value))
        except BaseException as error:  # noqa: BLE001 - reported by the test
            failed.append(error)

    threads = [threading.Thread(target=work, args=(at,)) for at in range(40)]
    for thread in threads:
        thread.start()
    try:
        with upgrading.write(is_gated=False) as connection:
            tries = upgrade._lock_tables(connection, upgrade.Notices(lambda _: None))
    finally:
        ends.set()
        for thread in threads:
            thread.join(PATIENCE_S)
    assert (failed, tries <= 3) == ([], True)
    for each in (*busy, upgrading):
        each.close()


def test_a_write_waits_for_an_upgrade_longer_than_for_a_record(postgres_url: str) -> None:
    opened, upgrading = open_database(postgres_url, KEYS), connect(postgres_url)
    done: list[object] = []

    def write() -> None:
        with opened.write() as session:
            done.append(session.execute(text("SELECT 1")).scalar())

    writing = threading.Thread(target=write)
    with upgrading.write(is_gated=False) as connection:
        assert upgrade._has_tables(connection)
        writing.start()
        waits = "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'advisory'"
        with closing(upgrading.sessions.connect()) as watching:
            while watching.execute(waits).fetchone() != (1,):
                pass
            watching.execute("SELECT pg_sleep(2.5)")
        assert not done
    writing.join(PATIENCE_S)
    assert done == [1]
    upgrading.close()
    opened.close()


def test_what_is_waited_for_is_said_once() -> None:
    said: list[str] = []
    notices = upgrade.Notices(said.append)
    for detail in (", 1 s old", ", 2 s old"):
        notices.wait_for("process 7", detail)
    notices.wait_for("process 8")
    assert said == ["waiting for process 7, 1 s old", "waiting for process 8"]


def test_whether_an_upgrade_is_needed_is_an_exit_code(
    url: str, later_builds: tuple[Build, Build], capsys: pytest.CaptureFixture[str]
) -> None:
    open_database(url, KEYS).close()
    arguments = ["db", "upgrade", "--check", "--read-only", "--json", "--database", url]
    assert run(arguments) == Exit.DONE
    assert json.loads(capsys.readouterr().out) == {"from": REVISION, "to": REVISION}
    before = content(url)
    checked = later_builds[0].run(*arguments)
    assert checked.returncode == Exit.REFUSED
    assert json.loads(checked.stdout)["from"] == REVISION
    assert content(url) == before
    raise_floor(url)
    assert run(arguments) == Exit.UNREACHABLE


def raise_floor(url: str) -> None:
    execute(url, "UPDATE alembic_version SET version_num = '0999'")
    if url.startswith("sqlite"):
        execute(url, "PRAGMA user_version=999")


def test_a_running_server_stops_writing_once_the_schema_is_too_new_for_it(url: str) -> None:
    world = build(url)
    order = QuoteRequest(amount="10.00", side="buy")
    made = world.engine.create_quote("sol-usd", order).value
    served = deployment(world)
    assert served.health().ready
    raise_floor(url)
    with pytest.raises(ServiceUnavailable) as refused:
        world.engine.create_quote("sol-usd", order)
    assert refused.value.details["reason"] == "NEWER_SCHEMA"
    assert [each.id for each in world.engine.quotes().data] == [made.id]
    health = served.health()
    assert (health.ready, health.checks) == (False, {"database": "NEWER_SCHEMA"})
    world.engine.close()


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_compacting_frees_what_nothing_uses(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    on_postgres = kind == "postgres"
    url = str(request.getfixturevalue("postgres_url")) if on_postgres else sqlite_url(tmp_path)
    open_database(url, KEYS).close()
    execute(
        url,
        "CREATE TABLE ballast (body TEXT)",
        "INSERT INTO ballast VALUES ('" + "x" * 800_000 + "')",
        "DROP TABLE ballast",
    )
    assert run(["db", "upgrade", "--compact", "--database", url]) == Exit.DONE
    before, after = maintenance.compact(url)
    assert before >= after > 0
    opened = open_database(url, KEYS)
    assert verify(opened) == ()
    opened.close()
    if not on_postgres:
        assert (tmp_path / "bank.db").stat().st_size < 800_000


def test_a_file_in_use_or_without_space_is_not_compacted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, path = sqlite_url(tmp_path), tmp_path / "bank.db"
    open_database(url, KEYS).close()
    before = path.read_bytes()
    holding = [sys.executable, "-c", f"{_HOLDER}; print(flush=True); input()", str(path)]
    with subprocess.Popen(holding, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        with pytest.raises(ServiceUnavailable) as refused:
            maintenance.compact(url)
        assert refused.value.details["pids"] == [process.pid]
        process.communicate(b"\n")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: DiskUsage(9_000, 8_000, 1_000))
    with pytest.raises(ServiceUnavailable) as refused:
        maintenance.compact(url)
    assert refused.value.details["reason"] == "STORAGE_FULL"
    assert path.read_bytes() == before
