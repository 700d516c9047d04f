"""Read a SQLite file with ``sqlite3`` and statements that were compiled before.

The models take longer to import than the console's first frame, and these statements don't need
them. They are those of the other modules: ``python -m tests.storage.statements`` writes them into
``statements.json``, and a test compares.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from chainteller.domain.assets import ASSETS_BY_KEY, Asset
from chainteller.domain.ledger import Bucket
from chainteller.sqlite import sqlite3
from chainteller.storage.revision import State, sqlite_state

STATEMENTS = Path(__file__).with_name("statements.json")
Statement = Mapping[str, Any]
"""``sql``, its ``values`` and the names of its ``columns``. A value in braces is one that is given
to the statement; others stand for themselves."""


class FileReader:
    """One read transaction on a file of this build's schema; errors are those of ``sqlite3``."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def accounts(self, organisation_id: str, sort: str, limit: int) -> tuple[list[Any], int]:
        """The first trading accounts of a list as rows of ``storage.accounts.page``, and their
        total; ``sort`` is ``-created`` or ``-lastActivity``."""
        given = {"organisation": organisation_id, "limit": limit}
        (total,) = self._rows(f"accounts {sort} total", given)
        rows = self._rows(f"accounts {sort}", given)
        return [SimpleNamespace(**row) for row in rows], int(next(iter(total.values())))

    def balances(self, account_id: str) -> dict[Bucket, dict[Asset, int]]:
        """The balances of a trading account, as of ``storage.ledger.of_many``."""
        found: dict[Bucket, dict[Asset, int]] = {bucket: {} for bucket in Bucket}
        for row in self._rows("balances", {"account": account_id}):
            if row["asset"] in ASSETS_BY_KEY:
                bucket = Bucket(row["code"].rpartition(":")[2])
                found[bucket][ASSETS_BY_KEY[row["asset"]]] = int(row["balance"])
        return found

    def clock(self) -> Any:
        """The row of ``storage.clock.read``."""
        (row,) = self._rows("clock", {})
        return SimpleNamespace(**row)

    def next_due(self) -> int | None:
        """When the next work is due; None when there is none."""
        (row,) = self._rows("next due", {})
        found: int | None = next(iter(row.values()))
        return found

    def _rows(self, name: str, given: Mapping[str, Any]) -> list[dict[str, Any]]:
        statement = _statements()[name]
        values = [_value(each, given) for each in statement["values"]]
        columns = statement["columns"]
        found = self._connection.execute(statement["sql"], values)
        return [dict(zip(columns, row, strict=True)) for row in found]


@cache
def _statements() -> Mapping[str, Statement]:
    found: Mapping[str, Statement] = json.loads(STATEMENTS.read_text(encoding="utf-8"))
    return found


def _value(value: Any, given: Mapping[str, Any]) -> Any:
    if not isinstance(value, str):
        return value
    name = value[1:-1]
    return given[name] if value == f"{{{name}}}" and name in given else value.format_map(given)


@contextmanager
def reading(path: Path) -> Iterator[FileReader | None]:
    """Open a file for one read transaction; None if it isn't of this build's schema.

    Raises:
        sqlite3.Error: the file is missing, locked or damaged.
    """
    address = f"{path.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(address, uri=True, isolation_level=None)) as connection:
        connection.execute("PRAGMA trusted_schema=OFF")
        connection.execute("BEGIN")
        state = sqlite_state(lambda query: (connection.execute(query).fetchone() or (None,))[0])
        yield FileReader(connection) if state is State.CURRENT else None
