"""Stored API keys, found by key id."""

from collections.abc import Sequence
from typing import Any

from chainteller.storage.db import records
from chainteller.storage.db.query import POSTGRESQL, Query, Record, Session
from chainteller.storage.db.records import Tables
from chainteller.storage.db.sources import Finder, Source
from chainteller.storage.log.rows import Writer
from chainteller.storage.queries.clock import OF_CLOCK, OF_SERVER_CLOCK, WITH_CLOCK

_T = Tables.api_key
find = Finder(records.ApiKey, "key_id")
_OF_LOG: Any = {
    "size": ("(SELECT size FROM log WHERE organisation_id = api_key.organisation_id)", int)
}
_FIND_WITH_TIME = Source(records.ApiKey, WITH_CLOCK, **OF_CLOCK, **_OF_LOG).where(
    "key_id = :key_id"
)
_FIND_WITH_SERVER_CLOCK = Source(
    records.ApiKey, WITH_CLOCK, **OF_CLOCK, **_OF_LOG, **OF_SERVER_CLOCK
).where("key_id = :key_id", only=POSTGRESQL)
_ALL = Query(f"{Source(records.ApiKey).text} ORDER BY created DESC, key_id", records.ApiKey)


def find_with_time(
    connection: Session, key_id: str, *, server_clock: bool = False
) -> Record | None:
    """Find a key, with what the clock's row says about time and PostgreSQL's clock if requested,
    and how many entries its organisation's log has (``size``)."""
    statement = _FIND_WITH_SERVER_CLOCK if server_clock else _FIND_WITH_TIME
    return connection.execute(statement, {"key_id": key_id}).first()


def everything(connection: Session) -> Sequence[Record]:
    """All keys, newest first."""
    return connection.execute(_ALL).all()


def update(rows: Writer, key_id: str, **values: object) -> None:
    rows.update(_T, {"key_id": key_id}, values)
