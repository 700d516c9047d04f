"""The tables and their rows, as statements return them: what the text of the schema creates.

A row class is named after its table: ``records.TradingAccount`` is a row of ``trading_account``,
and ``Tables.trading_account`` is what a write must know of that table.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from chainteller.storage.db.query import Atoms
from chainteller.storage.db.table import Table

_SCHEMA = Path(__file__).parents[1] / "schema" / "schema.sql"
_TABLE = re.compile(r"CREATE TABLE (\w+) \(\n(.*?)PRIMARY KEY \((.*?)\)", re.DOTALL)
_COLUMN = re.compile(r'  "?(\w+)"? ([A-Z]+).*?( NOT NULL)?,?')
_KINDS: Mapping[str, Any] = {
    "BIGINT": int,
    "BOOLEAN": bool,
    "BYTEA": bytes,
    "INTEGER": int,
    "NUMERIC": Atoms,
    "TEXT": str,
    "VARCHAR": str,
}
_OF_DELIVERIES = (
    "sent_upto ahead delivered_at answer failing_since attempts next_at held_by held_until"
)
_UNSEALED = {
    "api_key": ("last_used_at",),
    "clock": ("boot", "anchor_at", "anchor_elapsed", "seen_at"),
    "job": ("run_at",),
    "webhook": tuple(_OF_DELIVERIES.split()),
}
"""What the seals of rows don't cover; ``schema/tables.py`` says why."""


def _tables() -> Iterator[Table]:
    for name, columns, key in _TABLE.findall(_SCHEMA.read_text(encoding="utf-8")):
        kinds = {}
        for line in columns.splitlines():
            found = _COLUMN.fullmatch(line)
            if found is not None:
                kind = _KINDS[found[2]]
                kinds[found[1]] = kind if found[3] else kind | None
        yield Table(name, kinds, *key.split(", "), unsealed=_UNSEALED.get(name, ()))


class _Tables(SimpleNamespace):
    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Table: ...


ALL = tuple(_tables())
"""Every table, each after those that it needs."""
Tables = _Tables(**{each.name: each for each in ALL})
_TABLES = {each.row_name: each for each in ALL}


def __getattr__(name: str) -> Any:
    """A row class by its name."""
    try:
        return _TABLES[name].record
    except KeyError:
        raise AttributeError(name) from None
