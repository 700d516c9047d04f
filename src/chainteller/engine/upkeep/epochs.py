"""Doubt about the time, noted and ended; and epochs, which begin when a person settles it.

An epoch is a stretch of the records within which times only go forward. The next one may begin
earlier than the last one ended, if the clock had been wrong; the order of the records is that of
their numbers. What the wrong time left behind is put right when an epoch begins, so that nothing
lives longer than it was meant to and nothing waits for a time that comes much later.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from chainteller.domain.actors import DEFAULT_ORGANISATION, WORKER, Actor
from chainteller.domain.clock import SECOND, SystemClock, format_instant
from chainteller.domain.decisions import DecisionKind
from chainteller.domain.timekeeping import TOLERANCE
from chainteller.domain.trades import QuoteStatus
from chainteller.engine.core import outcome, timekeeping
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.outcome import Outcome, Row, Update
from chainteller.engine.core.unit_of_work import UnitOfWork, act, work_unit
from chainteller.storage.db.query import Session
from chainteller.storage.db.records import Tables
from chainteller.storage.lists import tallies
from chainteller.storage.log import append
from chainteller.storage.log.rows import DEPLOYMENT
from chainteller.storage.queries import clock as clock_rows
from chainteller.storage.queries import epochs, organisations


class Epoch(NamedTuple):
    """A new epoch: its number, the time before and after it began, and what was put right."""

    number: int
    before: int
    began_at: int
    stamped: epochs.Stamped
    changed: int


def tick(context: EngineContext) -> timekeeping.Reading:
    """Compare the clocks and the records; note where time became uncertain or certain again.

    Called at the start of a process and every second by a running one.

    Raises:
        ServiceUnavailable: the database cannot be used.
    """
    with context.database.read() as connection:
        reading = timekeeping.read(context.time, connection)
    if timekeeping.is_to_be_noted(reading):
        work_unit(context, WORKER, _note)
    return reading


def _note(tx: UnitOfWork) -> bool:
    """Share what this process knows about time; an entry where doubt begins or ends."""
    tx.timeless = True
    clock_rows.lock(tx.connection)
    reading, known = tx.time, tx.time.known
    if known is None or not timekeeping.is_to_be_noted(reading):
        return False
    changes: dict[str, object] = {"seen_at": max(known.seen_at, reading.now)}
    if (reading.doubt is not None) != bool(known.doubt):
        reason = "" if reading.doubt is None else reading.doubt.value
        changes |= {"doubt": reason, "stepped": bool(reason) and reading.linked}
        _tell_doubt(tx, reading, reason or known.doubt)
    clock_rows.change(tx.rows, **changes)
    return True


def _tell_doubt(tx: UnitOfWork, reading: timekeeping.Reading, reason: str) -> None:
    word = "certain" if reading.doubt is None else "uncertain"
    told = {"reason": reason, "clock": format_instant(reading.clock)}
    more = {"bankTime": format_instant(reading.now)}
    _tell_everyone(tx, f"clock_{word}", f"clock.{word}", told, more)


def _tell_everyone(
    tx: UnitOfWork, action: str, event: str, told: dict[str, str], more: Mapping[str, object]
) -> None:
    """An entry in every log, with an event for each organisation: every desk shows that time is
    uncertain."""
    actor = tx.actor
    for organisation in organisations.everything(tx.connection):
        tx.actor = replace(actor, organisation=organisation)
        tx.event(event, epochs.SUBJECT, **told)
        tx.audit(action, epochs.SUBJECT, told | dict(more))
    tx.actor = replace(actor, organisation=DEPLOYMENT)
    tx.audit(action, epochs.SUBJECT, told | dict(more))
    tx.actor = actor


def describe_difference(ahead: int) -> str:
    """How far this machine's clock is ahead of the database's, in words."""
    way = "ahead of" if ahead > 0 else "behind"
    return f"this machine's clock is {abs(ahead) / SECOND:.0f} s {way} the database's"


def describe(reading: timekeeping.Reading) -> str:
    """What an operator has to know of the clock, before the first semicolon in words that stay
    the same; empty if it's right."""
    if reading.doubt is not None:
        return (
            f"time is uncertain: {reading.doubt}; the clock shows {format_instant(reading.clock)}"
        )
    if reading.ahead:
        return (
            "this machine's clock is not the database's; "
            f"{describe_difference(reading.ahead)}, whose time is used"
        )
    return ""


def accept(context: EngineContext, actor: Actor) -> Epoch | None:
    """Begin a new epoch with what the clock shows now; None if time is certain.

    The clock is this machine's, on PostgreSQL the database's.

    Raises:
        ClockUncertain: no clock can be right that shows this.
        ServiceUnavailable: the database cannot be used; nothing was changed.
    """
    begun: list[Epoch] = []

    def work(tx: UnitOfWork) -> None:
        begun.clear()
        clock_rows.lock(tx.connection)
        if tx.time.doubt is not None:
            begun.append(_begin(tx))

    act(context, replace(actor, organisation=DEFAULT_ORGANISATION), work, timeless=True)
    return begun[0] if begun else None


