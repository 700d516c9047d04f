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
        Field("id", "note", IDENTIFIER),
        Field("created", "noted", MOMENT),
        Field("author", "by", TEXT),
        Field("subject", "about", IDENTIFIER),
        Field("trading_account_id", "account", IDENTIFIER),
        Field("content", "says", TEXT, is_private=True),
        Field("erased_at", "erased", MOMENT),
        Field("erased_by", "erased by", TEXT),
    ),
    interfaces=Interface.COMMAND,
    table=("id", "created", "author", "subject", "content"),
    wire_only=("type",),
)
