"""The thread that sends events to the endpoints of webhooks while a console or a server runs.

What is due follows from an endpoint's cursor and its organisation's log, so nothing is queued and
nothing can be lost. Of the next hundred events of the log, those about one record are sent one
after the other and those about different records side by side; what was accepted is recorded in one
commit. An event that isn't accepted holds back those about the same record at once, and all others
as soon as the hundred are sent.

A server holds an endpoint while it sends, and renews that every few seconds; one that was killed
loses it. What it had sent and not recorded is sent again, with the same id.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

from chainteller.domain.actors import WORKER, Actor
from chainteller.domain.clock import SECOND, Clock
from chainteller.domain.webhooks import (
    GIVE_UP_AFTER,
    Answer,
    PauseReason,
    Unsent,
    advance,
    pause_us,
    target_of,
    wants,
)
from chainteller.engine.core.background import Background
from chainteller.engine.core.breaches import UNREADABLE, Breach
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.ports import WebhookLine, WebhookSender
from chainteller.engine.core.timekeeping import KeptClock
from chainteller.engine.core.unit_of_work import UnitOfWork, act, now
from chainteller.engine.operations import disputes, logged_rows
from chainteller.engine.operations.webhooks import (
    events_after,
    message,
    put_on_hold,
    secrets_of,
)
from chainteller.service.errors import ServiceUnavailable
from chainteller.service.models.records import Event
from chainteller.storage.db.query import Record, Session
from chainteller.storage.db.records import Tables
from chainteller.storage.log import last_writes
from chainteller.storage.log.entry import EVENTS_PER_ACT, number_of, seq_of
from chainteller.storage.log.last_writes import Kept
from chainteller.storage.queries import webhooks

POLL_S = 0.2
WINDOW = 100
"""Events of the log that are read at once."""
LANES = 8
"""Requests to one endpoint at once."""
HELD_S = 10.0
RENEWED_EVERY_S = 3.0
_ROUND_S = 1.0
"""For how long a round begins to send further events, before it's recorded."""
_SKIPPED = 50
"""Windows without an event that an endpoint wants, before its cursor is recorded."""
_AFTER_A_FAULT_S = 5.0
_STOP_S = 5.0
_log = logging.getLogger(__name__)


class Window(NamedTuple):
    """What an endpoint is to be sent: ``events`` that it wants, from ``start`` up to ``end``.
    ``done`` are those of them that it has. ``unsent`` is why nothing is sent, ``breach`` what was
    altered in the endpoint's row."""

    start: int
    end: int
    events: tuple[Event, ...]
    done: frozenset[int]
    url: str
    secrets: tuple[bytes, ...]
    is_last: bool
    unsent: Unsent | None
    breach: Breach | None = None


class Round(NamedTuple):
    """What came of a window: what was accepted, and the answer that counts if one wasn't."""

    accepted: frozenset[int]
    refused: Answer | None
    newest: Answer | None


