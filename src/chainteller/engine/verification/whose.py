"""Which organisation a breach is in."""

import re

from chainteller.domain.ids import plausible
from chainteller.engine.core.breaches import Breach
from chainteller.storage.db.query import Query, Session, Value
from chainteller.storage.db.records import ALL
from chainteller.storage.db.table import Table
from chainteller.storage.log.rows import DEPLOYMENT
from chainteller.storage.log.sealing import sealed_tables
from chainteller.storage.queries import organisations
from chainteller.storage.upkeep import inspection

_SEALED = {table.name: table for table in sealed_tables()}
_BY_ID = [
    Query(f"SELECT organisation_id AS value FROM {table.name} WHERE id = :id", Value)  # noqa: S608 - our own names
    for table in ALL
    if {"id", "organisation_id"} <= set(table.columns)
]
_WORD = re.compile(r"[A-Z]{3}_[A-Za-z0-9]+")
_ENTRY = re.compile(r"entry \d+ of (\S+)")


def organisation_of(connection: Session, breach: Breach) -> str:
    """The organisation of a breach; ``DEPLOYMENT`` where it's everybody's, or can't be told.

    What a log says of a row comes before what the row says of itself.
    """
    table, _, key = breach.where.partition(" ")
    entry = _ENTRY.match(breach.where)
    log = breach.organisation or (entry[1] if entry else key if table == "log" else "")
    if log:
        return log if organisations.find(connection, log) is not None else DEPLOYMENT
    found = _of_row(connection, _SEALED[table], key) if table in _SEALED else None
    for word in _WORD.findall(breach.where):
        found = found or _of_id(connection, word)
    return found or DEPLOYMENT


def _of_row(connection: Session, table: Table, key: str) -> str | None:
    row = inspection.row_by_key(connection, table, key)
    return None if row is None else row.get("organisation_id")


def _of_id(connection: Session, record_id: str) -> str | None:
    if not plausible(record_id):
        return None
    values = {"id": record_id}
    found = (connection.execute(each, values).scalar() for each in _BY_ID)
    return next((str(each) for each in found if each is not None), None)
