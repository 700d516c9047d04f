"""Organisations: the tenants of a deployment, each with its fee schedule."""

from sqlalchemy import Connection, bindparam, select

from chainteller.domain.quoting import FeeSchedule
from chainteller.storage.database import Record
from chainteller.storage.rows import Writer
from chainteller.storage.schema import organisation_row
from chainteller.storage.tables import Tables

_FIND = select(Tables.organisation).where(Tables.organisation.c.id == bindparam("b_id"))


def find(connection: Connection, organisation_id: str) -> Record | None:
    return connection.execute(_FIND, {"b_id": organisation_id}).first()


def fee_schedule(connection: Connection, organisation_id: str) -> FeeSchedule:
    row = connection.execute(_FIND, {"b_id": organisation_id}).one()
    return FeeSchedule(row.fee_flat_cents, row.fee_bps, row.fee_minimum_cents)


def create(rows: Writer, organisation_id: str, at: int) -> None:
    """Create an organisation with the default fee schedule."""
    rows.insert(Tables.organisation, [organisation_row(organisation_id, organisation_id, at)])
