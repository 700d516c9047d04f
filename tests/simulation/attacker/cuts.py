"""The newest entries cut off, with everything that they wrote: an older state of the database.

Every mark in it holds, so only a head that is kept outside shows that something is missing.
"""

from typing import NamedTuple

from tests.simulation.attacker.bank import SCRIPT, Bank, copied
from tests.simulation.attacker.raw import Raw, RawTable, Rows, attacking
from tests.simulation.attacker.scoring import Life, Trial, attempt
from tests.simulation.generators import Draw

from chainteller.engine.verification.full_pass import verify_all, verify_heads


class Cut(NamedTuple):
    """How many entries are gone, how many payouts are among them, and what names it."""

    entries: int
    payouts: int
    named: tuple[str, ...]


def cut(trial: Trial, draw: Draw) -> Cut:
    """Put the database back to what it was before some of the script's newest steps."""
    steps = list(SCRIPT.items())[: 1 + draw.below(len(SCRIPT))]
    with copied(trial.template, trial.copies()) as bank, attacking(bank.url) as raw:
        tables, life = raw.tables(), Life()
        moments = [raw.read(tables)]
        for name, step in steps:
            attempt(bank, life, name, step)
            moments.append(raw.read(tables))
        now, before = moments[-1], draw.pick(moments[:-1])
        _put_back(raw, tables, now, before)
        assert raw.read(tables) == before
        return Cut(_size(now) - _size(before), _paid(now) - _paid(before), _named(bank))


def _put_back(raw: Raw, tables: list[RawTable], now: Rows, before: Rows) -> None:
    for drop, _ in (guards := raw.guards()):
        raw.run(drop)
    for table in tables:
        for key in now[table.name]:
            raw.run(table.delete(key))
        for row in before[table.name].values():
            raw.run(table.insert(row))
    for _, create in guards:
        raw.run(create)


def _size(rows: Rows) -> int:
    return sum(int(row["size"]) for row in rows["log"].values())


def _paid(rows: Rows) -> int:
    return sum(row["kind"] == "sent" for row in rows["journal"].values())


def _named(bank: Bank) -> tuple[str, ...]:
    database = bank.context.database
    found = (*verify_all(database), *verify_heads(bank.context.kept, database))
    return tuple(map(str, found))
