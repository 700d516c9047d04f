"""Notes of the team about customers and their records."""

import click

from chainteller.cli.open_services import writing
from chainteller.cli.options import group
from chainteller.cli.output import record
from chainteller.cli.single_calls import add_change, add_list
from chainteller.records.notes import NOTE
from chainteller.service import operations as op
from chainteller.service.models.notes import AddNote


@group("notes")
def notes() -> None:
    """Notes of the team: list, add, erase."""


add_list(
    notes,
    op.NOTES,
    NOTE,
    "List notes, newest first: all of them, or those about an account or a record.",
    example=("notes list --account TDA_...", "notes list --text 'call back'"),
    nothing="no notes",
)


@notes.command("add", calls=[op.ADD_NOTE], example="notes add TDA_... 'Call back after 16:00.'")
@click.argument("subject", metavar="ID")
@click.argument("content", metavar="WORDS")
def add(subject: str, content: str) -> None:
    """Note something about a customer, an account, a record or a market."""
    asked = AddNote(subject=subject, content=content)
    with writing() as desk:
        record(desk.add_note(asked).value, NOTE)


add_change(
    notes,
    "erase",
    op.ERASE_NOTE,
    NOTE,
    "Erase what a note says. Who noted something about what, and when, stays on record.",
    example="notes erase NTE_...",
)


COMMANDS = (notes,)
