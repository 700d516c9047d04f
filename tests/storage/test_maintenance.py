"""Creating, checking, backing up and restoring a database file."""

import resource
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.world.engines import World, make_world
from tests.world.files import KEYS

from chainteller import open_files
from chainteller.cli.error_output import Usage
from chainteller.cli.lists import write_new_file
from chainteller.engine.verification.full_pass import verify, verify_chain
from chainteller.private_files import write_atomically
from chainteller.service.errors import ServiceUnavailable
from chainteller.sqlite import sqlite3
from chainteller.storage.database import open_database
from chainteller.storage.log.marks import derived_deployment
from chainteller.storage.revision import REVISION
from chainteller.storage.upkeep import archives, maintenance
from chainteller.storage.upkeep.trial_restore import left_behind, restored_beside


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = make_world(tmp_path / "bank.db")
    made.open()
    made.deposit("500.00")
    made.buy("100.00")
    yield made
    made.close()


def url(path: Path) -> str:
    return f"sqlite:///{path}"


def refusal(act: object, *arguments: object) -> ServiceUnavailable:
    assert callable(act)
    with pytest.raises(ServiceUnavailable) as refused:
        act(*arguments)
    assert refused.value.suggestion
    return refused.value


def test_init_makes_a_database_once(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    assert maintenance.init(url(path), KEYS)
    before = path.read_bytes()
    assert not maintenance.init(url(path), KEYS)
    assert path.read_bytes() == before


def test_check_tells_what_a_sound_database_is(world: World, tmp_path: Path) -> None:
    report = maintenance.check(url(tmp_path / "bank.db"))
    assert report.healthy
    assert report.schema_state == "current"
    assert report.schema_version == REVISION
    assert report.journal_mode in ("TRUNCATE", "DELETE", "WAL")
    assert report.driver_version == sqlite3.sqlite_version
    assert report.problems == ()


def test_check_changes_no_byte(world: World, tmp_path: Path) -> None:
    before = (tmp_path / "bank.db").read_bytes()
    maintenance.check(url(tmp_path / "bank.db"))
    assert (tmp_path / "bank.db").read_bytes() == before


def test_check_makes_no_file(tmp_path: Path) -> None:
    error = refusal(maintenance.check, url(tmp_path / "none.db"))
    assert error.details["reason"] == "NO_DATABASE"
    assert not (tmp_path / "none.db").exists()


@pytest.mark.parametrize(
    ("statement", "state"),
    [
        ("PRAGMA user_version=999", "newer"),
        ("UPDATE schema_revision SET version_num = '0016'", "unsupported"),
        ("PRAGMA application_id=7", "foreign"),
    ],
)
def test_check_tells_whose_database_it_is(tmp_path: Path, statement: str, state: str) -> None:
    path = tmp_path / "bank.db"
    maintenance.init(url(path), KEYS)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(statement)
    report = maintenance.check(url(path))
    assert (report.schema_state, report.healthy) == (state, False)
    assert report.notes


def test_check_finds_a_damaged_page(world: World, tmp_path: Path) -> None:
    world.close()
    path = tmp_path / "bank.db"
    damage_a_page(path)
    report = maintenance.check(url(path))
    assert not report.healthy
    assert report.problems
    assert any("db restore" in note for note in report.notes)


def damage_a_page(path: Path) -> None:
    """Overwrite the root page of the trades, which no opening reads."""
    with closing(sqlite3.connect(path)) as connection:
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        (page,) = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'trade'"
        ).fetchone()
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xa5" * size)


def test_check_finds_a_row_that_refers_to_nothing(world: World, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "bank.db")) as connection:
        connection.execute("DELETE FROM quote")
        connection.commit()
    assert any("trade" in each for each in maintenance.check(url(tmp_path / "bank.db")).problems)


