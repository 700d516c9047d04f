"""Breaches of an invariant, and the grouping of rows that the checks share."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TypeVar

from chainteller.storage.db.errors import UnreadableValue

Row = TypeVar("Row")
Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class Breach:
    """``invariant`` is its number; ``where`` names a row or an account. ``organisation`` is the
    log that wrote the row last; empty where no log says."""

    invariant: int
    what: str
    where: str
    organisation: str = field(default="", compare=False)

    def __str__(self) -> str:
        return f"invariant {self.invariant}: {self.what} ({self.where})"


Breaches = Iterator[Breach]
UNREADABLE = (
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    UnreadableValue,
)
"""What a cell raises that holds a value which no build of ours writes."""


def of_heads(found: Mapping[str, str]) -> tuple[Breach, ...]:
    """21: each log is the one whose head was kept outside the database; ``found`` has what differs
    (``kept_heads``)."""
    return tuple(Breach(21, what, f"log {name}", name) for name, what in found.items())


def within(organisation: str, found: Breaches) -> Breaches:
    """Breaches of one organisation's log."""
    return (replace(each, organisation=organisation) for each in found)


_ALTERED = "Another program wrote to the database, or a backup was mixed with it."
WRITERS_KEY = "writer's key"
"""Where a breach is that says why marks weren't checked."""
OTHER_KEY = "another writer's key"
"""Where one is that says that the key which is there didn't mark this database."""
_CAUSES: dict[int | str, tuple[str, str]] = {
    WRITERS_KEY: (
        "The writer's key isn't where it is looked for, or can't be used.",
        "Put it back (chainteller info says where), and verify again.",
    ),
    OTHER_KEY: (
        "The key of another deployment is there, or the first entry of the log was altered.",
        "Put the key back (chainteller info says where), and verify again.",
    ),
    20: (
        _ALTERED,
        "Ask who could write there at that time; take the named rows from a backup that verifies.",
    ),
    21: (
        "The log, its head or a guard of the schema was altered by another program.",
        "Compare the log's heads with the checkpoints that were kept elsewhere.",
    ),
}
_OTHERWISE = (
    f"{_ALTERED} If no row is named by invariant 20, it may be a defect of this program.",
    "Report it with this output.",
)


def causes(found: Iterable[Breach]) -> list[str]:
    """The likely cause and the next step for each kind of breach, once each."""
    said = [_CAUSES.get(each.where) or _CAUSES.get(each.invariant, _OTHERWISE) for each in found]
    return [f"Likely cause: {cause} {step}" for cause, step in dict.fromkeys(said)]


def grouped(rows: Iterable[Row], key: Callable[[Row], Key]) -> Iterator[tuple[Key, list[Row]]]:
    """Consecutive rows with the same key, as one list per key."""
    for found, group in groupby(rows, key):
        yield found, list(group)