class Deliverer(Background):
    """Sends events for one bank; ``stop`` records what was sent."""

    def __init__(
        self,
        context: EngineContext,
        sender: WebhookSender,
        servers: Callable[[], int] = lambda: 1,
    ) -> None:
        """``servers`` is how many share the work."""
        super().__init__("webhooks", 0)
        self._context, self._sender, self._servers = context, sender, servers
        self._id = context.randomness.bytes(16).hex()
        self._at_work: dict[str, asyncio.Task[None]] = {}
        self._held_until_s = 0.0
        """By the elapsed time: until when this server holds its endpoints for certain."""

    def _run(self) -> None:
        asyncio.run(self._main())

    async def _main(self) -> None:
        renewing = asyncio.create_task(self._keep_held())
        while not self._stopping.is_set():
            try:
                await self._take_work()
                pause_s = POLL_S
            except ServiceUnavailable as error:
                _log.warning("webhooks wait: %s", error.details.get("reason"))
                pause_s = _AFTER_A_FAULT_S
            except UNREADABLE:
                _log.warning("webhooks wait: a row of theirs can't be read")
                pause_s = _AFTER_A_FAULT_S
            await asyncio.to_thread(self._stopping.wait, pause_s)
        if self._at_work:
            await asyncio.wait(self._at_work.values(), timeout=_STOP_S)
        for task in (renewing, *self._at_work.values()):
            task.cancel()

    async def deliver_due(self) -> None:
        """Send what is due now, and wait until that is done."""
        await self._take_work()
        await asyncio.gather(*self._at_work.values())

    async def _take_work(self) -> None:
        taken = await asyncio.to_thread(self._take)
        for row in taken:
            task = asyncio.create_task(self._serve(row))
            self._at_work[row.id] = task
            task.add_done_callback(partial(self._ended, row.id))

    def _ended(self, webhook_id: str, task: asyncio.Task[None]) -> None:
        del self._at_work[webhook_id]
        fault = None if task.cancelled() else task.exception()
        if isinstance(fault, ServiceUnavailable):
            _log.warning("webhook %s waits: %s", webhook_id, fault.details.get("reason"))
        elif fault is not None:
            _log.error("webhook %s waits", webhook_id, exc_info=fault)

    # -- who delivers -----------------------------------------------------------------------

    def _take(self) -> list[Record]:
        """Take endpoints for which there's work, up to this server's share of all."""
        with self._context.database.read() as connection:
            found = webhooks.at_work(connection)
            at = now(self._context, connection) if found else 0
        mine = sum(each.held_by == self._id and (each.held_until or 0) > at for each in found)
        share = -(-len(found) // max(1, self._servers()))
        due = [each for each in found if self._is_due(each, at)][: max(0, share - mine)]
        taken: list[Record] = []
        if due:
            work = partial(self._hold, [each.id for each in due], taken)
            began_s = time.monotonic()
            act(self._context, WORKER, work, timeless=True)
            self._held_until_s = max(self._held_until_s, began_s + HELD_S)
        return taken

    def _is_due(self, row: Record, at: int) -> bool:
        has_news = row.sent_upto < seq_of(row.size, EVENTS_PER_ACT - 1)
        waits = row.next_at is not None and row.next_at > at
        return has_news and not waits and row.id not in self._at_work and self._is_free(row, at)

    @staticmethod
    def _is_free(row: Record, at: int) -> bool:
        return (row.held_until or 0) <= at

    def _hold(self, names: Iterable[str], taken: list[Record], tx: UnitOfWork) -> None:
        taken.clear()
        for name in names:
            row = webhooks.find_any(tx.connection, name, lock=True)
            if row is None or row.paused_at is not None or not self._is_free(row, tx.now):
                continue
            held = {"held_by": self._id, "held_until": self._hold_end(tx)}
            webhooks.update(tx.rows, row, **held)
            taken.append(row._replace(**held))

    def _hold_end(self, tx: UnitOfWork) -> int:
        return tx.now + round(HELD_S * SECOND)

    async def _keep_held(self) -> None:
        """Renew what is held while something is sent; if that fails for too long, stop sending."""
        while True:
            await asyncio.sleep(RENEWED_EVERY_S)
            if not self._at_work:
                continue
            began_s = time.monotonic()
            try:
                await asyncio.to_thread(act, self._context, WORKER, self._renew, timeless=True)
                self._held_until_s = began_s + HELD_S
            except ServiceUnavailable as error:
                _log.warning("webhooks not held: %s", error.details.get("reason"))
                if time.monotonic() + RENEWED_EVERY_S > self._held_until_s:
                    for task in self._at_work.values():
                        task.cancel()

    def _renew(self, tx: UnitOfWork) -> None:
        webhooks.renew(tx.connection, self._id, self._hold_end(tx))

    # -- delivering -------------------------------------------------------------------------

    async def _serve(self, row: Record) -> None:
        """Send to an endpoint until it has everything, refuses something or is another server's."""
        held: Record | None = row
        while held is not None:
            window = await asyncio.to_thread(self._read, held)
            found = await self._send(window, is_failing=held.failing_since is not None)
            held = await asyncio.to_thread(self._record, held, window, found)

    def _read(self, row: Record) -> Window:
        """The next window with an event that the endpoint wants.

        What decides where events go, and which, is the endpoint's row as the log has it; nothing
        is sent by a row that another program wrote.
        """
        start = row.sent_upto
        none = Window(start, start, (), frozenset(), row.url, (), is_last=True, unsent=None)
        with self._context.database.read() as connection:
            try:
                found = webhooks.find_any(connection, row.id) or row
                state, of = self._context.state, found.organisation_id
                followed = state.follow(connection, of)
                breach = logged_rows.difference(followed, (Kept(Tables.webhook, found.id),))
                if breach is not None:
                    return none._replace(unsent=Unsent.ENDPOINT_ALTERED, breach=breach)
                return self._wanted(connection, found)
            except UNREADABLE:
                return none._replace(unsent=Unsent.LOG_ALTERED)

    def _wanted(self, connection: Session, row: Record) -> Window:
        done = frozenset(map(int, row.ahead.split()))
        types, end = row.types.split(), row.sent_upto
        wanted: tuple[Event, ...] = ()
        is_last, windows = False, 0
        secrets = secrets_of(connection, row, now(self._context, connection))
        while not wanted and not is_last and windows < _SKIPPED:
            events, end, _ = events_after(self._context, connection, row, end, WINDOW)
            wanted = tuple(each for each in events if wants(types, each.type))
            is_last, windows = len(events) < WINDOW, windows + 1
        numbers = {number_of(each.seq) for each in wanted if each.seq not in done}
        lost = None if secrets or not numbers else Unsent.SECRET_LOST
        if last_writes.altered(connection, row.organisation_id, numbers) is not None:
            lost = Unsent.LOG_ALTERED
        return Window(row.sent_upto, end, wanted, done, row.url, secrets, is_last, lost)

    async def _send(self, window: Window, *, is_failing: bool) -> Round:
        if window.unsent is not None:
            lost = Answer(unsent=window.unsent)
            return Round(window.done, lost, lost)
        unsent = [each for each in window.events if each.seq not in window.done]
        if not unsent:
            return Round(window.done, None, None)
        clock = KeptClock(self._context.clock, self._context.keeper)
        sending = _Sending(clock, window, self._may_go_on)
        async with self._sender.line(target_of(window.url)) as line:
            await sending.run(line, unsent, is_failing=is_failing)
        return sending.outcome()

    def _may_go_on(self) -> bool:
        return not self._stopping.is_set() and time.monotonic() < self._held_until_s

    def _record(self, row: Record, window: Window, found: Round) -> Record | None:
        """Record a round; the row where the endpoint goes on, None where it's let go."""
        if window.breach is not None:
            for said in disputes.open_for(self._context, [window.breach]):
                _log.error("BREACH: %s", said)
        kept: list[Record] = []
        work = partial(self._put, row, window, found, kept)
        act(self._context, Actor(row.organisation_id, WORKER.name), work, timeless=True)
        return kept[0] if kept else None

    def _put(
        self, row: Record, window: Window, found: Round, kept: list[Record], tx: UnitOfWork
    ) -> None:
        kept.clear()
        locked = webhooks.find_any(tx.connection, row.id, lock=True)
        if locked is None or (locked.held_by, locked.sent_upto) != (self._id, row.sent_upto):
            return
        upto, ahead = advance(
            (each.seq for each in window.events), found.accepted, window.start, window.end
        )
        has_moved = upto > row.sent_upto
        values: dict[str, object] = {"sent_upto": upto, "ahead": " ".join(map(str, ahead))}
        if found.newest is not None:
            values["answer"] = str(found.refused or found.newest)
        if found.accepted - window.done:
            values["delivered_at"] = tx.now
        if found.refused is None:
            if has_moved:
                values |= {"failing_since": None, "attempts": 0, "next_at": None}
            goes_on = not (window.is_last and upto == window.end) and self._may_go_on()
            held = self._hold_end(tx) if goes_on else None
            changed = locked._replace(**values, held_until=held)
            webhooks.update(tx.rows, locked, **values, held_until=held)
            if goes_on and changed.paused_at is None:
                kept.append(changed)
            return
        values["held_until"] = None
        is_alive = bool(found.accepted - window.done)
        self._put_refusal(tx, locked, values, found.refused, has_moved=has_moved, is_alive=is_alive)

    def _put_refusal(
        self,
        tx: UnitOfWork,
        row: Record,
        values: dict[str, object],
        refused: Answer,
        *,
        has_moved: bool,
        is_alive: bool,
    ) -> None:
        """Wait, longer each time that nothing was accepted (``is_alive``: something was); give up
        where the endpoint is gone or hasn't accepted one event for days.

        An altered endpoint isn't paused: that would write over what has to be put right.
        """
        is_new = has_moved or row.failing_since is None
        since = tx.now if is_new else row.failing_since
        attempts = 1 if is_new or is_alive else row.attempts + 1
        if row.failing_since is None:
            _log.warning("webhook %s fails: %s", row.id, refused)
        (byte,) = self._context.randomness.bytes(1)
        pause = pause_us(0 if is_alive else attempts, refused.retry_after_s, byte)
        values |= {"failing_since": since, "attempts": attempts, "next_at": tx.now + pause}
        reason = PauseReason.GONE if refused.is_gone else None
        is_altered = refused.unsent is Unsent.ENDPOINT_ALTERED
        if tx.now - since >= GIVE_UP_AFTER and not is_altered:
            reason = PauseReason.FAILED
        if reason is None or row.paused_at is not None:
            webhooks.update(tx.rows, row, **values)
            return
        _log.warning("webhook %s is paused: %s", row.id, reason)
        tx.audit("pause_webhook", row.id, {"reason": reason.value})
        put_on_hold(tx, row, reason, **values)


class _Sending:
    """One round: lanes that send the events of a record after each other."""

    def __init__(self, clock: Clock, window: Window, may_go_on: Callable[[], bool]) -> None:
        self._clock, self._window, self._may_go_on = clock, window, may_go_on
        self._ends_s = time.monotonic() + _ROUND_S
        self._accepted: set[int] = set()
        self._refused: Answer | None = None
        self._newest: Answer | None = None
        self._is_over = False

    async def run(self, line: WebhookLine, events: Sequence[Event], *, is_failing: bool) -> None:
        """Send what can be sent; where the endpoint fails, the first record's events alone at
        first."""
        groups: dict[str, list[Event]] = {}
        for each in events:
            groups.setdefault(each.resource, []).append(each)
        waiting = iter(groups.values())
        if is_failing:
            await self._send_in_order(line, next(waiting))

        async def lane() -> None:
            for group in waiting:
                await self._send_in_order(line, group)

        await asyncio.gather(*(lane() for _ in range(min(LANES, len(groups)))))

    async def _send_in_order(self, line: WebhookLine, events: Iterable[Event]) -> None:
        for event in events:
            if self._is_over or time.monotonic() > self._ends_s or not self._may_go_on():
                return
            at = self._clock.now()
            answer = await line.post(*message(event, self._window.secrets, at))
            self._newest = answer
            if not answer.is_accepted:
                self._is_over |= answer.is_of_endpoint
                if self._refused is None or answer.is_of_endpoint:
                    self._refused = answer
                return
            self._accepted.add(event.seq)

    def outcome(self) -> Round:
        return Round(self._window.done | self._accepted, self._refused, self._newest)