def test_a_backup_is_whole_and_private(world: World, tmp_path: Path) -> None:
    file = tmp_path / "backup.db"
    maintenance.backup(world.database, file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    copy = open_database(url(file), KEYS)
    assert verify(copy) == ()
    assert verify_chain(copy) == verify_chain(world.database)
    copy.close()
    assert maintenance.check(url(file)).healthy


def test_a_backup_overwrites_nothing(world: World, tmp_path: Path) -> None:
    file = tmp_path / "backup.db"
    file.write_text("precious")
    assert refusal(maintenance.backup, world.database, file).details["reason"] == "EXISTS"
    assert file.read_text() == "precious"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_backup_into_a_missing_folder_says_so(world: World, tmp_path: Path) -> None:
    error = refusal(maintenance.backup, world.database, tmp_path / "none" / "backup.db")
    assert error.details["reason"] == "CANNOT_OPEN"


def test_restore_brings_back_what_was(world: World, tmp_path: Path) -> None:
    maintenance.backup(world.database, tmp_path / "backup.db")
    head = verify_chain(world.database).head
    world.deposit("77.00")
    later = verify_chain(world.database).head
    world.close()
    kept = maintenance.restore(tmp_path / "backup.db", url(tmp_path / "bank.db"))
    assert kept is not None
    for path, expected in ((tmp_path / "bank.db", head), (kept, later)):
        database = open_database(url(path), KEYS)
        assert verify_chain(database).head == expected
        assert verify(database) == ()
        database.close()


def test_restore_keeps_every_former_database(world: World, tmp_path: Path) -> None:
    maintenance.backup(world.database, tmp_path / "backup.db")
    world.close()
    kept = {
        maintenance.restore(tmp_path / "backup.db", url(tmp_path / "bank.db")) for _ in range(3)
    }
    assert len(kept) == 3
    assert all(path is not None and path.exists() for path in kept)


def test_what_killed_commands_left_is_removed_unless_it_is_in_use(
    world: World, tmp_path: Path
) -> None:
    """A kill leaves a copy of the whole bank, under a hidden name, and SQLite's files beside it."""
    names = (".bank.db-20261128", ".bank.db-89abcdef.draft", ".x.key-89abcdef.draft")
    _, used, mine = stay = [tmp_path / name for name in names]
    backup, archive, key = (tmp_path / name for name in ("backup.db", "a.archive", "x.key"))
    for each in stay:
        each.write_text("a copy")

    def removes_what_was_left(step: Callable[[], object]) -> bool:
        for ending in ("", "-wal"):
            (tmp_path / f".yesterday.db-0abcdef_.draft{ending}").write_text("a copy")
        step()
        return sorted(each for each in tmp_path.iterdir() if each.name[0] == ".") == stay

    def archived() -> None:
        archives.open_to_write(archive, world.database, deployment).close()

    with world.database.read() as connection:
        deployment = derived_deployment(connection)
    with (
        mine.open(),
        used.open() as held,
        subprocess.Popen(["sleep", "60"], stdin=held) as running,
    ):
        held.close()
        assert removes_what_was_left(lambda: maintenance.backup(world.database, backup))
        assert removes_what_was_left(archived)
        assert removes_what_was_left(archived), "which is there already"
        assert removes_what_was_left(lambda: write_atomically(key, "secret", is_new=True))
        world.close()
        assert removes_what_was_left(lambda: maintenance.restore(backup, url(tmp_path / "bank.db")))
        running.kill()


def test_where_open_files_are_not_shown_drafts_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_files, "_PROCESSES", tmp_path / "nothing")
    left = tmp_path / ".x.key-0abcdef_.draft"
    left.write_text("perhaps another program's, which is writing it")
    write_atomically(tmp_path / "x.key", "secret", is_new=True)
    assert sorted(tmp_path.iterdir()) == [left, tmp_path / "x.key"]


def test_restore_into_a_new_place(world: World, tmp_path: Path) -> None:
    maintenance.backup(world.database, tmp_path / "backup.db")
    assert maintenance.restore(tmp_path / "backup.db", url(tmp_path / "other.db")) is None
    assert maintenance.check(url(tmp_path / "other.db")).healthy


