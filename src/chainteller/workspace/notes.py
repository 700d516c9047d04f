"""Notes about a record: the team's where the deployment keeps them, else those of this machine."""

from collections.abc import Iterable

from chainteller.records.notes import note_line
from chainteller.service.errors import TellerError
from chainteller.service.interface import Service
from chainteller.service.models.notes import AddNote, Note
from chainteller.service.models.pages import ListQuery
from chainteller.service.operations import NOTES_FEATURE
from chainteller.workspace.store import Workspace

MOST = 50
"""The newest notes about a record that are shown."""


def are_kept_by(service: Service) -> bool:
    """Whether a deployment keeps the notes of the team."""
    try:
        return NOTES_FEATURE in service.capabilities().features
    except TellerError:
        return False


def of_team(service: Service, about: str) -> tuple[Note, ...]:
    """The newest notes about a record; of an account also those about its records. Raises
    TellerError."""
    if about.startswith("TDA_"):
        return service.notes(ListQuery(trading_account_id=about, limit=MOST)).data
    return service.notes(ListQuery(subject=about, limit=MOST)).data


def lines_of(notes: Iterable[Note]) -> list[str]:
    """Notes in the order in which they were made, without those that were erased."""
    return [note_line(each) for each in notes if each.content is not None][::-1]


def lines_about(service: Service, workspace: Workspace, about: str) -> list[str]:
    """What was noted about a record, each with its time and author. Raises TellerError."""
    if are_kept_by(service):
        return lines_of(of_team(service, about))
    return workspace.note(about).splitlines()


def add(service: Service, about: str, words: str, key: str | None) -> Note:
    """A note for the whole team. Raises TellerError."""
    return service.add_note(AddNote(subject=about, content=words), idempotency_key=key).value
