"""Fields of notes."""

from typing import TYPE_CHECKING

from chainteller.records.fields import (
    IDENTIFIER,
    MOMENT,
    TEXT,
    Field,
    FieldList,
    Interface,
)

if TYPE_CHECKING:
    from chainteller.service.models.notes import Note


def note_line(note: "Note") -> str:
    """A note with its time and author."""
    return f"{note.created:%d %b %H:%M}Z {note.author}  {note.content or 'erased'}"


NOTE: "FieldList[Note]" = FieldList(
    "note",
    "notes.Note",
    (
        Field("id", "note", IDENTIFIER, lambda each: each.id),
        Field("created", "noted", MOMENT, lambda each: each.created),
        Field("author", "by", TEXT, lambda each: each.author),
        Field("subject", "about", IDENTIFIER, lambda each: each.subject),
        Field("trading_account_id", "account", IDENTIFIER, lambda each: each.trading_account_id),
        Field("content", "says", TEXT, lambda each: each.content, is_private=True),
        Field("erased_at", "erased", MOMENT, lambda each: each.erased_at),
        Field("erased_by", "erased by", TEXT, lambda each: each.erased_by),
    ),
    interfaces=Interface.COMMAND,
    table=("id", "created", "author", "subject", "content"),
    wire_only=("type",),
)
