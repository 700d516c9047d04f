"""Epochs of the records: within one, times go forward; from one to the next they may go back."""

from bisect import bisect_left

from chainteller.engine.core.breaches import Breach, Breaches
from chainteller.engine.verification.replay import Books
from chainteller.storage.db.query import Session
from chainteller.storage.queries import clock
from chainteller.storage.queries.epochs import ACCEPTED
from chainteller.storage.upkeep import inspection


def clock_follows_trail(connection: Session, books: Books) -> Breaches:
    """9: epoch and doubt of the clock's row are those of the deployment's log."""
    number, began_at, doubted = 0, 0, False
    for entry in books.clock:
        if entry.action in ("clock_uncertain", "clock_certain", ACCEPTED):
            doubted = entry.action == "clock_uncertain"
        if entry.action == ACCEPTED:
            number, began_at = number + 1, entry.at
    row = clock.find(connection)
    if row is None:
        yield Breach(9, "its row is missing", "clock")
        return
    if (row.epoch, row.began_at) != (number, began_at):
        yield Breach(9, f"is in epoch {row.epoch}, but the log says {number}", "clock")
    if bool(row.doubt) != doubted:
        yield Breach(9, "its doubt is not that of the log", "clock")


class Epochs:
    """Which records were made in which epoch, by the numbers of the entries about them."""

    def __init__(self, connection: Session) -> None:
        self._connection = connection
        self._ends = inspection.ends_of_epochs(connection)
        self._spans: dict[str, tuple[str, int, int]] = {}

    def of(self, record_id: str) -> int | None:
        """The epoch in which a record was made, counted from 0; None if that isn't known."""
        organisation, first, _ = self._span(record_id)
        return self._number(organisation, first) if first or not self._ends else None

    def is_of_current(self, record_id: str) -> bool:
        """Whether a record is known to be made since the last epoch began."""
        organisation, first, _ = self._span(record_id)
        return self._number(organisation, first) == len(self._ends.get(organisation, ()))

    def part(self, *record_ids: str) -> bool:
        """Whether an epoch began between the first and the last entry about these records: then
        their times can't be compared."""
        if not self._ends:
            return False
        spans = [self._span(each) for each in record_ids]
        numbers = {self._number(of, at) for of, first, last in spans for at in (first, last)}
        return len(numbers) > 1

    def _number(self, organisation: str, entry: int) -> int:
        return bisect_left(self._ends.get(organisation, ()), entry)

    def _span(self, record_id: str) -> tuple[str, int, int]:
        """The log of a record and the numbers of the first and last entry about it; zeros where
        there's none."""
        if not self._ends:
            return "", 0, 0
        if not self._spans:
            self._spans = inspection.spans_of_records(self._connection)
        return self._spans.get(record_id, ("", 0, 0))
