"""Notes of the team: who noted what about a customer or a record, for all who serve the customer.

What a note says is in its row alone, so that it can be erased; the log has who noted something
about which record, and when.
"""

from chainteller.domain.assets import MARKETS_BY_NAME
from chainteller.domain.ids import Prefix, plausible
from chainteller.engine.core import outcome, reading
from chainteller.engine.core.outcome import Event, Insert, Outcome, Row, Update
from chainteller.engine.core.table import lists, writes
from chainteller.engine.core.unit_of_work import UnitOfWork
from chainteller.service import operations
from chainteller.service.errors import Forbidden, NotFound
from chainteller.service.models.notes import AddNote, Note
from chainteller.storage.db.records import Tables
from chainteller.storage.lists import finding
from chainteller.storage.queries import decisions, notes

RESOURCE = "note"
MAXIMUM_CONTENT = 500
ERASES_OTHERS = "controls:write"
"""The scope to erase notes of others."""


lists(operations.NOTES, notes.page)


@writes(operations.ADD_NOTE, timeless=True)
def add(tx: UnitOfWork, request: AddNote) -> Note:
    """Raises ValidationFailed, NotFound."""
    content = reading.words("content", request.content, MAXIMUM_CONTENT)
    account_id = _account_of(tx, request.subject)
    row: Row = {
        "id": tx.new_id(Prefix.NOTE),
        "organisation_id": tx.organisation_id,
        "subject": request.subject,
        "trading_account_id": account_id,
        "created": tx.now,
        "author": tx.name,
        "content": content,
    }
    event = Event("note.added", row["id"], {"subject": request.subject})
    decided = Outcome(row["id"], (Insert(Tables.note, (row,)),), events=(event,))
    outcome.apply(tx, decided)
    tx.audited_object, tx.audited_account = request.subject, account_id
    return notes.to_model(decided.record(Tables.note))


@writes(operations.ERASE_NOTE, timeless=True)
def erase(tx: UnitOfWork, note_id: str) -> Note:
    """Erase what a note says; again changes nothing.

    Raises:
        NotFound: there is no such note.
        Forbidden: it's somebody else's, and whoever erases it may not set controls.
    """
    found = reading.row_by_id(
        notes.find, tx.connection, RESOURCE, tx.organisation_id, note_id, lock=True
    )
    tx.audited_account = found.trading_account_id
    if found.author != tx.name and not tx.actor.may(ERASES_OTHERS):
        raise Forbidden(ERASES_OTHERS, tx.actor.key_id)
    if found.erased_at is not None:
        return notes.to_model(found)
    values = {"content": None, "erased_at": tx.now, "erased_by": tx.name}
    update = Update(Tables.note, {"id": found.id}, values, before=found)
    event = Event("note.erased", found.id, {"subject": found.subject})
    decided = Outcome(found.id, rows=(update,), events=(event,))
    outcome.apply(tx, decided)
    return notes.to_model(decided.record(Tables.note, found))


def _account_of(tx: UnitOfWork, subject: str) -> str | None:
    """The trading account of a record; None where it belongs to none alone. Raises NotFound."""
    if subject in MARKETS_BY_NAME:
        return None
    if not plausible(subject):
        raise NotFound("record", reading.shown(subject))
    connection, of = tx.connection, tx.organisation_id
    decision = decisions.find(connection, of, subject)
    if decision is not None:
        account_id: str | None = decision.trading_account_id
        return account_id
    for kind in finding.SOURCES:
        for row in finding.of_kind(connection, of, kind, [subject]):
            named = "id" if kind == "trading-account" else "trading_account_id"
            found: str | None = getattr(row, named, None)
            return found
    raise NotFound("record", reading.shown(subject))
