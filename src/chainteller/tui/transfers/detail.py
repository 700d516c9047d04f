"""What belongs to the selected transfer: its rows of the audit trail."""

from contextlib import suppress
from typing import TYPE_CHECKING

from chainteller.service.errors import TellerError
from chainteller.tui.desk import Desk
from chainteller.tui.queries import query
from chainteller.tui.service_calls import call_service

if TYPE_CHECKING:
    from chainteller.service.models.funding import Transfer
    from chainteller.service.models.records import AuditRow

_MOST_STEPS = 50


class TransferBackground:
    """Looks up what happened to a transfer; where that is refused, it's unknown."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._of: tuple[str, str] = ("", "")
        """(id, status) of the transfer that the trail belongs to."""
        self._trail: tuple[AuditRow, ...] = ()

    def trail(self, transfer: "Transfer") -> "tuple[AuditRow, ...]":
        """The rows of its audit trail, oldest first; empty where they aren't known."""
        return self._trail if self._of == (transfer.id, transfer.status) else ()

    async def load(self, transfer: "Transfer") -> None:
        """Look it up, once for a transfer in the same state."""
        service = self._desk.service
        if not self._desk.offers("audit") or self._of == (transfer.id, transfer.status):
            return
        rows: tuple[AuditRow, ...] = ()
        with suppress(TellerError):
            rows = (
                await call_service(service.audit, query(text=transfer.id, limit=_MOST_STEPS))
            ).data
        self._of, self._trail = (transfer.id, transfer.status), rows[::-1]
