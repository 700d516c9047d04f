"""What stands between the screens and the service: the guard, the record and the request log.

From the screen inwards: read-only is refused first, then a write is put on disk with its key, then
the call is timed and logged, then it goes out. Imported after the first frame.
"""

import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, cast

from chainteller.service.read_only import ReadOnly
from chainteller.tui.desk import Desk
from chainteller.tui.notifications import take_notice
from chainteller.tui.request_log import RequestLog, Traced
from chainteller.workspace.registry import Remembering
from chainteller.workspace.store import Workspace

if TYPE_CHECKING:
    from chainteller.service.interface import Service
    from chainteller.service.models.counterparties import BlockchainAccount
    from chainteller.tui.start import StartedDesk


class DeskSession:
    """The service as screens see it, with what the desk keeps about its use."""

    def __init__(self, desk: Desk, started: "StartedDesk") -> None:
        self.requests = RequestLog(desk.settings.clock)
        self.workspace = _workspace(started.workspace_file, desk)
        if started.watch_repeats is not None:
            started.watch_repeats(self.requests.add_repeat)

        def heard(operation: str, answer: object) -> None:
            desk.privacy.learn(operation, answer)
            take_notice(desk, operation, answer)

        traced = Traced.over(started.service, self.requests, heard)
        self._remembering = Remembering(traced, self.workspace)
        self._guard = ReadOnly(cast("Service", self._remembering), enabled=desk.read_only)

    @property
    def service(self) -> "Service":
        return cast("Service", self._guard)

    def know_blockchain_account(
        self, blockchain_account_id: str, trading_account_id: str
    ) -> "BlockchainAccount":
        """Where accounts cannot be looked up: put one on the list. Raises NotFound."""
        return self._remembering.know_blockchain_account(blockchain_account_id, trading_account_id)

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
