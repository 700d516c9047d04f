"""Stored API keys, found by key id."""

from collections.abc import Sequence

from chainteller.storage.db import records
from chainteller.storage.db.query import Query, Record, Session
from chainteller.storage.db.records import Tables
from chainteller.storage.db.sources import Finder, Source
from chainteller.storage.log.rows import Writer
from chainteller.storage.queries.clock import FinderWithTime

_T = Tables.api_key
find = Finder(records.ApiKey, "key_id")
find_with_time = FinderWithTime(
    records.ApiKey,
    "key_id = :key_id",
    size=("(SELECT size FROM log WHERE organisation_id = api_key.organisation_id)", int),
)
"""A key, with how many entries its organisation's log has."""
_ALL = Query(f"{Source(records.ApiKey).text} ORDER BY created DESC, key_id", records.ApiKey)


def everything(connection: Session) -> Sequence[Record]:
    """All keys, newest first."""
    return connection.execute(_ALL).all()


def update(rows: Writer, key_id: str, **values: object) -> None:
    rows.update(_T, {"key_id": key_id}, values)
