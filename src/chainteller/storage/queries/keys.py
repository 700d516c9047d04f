"""Stored API keys, found by key id."""

from chainteller.storage.db import records
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
everything = Source(records.ApiKey).everything("created DESC, key_id").rows
"""All keys, newest first."""


def update(rows: Writer, key_id: str, **values: object) -> None:
    rows.update(_T, {"key_id": key_id}, values)
