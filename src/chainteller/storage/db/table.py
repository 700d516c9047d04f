"""What statements need to know of a table, beside its columns."""

from typing import Any, get_args

from chainteller.storage.db.query import Atoms, table_of

SALT = "salt"
"""The column that every sealed table has: what keys the hash of the row (``sealing``)."""
CLOCK = "bank"
"""The name of the only row of ``clock``."""


class Table:
    """A table as it was declared.

    ``sealed`` has the columns that the seal of a row covers, none of a table without seals;
    ``numbers`` those with whole numbers that fit into 64 bits, ``atoms`` those with whole numbers
    of any size, ``booleans`` those that are true or false.

    Args:
        record: the row class, which has its columns.
        key: the columns of its primary key.
        unsealed: the columns that the seal of a row doesn't cover.
    """

    __slots__ = ("atoms", "booleans", "columns", "key", "name", "numbers", "record", "sealed")

    def __init__(self, record: Any, *key: str, unsealed: tuple[str, ...] = ()) -> None:
        self.record = record
        self.key = key
        self.name = table_of(record)
        self.columns: tuple[str, ...] = record._fields
        covered = self.columns if SALT in self.columns else ()
        self.sealed = tuple(each for each in covered if each not in {SALT, *unsealed})
        self.numbers, self.atoms, self.booleans = map(self._columns_of, (int, Atoms, bool))

    def _columns_of(self, kind: Any) -> frozenset[str]:
        kinds = self.record.__annotations__
        return frozenset(
            each for each in self.columns if kind in (get_args(kinds[each]) or (kinds[each],))
        )