def _begin(tx: UnitOfWork) -> Epoch:
    reading, known = tx.time, tx.time.known
    if known is None or reading.sight is None:
        raise AssertionError("a virtual clock is never in doubt")
    timekeeping.require_plausible(reading)
    began_at, before = reading.clock, max(reading.now, known.last_at)
    tx.begin_epoch(began_at)
    for name in (*organisations.everything(tx.connection), DEPLOYMENT):
        append.lock(tx.connection, name)
    tallies.restart(tx.connection)
    own = tx.organisation_id
    stamped = epochs.entries_after(
        tx.connection, own, began_at, epochs.current(tx.connection, own).began_in
    )
    error = _Error(tx.connection, before, began_at)
    put_right = tuple(_put_right(tx.connection, error)) if error.back > 0 else ()
    outcome.apply(tx, Outcome(epochs.SUBJECT, rows=put_right))
    clock = tx.context.clock
    boot = clock.boot() if isinstance(clock, SystemClock) and not reading.sight.is_database else ""
    clock_rows.change(
        tx.rows,
        epoch=known.epoch + 1,
        began_at=began_at,
        boot=boot,
        anchor_at=began_at,
        anchor_elapsed=reading.sight.before,
        seen_at=began_at,
        doubt="",
        stepped=False,
    )
    epoch = Epoch(known.epoch + 1, before, began_at, stamped, len(put_right))
    told = {
        "oldTime": format_instant(before),
        "newTime": format_instant(began_at),
        "reason": "" if reading.doubt is None else reading.doubt.value,
    }
    numbers = {
        "epoch": epoch.number,
        "entriesBetween": stamped.entries,
        "firstEntry": stamped.first,
        "lastEntry": stamped.last,
        "recordsPutRight": len(put_right),
    }
    _tell_everyone(tx, epochs.ACCEPTED, "clock.accepted", told, numbers)
    return epoch


def _put_right(connection: Session, error: "_Error") -> Iterator[Update]:
    """What has a time between the new epoch's beginning and the old one's end.

    What was made in between ends as long after it was made as it was meant to; what a customer
    can have made anew (quotes, texts to sign, claims) ends now. A revoked key stays revoked.
    """
    for quote in epochs.open_quotes(connection, error.began_at):
        withdrawn = {"status": QuoteStatus.WITHDRAWN.value}
        yield Update(Tables.quote, {"id": quote.id}, withdrawn)
    jobs = epochs.jobs_after(connection, error.began_at)
    made = epochs.entries_of(connection, (job.reference for job in jobs))
    for job in jobs:
        by = error.when_changed(made.get(job.reference))
        if by:
            key = {"kind": job.kind, "reference": job.reference}
            run_at = {"run_at": max(error.began_at, job.run_at - by)}
            yield Update(Tables.job, key, run_at, log=_log_of(made.get(job.reference)))
    yield from _put_reviews_right(connection, error)
    yield from _put_decisions_right(connection, error)
    yield from _put_holds_right(connection, error)
    yield from _put_keys_right(connection, error)
    yield from _put_agents_right(connection, error)
    yield from _put_webhooks_right(connection, error)
    yield from _put_wallets_right(connection, error)


def _wrong_by(
    connection: Session, error: "_Error", rows_after: Callable[[Session, int], Sequence[Any]]
) -> Iterator[tuple[Any, int]]:
    """Rows with a time after the present, and by how much the clock was wrong when each was changed
    last."""
    found = rows_after(connection, error.began_at)
    made = epochs.entries_of(connection, (row.id for row in found))
    return ((row, error.when_changed(made.get(row.id))) for row in found)


def _put_reviews_right(connection: Session, error: "_Error") -> Iterator[Update]:
    """The end that a withdrawal's own review has moves with its job."""
    for review, by in _wrong_by(connection, error, epochs.reviews_until):
        if by:
            ends = {"review_eta": max(error.began_at, review.review_eta - by)}
            yield Update(Tables.transfer, {"id": review.id}, ends)


def _put_decisions_right(connection: Session, error: "_Error") -> Iterator[Update]:
    """A deadline moves with the work at it: that of a withdrawal with its review."""
    found = {
        row.subject if row.kind == DecisionKind.WITHDRAWAL else row.id: row
        for row in epochs.decisions_until(connection, error.began_at)
    }
    made = epochs.entries_of(connection, found)
    for about, row in found.items():
        by = error.when_changed(made.get(about))
        if by:
            due = {"due": max(error.began_at, row.due - by)}
            yield Update(Tables.decision, {"id": row.id}, due)


