"""Organisations: the tenants of a deployment, each with its fee schedule."""

from chainteller.domain.quoting import FeeSchedule
from chainteller.storage.db import records
from chainteller.storage.db.query import Query, Record, Session, Value
from chainteller.storage.db.records import Tables
from chainteller.storage.db.sources import Source
from chainteller.storage.log import append
from chainteller.storage.log.rows import Writer
from chainteller.storage.schema.ddl import organisation_row

_FIND = Source(records.Organisation).where("id = :id")
_LOCK = Query("SELECT id AS value FROM organisation WHERE id = :id FOR NO KEY UPDATE", Value)
_ALL = Query("SELECT id AS value FROM organisation ORDER BY id", Value)


def find(connection: Session, organisation_id: str) -> Record | None:
    return connection.execute(_FIND, {"id": organisation_id}).first()


def fee_schedule(connection: Session, organisation_id: str) -> FeeSchedule:
    row = connection.execute(_FIND, {"id": organisation_id}).one()
    return FeeSchedule(row.fee_flat_cents, row.fee_bps, row.fee_minimum_cents)


def take_turn(connection: Session, organisation_id: str) -> None:
    """Let no other transaction import or forget customers of an organisation until this one ends.
    Rows that refer to the organisation can still be written."""
    connection.execute(_LOCK, {"id": organisation_id})


def create(rows: Writer, organisation_id: str, at: int) -> None:
    """Create an organisation with the default fee schedule, and its log."""
    rows.insert(Tables.organisation, [organisation_row(organisation_id, organisation_id, at)])
    append.begin(rows.connection, organisation_id)


def everything(connection: Session) -> list[str]:
    """The id of every organisation."""
    return list(connection.execute(_ALL).scalars())
