"""Epochs of the records: within one, times go forward; from one to the next they may go back."""

from bisect import bisect_left

from sqlalchemy import Connection

from chainteller.engine.checks.breaches import Breach, Breaches
from chainteller.storage import clock, inspection, removals
from chainteller.storage.epochs import ACCEPTED
from chainteller.storage.log import DEPLOYMENT


def clock_follows_trail(connection: Connection) -> Breaches:
    """9: epoch and doubt of the clock's row are those of the audit trail."""
    number, began_at, doubted = 0, 0, False
    for entry in inspection.entries_of_clock(connection):
        doubted = entry.action == "clock_uncertain"
        if entry.action == ACCEPTED:
            number, began_at = number + 1, entry.at
    row = clock.find(connection)
    if row is None:
        yield Breach(9, "its row is missing", "clock")
        return
    if (row.epoch, row.began_at) != (number, began_at):
        yield Breach(9, f"is in epoch {row.epoch}, but the audit trail says {number}", "clock")
    if bool(row.doubt) != doubted:
        yield Breach(9, "its doubt is not that of the audit trail", "clock")


class Epochs:
    """Which records were made in which epoch, by the numbers of their events.

    Of a record whose first events aren't kept, that isn't known once an epoch has ended among them.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._ends = list(inspection.ends_of_epochs(connection))
        self._removed = removals.newest(connection, DEPLOYMENT, removals.EVENTS).upto
        self._spans: dict[str, tuple[int, int]] = {}

    def of(self, record_id: str) -> int | None:
        """The epoch in which a record was made, counted from 0; None if that isn't known."""
        first, last = self._span(record_id)
        return None if not last and self._number(self._removed) else self._number(first)

    def is_of_current(self, record_id: str) -> bool:
        """Whether a record is known to be made since the last epoch began."""
        return self.of(record_id) == len(self._ends)

    def part(self, *record_ids: str) -> bool:
        """Whether an epoch began between the first and the last event of these records: then their
        times can't be compared."""
        if not self._ends:
            return False
        spans = [self._span(each) for each in record_ids]
        first, last = min(span[0] for span in spans), max(span[1] for span in spans)
        if self._number(self._removed):
            first, last = 0, max(last, self._removed)
        return self._number(first) != self._number(last)

    def _number(self, event: int) -> int:
        return bisect_left(self._ends, event)

    def _span(self, record_id: str) -> tuple[int, int]:
        """The numbers of a record's first and last event; (0, 0) where it has none."""
        if not self._ends:
            return 0, 0
        if not self._spans:
            self._spans = inspection.spans_of_events(self._connection)
        return self._spans.get(record_id, (0, 0))
