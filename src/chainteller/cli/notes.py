"""Notes of the team about customers and their records."""

import click

from chainteller.cli.lists import Selection, list_options
from chainteller.cli.open_services import service, writing
from chainteller.cli.options import TellerGroup, example, idempotent
from chainteller.cli.output import record
from chainteller.records.notes import NOTE
from chainteller.service import operations as op
from chainteller.service.models.notes import AddNote, Note


@click.group("notes", cls=TellerGroup)
def notes() -> None:
    """Notes of the team: list, add, erase."""


@notes.command(
    "list",
    calls=[op.NOTES],
    epilog=example(
        "chainteller notes list --account TDA_...", "chainteller notes list --text 'call back'"
    ),
)
@list_options(op.NOTES, NOTE)
def list_notes(selection: Selection[Note]) -> None:
    """List notes, newest first: all of them, or those about an account or a record."""
    with service() as bank:
        selection.show(bank, bank.notes, nothing="no notes")


@notes.command(
    "add",
    calls=[op.ADD_NOTE],
    epilog=example("chainteller notes add TDA_... 'Call back after 16:00.'"),
)
@click.argument("subject", metavar="ID")
@click.argument("content", metavar="WORDS")
@idempotent
def add(subject: str, content: str, idempotency_key: str | None) -> None:
    """Note something about a customer, an account, a record or a market."""
    asked = AddNote(subject=subject, content=content)
    with writing() as desk:
        record(desk.add_note(asked, idempotency_key=idempotency_key).value, NOTE)


@notes.command("erase", calls=[op.ERASE_NOTE], epilog=example("chainteller notes erase NTE_..."))
@click.argument("note_id", metavar="ID")
@idempotent
def erase(note_id: str, idempotency_key: str | None) -> None:
    """Erase what a note says. Who noted something about what, and when, stays on record."""
    with writing() as desk:
        record(desk.erase_note(note_id, idempotency_key=idempotency_key).value, NOTE)


COMMANDS = (notes,)