def test_restore_replaces_the_file_that_a_link_names(world: World, tmp_path: Path) -> None:
    """Whoever opens the file by its own name must not go on with the former one."""
    maintenance.backup(world.database, tmp_path / "backup.db")
    before = verify_chain(world.database).head
    world.deposit("77.00")
    world.close()
    (tmp_path / "bank.db-journal").write_bytes(b"")
    link = tmp_path / "links" / "linked.db"
    link.parent.mkdir()
    link.symlink_to(tmp_path / "bank.db")
    kept = maintenance.restore(tmp_path / "backup.db", url(link))
    assert kept == tmp_path / "bank.db.before-restore-1"
    assert not kept.is_symlink()
    assert [each.name for each in link.parent.iterdir()] == ["linked.db"]
    for path in (link, tmp_path / "bank.db"):
        database = open_database(url(path), KEYS)
        assert verify_chain(database).head == before
        database.close()


def test_space_is_looked_for_and_a_drill_is_where_a_link_leads(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backup, link = tmp_path / "backup.db", tmp_path / "links" / "linked.db"
    maintenance.backup(world.database, backup)
    link.parent.mkdir()
    link.symlink_to(tmp_path / "bank.db")
    free = {tmp_path: 10**9, link.parent: 0}
    monkeypatch.setattr(shutil, "disk_usage", lambda each: SimpleNamespace(free=free[each]))
    with restored_beside(backup, url(link)) as beside:
        assert (tmp_path / ".drill-bank.db" / "drill.db").samefile(
            beside.removeprefix("sqlite:///")
        )
        assert left_behind(world.database) == str(tmp_path / ".drill-bank.db")


def test_restore_over_a_damaged_database(world: World, tmp_path: Path) -> None:
    maintenance.backup(world.database, tmp_path / "backup.db")
    world.close()
    (tmp_path / "bank.db").write_bytes(b"not a database any more" * 100)
    (tmp_path / "bank.db-journal").write_bytes(b"half a journal")
    kept = maintenance.restore(tmp_path / "backup.db", url(tmp_path / "bank.db"))
    assert maintenance.check(url(tmp_path / "bank.db")).healthy
    assert kept is not None
    assert kept.read_bytes().startswith(b"not a database")
    assert kept.with_name(f"{kept.name}-journal").exists()
    assert not (tmp_path / "bank.db-journal").exists()


def broken_backups(tmp_path: Path, backup: bytes) -> dict[str, Path]:
    files = {name: tmp_path / f"{name}.db" for name in ("text", "empty", "cut", "newer", "foreign")}
    files["text"].write_text("hello, this is no database at all")
    files["empty"].write_bytes(b"")
    files["cut"].write_bytes(backup[: len(backup) // 2])
    for name, statement in (
        ("newer", "PRAGMA user_version=999"),
        ("foreign", "PRAGMA application_id=1"),
    ):
        files[name].write_bytes(backup)
        with closing(sqlite3.connect(files[name])) as connection:
            connection.execute(statement)
    return files | {"missing": tmp_path / "missing.db", "folder": tmp_path}


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("text", "NOT_A_DATABASE"),
        ("empty", "EMPTY_FILE"),
        ("cut", "STORAGE_CORRUPT"),
        ("newer", "NEWER_SCHEMA"),
        ("foreign", "FOREIGN_DATABASE"),
        ("missing", "NO_DATABASE"),
        ("folder", "CANNOT_OPEN"),
    ],
)
def test_restore_refuses_a_bad_backup_and_changes_nothing(
    world: World, tmp_path: Path, name: str, reason: str
) -> None:
    maintenance.backup(world.database, tmp_path / "backup.db")
    world.close()
    bad = broken_backups(tmp_path, (tmp_path / "backup.db").read_bytes())[name]
    before = (tmp_path / "bank.db").read_bytes()
    error = refusal(maintenance.restore, bad, url(tmp_path / "bank.db"))
    assert error.details["reason"] == reason
    assert "db restore" not in str(error.details["suggestion"])
    assert (tmp_path / "bank.db").read_bytes() == before
    assert not list(tmp_path.glob("*before-restore*"))
    assert not list(tmp_path.glob(".bank*"))


def test_what_has_no_space_names_the_disk_and_leaves_nothing(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backup, path = tmp_path / "backup.db", tmp_path / "bank.db"
    maintenance.backup(world.database, backup)
    world.close()
    before = sorted(tmp_path.iterdir())
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1_000))
    assert refusal(maintenance.restore, backup, url(path)).details["reason"] == "STORAGE_FULL"
    monkeypatch.undo()
    with pytest.raises(ServiceUnavailable) as refused, restored_beside(backup, f"{url(path)}/x.db"):
        pass
    assert refused.value.details["reason"] == "CANNOT_OPEN"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (65_536, hard))
    try:
        with closing(open_database(url(path), KEYS)) as database:
            refusal(maintenance.backup, database, tmp_path / "again.db")
        with pytest.raises(Usage):
            write_new_file(tmp_path / "export.csv", "x" * 70_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert sorted(tmp_path.iterdir()) == before


def test_restore_refuses_a_database_in_use(world: World, tmp_path: Path) -> None:
    maintenance.backup(world.database, tmp_path / "backup.db")
    with closing(sqlite3.connect(tmp_path / "bank.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        error = refusal(maintenance.restore, tmp_path / "backup.db", url(tmp_path / "bank.db"))
    assert error.details["reason"] == "STORAGE_LOCKED"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux shows open files")
@pytest.mark.parametrize("held", ["bank.db", "bank.db-journal", "bank.db-wal"])
def test_restore_names_the_process_that_holds_the_database_open(
    world: World, tmp_path: Path, held: str
) -> None:
    """Without a lock: a server between two requests holds none."""
    maintenance.backup(world.database, tmp_path / "backup.db")
    world.close()
    (tmp_path / held).touch()
    before = (tmp_path / "bank.db").read_bytes()
    hold = "import sys; file = open(sys.argv[1], 'rb'); print(flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", hold, str(tmp_path / held)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        error = refusal(maintenance.restore, tmp_path / "backup.db", url(tmp_path / "bank.db"))
        assert maintenance.holders(url(tmp_path / "bank.db")).pids == (process.pid,)
        link = tmp_path / "links" / "linked.db"
        link.parent.mkdir()
        link.symlink_to(tmp_path / "bank.db")
        assert maintenance.holders(url(link)).pids == (process.pid,)
        assert process.stdin is not None
        process.stdin.close()
    assert (error.details["reason"], error.details["pids"]) == ("DATABASE_OPEN", [process.pid])
    assert str(process.pid) in error.message
    assert (tmp_path / "bank.db").read_bytes() == before
    assert not list(tmp_path.glob("*before-restore*"))
    if held == "bank.db":
        assert maintenance.restore(tmp_path / "backup.db", url(tmp_path / "bank.db"))


def test_where_open_files_are_not_shown_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_files, "_PROCESSES", tmp_path / "nothing")
    found = open_files.holders(tmp_path)
    assert (found.pids, "doesn't show" in found.unseen) == ((), True)


def test_an_open_engine_notices_a_restore(world: World, tmp_path: Path) -> None:
    """It must not go on writing into the file that was put aside."""
    maintenance.backup(world.database, tmp_path / "backup.db")
    maintenance.restore(tmp_path / "backup.db", url(tmp_path / "bank.db"))
    assert refusal(world.deposit, "1.00").details["reason"] == "STORAGE_REMOVED"


def test_postgres_has_tools_of_its_own(tmp_path: Path) -> None:
    error = refusal(maintenance.restore, tmp_path / "x", "postgresql://nobody@localhost/none")
    assert error.details["reason"] == "NOT_OFFERED"
