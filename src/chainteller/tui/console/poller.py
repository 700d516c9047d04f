"""Asks the service for news at the desk's interval and says what changed."""

from contextlib import suppress
from time import perf_counter
from typing import TYPE_CHECKING

from chainteller.service.errors import Forbidden, NotOffered, TellerError
from chainteller.tui.colleagues import LOOKED_BACK, READ_BACK
from chainteller.tui.desk import Desk
from chainteller.tui.service_calls import call_service

if TYPE_CHECKING:
    from chainteller.tui.notifications import Alert

_LONGEST_WAIT_S = 30
_PROBE_EVERY = 30


class Poller:
    """One question at a time; after a failure it waits longer, and the top bar says so."""

    def __init__(self, desk: Desk, alert: "Alert") -> None:
        self._desk = desk
        self._alert = alert
        self._cursor = -1
        self._running = False
        self._skip = 0
        self._wait = 1
        self._by_events = True
        self._polls = 0
        self._refused: TellerError | None = None

    async def poll(self, *, now: bool = False) -> None:
        """Fetch the newest events and look at watched markets; ``now`` cuts a wait short."""
        from chainteller.tui.notifications import look_out

        if self._running or self._desk.started is None or (self._skip > 0 and not now):
            self._wait_on()
            return
        self._running = True
        try:
            await self._fetch(now=now)
            await look_out(self._desk, self._alert)
        except TellerError as error:
            self._skip, self._refused = self._wait, error
            self._wait = min(_LONGEST_WAIT_S, self._wait * 2)
            self._desk.unheard(self._skip, error)
            self._desk.ask_to_sign_in(error)
        else:
            self._skip, self._wait = 0, 1
        finally:
            self._running = False
        self._desk.on_poll.publish(None)

    def _wait_on(self) -> None:
        """The top bar counts down to the next attempt, or how long there has been no answer."""
        if self._running and self._desk.silent_s:
            self._desk.on_connection.publish(self._desk.connection)
        if self._running or self._skip == 0:
            return
        self._skip -= 1
        if self._skip > 0 and self._refused is not None:
            self._desk.unheard(self._skip, self._refused)

    async def _fetch(self, *, now: bool) -> None:
        from chainteller.tui.notifications import ask_about_trades, hear_of, hear_of_service

        if not self._by_events:
            await self._ask_markets(now=now)
            await ask_about_trades(self._desk)
            self._desk.on_change.publish(())
            return
        before = perf_counter()
        try:
            page = await call_service(self._desk.service.events, self._cursor)
        except (NotOffered, Forbidden):
            self._by_events = False
            await self._ask_markets(now=now)
            return
        latency_ms = round((perf_counter() - before) * 1000)
        if self._cursor == -1:
            await self._look_back(page.next)
        self._cursor = page.next
        if page.reset:
            self._desk.on_change.publish(())
        if page.data:
            self._desk.colleagues.note(page.data, self._desk.now)
            hear_of_service(self._desk, page.data)
            for event in page.data:
                hear_of(self._desk, event.resource, str(event.data.get("status", "")))
            self._desk.on_change.publish(tuple(event.type for event in page.data))
        self._desk.heard(latency_ms)

    async def _look_back(self, newest: int) -> None:
        """Read the events before the first one of this session: who worked on whom just now, and
        whether time is uncertain or withdrawals are stopped."""
        from chainteller.tui.notifications import hear_of_service

        if self._desk.colleagues.own_name:
            after = max(0, newest - LOOKED_BACK)
            earlier = await call_service(self._desk.service.events, after, READ_BACK)
            self._desk.colleagues.note(earlier.data, self._desk.now)
            hear_of_service(self._desk, earlier.data)

    async def _ask_markets(self, *, now: bool) -> None:
        """Without events, whether the service answers is asked of its smallest list, seldom, or
        ``now``.
        """
        self._polls += 1
        if not now and self._desk.connection.state == "live" and self._polls % _PROBE_EVERY:
            self._desk.on_connection.publish(self._desk.connection)  # others may have asked
            return
        before = perf_counter()
        with suppress(Forbidden):  # an answer too: the key has not the scope for it
            await call_service(self._desk.service.markets)
        self._desk.heard(round((perf_counter() - before) * 1000))
