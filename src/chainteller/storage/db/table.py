"""What statements need to know of a table, beside its columns."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple, get_args

from chainteller.storage.db.query import Atoms

SALT = "salt"
"""The column that every sealed table has: what keys the hash of the row (``sealing``)."""
CLOCK = "bank"
"""The name of the only row of ``clock``."""


class Table:
    """A table as it was declared, with the types of its columns, in order, and those of its key.

    ``sealed`` has the columns that the seal of a row covers, none of a table without seals.

    Args:
        name: as in statements.
        kinds: the types of its columns, in order.
        key: the columns of its primary key.
        unsealed: the columns that the seal of a row doesn't cover.
    """

    def __init__(
        self, name: str, kinds: Mapping[str, Any], *key: str, unsealed: tuple[str, ...] = ()
    ) -> None:
        self.name, self.kinds, self.key = name, kinds, key
        self.columns = tuple(kinds)
        covered = self.columns if SALT in kinds else ()
        self.sealed = tuple(each for each in covered if each not in {SALT, *unsealed})

    @property
    def row_name(self) -> str:
        """The name of its row class."""
        return self.name.title().replace("_", "")

    @cached_property
    def record(self) -> Any:
        """Its row class. A program needs a few of all, and each takes a third of a millisecond."""
        return NamedTuple(self.row_name, self.kinds.items())

    @cached_property
    def blank(self) -> dict[str, None]:
        """A row without any value."""
        return dict.fromkeys(self.columns)

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Columns with whole numbers that fit into 64 bits."""
        return self._columns_of(int)

    @cached_property
    def atoms(self) -> frozenset[str]:
        """Columns with whole numbers of any size."""
        return self._columns_of(Atoms)

    @cached_property
    def booleans(self) -> frozenset[str]:
        """Columns that are true or false."""
        return self._columns_of(bool)

    @cached_property
    def binary(self) -> frozenset[str]:
        """Columns with octets."""
        return self._columns_of(bytes)

    def _columns_of(self, kind: Any) -> frozenset[str]:
        return frozenset(
            name for name, each in self.kinds.items() if kind in (get_args(each) or (each,))
        )
