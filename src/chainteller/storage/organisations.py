"""Organisations: the tenants of a deployment, each with its fee schedule."""

from sqlalchemy import Connection, bindparam, select

from chainteller.domain.quoting import FeeSchedule
from chainteller.storage.columns import Record
from chainteller.storage.log import append
from chainteller.storage.plain import ahead
from chainteller.storage.rows import Writer
from chainteller.storage.schema import organisation_row
from chainteller.storage.tables import Tables

_FIND = select(Tables.organisation).where(Tables.organisation.c.id == bindparam("b_id"))


def find(connection: Connection, organisation_id: str) -> Record | None:
    return connection.execute(_FIND, {"b_id": organisation_id}).first()


def fee_schedule(connection: Connection, organisation_id: str) -> FeeSchedule:
    row = connection.execute(_FIND, {"b_id": organisation_id}).one()
    return FeeSchedule(row.fee_flat_cents, row.fee_bps, row.fee_minimum_cents)


def fee_schedule_ahead(connection: Connection, organisation_id: str) -> None:
    """Send what ``fee_schedule`` will find with the next statement; see ``Plain.ahead``."""
    ahead(connection, _FIND, {"b_id": organisation_id})


def create(rows: Writer, organisation_id: str, at: int) -> None:
    """Create an organisation with the default fee schedule, and its log."""
    rows.insert(Tables.organisation, [organisation_row(organisation_id, organisation_id, at)])
    append.begin(rows.connection, organisation_id)


def everything(connection: Connection) -> list[str]:
    """The id of every organisation."""
    return list(connection.scalars(select(Tables.organisation.c.id).order_by("id")))
