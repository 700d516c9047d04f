"""Real faults of files and disks: a named error with a way out, and nothing half done."""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.world.engines import World, make_world
from tests.world.files import KEYS

from chainteller.engine.verification.full_pass import verify
from chainteller.service.errors import ServiceUnavailable
from chainteller.sqlite import WAL_IS_SAFE, sqlite3, wal_is_safe
from chainteller.storage import database as databases
from chainteller.storage.database import open_database
from chainteller.storage.db import faults, sqlite
from chainteller.storage.db.sqlite import BUSY_TIMEOUT_MS
from chainteller.storage.db.write_health import WriteHealth

ROOT = Path(__file__).parents[2]
IN_WAL = b"\2\2"
"""What a file in WAL mode has at offset 18 (https://sqlite.org/fileformat2.html)."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "bank.db"


@pytest.fixture
def world(path: Path) -> Iterator[World]:
    made = make_world(path)
    made.open()
    made.deposit("500.00")
    yield made
    made.close()


def reason(error: ServiceUnavailable) -> str:
    assert error.code == "SERVICE_UNAVAILABLE"
    assert error.suggestion, "it says what to do"
    return str(error.details["reason"])


def refused_opening(path: Path) -> str:
    with pytest.raises(ServiceUnavailable) as refused:
        open_database(f"sqlite:///{path}", KEYS)
    return reason(refused.value)


def refused_write(world: World) -> str:
    with pytest.raises(ServiceUnavailable) as refused:
        world.deposit("1.00")
    return reason(refused.value)


def test_a_text_file_is_no_database(path: Path) -> None:
    path.write_text("Dear sir or madam, this is a letter and no database.\n" * 100)
    before = path.read_bytes()
    assert refused_opening(path) == "NOT_A_DATABASE"
    assert path.read_bytes() == before


def test_an_empty_file_is_not_taken_for_a_new_database(path: Path) -> None:
    path.touch()
    assert refused_opening(path) == "EMPTY_FILE"
    assert path.read_bytes() == b""


def test_a_database_cut_to_nothing_is_not_begun_anew(world: World, path: Path) -> None:
    world.close()
    os.truncate(path, 0)
    assert refused_opening(path) == "EMPTY_FILE"


def test_a_directory_is_no_database(path: Path) -> None:
    path.mkdir()
    assert refused_opening(path) == "CANNOT_OPEN"


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert refused_opening(tmp_path / "file" / "bank.db") == "CANNOT_OPEN"


def test_a_missing_folder_is_made(tmp_path: Path) -> None:
    open_database(f"sqlite:///{tmp_path / 'a' / 'b' / 'bank.db'}", KEYS).close()
    assert (tmp_path / "a" / "b" / "bank.db").exists()


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("PRAGMA user_version=999", "NEWER_SCHEMA"),
        ("UPDATE schema_revision SET version_num = '0016'", "UNSUPPORTED_SCHEMA"),
        ("PRAGMA application_id=7", "FOREIGN_DATABASE"),
    ],
)
def test_another_versions_or_programs_database_is_left_alone(
    world: World, path: Path, statement: str, expected: str
) -> None:
    world.close()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(statement)
    before = path.read_bytes()
    assert refused_opening(path) == expected
    assert path.read_bytes() == before


def test_a_database_of_another_program_is_left_alone(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
        connection.commit()
    assert refused_opening(path) == "FOREIGN_DATABASE"


@pytest.mark.parametrize(
    "url",
    [
        "mysql://x/y",
        "no url",
        "sqlite://",
        "sqlite:///:memory:",
        "",
        "postgresql://one:port/teller",
        "postgresql://one:5432,two:port/teller",
        "postgresql://one,,two/teller",
    ],
)
def test_a_url_that_cannot_be_used_is_named(url: str) -> None:
    with pytest.raises(ServiceUnavailable) as refused:
        open_database(url, KEYS)
    assert reason(refused.value) == "BAD_URL"


def test_half_a_database_is_corrupt(world: World, path: Path) -> None:
    world.close()
    os.truncate(path, path.stat().st_size // 2)
    assert refused_opening(path) == "STORAGE_CORRUPT"


def test_a_damaged_page_is_named_when_it_is_met(world: World, path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        (page,) = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'transfer'"
        ).fetchone()
    world.close()
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xa5" * size)
    database = open_database(f"sqlite:///{path}", KEYS)
    world.engine.context.database.sessions.pool.close()
    assert refused_write(world) == "STORAGE_CORRUPT"
    with pytest.raises(ServiceUnavailable) as refused:
        world.engine.deposits(world.account)
    assert reason(refused.value) == "STORAGE_CORRUPT"
    database.close()


def test_a_file_removed_while_open_takes_no_more_writes(world: World, path: Path) -> None:
    path.unlink()
    assert refused_write(world) == "STORAGE_REMOVED"
    assert not path.exists()


def test_a_file_replaced_while_open_takes_no_more_writes(world: World, path: Path) -> None:
    other = path.with_name("other.db")
    open_database(f"sqlite:///{other}", KEYS).close()
    other.replace(path)
    assert refused_write(world) == "STORAGE_REMOVED"


def test_a_lock_that_stays_is_named_and_nothing_is_done(
    world: World, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.close()
    monkeypatch.setattr(databases, "BUSY_TIMEOUT_MS", 50)
    database = open_database(f"sqlite:///{path}", KEYS)
    object.__setattr__(world.context, "database", database)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert refused_write(world) == "STORAGE_LOCKED"
        assert world.balances() == {"BUSD1@bank": ("500.00", "0.00", "0.00")}
        other.execute("ROLLBACK")
    assert world.deposit("1.00").status == "completed"
    assert verify(database) == ()
    database.close()


def attempted(path: Path, account: str, *more: str, limit: int | None = None) -> list[str]:
    """What a process without rights (or without space) is told, line by line."""

    def confine() -> None:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    done = subprocess.run(
        [sys.executable, "-m", "tests.storage.attempts", str(path), account, *more],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=confine,
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_full_disk_refuses_by_name_and_leaves_the_books_right(world: World, path: Path) -> None:
    """The limit of a file's size stands for the disk's end; reads and other files go on."""
    account = world.account
    world.close()
    told = attempted(path, account, limit=path.stat().st_size + 60_000)
    done = told.count("done")
    assert done > 0
    assert told[-2] in ("STORAGE_FULL", "STORAGE_FAULT")
    assert told[-1] == "reads go on"
    database = open_database(f"sqlite:///{path}", KEYS)
    assert verify(database) == ()
    with database.read() as connection:
        kept = connection.execute(text("SELECT count(*) FROM transfer")).scalar_one()
    assert kept == done + 1
    database.close()


@pytest.mark.forms(1)
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become a user without rights")
@pytest.mark.parametrize("what", ["file", "folder", "linked folder"])
def test_a_read_only_file_or_folder_refuses_writes_and_is_still_read_and_backed_up(
    world: World, path: Path, what: str
) -> None:
    account = world.account
    world.close()
    with closing(sqlite3.connect(path)) as connection:
        (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
    with tempfile.TemporaryDirectory() as name, tempfile.TemporaryDirectory() as links:
        Path(links).chmod(0o777)
        Path(name).chmod(0o777 if what == "file" else 0o755)
        copy = Path(shutil.copy(path, name))
        copy.chmod(0o444 if what == "file" else 0o666)
        named = copy
        if what == "linked folder":
            named = Path(links) / "linked.db"
            named.symlink_to(copy)
        healthy, *told = attempted(named, account, "as-nobody")
    assert healthy == f"healthy: True, {mode.upper()}"
    assert told in (
        ["not ready: STORAGE_READ_ONLY", "STORAGE_READ_ONLY", "reads go on", "backed up"],
        ["not ready: STORAGE_READ_ONLY", "CANNOT_OPEN", "reads go on", "backed up"],
    )


@pytest.mark.parametrize(
    ("name", "named"),
    [
        ("SQLITE_FULL", "STORAGE_FULL"),
        ("SQLITE_IOERR_FSYNC", "STORAGE_FAULT"),
        ("SQLITE_READONLY_DBMOVED", "STORAGE_READ_ONLY"),
        ("SQLITE_BUSY_SNAPSHOT", "STORAGE_LOCKED"),
        ("SQLITE_NOTADB", "NOT_A_DATABASE"),
        ("SQLITE_CORRUPT_INDEX", "STORAGE_CORRUPT"),
        ("SQLITE_CANTOPEN_ISDIR", "CANNOT_OPEN"),
        ("SQLITE_TOOBIG", "SQLITE_TOOBIG"),
    ],
)
def test_every_fault_of_sqlite_has_a_name_and_a_way_out(name: str, named: str) -> None:
    error = sqlite3.OperationalError("the driver's own words")
    error.sqlite_errorname = name
    assert reason(faults.explain_sqlite(error)) == named


def test_a_lock_is_not_blamed_on_another_program() -> None:
    """It's as likely chainteller's own: a server, a console or a command."""
    error = sqlite3.OperationalError("database is locked")
    error.sqlite_errorname = "SQLITE_BUSY"
    told = faults.explain_sqlite(error)
    assert "of chainteller or another program" in told.message
    assert "Close the other program" not in told.suggestion


@pytest.mark.parametrize(
    ("version", "safe"),
    [
        ((3, 40, 1), False),
        ((3, 44, 5), False),
        ((3, 44, 6), True),
        ((3, 50, 6), False),
        ((3, 50, 7), True),
        ((3, 51, 0), False),
        ((3, 51, 2), False),
        ((3, 51, 3), True),
        ((3, 52, 0), True),
        ((4, 0, 0), True),
    ],
)
def test_wal_is_used_only_where_it_is_safe(version: tuple[int, int, int], safe: bool) -> None:
    assert wal_is_safe(version) == safe


def test_a_file_found_in_wal_is_switched_back(world: World, path: Path) -> None:
    world.close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
    database = open_database(f"sqlite:///{path}", KEYS)
    with database.read() as connection:
        mode = str(connection.execute(text("PRAGMA journal_mode")).scalar_one())
        durable = connection.execute(text("PRAGMA synchronous")).scalar_one()
    database.close()
    assert mode.upper() == sqlite.journal_mode()
    assert durable == 2


@pytest.mark.parametrize("statement", ["UPDATE entry SET leaf = leaf", "DELETE FROM entry"])
def test_history_cannot_be_rewritten(world: World, statement: str) -> None:
    with (
        pytest.raises(Exception, match="append-only"),
        world.database.write() as connection,
    ):
        connection.execute(text(statement))


def test_no_balance_but_the_cores_falls_below_zero(world: World) -> None:
    statement = "UPDATE ledger_account SET balance = '-1' WHERE code = '{}'"
    with world.database.write() as connection:
        connection.execute(text(statement.format("core")))
        connection.rollback()
    with (
        pytest.raises(Exception, match="balance_not_negative"),
        world.database.write() as connection,
    ):
        connection.execute(text(statement.format("custody")))


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_trial_write_leaves_nothing_and_waits_for_nobody(
    kind: str, path: Path, request: pytest.FixtureRequest
) -> None:
    on_postgres = kind == "postgres"
    database = open_database(
        request.getfixturevalue("postgres_url") if on_postgres else f"sqlite:///{path}", KEYS
    )
    with database.write() as connection:  # another write is under way
        began = time.monotonic()
        database.require_writes()
        assert time.monotonic() - began < BUSY_TIMEOUT_MS / 1000, "a write waits as long"
        connection.rollback()
    database.writing = WriteHealth()
    database.require_writes()
    with database.read() as connection:
        assert connection.execute(text("SELECT count(*) FROM idempotency")).scalar_one() == 0
    database.close()


def test_one_fault_of_the_disk_stands_until_a_write_succeeds() -> None:
    health, tries = WriteHealth(), []

    def fail(reason: str) -> None:
        tries.append(reason)
        raise faults.unavailable(reason, "It failed.", "Do something.")

    for reason_, refused in (("STORAGE_LOCKED", False), ("STORAGE_FULL", True)):
        health = WriteHealth()
        for _ in range(3):  # a second trial follows after a second only
            if refused:
                with pytest.raises(ServiceUnavailable) as raised:
                    health.require(lambda: fail(reason_))  # noqa: B023 - called at once
                assert reason(raised.value) == reason_
            else:
                health.require(lambda: fail(reason_))  # noqa: B023 - as above
    assert tries == ["STORAGE_LOCKED", "STORAGE_FULL"]
    health.succeeded()
    health.require(lambda: fail("STORAGE_FULL"))  # a commit a moment ago shows that it works
    assert len(tries) == 2


@pytest.mark.skipif(not WAL_IS_SAFE, reason="WAL isn't used with this SQLite")
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux shows open files")
def test_a_file_changes_to_wal_when_nobody_else_has_it_open(
    world: World, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.close()

    def mode() -> bytes:
        database = open_database(f"sqlite:///{path}", KEYS)
        with database.look() as connection:
            assert isinstance(connection.driver, sqlite3.Connection)
        assert verify(database) == ()
        in_wal = database.in_wal
        database.close()
        found = path.read_bytes()[18:20]
        assert in_wal == (found == IN_WAL)
        return found

    assert mode() == IN_WAL
    monkeypatch.setattr(sqlite, "WAL_IS_SAFE", False)
    assert mode() != IN_WAL
    monkeypatch.undo()
    hold = "import sys; file = open(sys.argv[1], 'rb'); print(flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", hold, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert mode() != IN_WAL, "the other process may have an older SQLite"
        process.communicate()
    assert mode() == IN_WAL
