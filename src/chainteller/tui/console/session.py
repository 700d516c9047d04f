"""The service as screens use it, with the layers of the console around it.

From the screen inwards: the context refuses what is about another account's record, read-only
refuses writes, a write is recorded on disk with its key, the reply is checked against its request,
the call is timed and logged, and goes out. Imported after the first frame.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from chainteller.service.cases import ForCase
from chainteller.service.errors import OutcomeUnknown
from chainteller.service.layers import Next, layered
from chainteller.service.operations import Call
from chainteller.service.ownership import Ownership
from chainteller.service.read_only import ReadOnly
from chainteller.sqlite import sqlite3
from chainteller.tui.calls_in_progress import CallsInProgress
from chainteller.tui.desk import Desk
from chainteller.tui.notifications import take_notice
from chainteller.workspace.outcomes import Fate, Outcome
from chainteller.workspace.recording import Recording
from chainteller.workspace.registry import Remembering, know_blockchain_account
from chainteller.workspace.store import Workspace

if TYPE_CHECKING:
    from chainteller.service.interface import Service
    from chainteller.service.models.counterparties import BlockchainAccount
    from chainteller.tui.start import StartedDesk

Answer = TypeVar("Answer")


class DeskSession:
    """The service as screens see it, and what the desk keeps about its use.

    ``service`` writes for the customer being served at that moment; ``service_for`` binds reads and
    writes to one account.
    """

    def __init__(self, desk: Desk, started: "StartedDesk") -> None:
        self.calls = CallsInProgress(desk.settings.clock)
        self.workspace = _workspace(started.workspace_file, desk)
        self._desk = desk
        self._guard = ReadOnly(enabled=desk.read_only)
        self.ownership = Ownership()
        self._asked = layered(
            started.service,
            self.ownership.check_reply,
            self.calls,
            self._take_notice,
            ForCase(lambda: desk.case_id),
        )
        recording = Recording(self.workspace)
        self._unbound = layered(
            self._asked,
            self._learn,
            self._note_unanswered,
            self._guard,
            Remembering(self.workspace),
            recording,
        )
        self.service = layered(self._unbound, self.ownership.bind(self._served_by_write))
        self._recording, self._guarded = recording, layered(self._asked, self._guard)
        self.unanswered: dict[str, str] = {}
        self.undecided: dict[str, str] = {}

    def service_for(self, account_id: str) -> "Service":
        """The service for requests about one account, which has to be served to be written to."""

        def context(call: Call[Any]) -> str:
            if call.operation.writes:
                self._desk.customer.require(account_id)
            return account_id

        return layered(self._unbound, self.ownership.bind(context))

    def _served_by_write(self, call: Call[Any]) -> str:
        """Writes are for the customer being served; a read may be about any account."""
        return self._desk.customer.account_id if call.operation.writes else ""

    def _learn(self, call: Call[Answer], onward: Next) -> Answer:
        """A layer: learn what privacy hides, also from what the desk itself remembers."""
        answer = onward(call)
        self._desk.privacy.learn(answer)
        return answer

    def _take_notice(self, call: Call[Answer], onward: Next) -> Answer:
        """A layer: learn what the agent waits for."""
        answer = onward(call)
        take_notice(self._desk, call.operation.name, answer)
        return answer

    def _note_unanswered(self, call: Call[Answer], onward: Next) -> Answer:
        """A layer: keep the keys of writes without an answer that move something, for
        ``settle``."""
        try:
            return onward(call)
        except OutcomeUnknown as unknown:
            if not unknown.is_harmless:
                self.unanswered[unknown.idempotency_key] = call.operation.name
            raise

    def settle(self, key: str) -> Outcome:
        """Find out what became of a write that wasn't answered.

        Raises:
            TellerError: there is still no answer.
        """
        outcome = self._recording.settle(key, self._guarded)
        if outcome.fate in {Fate.DONE, Fate.NOT_DONE}:
            self.forget(key)
        elif outcome.fate is not Fate.UNKNOWN and key in self.unanswered:
            self.undecided[key] = outcome.text
        return outcome

    def forget(self, key: str) -> None:
        """A write isn't waited for any more."""
        self.unanswered.pop(key, None)
        self.undecided.pop(key, None)

    def know_blockchain_account(
        self, blockchain_account_id: str, trading_account_id: str
    ) -> "BlockchainAccount":
        """Where accounts cannot be looked up: put one on the list. Raises NotFound."""
        account = know_blockchain_account(
            self._asked, self.workspace, blockchain_account_id, trading_account_id
        )
        self.ownership.learn(account.id, account.trading_account_id)
        return account

    def set_read_only(self, *, on: bool) -> None:
        """From here on every write is refused, whoever sends it, or none is."""
        self._guard.enabled = on

    def close(self) -> None:
        self.workspace.close()


def _workspace(file: Path | None, desk: Desk) -> Workspace:
    """The notes of this place; where they cannot be kept, ones that are forgotten."""
    try:
        return Workspace(file, desk.settings.clock)
    except (OSError, sqlite3.Error) as error:
        desk.notify(f"Notes and last positions aren't saved: {error}", "warn")
        return Workspace(None, desk.settings.clock)
