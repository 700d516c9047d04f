"""Disputes of the books, and when these were verified."""

from collections.abc import Mapping
from typing import NamedTuple

from chainteller.domain.books import DisputeScope
from chainteller.service.models.books import Dispute
from chainteller.storage.db import records
from chainteller.storage.db.query import Query, Record, Session, Value
from chainteller.storage.db.records import Tables
from chainteller.storage.db.sources import Finder, Source
from chainteller.storage.log.rows import DEPLOYMENT, Writer

NAME = "books"
"""The name of the only row of ``verification``."""
_T, _V = Tables.dispute, Tables.verification
_MINE = f"organisation_id IN (:organisation, '{DEPLOYMENT}')"
_NEWEST_FIRST = "ORDER BY found_at DESC, id"
_DISPUTES = Source(records.Dispute)
_ALL = Query(f"{_DISPUTES.text} {_NEWEST_FIRST}", records.Dispute)
_OF_ORGANISATION = _DISPUTES.where(f"{_MINE} {_NEWEST_FIRST}")
_CLEARED = Query("SELECT max(cleared_at) AS value FROM dispute", Value)
_verified = Finder(records.Verification, "name")
find = Finder(records.Dispute, "id")
_NEVER = {"name": NAME, "verified_at": 0, "full_at": 0}


is_open = Query(
    f"SELECT 1 AS value FROM dispute WHERE {_MINE} AND cleared_at IS NULL LIMIT 1", Value
).exists
"""Whether the books of an organisation, or those of the deployment, are in dispute."""
disputed = _DISPUTES.where("cleared_at IS NULL ORDER BY found_at, id").rows
"""Every dispute that isn't cleared."""


def listed(connection: Session, organisation_id: str | None = None) -> tuple[Dispute, ...]:
    """Every dispute, the newest first; those of an organisation with those of the deployment."""
    if organisation_id is None:
        return tuple(to_model(row) for row in connection.execute(_ALL))
    return tuple(to_model(row) for row in _OF_ORGANISATION.rows(connection, organisation_id))


def newest_clearance(connection: Session) -> int:
    """When a dispute was cleared last; 0 if none was."""
    return int(connection.execute(_CLEARED).scalar() or 0)


class Verified(NamedTuple):
    """When the books were verified: what was new, and as a whole; 0 for not yet."""

    at: int = 0
    wholly_at: int = 0


def verified(connection: Session) -> Verified:
    row = _verified(connection, NAME)
    return Verified() if row is None else Verified(row.verified_at, row.full_at)


def take_turn(rows: Writer) -> None:
    """Let no other transaction open disputes until this one ends."""
    rows.insert_if_new(_V, _NEVER)
    _verified(rows.connection, NAME, lock=True)


def note_verified(rows: Writer, instants: Mapping[str, int]) -> None:
    """Renew these columns of the row, or put it back."""
    if not rows.insert_if_new(_V, {**_NEVER, **instants}):
        rows.update(_V, {"name": NAME}, instants)


def to_model(row: Record) -> Dispute:
    return Dispute(
        id=row.id,
        scope=DisputeScope.DEPLOYMENT
        if row.organisation_id == DEPLOYMENT
        else DisputeScope.ORGANISATION,
        organisation=row.organisation_id,
        invariant=row.invariant,
        what=row.what,
        where=row.place,
        found=row.found_at,
        cleared=row.cleared_at,
        cleared_by=row.cleared_by,
        reason=row.reason,
    )
