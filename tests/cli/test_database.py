"""What is done to a database: ``db`` and ``keys``."""

import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from unittest.mock import ANY

import httpx
import pytest
from tests.cli.conftest import Teller
from tests.cli.program import confined
from tests.world.waiting import PATIENCE_S

from chainteller.sqlite import sqlite3


def test_init_makes_the_schema_and_is_a_no_op_on_a_current_database(
    home: Path, teller: Teller
) -> None:
    assert teller("db", "init").code == 0
    before = (home / "data" / "bank.db").read_bytes()
    assert teller("db", "init").code == 0
    assert (home / "data" / "bank.db").read_bytes() == before


def test_the_sample_data_is_loaded_once(bank: Path, teller: Teller) -> None:
    before = teller("audit", "list", "--limit", "1", "--json").body["data"]
    assert teller("db", "sample", "--json").body["loaded"] is False
    again = teller("db", "sample")
    assert again.code == 0
    assert "this database already has the sample data" in again.err
    assert "Next: chainteller accounts list" in again.err
    assert teller("audit", "list", "--limit", "1", "--json").body["data"] == before


def test_a_bank_without_customers_leads_to_the_sample_data(
    home: Path, teller: Teller, small_world: Path
) -> None:
    assert "chainteller db sample" in teller("customers", "find", "anybody").out
    shutil.copyfile(small_world, home / "data" / "bank.db")
    assert "try a name" in teller("customers", "find", "nobody-at-all").out


def test_the_books_of_the_sample_bank_hold(bank: Path, teller: Teller) -> None:
    body = teller("db", "verify", "--json").body
    claims = body.pop("claims")
    assert claims == {"checked": ANY, "contradictions": 0, "seconds": ANY}
    assert claims["checked"] > 0
    assert body == {"ok": True, "breaches": []}


def test_a_changed_row_of_the_audit_trail_is_found(small_bank: Path, teller: Teller) -> None:
    with closing(sqlite3.connect(small_bank)) as connection:
        triggers = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'entry'"
        ).fetchall()
        for (name,) in triggers:
            connection.execute(f'DROP TRIGGER "{name}"')
        mine = "organisation_id = 'default' AND number = 17"
        connection.execute(f"UPDATE entry SET object = 'nobody' WHERE {mine}")  # noqa: S608 - our own words
        connection.commit()
    ended = teller("audit", "verify", "--json")
    assert ended.code == 1
    assert ended.body["firstBroken"] == 17
    assert ended.complaint[0].startswith("AUDIT_BROKEN: row 17")
    judged = teller("db", "verify")
    assert judged.code == 1
    assert judged.complaint[0].endswith("(entry 17 of default)")
    assert sum(each.startswith("Likely cause:") for each in judged.complaint) == 1
    breaches = teller("db", "verify", "--json").body["breaches"]
    assert "invariant 21: the trigger entry_refuses_update is missing (catalogue)" in breaches


def test_a_key_is_printed_alone_and_once(home: Path, teller: Teller) -> None:
    ended = teller("keys", "create", "--name", "branch-7", "--expires", "90d")
    assert ended.code == 0
    assert len(ended.out.split()) == 1
    (listed,) = teller("keys", "list", "--json").body["data"]
    assert (listed["name"], listed["status"]) == ("branch-7", "active")
    assert "admin" not in listed["scopes"]
    assert ended.out.strip() not in str(listed)
    assert ended.out.strip().encode() not in (home / "data" / "bank.db").read_bytes()


def test_a_key_is_rotated_and_revoked(teller: Teller) -> None:
    teller("keys", "create", "--name", "a")
    (old,) = teller("keys", "list", "--json").body["data"]
    assert len(teller("keys", "rotate", old["id"], "--overlap", "1h").out.split()) == 1
    assert teller("keys", "revoke", old["id"]).code == 0
    found = {each["id"]: each["status"] for each in teller("keys", "list", "--json").body["data"]}
    assert found.pop(old["id"]) == "revoked"
    assert list(found.values()) == ["active"]
    assert teller("keys", "revoke", "nothing").code == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("--scope", "everything"),
        ("--expires", "soon"),
        ("--expires", "0d"),
        ("--organisation", "a b"),
    ],
)
def test_a_key_that_cannot_be_is_usage(teller: Teller, arguments: tuple[str, str]) -> None:
    ended = teller("keys", "create", "--name", "a", *arguments)
    assert ended.code == 2
    assert f"{arguments[0]}: " in ended.complaint[0]
    assert ended.complaint[1] == "Next: chainteller keys create --help"


