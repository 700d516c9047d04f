"""Query notes of the team."""

from chainteller.service.models.notes import Note
from chainteller.service.models.pages import ListQuery
from chainteller.storage.db import records
from chainteller.storage.db.query import Record, Session
from chainteller.storage.db.sources import Finder
from chainteller.storage.lists.pages import Counted, Extra, Listing

find = Finder(records.Note, "organisation_id", "id")
_LISTED = Listing(records.Note, "organisation_id", filters=("subject", "trading_account_id"))
_HAS = "lower(note.content) LIKE :words ESCAPE '~'"
_SHOWN = Note.model_fields.keys() - {"type"}


def page(
    connection: Session, organisation_id: str, query: ListQuery
) -> tuple[tuple[Note, ...], Counted]:
    """Notes of an organisation, newest first; ``query.text`` is a part of what they say."""
    extras = []
    if query.text:
        words = query.text.lower().replace("~", "~~").replace("%", "~%").replace("_", "~_")
        extras.append(Extra(_HAS, {"words": f"%{words}%"}))
    rows, total = _LISTED.page(connection, (organisation_id,), query, *extras)
    return tuple(map(to_model, rows)), total


def to_model(row: Record) -> Note:
    return Note(**{name: getattr(row, name) for name in _SHOWN})
