"""The row that says what all processes share about time, and PostgreSQL's clock."""

from typing import Any

from chainteller.storage.db import records
from chainteller.storage.db.faults import damaged
from chainteller.storage.db.query import POSTGRESQL, Query, Record, Session, Value
from chainteller.storage.db.records import Tables
from chainteller.storage.db.sources import Source
from chainteller.storage.db.table import CLOCK
from chainteller.storage.log.rows import Writer

_LAST_AT = ("(SELECT max(last_at) FROM log)", int)
_OF_CLOCK: dict[str, Any] = {
    "last_at": _LAST_AT,
    **{name: f"clock.{name}" for name in records.Clock._fields if name not in {"name", "salt"}},
}
"""What ``Known.stored`` and ``Anchor.stored`` take."""
_OF_SERVER_CLOCK: dict[str, Any] = {
    "server_clock": ("CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)", int)
}
"""PostgreSQL's clock."""
_ONE = f"clock.name = '{CLOCK}'"
_ROW = Source(records.Clock, last_at=_LAST_AT).where(_ONE)
_ROW_WITH_SERVER_CLOCK = Source(records.Clock, last_at=_LAST_AT, **_OF_SERVER_CLOCK).where(
    _ONE, only=POSTGRESQL
)


def read(connection: Session, *, server_clock: bool) -> Record:
    """The row of the clock, with ``server_clock`` if requested. Raises ServiceUnavailable: DAMAGED,
    the row is missing, or every log."""
    statement = _ROW_WITH_SERVER_CLOCK if server_clock else _ROW
    return _whole(connection.execute(statement).first())


def _whole(row: Record | None) -> Record:
    if row is None or row.last_at is None:
        raise damaged("The database has lost the row that says what time it is in the bank.")
    return row


class FinderWithTime:
    """Finds a row together with what ``read`` returns; ``condition`` has names for its values, and
    ``joins`` and ``columns`` are as those of a ``Source``."""

    def __init__(self, record: Any, condition: str, joins: str = "", **columns: Any) -> None:
        joins = f"{joins} JOIN clock ON {_ONE}"
        columns |= _OF_CLOCK
        self._plain = Source(record, joins, **columns).where(condition)
        with_clock = Source(record, joins, **columns, **_OF_SERVER_CLOCK)
        self._with_server_clock = with_clock.where(condition, only=POSTGRESQL)

    def __call__(self, connection: Session, *, server_clock: bool, **values: str) -> Record | None:
        """Raises ServiceUnavailable: as ``read``."""
        statement = self._with_server_clock if server_clock else self._plain
        row = connection.execute(statement, values).first()
        return None if row is None else _whole(row)


find = _ROW.first
"""As ``read``, for checks of a database in which the row may have been deleted."""
lock = Query(f"SELECT name AS value FROM clock WHERE {_ONE} FOR UPDATE", Value).run
"""Let no other process change what is shared until this transaction ends."""


def change(rows: Writer, **values: object) -> None:
    rows.update(Tables.clock, {"name": CLOCK}, values)
