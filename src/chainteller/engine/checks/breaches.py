"""Breaches of an invariant, and the grouping of rows that the checks share."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import TypeVar

Row = TypeVar("Row")
Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class Breach:
    """``invariant`` is its number; ``where`` names a row or an account."""

    invariant: int
    what: str
    where: str

    def __str__(self) -> str:
        return f"invariant {self.invariant}: {self.what} ({self.where})"


Breaches = Iterator[Breach]


def grouped(rows: Iterable[Row], key: Callable[[Row], Key]) -> Iterator[tuple[Key, list[Row]]]:
    """Consecutive rows with the same key, as one list per key."""
    for found, group in groupby(rows, key):
        yield found, list(group)
