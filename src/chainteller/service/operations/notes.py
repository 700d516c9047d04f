"""Notes of the team."""

from chainteller.service import errors
from chainteller.service.models.notes import AddNote, Note
from chainteller.service.models.pages import Page
from chainteller.service.operations.declaring import (
    CREATED,
    NOTES_FEATURE,
    TEXT,
    TRADING_ACCOUNT,
    Read,
    Section,
    Write,
    listing,
    text_parameter,
)

SUBJECT = text_parameter("subject", "filter[object]")
_NOTING = Section("Notes", "accounts:read", "accounts:write", NOTES_FEATURE)
_NOTE = "/notes/{noteId}"
NOTES = Read(
    _NOTING,
    "notes",
    "GET /notes",
    "List notes of the team about customers and their records, newest first",
    Page[Note],
    query=listing(SUBJECT, TRADING_ACCOUNT, TEXT, CREATED),
)
ADD_NOTE = Write(
    _NOTING,
    "add_note",
    "POST /notes",
    "Note something about a customer or a record, for the whole team",
    Note,
    operation_id="createNote",
    request=AddNote,
    creates="/notes",
    errors=(errors.NotFound,),
)
ERASE_NOTE = Write(
    _NOTING,
    "erase_note",
    f"POST {_NOTE}/erasures",
    "Erase the words of a note; who noted something, and when, stays",
    Note,
)
