"""The row that says what all processes share about time, and PostgreSQL's clock."""

from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Connection, Select, func, literal_column, select

from chainteller.storage.columns import Record
from chainteller.storage.faults import damaged
from chainteller.storage.plain import ahead
from chainteller.storage.rows import Writer
from chainteller.storage.tables import CLOCK, Tables

_T = Tables.clock
_LOG = Tables.log
_ONE = _T.c.name == CLOCK
_SERVER_CLOCK: ColumnElement[int] = literal_column(
    "CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)", BigInteger
).label("server_clock")
_SHARED = (
    select(func.max(_LOG.c.last_at)).scalar_subquery().label("last_at"),
    *(column for column in _T.c if column.name != "name"),
)


def with_time(statement: Select[Any], *, server_clock: bool) -> Select[Any]:
    """Add what ``clock_row`` reads, and PostgreSQL's clock if requested, to each
    row of a statement."""
    added = (*_SHARED, _SERVER_CLOCK) if server_clock else _SHARED
    return statement.add_columns(*added).join(_T, _ONE)


_ROW = select(*_SHARED).where(_ONE)
_ROW_WITH_SERVER_CLOCK = select(*_SHARED, _SERVER_CLOCK).where(_ONE)
_LOCKED = select(_T.c.name).where(_ONE).with_for_update()


def read(connection: Connection, *, server_clock: bool) -> Record:
    """One row for ``clock_row``, with ``server_clock`` if requested.

    Raises:
        ServiceUnavailable: DAMAGED, the row is missing, or every log.
    """
    statement: Select[Any] = _ROW_WITH_SERVER_CLOCK if server_clock else _ROW
    row = connection.execute(statement).first()
    if row is None or row.last_at is None:
        raise damaged("The database has lost the row that says what time it is in the bank.")
    return row


def read_ahead(connection: Connection, *, server_clock: bool) -> None:
    """Send what ``read`` will find with the next statement; see ``Plain.ahead``."""
    ahead(connection, _ROW_WITH_SERVER_CLOCK if server_clock else _ROW, {})


def find(connection: Connection) -> Record | None:
    """As ``read``, for checks of a database in which the row may have been deleted."""
    return connection.execute(_ROW).first()


def lock(connection: Connection) -> None:
    """Let no other process change what is shared until this transaction ends."""
    connection.execute(_LOCKED)


def change(rows: Writer, **values: object) -> None:
    rows.update(_T, {"name": CLOCK}, values)
