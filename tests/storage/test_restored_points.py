"""PostgreSQL restored to random points in time, failed over with loss, and lost with a server.

pytest -m slow -s tests/storage/test_restored_points.py
"""

import contextlib
import io
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.storage.clusters import NAME, Cluster, cluster_folder, programs
from tests.storage.test_failover import CLIENTS, Load
from tests.witnessing.places import FIVE_DOLLARS, opening
from tests.world.bank import World, build
from tests.world.files import KEY_SETTING
from tests.world.serving import ServerProcess
from tests.world.waiting import until

from chainteller.cli.main import run
from chainteller.domain.clock import SystemClock
from chainteller.domain.randomness import SeededRandomness, below
from chainteller.service.errors import ServiceUnavailable
from chainteller.storage.database import connect
from chainteller.storage.db.query import Value, built
from chainteller.storage.db.session import NUMBER

RESTORES = 20
FAILOVERS = 5
STEPS = 16
pytestmark = pytest.mark.slow


@pytest.fixture
def folder() -> Iterator[Path]:
    with cluster_folder() as found:
        yield found


class Desk:
    """Command lines of an operator whose configuration is in ``home``."""

    def __init__(self, home: Path, url: str) -> None:
        self.home, self.url = home, url

    @classmethod
    def new(cls, home: Path, url: str) -> "Desk":
        home.mkdir(parents=True)
        witness = home / "witness"
        (home / "config.toml").write_text(f'[audit]\nwitnesses = ["{witness}"]\n', encoding="utf-8")
        return cls(home, url)

    def copied(self, home: Path, url: str) -> "Desk":
        """Another one that knows the same heads."""
        shutil.copytree(self.home, home)
        config = home / "config.toml"
        config.write_text(config.read_text("utf-8").replace(str(self.home), str(home)), "utf-8")
        return Desk(home, url)

    def run(self, *arguments: str) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch:
            for name, value in {**KEY_SETTING, "CHAINTELLER_HOME": str(self.home)}.items():
                patch.setenv(name, value)
            patch.setenv("PATH", f"{programs()}{os.pathsep}{os.environ['PATH']}")
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                code = run([*arguments, "--database", self.url])
        return code, out.getvalue(), err.getvalue()

    def done(self, *arguments: str) -> Any:
        code, out, err = self.run(*arguments, "--json")
        assert code == 0, (arguments, out, err)
        return json.loads(out)

    def accept(self, reason: str) -> int:
        """Accept what is a breach, and require that everything is clean again; the notes that were
        set aside."""
        code, _, said = self.run("db", "verify")
        assert (code, "BREACH" in said) == (1, True), said
        accepted = self.done("audit", "restored", "--reason", reason, "--yes")
        assert self.done("db", "verify")["ok"]
        newest = self.done("audit", "list", "--limit", "1")["data"][0]
        assert (newest["action"], newest["inputs"]["reason"]) == ("restore_database", reason)
        head = self.done("audit", "checkpoint")
        assert head["size"] >= newest["seq"]
        rows = self.done("audit", "witness", "list")["data"]
        witnessed = {row["origin"]: (row["size"], row["problem"]) for row in rows}
        assert witnessed[head["origin"]] == (head["size"], "")
        assert not any(problem for _, problem in witnessed.values())
        return int(accepted["setAside"])


def write(world: World, number: int) -> None:
    """A few entries."""
    account = world.engine.open_trading_account(opening(number)).value.id
    world.engine.deposit(account, FIVE_DOLLARS)


