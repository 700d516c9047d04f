"""Follow a deployment's events: server-sent events, reconnecting after the last one."""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import CancelledError as FutureCancelled
from dataclasses import dataclass
from enum import StrEnum

from chainteller.remote.sending import parsed
from chainteller.remote.transport import (
    Outgoing,
    ReplyBroken,
    Transport,
    TransportFault,
)
from chainteller.service.models.records import EVENT_RESET, Event, EventReset
from chainteller.service.operations import EVENT_STREAM

SILENCE_S = 40.0
"""Silence after which a connection is dead; deployments ping every 15 seconds."""

MAXIMUM_EVENT_BYTES = 1024 * 1024
_BACKOFF_S = (0.2, 0.5, 1, 2, 5, 10)


class Following(StrEnum):
    """The states passed to ``on_state``."""

    LIVE = "live"
    RESET = "reset"
    """The cursor was none of the log's: events may be missing, everything is to be read again."""
    RETRYING = "retrying"
    REFUSED = "refused"


@dataclass(slots=True)
class _Frame:
    """The fields of one event while its lines arrive (WHATWG HTML, 9.2.6)."""

    data: list[str]
    kind: str = ""
    size: int = 0


class EventStream:
    """Runs on the transport's loop until closed, or until the deployment refuses it."""

    def __init__(
        self,
        transport: Transport,
        after: int,
        on_event: Callable[[Event], None],
        on_state: Callable[[Following], None],
        silence_s: float = SILENCE_S,
    ) -> None:
        self._transport = transport
        self._cursor = after
        self._on_event = on_event
        self._on_state = on_state
        self._silence_s = silence_s
        self._running = transport.submit(self._follow())

    @property
    def cursor(self) -> int:
        """The cursor of the last event, or the initial one."""
        return self._cursor

    def close(self) -> None:
        """End the stream; no callback runs after this returns."""
        self._running.cancel()
        try:
            self._running.result(timeout=2)
        except (FutureCancelled, TimeoutError):
            return

    async def _follow(self) -> None:
        failures = 0
        while True:
            before = self._cursor
            try:
                refused = await self._once()
            except TransportFault:
                refused = False
            if refused:
                self._on_state(Following.REFUSED)
                return
            failures = 0 if self._cursor != before else failures + 1
            self._on_state(Following.RETRYING)
            await asyncio.sleep(_BACKOFF_S[min(failures, len(_BACKOFF_S) - 1)])

    async def _once(self) -> bool:
        """Follow one connection to its end; True if the deployment refuses the stream."""
        headers = {"Accept": "text/event-stream"}
        if self._cursor >= 0:
            headers["Last-Event-ID"] = str(self._cursor)
        request = Outgoing("GET", EVENT_STREAM.path, headers=headers)
        request = await self._transport.authorised(request)
        async with self._transport.opened(request, self._transport.deadline_s) as (reply, timeout):
            if reply.status_code != 200:
                return reply.status_code in {400, 401, 403, 404, 405}
            if not reply.headers.get("content-type", "").startswith("text/event-stream"):
                raise ReplyBroken("no event stream")
            self._on_state(Following.LIVE)
            loop = asyncio.get_running_loop()
            frame = _Frame([])
            async for line in _lines(reply.aiter_raw()):
                timeout.reschedule(loop.time() + self._silence_s)
                frame = self._heard(frame, line)
        return False

    def _heard(self, frame: _Frame, line: str) -> _Frame:
        if line:
            frame.size += len(line)
            if frame.size > MAXIMUM_EVENT_BYTES:
                raise ReplyBroken("an event is too large")
            field, _, value = line.partition(":")
            if field == "data":
                frame.data.append(value.removeprefix(" "))
            elif field == "event":
                frame.kind = value.removeprefix(" ")
            return frame
        if frame.data:
            self._take(frame.kind, "\n".join(frame.data).encode())
        return _Frame([])

    def _take(self, kind: str, data: bytes) -> None:
        try:
            if kind == EVENT_RESET:
                self._cursor = parsed(EventReset, data).next
                self._on_state(Following.RESET)
                return
            event: Event = parsed(Event, data)
        except ValueError:
            raise ReplyBroken("an event cannot be read") from None
        if event.seq > self._cursor:
            self._cursor = event.seq
            self._on_event(event)


async def _lines(chunks: AsyncIterator[bytes]) -> AsyncIterator[str]:
    """Iterate over lines without line ends. Raises ReplyBroken if a line is too long."""
    pending = b""
    async for chunk in chunks:
        pending += chunk
        *whole, pending = pending.split(b"\n")
        for line in whole:
            yield line.rstrip(b"\r").decode("utf-8", "replace")
        if len(pending) > MAXIMUM_EVENT_BYTES:
            raise ReplyBroken("an event is too large")