def test_a_backup_is_whole_and_overwrites_nothing(
    small_bank: Path, teller: Teller, tmp_path: Path
) -> None:
    file = tmp_path / "backup.db"
    assert teller("db", "backup", str(file)).code == 0
    assert teller("db", "check", "--database", f"sqlite:///{file}").code == 0
    assert teller("db", "backup", str(file)).code == 1
    before = teller("audit", "verify", "--json").body
    teller("quote", "sol-usd", "buy", "10")
    assert teller("audit", "verify", "--json").body["head"] != before["head"]
    told = teller("db", "restore", str(file), "--json").body
    assert told["restored"] == str(file)
    assert told["entries"] == before["rows"] < told["entriesBefore"]
    assert teller("audit", "verify", "--json").body["rows"] >= before["rows"] + 1
    found = teller("audit", "list", "--json").body["data"]
    (inputs,) = [each["inputs"] for each in found if each["action"] == "restore_database"]
    assert inputs["backup"] == "backup.db"
    assert inputs["oldSize"] > inputs["newSize"]


def test_check_tells_mode_and_version(small_bank: Path, teller: Teller) -> None:
    shown = teller("db", "check", "--json").body
    assert shown["healthy"] is True
    assert shown["schemaState"] == "current"
    assert shown["journalMode"]


def test_upgrade_of_a_current_database_changes_nothing(small_bank: Path, teller: Teller) -> None:
    told = teller("db", "upgrade", "--json").body
    assert told["from"] == told["to"]
    assert teller("db", "verify").code == 0


def test_a_copy_is_proven(small_bank: Path, teller: Teller, tmp_path: Path) -> None:
    target = f"sqlite:///{tmp_path / 'copy.db'}"
    told = teller("db", "copy", target, "--json")
    assert told.code == 0
    assert told.body["head"] == teller("audit", "verify", "--json").body["head"]
    assert teller("db", "verify", "--database", target).code == 0
    assert teller("db", "copy", target).code == 1
    assert teller("db", "copy", "elsewhere").code == 2


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux shows open files")
def test_a_restore_beside_a_running_server_is_refused_and_recorded(
    small_bank: Path, teller: Teller, tmp_path: Path
) -> None:
    file = tmp_path / "backup.db"
    assert teller("db", "backup", str(file)).code == 0
    serve = [sys.executable, "-m", "chainteller", "serve", "--port", "0"]
    with subprocess.Popen(serve, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = server.stdout.readline().removeprefix("listening on ").strip()
            pid, before = server.pid, small_bank.stat().st_ino
            ended = teller("db", "restore", str(file), "--json")
            assert (ended.code, ended.body["details"]["reason"]) == (1, "DATABASE_OPEN")
            assert ended.body["details"]["pids"] == [pid]
            again = teller("db", "restore", str(file))
            assert again.code == 1
            assert f"process {pid}" in again.err
            assert small_bank.stat().st_ino == before
            assert httpx.get(f"{address}/readyz", timeout=PATIENCE_S).status_code == 200
        finally:
            server.kill()
    rows = teller("audit", "list", "--json").body["data"]
    first, second = [each for each in rows if each["action"] == "restore_database"]
    assert (first["outcome"], first["error"]) == ("refused", "DATABASE_OPEN")
    assert second["inputs"] == {"backup": "backup.db", "pids": [pid]}
    assert teller("audit", "verify").code == 0
    assert teller("db", "restore", str(file)).code == 0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="root is refused on Linux alone")
