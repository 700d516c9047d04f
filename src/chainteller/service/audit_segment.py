"""Check the part of an audit chain that a deployment shows, from its rows alone.

A client sees the rows of its own organisation, as a chain of their own: where their numbers follow
each other, each link can be checked. Whether older rows or the newest ones were left out isn't seen
here: a hash written down earlier shows that.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chainteller.domain.audit_chain import canonical, digest
from chainteller.domain.clock import from_datetime

if TYPE_CHECKING:
    from chainteller.service.models.records import AuditRow


@dataclass(frozen=True, slots=True)
class SegmentReport:
    """``links`` were checked of ``rows``; ``first_broken`` is a row's number, with the problem."""

    rows: int
    links: int
    first_broken: int | None = None
    problem: str = ""

    @property
    def intact(self) -> bool:
        return self.first_broken is None


def row_hash(row: "AuditRow") -> str:
    """The hash of a row's contents."""
    return digest(
        (
            row.action,
            row.actor,
            from_datetime(row.at),
            row.error,
            canonical(row.inputs),
            row.object,
            row.organisation,
            row.outcome,
            row.previous_hash,
            row.seq,
        )
    )


def check_segment(
    rows: "Sequence[AuditRow]", known: tuple[int, str] | None = None
) -> SegmentReport:
    """Check rows in the order of their numbers.

    ``known`` is a row's number and hash as they were seen earlier: the same row must still have
    the same hash.
    """
    links, before = 0, None
    for row in rows:
        problem = ""
        if row_hash(row) != row.hash:
            problem = "its contents do not match its hash"
        elif known is not None and row.seq == known[0] and row.hash != known[1]:
            problem = "it is not the row that was seen here earlier"
        elif before is not None and row.seq == before.seq + 1:
            links += 1
            if row.previous_hash != before.hash:
                problem = "it does not follow the row before"
        if problem:
            return SegmentReport(len(rows), links, row.seq, problem)
        before = row
    return SegmentReport(len(rows), links)