def _put_holds_right(connection: Session, error: "_Error") -> Iterator[Update]:
    """What somebody took is free, and the first of two approvals doesn't count any more. Whoever
    asked for a withdrawal did so when it was made."""
    for row in epochs.holds_until(connection, error.began_at):
        values: Row = {}
        if row.held_until is not None and row.held_until > error.began_at:
            values |= {"holder": None, "held_until": None}
        has_asked = row.kind == DecisionKind.WITHDRAWAL and row.first_at == row.created
        if row.first_at is not None and row.first_at > error.began_at and not has_asked:
            values |= {"first_by": None, "first_at": None, "digest": None}
        if values:
            yield Update(Tables.decision, {"id": row.id}, values)


def _put_keys_right(connection: Session, error: "_Error") -> Iterator[Update]:
    """A key that was revoked stays revoked; a rotated one holds as long as it was meant to."""
    found = epochs.keys_after(connection, error.began_at)
    ids = [each for row in found for each in (row.key_id, row.replaced_by) if each]
    made = epochs.entries_of(connection, ids)
    for row in found:
        values = {}
        if row.expires is not None and row.expires > error.began_at:
            values["expires"] = row.expires - error.when_made(made.get(row.key_id))
        if row.revoked_at is not None and row.revoked_at > error.began_at:
            values["revoked_at"] = error.began_at
            if row.revoked_at > error.before:
                values["revoked_at"] = row.revoked_at - error.when_made(made.get(row.replaced_by))
        yield Update(Tables.api_key, {"key_id": row.key_id}, values)


def _put_agents_right(connection: Session, error: "_Error") -> Iterator[Update]:
    """An agent works for as long as was meant at the approval."""
    for row, by in _wrong_by(connection, error, epochs.agents_after):
        if by:
            yield Update(Tables.agent, {"id": row.id}, {"expires": row.expires - by})


def _put_webhooks_right(connection: Session, error: "_Error") -> Iterator[Update]:
    """An endpoint is free and tried now; its former secret signs for as long as was meant."""
    for row, by in _wrong_by(connection, error, epochs.webhooks_after):
        values: Row = {"held_by": None, "held_until": None, "next_at": None}
        if row.failing_since is not None:
            values["failing_since"] = min(row.failing_since, error.began_at)
        if by and row.overlap_until is not None:
            values["overlap_until"] = max(error.began_at, row.overlap_until - by)
        yield Update(Tables.webhook, {"id": row.id}, values)


def _put_wallets_right(connection: Session, error: "_Error") -> Iterator[Update]:
    over = {"expires": error.began_at - 1}
    for challenge in epochs.open_challenges(connection, error.began_at):
        yield Update(Tables.challenge, {"id": challenge.id}, over)
    for claim in epochs.unused_claims(connection, error.began_at):
        yield Update(Tables.claim, {"id": claim.id}, over)
    links = epochs.links_until(connection, error.began_at)
    made = epochs.entries_of(connection, (link.claim_id for link in links))
    for link in links:
        pair = {
            "blockchain_account_id": link.blockchain_account_id,
            "counterparty_id": link.counterparty_id,
        }
        by, used = error.when_changed(made.get(link.claim_id)), link.last_used_at
        if by or used > error.began_at:
            values = {"expires": link.expires - by, "last_used_at": min(used, error.began_at)}
            yield Update(Tables.link, pair, values, log=_log_of(made.get(link.claim_id)))


def _log_of(made: epochs.Made | None) -> str | None:
    """Whose log has the entries about a record: a row that names no organisation stays in it."""
    return None if made is None else made.organisation_id


class _Error:
    """By how much the time was wrong: by ``back`` when the new epoch begins."""

    def __init__(self, connection: Session, before: int, began_at: int) -> None:
        self.before, self.began_at, self.back = before, began_at, before - began_at
        self._connection = connection
        self._gains: dict[str, tuple[epochs.Gain, ...]] = {}
        self._are_gains_noted = bool(clock_rows.read(connection, server_clock=False).boot)

    def when_made(self, made: epochs.Made | None) -> int:
        """For a record's first entry. Where gains aren't noted, at least what goes unnoticed, so
        that nothing that was made then lives too long."""
        found = self.back if made is None else self._after(made, made.first, made.first_at)
        return found if self._are_gains_noted else max(found, min(self.back, TOLERANCE))

    def when_changed(self, made: epochs.Made | None) -> int:
        """For a record's last entry."""
        return 0 if made is None else self._after(made, made.last, made.last_at)

    def _after(self, made: epochs.Made, number: int, at: int) -> int:
        """What time gained after an entry wasn't wrong at the entry. Where gains aren't noted,
        instants of this epoch that are still to come are wrong."""
        gains = self._gains_of(made.organisation_id)
        if self._are_gains_noted:
            later = sum(gain.microseconds for gain in gains if gain.number > number)
            return max(0, self.back - later)
        put_right = gains and not gains[0].microseconds
        begun = gains[0].number if put_right else 0
        return self.back if number > begun and at > self.began_at else 0

    def _gains_of(self, organisation_id: str) -> tuple[epochs.Gain, ...]:
        if organisation_id not in self._gains:
            found = epochs.current(self._connection, organisation_id)
            self._gains[organisation_id] = found.gains
        return self._gains[organisation_id]
