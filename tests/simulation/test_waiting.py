"""What waits for nobody, or longer than it may, is named."""

import shutil
from contextlib import closing
from pathlib import Path

import pytest
from tests.engine.test_decisions import OPTIONS, Bank
from tests.simulation import waiting
from tests.world.engines import make_world

from chainteller.sqlite import sqlite3

LATE = 10**18
DAMAGE = {
    "UPDATE decision SET status = 'lapsed' WHERE kind = 'withdrawal'": (
        "a withdrawal that waits for a person without an open decision"
    ),
    "UPDATE decision SET status = 'lapsed' WHERE kind = 'control'": (
        "a control without an open decision"
    ),
    "UPDATE decision SET due = due + 1 WHERE kind = 'withdrawal'": (
        "a review that ends at another time than its decision"
    ),
    "UPDATE transfer SET status = 'rejected' WHERE status = 'reviewing'": (
        "an open decision about a withdrawal that isn't reviewed"
    ),
    "UPDATE trading_account SET control = NULL": "an open decision about a control that isn't set",
    "DELETE FROM job": "a trade without work",
    "UPDATE transfer SET status = 'failed'; UPDATE trade SET status = 'failed'": (
        "held funds of an account in which nothing waits"
    ),
}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bank in which a withdrawal, a trade and a control wait."""
    path = tmp_path_factory.mktemp("bank") / "bank.db"
    world = make_world(path, options=OPTIONS)
    world.open()
    bank = Bank(world)
    bank.withdraw("60.00")
    world.deposit("500.00")
    world.buy()
    bank.engine.open_decision(bank.control("SELL_ONLY"))
    world.close()
    return path


def wrong(path: Path, done_until: int | None = None) -> list[str]:
    with closing(sqlite3.connect(path)) as reading:
        return waiting.wrong(reading, done_until)


def test_what_waits_for_nobody_is_named(file: Path, tmp_path: Path) -> None:
    assert wrong(file) == []
    for damage, named in DAMAGE.items():
        copy = Path(shutil.copyfile(file, tmp_path / "damaged.db"))
        writing = sqlite3.connect(copy)
        triggers = writing.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        for (name,) in triggers.fetchall():
            writing.execute(f"DROP TRIGGER {name}")
        for statement in damage.split(";"):
            writing.execute(statement)
        writing.commit()
        writing.close()
        assert named in {each.partition(":")[0] for each in wrong(copy)}, damage


def test_what_is_late_is_named(file: Path) -> None:
    named = {each.partition(":")[0] for each in wrong(file, done_until=LATE)}
    assert {
        "an open decision whose deadline has passed",
        "a review whose time has passed",
        "work that is due and wasn't done",
    } <= named
