"""What stands between the screens and the service: the guard, the record and the request log.

From the screen inwards: read-only is refused first, then a write is put on disk with its key, then
the call is timed and logged, then it goes out. Imported after the first frame.
"""

import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from chainteller.service.layers import Next, layered
from chainteller.service.operations import Call
from chainteller.service.read_only import ReadOnly
from chainteller.tui.desk import Desk
from chainteller.tui.notifications import take_notice
from chainteller.tui.request_log import RequestLog, Trace
from chainteller.workspace.recording import Recording
from chainteller.workspace.registry import Remembering, know_blockchain_account
from chainteller.workspace.store import Workspace

if TYPE_CHECKING:
    from chainteller.service.models.counterparties import BlockchainAccount
    from chainteller.tui.start import StartedDesk

Answer = TypeVar("Answer")


class DeskSession:
    """The service as screens see it, with what the desk keeps about its use."""

    def __init__(self, desk: Desk, started: "StartedDesk") -> None:
        self.requests = RequestLog(desk.settings.clock)
        self.workspace = _workspace(started.workspace_file, desk)
        if started.watch_repeats is not None:
            started.watch_repeats(self.requests.add_repeat)
        self._desk = desk
        self._guard = ReadOnly(enabled=desk.read_only)
        self._asked = layered(started.service, Trace(self.requests), self._take_notice)
        self.service = layered(
            self._asked, self._guard, Remembering(self.workspace), Recording(self.workspace)
        )

    def _take_notice(self, call: Call[Answer], onward: Next) -> Answer:
        """A layer: learn what privacy hides and what the agent waits for."""
        answer = onward(call)
        self._desk.privacy.learn(answer)
        take_notice(self._desk, call.operation.name, answer)
        return answer

    def know_blockchain_account(
        self, blockchain_account_id: str, trading_account_id: str
    ) -> "BlockchainAccount":
        """Where accounts cannot be looked up: put one on the list. Raises NotFound."""
        return know_blockchain_account(
            self._asked, self.workspace, blockchain_account_id, trading_account_id
        )

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
        desk.notify(f"notes and last places are not kept: {error}", "warn")
        return Workspace(None, desk.settings.clock)
