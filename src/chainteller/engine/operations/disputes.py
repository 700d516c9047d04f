"""Disputes: what happens when verification finds a breach, and how a person clears it.

While a dispute is open, the payouts of its organisation wait; those of all, if it's in the
catalogue or in the deployment's log. Reading goes on.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from chainteller.domain.actors import WORKER, Actor
from chainteller.domain.books import DisputeScope
from chainteller.domain.clock import MINUTE, format_instant
from chainteller.domain.ids import Prefix
from chainteller.engine.core import outcome, reading
from chainteller.engine.core.breaches import Breach
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.outcome import AuditEntry, Insert, Outcome, Update
from chainteller.engine.core.table import reads, writes
from chainteller.engine.core.unit_of_work import UnitOfWork, act
from chainteller.service import operations
from chainteller.service.deployment import Books
from chainteller.service.entered_secrets import refuse_secret
from chainteller.service.errors import Conflict, NotFound
from chainteller.service.models.books import ClearDispute, Dispute
from chainteller.service.models.pages import Page
from chainteller.storage.db.query import Record, Session
from chainteller.storage.db.records import Tables
from chainteller.storage.log.rows import DEPLOYMENT
from chainteller.storage.queries import disputes, organisations

RESOURCE = "dispute"
FOUND = "dispute_books"
"""The action of the audit row for a breach that was found."""
DISPUTED, CLEARED = "books.disputed", "books.cleared"
"""The types of the events that every console of the organisation gets."""
WAITS = MINUTE
"""How long a payout waits before it looks whether the dispute was cleared."""
MAXIMUM_REASON = 200
_MAXIMUM_PLACE = 255
_MOST = 20
"""Disputes of an organisation that one verification opens; the next one finds the others again."""


# Opening


def open_for(context: EngineContext, found: Sequence[Breach]) -> list[str]:
    """Open a dispute for each breach of which none is open; returns what is new, in words. Raises
    ServiceUnavailable: the database can't be used."""
    told: list[str] = []
    by_organisation: dict[str, list[Breach]] = defaultdict(list)
    for breach in found:
        by_organisation[breach.organisation or DEPLOYMENT].append(breach)
    for organisation, breaches in by_organisation.items():
        opened: list[str] = []
        actor = Actor(organisation, WORKER.name)
        work = partial(open_in, found=breaches, opened=opened)
        act(context, actor, work, timeless=True)
        told += opened
    return told


def open_in(tx: UnitOfWork, found: Sequence[Breach], opened: list[str] | None = None) -> None:
    """Open disputes of the write's organisation; ``opened`` gets what is new, in words."""
    opened = [] if opened is None else opened
    opened.clear()
    disputes.take_turn(tx.rows)
    known = {
        (row.organisation_id, row.invariant, row.place) for row in disputes.disputed(tx.connection)
    }
    for breach in found:
        row = _row(tx, breach)
        identity = (tx.organisation_id, row["invariant"], row["place"])
        if identity in known or len(opened) >= _MOST:
            continue
        known.add(identity)
        opened.append(str(breach))
        told = {"invariant": row["invariant"], "where": row["place"]}
        audit = (AuditEntry(FOUND, row["id"], told),)
        outcome.apply(tx, Outcome(row["id"], (Insert(Tables.dispute, (row,)),), audit=audit))
        _tell(tx, DISPUTED, tx.organisation_id, row["id"])


def _row(tx: UnitOfWork, breach: Breach) -> outcome.Row:
    return {
        "id": tx.new_id(Prefix.DISPUTE),
        "organisation_id": tx.organisation_id,
        "invariant": breach.invariant,
        "place": breach.where[:_MAXIMUM_PLACE],
        "what": breach.what,
        "found_at": tx.now,
    }


