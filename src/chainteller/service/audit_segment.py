"""Check the part of an audit log that a deployment shows, from its rows alone.

A client sees the rows of its own organisation, numbered from 1 without gaps, each with the leaf
hash of its entry. Where all of them are shown, they give the root of the log's signed head. Whether
the newest rows were left out isn't seen here: a head kept earlier shows that.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chainteller.domain.merkle import Tree

if TYPE_CHECKING:
    from chainteller.service.models.records import AuditRow


@dataclass(frozen=True, slots=True)
class SegmentReport:
    """Of ``rows``, ``proven`` are under the head; ``first_broken`` is a row's number, with the
    problem."""

    rows: int
    proven: int = 0
    first_broken: int | None = None
    problem: str = ""

    @property
    def intact(self) -> bool:
        return self.first_broken is None


def check_segment(
    rows: "Sequence[AuditRow]",
    known: tuple[int, str] | None = None,
    head: tuple[int, bytes] | None = None,
) -> SegmentReport:
    """Check rows in the order of their numbers.

    Args:
        rows: without gaps.
        known: a row's number and hash as they were seen earlier: the same row must still have the
            same hash.
        head: size and root of the log's signed head, which the first rows must give.
    """
    for before, row in enumerate(rows, start=rows[0].seq - 1 if rows else 0):
        problem = ""
        if row.seq != before + 1:
            problem = f"row {before + 1} is missing"
        elif known is not None and row.seq == known[0] and row.hash != known[1]:
            problem = "it is not the row that was seen here earlier"
        if problem:
            return SegmentReport(len(rows), 0, row.seq, problem)
    if head is None or not rows or rows[0].seq != 1 or len(rows) < head[0]:
        return SegmentReport(len(rows))
    size, root = head
    if Tree().append(bytes.fromhex(row.hash) for row in rows[:size]).root != root:
        return SegmentReport(len(rows), 0, 1, f"the first {size} rows don't give the signed head")
    return SegmentReport(len(rows), size)
