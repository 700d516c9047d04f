"""Notes of the team about customers and their records."""

import click

from chainteller.cli.lists import Selection, list_options
from chainteller.cli.open_services import service, writing
from chainteller.cli.options import group
from chainteller.cli.output import record
from chainteller.records.notes import NOTE
from chainteller.service import operations as op
from chainteller.service.models.notes import AddNote, Note


@group("notes")
def notes() -> None:
    """Notes of the team: list, add, erase."""


@notes.command(
    "list",
    calls=[op.NOTES],
    example=("notes list --account TDA_...", "notes list --text 'call back'"),
)
@list_options(op.NOTES, NOTE)
def list_notes(selection: Selection[Note]) -> None:
    """List notes, newest first: all of them, or those about an account or a record."""
    with service() as bank:
        selection.show(bank, bank.notes, nothing="no notes")


@notes.command("add", calls=[op.ADD_NOTE], example="notes add TDA_... 'Call back after 16:00.'")
@click.argument("subject", metavar="ID")
@click.argument("content", metavar="WORDS")
def add(subject: str, content: str) -> None:
    """Note something about a customer, an account, a record or a market."""
    asked = AddNote(subject=subject, content=content)
    with writing() as desk:
        record(desk.add_note(asked).value, NOTE)


@notes.command("erase", calls=[op.ERASE_NOTE], example="notes erase NTE_...")
@click.argument("note_id", metavar="ID")
def erase(note_id: str) -> None:
    """Erase what a note says. Who noted something about what, and when, stays on record."""
    with writing() as desk:
        record(desk.erase_note(note_id).value, NOTE)


COMMANDS = (notes,)