@pytest.mark.parametrize(
    ("line", "code", "reason"),
    [
        ("db verify --database sqlite:///{}/bank.db", 3, "CANNOT_OPEN"),
        ("db backup {}/bank.db", 1, "CANNOT_OPEN"),
        ("db restore {}/bank.db", 1, "CANNOT_OPEN"),
        ("drill {}/bank.db", 1, "NO_BACKUP"),
        ("db archive {}/a.archive", 1, "ARCHIVE_UNUSABLE"),
        ("db verify --archive {}/a.archive", 1, "ARCHIVE_UNUSABLE"),
    ],
)
def test_a_file_that_may_not_be_looked_at_is_no_crash(
    small_bank: Path, tmp_path: Path, line: str, code: int, reason: str
) -> None:
    locked = tmp_path / "locked"
    locked.mkdir()
    (locked / "bank.db").write_bytes(small_bank.read_bytes())
    locked.chmod(0)
    words = [each.format(locked) for each in line.split()]
    ended = confined(*words, "--json")
    locked.chmod(0o700)
    assert (ended.code, ended.body["details"]["reason"]) == (code, reason)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="root is refused on Linux alone")
def test_a_home_that_cannot_be_written_is_no_crash(home: Path) -> None:
    home.mkdir(exist_ok=True)
    home.chmod(0o500)
    for line, reason in (("accounts list", "CANNOT_OPEN"), ("db check", "NO_DATABASE")):
        ended = confined(*line.split(), "--json")
        assert (ended.code, ended.body["details"]["reason"]) == (3, reason)
    home.chmod(0o700)


def test_what_only_reads_makes_no_schema(postgres_url: str, teller: Teller) -> None:
    place = ("--database", postgres_url, "--json")
    for line in (("db", "verify"), ("audit", "verify"), ("accounts", "list", "--read-only")):
        ended = teller(*line, *place)
        assert (ended.code, ended.body["details"]["reason"]) == (3, "NO_DATABASE")
    assert teller("db", "check", *place).body["schemaState"] == "new"


def test_what_checks_a_database_makes_none(home: Path, teller: Teller, tmp_path: Path) -> None:
    """A mistyped address must not be verified as an empty bank."""
    backup = tmp_path / "backup.db"
    backup.write_bytes(b"")
    copy = f"sqlite:///{tmp_path / 'copy.db'}"
    for line in (
        ("db", "verify"), ("db", "check"), ("audit", "verify"), ("db", "copy", copy),
        ("drill", str(backup)), ("db", "backup", str(tmp_path / "new.db")),
        ("db", "archive", str(tmp_path / "new.archive")), ("db", "dispute", "list"),
        ("db", "dispute", "clear", "DSP_X", "--reason", "R"), ("wallets", "recheck"),
        ("db", "report", "TXN_X", "--status", "failed", "--reason", "R"),
    ):  # fmt: skip
        ended = teller(*line, "--json")
        assert ended.code in {1, 3}, line
        assert ended.body["details"]["reason"] == "NO_DATABASE", line
        assert not list(home.rglob("*.db"))
    assert not (tmp_path / "copy.db").exists()
    assert not (tmp_path / "new.archive").exists()


@pytest.mark.forms(1)
@pytest.mark.parametrize(
    ("statement", "named", "code"),
    [
        ("DELETE FROM log WHERE organisation_id = 'default'", "log default", 1),
        ("DELETE FROM clock", "clock bank", 1),
        ("DROP TABLE journal", "invariant 17: it is missing (journal)", 1),
        ("DELETE FROM schema_revision", "The database doesn't say any more which schema", 3),
    ],
)
def test_verify_names_what_a_bank_cannot_work_without(
    small_bank: Path, teller: Teller, statement: str, named: str, code: int
) -> None:
    with closing(sqlite3.connect(small_bank)) as connection, connection:
        connection.execute(statement)
    ended = teller("db", "verify")
    assert (ended.code, ended.out) == (code, "")
    assert named in ended.err


def test_a_backup_restored_beside_the_bank_puts_neither_in_dispute(
    small_bank: Path, teller: Teller, tmp_path: Path
) -> None:
    """Both go on by themselves, each from its own heads."""
    file, beside = tmp_path / "backup.db", f"sqlite:///{tmp_path / 'beside.db'}"
    assert teller("db", "backup", str(file)).code == 0
    assert teller("db", "restore", str(file), "--database", beside).code == 0
    for place in ((), ("--database", beside), ()):
        assert teller("keys", "create", "--name", "office", *place).code == 0
        assert teller("db", "verify", *place).code == 0