def test_restores_to_random_points_are_accepted_with_their_reasons(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = folder / "archive"
    archive.mkdir()
    archive.chmod(0o777)
    primary = Cluster.new(folder / "one")
    primary.say("ALTER SYSTEM SET archive_mode = on")
    primary.say(f"ALTER SYSTEM SET archive_command = 'cp %p {archive}/%f'")
    primary.stop("fast")
    primary.start()
    world = build(url_of(primary), clock=SystemClock())
    desk = Desk.new(tmp_path / "home", url_of(primary))
    desk.done("audit", "key", "create")
    desk.done("audit", "checkpoint")
    primary.run("pg_basebackup", *primary.address, "-D", str(folder / "base"), "--checkpoint=fast")
    points = []
    for step in range(1, STEPS + 1):
        write(world, step)
        points.append(primary.say("SELECT pg_current_wal_lsn()"))
        desk.done("audit", "checkpoint")
        points.append(primary.say("SELECT pg_current_wal_lsn()"))
    write(world, STEPS + 1)
    desk.done("audit", "checkpoint")
    primary.say("SELECT pg_switch_wal()")
    world.engine.close()
    primary.stop("fast")  # which archives what is left
    randomness = SeededRandomness("points")
    chosen = [points[below(randomness, len(points))] for _ in range(RESTORES)]
    aside = []
    for turn, point in enumerate(chosen, 1):
        restored = restored_to(folder, archive, point, turn)
        try:
            after = desk.copied(tmp_path / f"home-{turn}", url_of(restored))
            if turn % 2:
                after.done("accounts", "open", "DDA-20", "--type", "savings")
            aside.append(after.accept(f"restore {turn} to {point}"))
        finally:
            restored.stop("immediate")
    assert len(aside) == RESTORES
    with capsys.disabled():
        print(f"\n{RESTORES} restores accepted, notes set aside: {aside}")  # noqa: T201 - the figures of the proof


def url_of(cluster: Cluster) -> str:
    return f"postgresql://postgres@127.0.0.1:{cluster.port}/{NAME}"


def restored_to(folder: Path, archive: Path, point: str, turn: int) -> Cluster:
    """A server whose data ends at a point of the archive."""
    data = folder / f"restored-{turn}"
    subprocess.run(["cp", "-a", str(folder / "base"), str(data)], check=True)
    restored = Cluster(
        data,
        "recovery_target_action=promote",
        f"recovery_target_lsn={point}",
        f"'restore_command=cp {archive}/%f %p'",
        "archive_mode=off",
    )
    (data / "recovery.signal").touch()
    restored.start()
    until(lambda: restored.say("SELECT pg_is_in_recovery()") == "f")
    return restored


@pytest.mark.parametrize("turn", range(1, FAILOVERS + 1))
def test_a_failover_with_loss_is_accepted_with_its_reason(
    folder: Path, tmp_path: Path, turn: int, capsys: pytest.CaptureFixture[str]
) -> None:
    primary = Cluster.new(folder / "one")
    standby = primary.standby(folder / "two")
    world = build(url_of(primary), clock=SystemClock())
    desk = Desk.new(tmp_path / "home", url_of(primary))
    desk.done("audit", "key", "create")
    write(world, 1)
    desk.done("audit", "checkpoint")
    lsn = primary.say("SELECT pg_current_wal_lsn()")
    reached = f"SELECT pg_last_wal_replay_lsn() >= '{lsn}'"
    until(lambda: standby.say(reached) == "t")
    standby.stop("fast")  # as a network that is cut
    for number in range(2, 2 + turn):
        write(world, number)
        desk.done("audit", "checkpoint")
    world.engine.close()
    primary.stop("immediate")
    standby.start()
    standby.promote()
    after = Desk(desk.home, url_of(standby))
    for number in range(10, 10 + 2 * (turn - 1)):
        kind = "checking" if number % 2 else "savings"
        after.done("accounts", "open", f"DDA-{number}", "--type", kind)
    aside = after.accept(f"failover {turn}: one was lost, two was behind")
    with capsys.disabled():
        print(f"\nfailover {turn}: accepted, {aside} notes set aside")  # noqa: T201 - as above


@pytest.mark.parametrize("turn", [1, 2, 3])
def test_a_server_and_the_database_die_and_nothing_acknowledged_is_lost(
    folder: Path, tmp_path: Path, turn: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """A drill: with a synchronous standby, until every client is served again."""
    primary = Cluster.new(folder / "one")
    standby = primary.standby(folder / "two")
    primary.say("ALTER SYSTEM SET synchronous_standby_names = '*'")
    primary.say("SELECT pg_reload_conf()")
    hosts = f"127.0.0.1:{primary.port},127.0.0.1:{standby.port}"
    url = f"postgresql://postgres@{hosts}/{NAME}?target_session_attrs=read-write"
    load = Load(url)
    load.go_on()
    backups = folder / "backups"
    backups.mkdir()
    backups.chmod(0o777)
    primary.run("pg_dump", *primary.address, "-Fc", "-f", str(backups / "dump"), NAME)
    load.go_on()
    lost = load._servers[0]
    port = lost.address.rpartition(":")[2]
    acknowledged = [len(client.done) for client in load.clients]
    died = time.monotonic()
    lost.kill()
    primary.stop("immediate")
    standby.promote()
    load._servers[0] = ServerProcess(url, port)
    until(
        lambda: all(
            len(client.done) > before
            for client, before in zip(load.clients, acknowledged, strict=True)
        )
    )
    served_s = time.monotonic() - died
    load.go_on()
    load.end()
    count = load.require_whole(url)
    found = Desk.new(tmp_path / "home", url).done("drill", str(backups))
    with capsys.disabled():
        print(  # noqa: T201 - as above
            f"\ndrill {turn}: {CLIENTS} clients served again after {served_s:.1f} s "
            f"({served_s / 60:.2f} min); {count} deposits acknowledged, 0 lost. "
            f"From the dump alone {found['lostEntries']} entries lost, "
            f"{found['seconds']} s to restore and verify"
        )
    assert found["ok"]


def test_the_number_of_a_lost_transaction_means_another_one_where_a_standby_took_over(
    folder: Path,
) -> None:
    primary = Cluster.new(folder / "one")
    standby = primary.standby(folder / "two")
    build(url_of(primary), clock=SystemClock()).engine.close()
    standby.stop("fast")
    with closing(connect(url_of(primary))) as database, database.write() as session:
        number = str(session.execute(built(f"SELECT {NUMBER} AS value", Value)).scalar())
        session.commit()
    primary.stop("immediate")
    standby.start()
    standby.promote()
    own = number.partition("/")[2]
    status = f"SELECT pg_xact_status('{own}'::xid8)"
    with closing(connect(url_of(standby))) as database:
        while standby.say("SELECT pg_current_xact_id()") != own:
            pass
        assert standby.say(status) == "committed"
        with pytest.raises(ServiceUnavailable) as refused:
            database.has_committed(number)
    assert refused.value.details["reason"] == "COMMIT_UNCERTAIN"
