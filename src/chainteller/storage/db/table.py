"""What statements need to know of a table, beside its columns."""

from dataclasses import dataclass, field
from typing import Any

from chainteller.storage.db.query import table_of

SALT = "salt"
"""The column that every sealed table has: what keys the hash of the row (``sealing``)."""
CLOCK = "bank"
"""The name of the only row of ``clock``."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Table:
    """A table as it was declared.

    Args:
        record: the row class, which has its columns.
        key: the columns of its primary key.
        sealed: the columns that the seal of a row covers; none of a table without seals.
        numbers: columns with whole numbers that fit into 64 bits.
        atoms: columns with whole numbers of any size.
        booleans: columns that are true or false.
    """

    record: Any
    key: tuple[str, ...]
    sealed: tuple[str, ...] = ()
    numbers: frozenset[str] = frozenset()
    atoms: frozenset[str] = frozenset()
    booleans: frozenset[str] = frozenset()
    name: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", table_of(self.record))

    @property
    def columns(self) -> tuple[str, ...]:
        names: tuple[str, ...] = self.record._fields
        return names
