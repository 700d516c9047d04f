"""``kill -9`` while trades are executed: nothing acknowledged is lost, nothing is half done."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.world.customers import CustomerSeed
from tests.world.engines import make_world
from tests.world.files import KEYS

from chainteller.domain.randomness import SeededRandomness, below
from chainteller.engine.verification.full_pass import verify
from chainteller.storage.database import Database, open_database
from chainteller.storage.upkeep import maintenance

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).parents[2]
TABLES = {"deposit": "transfer", "withdrawal": "transfer", "quote": "quote", "trade": "trade"}


def killed_run(
    url: str, account: str, lines: int, wait_ms: int, threads: int
) -> list[tuple[str, str]]:
    """What a victim acknowledged before it was killed, ``wait_ms`` after its ``lines``-th answer.

    The wait puts the kill anywhere in a write, not always at the beginning of the next.
    """
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-m", "tests.engine.kill_victim", url, account, str(threads)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=environment,
    ) as victim:
        assert victim.stdout is not None
        said = [victim.stdout.readline() for _ in range(lines)]
        assert all(said), "the victim ended by itself"
        with suppress(subprocess.TimeoutExpired):
            victim.wait(wait_ms / 1_000)
        os.kill(victim.pid, signal.SIGKILL)
        said += victim.stdout.readlines()
    whole = [line.split() for line in said if line.endswith("\n")]
    return [(kind, name) for kind, name in whole]


def missing(database: Database, acknowledged: list[tuple[str, str]]) -> list[str]:
    with database.read() as connection:
        known = {
            table: set(connection.execute(text(f"SELECT id FROM {table}")).scalars())  # noqa: S608 - our own names
            for table in set(TABLES.values())
        }
        cancelled = set(
            connection.execute(text("SELECT id FROM trade WHERE status = 'cancelled'")).scalars()
        )
    lost = [
        name for kind, name in acknowledged if kind in TABLES and name not in known[TABLES[kind]]
    ]
    return lost + [
        name for kind, name in acknowledged if kind == "cancelled" and name not in cancelled
    ]


def kill_many(folder: Path, kills: int, threads: int) -> int:
    """How many writes were acknowledged in all; every kill is followed by every check.

    Several threads write together, so that kills fall into commits that they share.
    """
    path = folder / "bank.db"
    world = make_world(path, customers=(CustomerSeed(balance_cents=10**10),))
    account, url = world.open(), f"sqlite:///{path}"
    world.close()
    randomness, total = SeededRandomness("kills"), 0
    for number in range(kills):
        lines, wait_ms = 2 + below(randomness, 20), below(randomness, 40)
        acknowledged = killed_run(url, account, lines, wait_ms, threads)
        total += len(acknowledged)
        database = open_database(url, KEYS)
        try:
            assert missing(database, acknowledged) == [], f"kill {number}"
            assert verify(database) == (), f"kill {number}"
        finally:
            database.close()
        assert maintenance.check(url).healthy
    return total


@pytest.mark.parametrize("threads", [1, 6])
def test_a_few_kills_lose_nothing(tmp_path: Path, threads: int) -> None:
    assert kill_many(tmp_path, 5, threads) > 0


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 6])
def test_a_hundred_kills_lose_nothing(
    tmp_path: Path, threads: int, capsys: pytest.CaptureFixture[str]
) -> None:
    total = kill_many(tmp_path, 100, threads)
    with capsys.disabled():
        print(f"\n100 kills, {threads} threads, {total} acknowledged writes, 0 lost, 0 half done")  # noqa: T201 - the figures asked for
