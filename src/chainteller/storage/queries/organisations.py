"""Organisations: the tenants of a deployment, each with its fee schedule."""

from chainteller.domain.quoting import FeeSchedule
from chainteller.storage.db import records
from chainteller.storage.db.query import Query, Session, Value
from chainteller.storage.db.records import Tables
from chainteller.storage.db.sources import Source
from chainteller.storage.log import append
from chainteller.storage.log.rows import Writer
from chainteller.storage.schema.ddl import organisation_row

_FIND = Source(records.Organisation).where("id = :id")
find = _FIND.first


def fee_schedule(connection: Session, organisation_id: str) -> FeeSchedule:
    row = _FIND.run(connection, organisation_id).one()
    return FeeSchedule(row.fee_flat_cents, row.fee_bps, row.fee_minimum_cents)


take_turn = Query(
    "SELECT id AS value FROM organisation WHERE id = :id FOR NO KEY UPDATE", Value
).run
"""Let no other transaction import or forget customers of an organisation until this one ends.
Rows that refer to the organisation can still be written."""


def create(rows: Writer, organisation_id: str, at: int) -> None:
    """Create an organisation with the default fee schedule, and its log."""
    rows.insert(Tables.organisation, [organisation_row(organisation_id, organisation_id, at)])
    append.begin(rows.connection, organisation_id)


everything = Query("SELECT id AS value FROM organisation ORDER BY id", Value).values
"""The id of every organisation."""