def _tell(tx: UnitOfWork, event: str, whose: str, dispute_id: str) -> None:
    """An event for the organisation whose books are in dispute, or for each one, and whether its
    payouts are stopped now."""
    actor, connection = tx.actor, tx.connection
    scope = DisputeScope.DEPLOYMENT if whose == DEPLOYMENT else DisputeScope.ORGANISATION
    for each in organisations.everything(connection) if whose == DEPLOYMENT else [whose]:
        tx.actor = replace(actor, organisation=each)
        stopped = disputes.is_open(connection, each)
        tx.event(event, dispute_id, scope=scope, payoutsStopped=stopped)
    tx.actor = actor


def standing(connection: Session) -> Books:
    """When the books were verified, and what is in dispute."""
    at, wholly_at = (
        format_instant(each) if each else None for each in disputes.verified(connection)
    )
    found = disputes.disputed(connection)
    return Books(at, wholly_at, tuple(_described(row) for row in found))


def _described(row: Record) -> str:
    return f"{row.id}: invariant {row.invariant}, found {format_instant(row.found_at)}"


def are_stopped(context: EngineContext, organisation_id: str) -> bool:
    """Whether the payouts of an organisation wait. Raises ServiceUnavailable."""
    with context.database.read() as connection:
        return disputes.is_open(connection, organisation_id)


# Clearing


@reads(operations.DISPUTES)
def page(connection: Session, organisation_id: str) -> Page[Dispute]:
    return Page[Dispute].whole(disputes.listed(connection, organisation_id))


@writes(operations.CLEAR_DISPUTE, timeless=True)
def clear(tx: UnitOfWork, dispute_id: str, request: ClearDispute) -> Dispute:
    """Clear a dispute of the organisation; the next verification opens another one if the rows
    still differ. Raises Conflict: it concerns every organisation (``clear_any``)."""
    row = _found(tx, dispute_id)
    if row.organisation_id not in {tx.organisation_id, DEPLOYMENT}:
        raise NotFound(RESOURCE, dispute_id)
    if row.organisation_id == DEPLOYMENT:
        told = "This dispute concerns every organisation. Only the operator clears it"
        raise Conflict(f"{told}, at the database: chainteller db dispute clear {dispute_id}.")
    return _clear(tx, row, request.reason)


def clear_any(context: EngineContext, actor: Actor, dispute_id: str, reason: str) -> Dispute:
    """As ``clear``, of any organisation, for who works on the database itself.

    Raises:
        NotFound: there is no such dispute.
        ValidationFailed: the reason is empty, too long, or a secret.
        ServiceUnavailable: the database can't be used.
    """
    cleared: list[Dispute] = []

    def work(tx: UnitOfWork) -> None:
        row = _found(tx, dispute_id)
        tx.actor = Actor(row.organisation_id, actor.name)
        cleared[:] = [_clear(tx, row, reason)]
        told = {"reason": reason.strip()}
        tx.audit(operations.CLEAR_DISPUTE.name, dispute_id, told)

    act(context, actor, work, timeless=True)
    return cleared[0]


def _found(tx: UnitOfWork, dispute_id: str) -> Record:
    """The row, locked. Raises NotFound."""
    reading.checked_id(RESOURCE, dispute_id)
    found = disputes.find(tx.connection, dispute_id, lock=True)
    return reading.require_found(found, RESOURCE, dispute_id)


def _clear(tx: UnitOfWork, row: Record, reason: str) -> Dispute:
    """One that was cleared before stays as it is."""
    told = checked_reason(reason)
    tx.audited_object = row.id
    if row.cleared_at is not None:
        return disputes.to_model(row)
    values = {"cleared_at": tx.now, "cleared_by": tx.name, "reason": told}
    decided = Outcome(row.id, rows=(Update(Tables.dispute, {"id": row.id}, values),))
    outcome.apply(tx, decided)
    _tell(tx, CLEARED, row.organisation_id, row.id)
    return disputes.to_model(decided.record(Tables.dispute, row))


def checked_reason(text: str) -> str:
    """Raises ValidationFailed."""
    told = reading.words("reason", text, MAXIMUM_REASON)
    refuse_secret("reason", told)
    return told
