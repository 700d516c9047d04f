"""``n``: notes about a record, of the whole team or, where the deployment keeps none, of this
machine."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import Input

from chainteller.domain.pasted_secrets import find_secret
from chainteller.records.formats import clean
from chainteller.records.notes import note_line
from chainteller.service.errors import ReadOnlyProfile, SecretEntered, TellerError
from chainteller.service.models.notes import Note
from chainteller.service.operations import NOTES_FEATURE
from chainteller.sqlite import sqlite3
from chainteller.tui.console.protection import agreed
from chainteller.tui.customer import CustomerRequest
from chainteller.tui.desk import Desk
from chainteller.tui.dialogs.line_dialog import LineDialog
from chainteller.tui.dialogs.question import Ask
from chainteller.tui.service_calls import Later, call_service
from chainteller.tui.widgets.lines import Line, Lines, line
from chainteller.workspace import notes

if TYPE_CHECKING:
    from chainteller.service.interface import Service

_SHOWN = 12
"""The newest notes that fit on the smallest screen."""


class NoteScreen(LineDialog[None]):
    """Enter adds a line with time and operator; enter on an empty field closes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+d", "forget", show=False, priority=True),
    ]

    def __init__(self, desk: Desk, about: str) -> None:
        super().__init__()
        self._desk, self._about = desk, about
        self._is_of_team = desk.offers(NOTES_FEATURE)
        self._team: tuple[Note, ...] | None = None
        """The team's notes, once they were read."""
        self._is_sending = False

    def rows(self) -> Sequence[Line]:
        removes = " erases yours" if self._is_of_team else " removes all"
        keys = (("enter", "key"), (" adds   ", "muted"), ("ctrl+d", "key"), (removes, "muted"))
        rows = [line(("NOTES", "strong"), f"  {self._about}", right=keys)]
        if not self._is_of_team:
            rows += [line((row, "")) for row in self._desk.note(self._about).splitlines()]
            return [*rows, line(("notes stay on this machine and are never sent", "muted"))]
        if self._team is None:
            rows.append(line(("loading", "muted")))
        rows += [line((row, "")) for row in notes.lines_of(self._team or ())[-_SHOWN:]]
        return [*rows, line(("colleagues see notes; the audit trail names their authors", "muted"))]

    def on_mount(self) -> None:
        if self._is_of_team:
            self.run_worker(Later(self._load), group="notes")

    async def _load(self) -> None:
        try:
            self._team = await call_service(notes.of_team, self._desk.service, self._about)
        except TellerError as error:
            self._desk.notify(f"notes can't be read: {error.code}  {error.message}", "bad")
            self._team = ()
        self.query_one("#rows", Lines).show(self.rows())

    def submitted(self, field: Input) -> None:
        text = clean(field.value.strip())
        if not text or self._desk.session is None:
            self.dismiss()
        elif self._is_of_team and not self._is_sending:
            self._is_sending = True
            self.run_worker(Later(partial(self._add, field, text)), group="note")
        elif self._is_of_team:
            self._desk.notify("still saving the note", "warn")
        else:
            self._keep_here(field, text)

    def _keep_here(self, field: Input, text: str) -> None:
        session = self._desk.session
        if session is None:
            return
        try:
            session.workspace.add_note(self._about, self._desk.operator, text)
        except (sqlite3.Error, SecretEntered) as error:
            self._desk.notify(f"note not saved: {error}", "bad")
            field.clear()
            return
        self._noted(text)

    async def _add(self, field: Input, text: str) -> None:
        def send(service: "Service", key: str) -> Note:
            return notes.add(service, self._about, text, key)

        if await self._sent(CustomerRequest(None, send), "saved"):
            self._noted(text)
        elif find_secret(text) is not None:
            field.clear()

    async def _sent(self, request: "CustomerRequest[Note]", done: str) -> bool:
        """Whether a request was sent; a refusal to have the note ``done`` is told, and what was
        typed stays.
        """
        try:
            if self._desk.read_only:
                raise ReadOnlyProfile("This console is read-only.")
            sent = await self._desk.send(request)
        except TellerError as error:
            self._desk.notify(f"note not {done}: {error.code}  {error.message}", "bad")
            return False
        finally:
            self._is_sending = False
        return sent is not None

    def _noted(self, text: str) -> None:
        self._desk.notify(f"note saved for {self._about}", "muted", f"noted\n{text}")
        self.dismiss()

    def action_forget(self) -> None:
        forget = self._erase if self._is_of_team else self._forget
        self.run_worker(self.opening(forget), group="ask-forget", exclusive=True)

    async def _erase(self) -> None:
        """Erase the newest note of whoever works here."""
        mine = next((each for each in self._team or () if self._is_mine(each)), None)
        if mine is None:
            self._desk.notify("none of these notes is yours", "muted")
            return

        def send(service: "Service", key: str) -> Note:
            return service.erase_note(mine.id, idempotency_key=key).value

        told = "Who made it, and when, stays on record."
        asked = Ask(f"ERASE the note about {self._about}?", (note_line(mine), told))
        if await self._sent(CustomerRequest(None, send, asked), "erased"):
            self._desk.notify(f"note about {self._about} erased", "muted")
            self.dismiss()

    def _is_mine(self, note: Note) -> bool:
        known = self._desk.capabilities
        return note.content is not None and known is not None and note.author == known.actor

    async def _forget(self) -> None:
        if not self._desk.note(self._about):
            return
        sentence = f"REMOVE all notes about {self._about}?"
        answer = await agreed(self._desk, sentence, "They are on this machine only.")
        if answer and self._desk.session is not None:
            self._desk.session.workspace.set_note(self._about, "")
            self._desk.notify(f"notes about {self._about} removed", "muted")
            self.dismiss()
