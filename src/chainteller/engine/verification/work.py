"""Invariant 8, of scheduled work: every record that waits has its job, and each job's time is the
one that its record says.

A job that failed, or whose market is closed, may wait as long as the entry says that was written
then.
"""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping
from contextlib import suppress
from typing import NamedTuple

from chainteller.domain.clock import SECOND, format_instant
from chainteller.domain.json_depth import parse_json
from chainteller.domain.rules import delays_of
from chainteller.domain.second_method import LONGEST_WAIT, MAXIMUM_VALIDITY_S, WATCH, WATCHED_AFTER
from chainteller.engine.core.breaches import UNREADABLE, Breach, Breaches
from chainteller.engine.operations import due_times
from chainteller.engine.operations.due_times import WORK, Work
from chainteller.engine.verification.epochs import Epochs
from chainteller.engine.verification.replay import Books
from chainteller.storage.db.query import Record, Session, quoted
from chainteller.storage.queries import clock
from chainteller.storage.upkeep import inspection

_LAST_LOOK = MAXIMUM_VALIDITY_S * SECOND + WATCHED_AFTER + LONGEST_WAIT
"""How long after a small transfer was asked for arrivals are looked for at most."""


class _Span(NamedTuple):
    """From when to when work is due; ``last`` is None where that isn't known."""

    first: int
    last: int | None


def work_has_its_record(connection: Session, _books: Books) -> Breaches:
    """8: scheduled work is that of a record that waits for it, at the time that the record says."""
    yield from jobs_are_on_time(connection)
    for kind, work in WORK.items():
        for row in _unscheduled(connection, kind, work):
            yield Breach(8, "the work that it waits for isn't scheduled", f"{kind} {row.id}")
    for row in inspection.withdrawals_undecided(connection):
        yield Breach(8, "it waits for a decision that isn't open", f"withdrawal {row.id}")
    for row in inspection.decisions_about_nothing(connection):
        yield Breach(8, "its subject waits for no decision", f"decision {row.id}")


def work_that_was_put_off(connection: Session) -> set[str]:
    """The records of jobs that are later than their records say, by whomever: few at any time."""
    times = _Times(connection, None)
    return {
        row.id
        for kind, work in WORK.items()
        if (last := times.span(0, work).last) is not None
        for row in inspection.work_later_than(connection, kind, work.table, work.at, last)
    }


def jobs_are_on_time(connection: Session, references: Container[str] | None = None) -> Breaches:
    """8, of every job, or of those of some records: of these only while the clock was never put
    right, because what that changed takes a look at every event."""
    if references is not None and (row := clock.find(connection)) is not None and row.epoch:
        return
    times = _Times(connection, Epochs(connection) if references is None else None)
    for job in inspection.jobs(connection):
        if references is None or job.reference in references:
            yield from _of_job(connection, job, times)


def job_is_on_time(connection: Session, job: Record) -> Breaches:
    """8, of a job that is about to be done: whoever puts work off for less time than passes between
    two looks is named then."""
    yield from _of_job(connection, job, _Times(connection, Epochs(connection)))


def _of_job(connection: Session, job: Record, times: "_Times") -> Breaches:
    where = f"{job.kind} {job.reference}"
    work = WORK.get(job.kind)
    record = work and due_times.record_of(connection, job.kind, job.reference)
    if work is None or record is None or record.direction != work.direction:
        yield Breach(8, "work is scheduled on a record that is missing", where)
    elif record.status in work.statuses:
        problem = times.problem(job, record.at, work)
        if problem:
            yield Breach(8, problem, where, record.organisation_id)
    elif record.status not in work.ended:
        what = f"work is scheduled on a record that is {record.status} and needs none"
        yield Breach(8, what, where)


def _unscheduled(connection: Session, kind: str, work: Work) -> Iterable[Record]:
    """Records that wait for work without a job. Looks for arrivals end by themselves."""
    if kind == WATCH:
        return ()
    waits = f"status IN ({quoted(work.statuses)}) AND {work.at} IS NOT NULL"
    if work.direction is not None:
        waits += f" AND direction = '{work.direction}'"
    if work.only:
        waits += f" AND {work.only}"
    return inspection.waiting_without_job(connection, work.table, kind, waits)


class _Times:
    """When jobs may be due, by what the database says of time and of its settings' delays. Without
    ``epochs``, there was only one."""

    def __init__(self, connection: Session, epochs: Epochs | None) -> None:
        self._connection, self._epochs = connection, epochs
        self._delays = _delays(inspection.rules(connection))

    def problem(self, job: Record, since: int | None, work: Work) -> str:
        """How a job's time differs from what its record says; empty if it doesn't."""
        if since is None:
            return "work is scheduled on a record that says no time for it"
        epochs = None if work.delay is None else self._epochs
        if epochs is not None and not epochs.is_of_current(job.reference):
            return ""  # the job's time was put right with the clock
        span = self.span(since, work)
        at = _told(job.run_at)
        if job.run_at < span.first:
            return f"work was moved forward to {at}, its record says {_told(span.first)}"
        if span.last is None or job.run_at <= span.last or self._was_put_back(job):
            return ""
        return f"work was put off to {at}, its record says {_told(span.last)}"

    def span(self, since: int, work: Work) -> _Span:
        if work.delay is None:
            return _Span(since, since)
        if not work.delay:
            return _Span(since, since + _LAST_LOOK)
        delays = self._delays.get(work.delay)
        return _Span(since + min(delays), since + max(delays)) if delays else _Span(since, None)

    def _was_put_back(self, job: Record) -> bool:
        """Whether an entry says that the job waits so long, because it failed."""
        until = inspection.put_back_until(self._connection, job.reference)
        return until is not None and bool(job.run_at <= until)


def _told(at: int) -> str:
    """An instant; whoever alters a cell may write one that no calendar has."""
    try:
        return format_instant(at)
    except (OverflowError, ValueError):
        return f"{at} microseconds"


def _delays(versions: Iterable[Record]) -> Mapping[str, list[int]]:
    """Every delay that a version of the settings had, by its name."""
    found: dict[str, list[int]] = defaultdict(list)
    for row in versions:
        with suppress(*UNREADABLE):  # named by 14
            for name, delay in delays_of(parse_json(row.body)).items():
                found[name].append(delay)
    return found
