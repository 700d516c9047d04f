"""``GET /events/stream``: server-sent events, first the history after a cursor, then live."""

import asyncio
import contextlib
import functools
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from chainteller.api.auth import key_in
from chainteller.api.connections import Holder, Places
from chainteller.api.endpoints import Gateway, query_pairs
from chainteller.api.metrics import Metrics
from chainteller.api.reading import QueryText, whole_number
from chainteller.api.request_context import RequestContext
from chainteller.api.threads import OWN_WORK, run
from chainteller.domain.actors import Actor
from chainteller.domain.sign_ins import STREAM_LOOKS_S, is_access_token
from chainteller.service.errors import RateLimited, TellerError
from chainteller.service.interface import Service
from chainteller.service.models.records import EVENT_RESET, Event, EventPage, EventReset
from chainteller.service.operations import EVENT_STREAM, EVENTS_AT_ONCE, LAST_CURSOR

PING_S = 15.0
POLL_S = 0.1
MAXIMUM_STREAMS = 4_000
"""Idle streams cost next to nothing: one read per ``POLL_S`` tells all of them."""
STREAMS_OF_AN_ORGANISATION = 2_000
STREAMS_OF_A_KEY = 1_000
_UNKNOWN, _UNREADABLE = -1, -2
"""Instead of the newest event's number: not read yet, and where the database can't be read."""
_NEVER = -1
"""The edition of what no stream has read yet."""


@dataclass(eq=False, slots=True)
class OpenStream:
    """A stream that ends when another organisation gets its place; its client reconnects."""

    wake: Callable[[], None]
    has_ended: bool = False
    is_busy: ClassVar[bool] = False

    def give_way(self) -> None:
        self.has_ended = True
        self.wake()


class News:
    """Tells all streams of a process that there are new events, by one read for all of them.

    Streams of one organisation at the same cursor also share the page that they read then.
    ``edition`` counts what was new: whoever has read since it last changed has read everything.
    """

    def __init__(self, gateway: Gateway, poll_s: float, closing: asyncio.Event) -> None:
        self._gateway, self._poll_s, self._closing = gateway, poll_s, closing
        self._task: asyncio.Task[None] | None = None
        self._changed: asyncio.Future[None] | None = None
        self._readers = 0
        self._newest = _UNKNOWN
        self.edition = 0
        self._pages: dict[tuple[str, int], asyncio.Task[EventPage]] = {}

    def enter(self) -> None:
        self._readers += 1
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._watch())

    def leave(self) -> None:
        self._readers -= 1

    def wake(self) -> None:
        """Let every stream see what there is to do."""
        if self._changed is not None and not self._changed.done():
            self._changed.set_result(None)

    async def wait(self, edition: int, timeout_s: float) -> None:
        """Wait until there may be events that an edition hasn't, something else happens or the
        time is over."""
        if edition != self.edition:
            return
        if self._changed is None or self._changed.done():
            self._changed = asyncio.get_running_loop().create_future()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                await asyncio.shield(self._changed)

    async def read(self, service: Service, group: str, after: int) -> EventPage:
        """The events of an organisation after a cursor. Raises TellerError."""
        place = (group, after)
        if place not in self._pages:
            read = functools.partial(service.events, after, EVENTS_AT_ONCE)
            self._pages[place] = asyncio.create_task(run(self._gateway.threads, read, group))
        return await asyncio.shield(self._pages[place])

    async def _watch(self) -> None:
        """Look for new events while there are streams. Where the database can't be read, streams
        are told, and find out by themselves."""
        deployment, threads = self._gateway.deployment, self._gateway.threads
        while self._readers > 0 and not self._closing.is_set():
            try:
                newest = await run(threads, deployment.newest_event, OWN_WORK)
            except TellerError:
                newest = _UNREADABLE
            if newest != self._newest:
                self._newest = newest
                self.edition += 1
                self._pages.clear()
                self.wake()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._poll_s):
                    await self._closing.wait()
        self.wake()


@dataclass(slots=True)
class EventStreams:
    """The event streams of this process; setting ``closing`` ends all of them."""

    gateway: Gateway
    metrics: Metrics
    poll_s: float = POLL_S
    ping_s: float = PING_S
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    places: Places[OpenStream] = field(default_factory=lambda: Places(MAXIMUM_STREAMS))
    _news: News | None = None

    @property
    def news(self) -> News:
        if self._news is None:
            self._news = News(self.gateway, self.poll_s, self.closing)
        return self._news

    async def answer(self, request: Request, context: RequestContext) -> Response:
        """Stream events; the id of each is the cursor for reconnecting."""
        context.operation = EVENT_STREAM.operation_id
        principal = self.gateway.permit(context, EVENT_STREAM)
        after = _cursor(context, request)
        service = self.gateway.deployment.acting_as(principal.actor)
        holder = Holder(principal.actor.organisation, principal.actor.key_id)
        self._require_place(holder)
        read = functools.partial(service.events, after, EVENTS_AT_ONCE)
        start = await run(self.gateway.threads, read, holder.group)
        key = key_in(context.headers.get("authorization"))
        headers = {"X-Accel-Buffering": "no"}
        ping_s = min(self.ping_s, STREAM_LOOKS_S) if is_access_token(key) else self.ping_s
        followed = _Followed(service, key, holder, principal.actor, ping_s)
        is_head = request.method == "HEAD"
        lines = _no_lines() if is_head else self._lines(followed, start)
        return StreamingResponse(lines, headers=headers, media_type="text/event-stream")

    def _require_place(self, holder: Holder) -> None:
        """Raises RateLimited: the key or organisation has its share, or all are taken fairly."""
        of_organisation, of_key = self.places.count(holder)
        if of_key >= STREAMS_OF_A_KEY:
            raise _full(STREAMS_OF_A_KEY)
        if of_organisation >= STREAMS_OF_AN_ORGANISATION:
            raise _full(STREAMS_OF_AN_ORGANISATION)
        if len(self.places) >= MAXIMUM_STREAMS and of_organisation >= self.places.largest():
            raise _full(MAXIMUM_STREAMS)

    async def _lines(self, followed: "_Followed", page: EventPage) -> AsyncIterator[bytes]:
        stream = OpenStream(self.news.wake)
        self.places.enter(stream, followed.holder)
        self.news.enter()
        self.metrics.streams.set(len(self.places))
        try:
            yield b"retry: 2000\n"  # of the first event: a blank line would end one without data
            async for line in self._followed(stream, followed, page):
                yield line
        finally:
            self.news.leave()
            self.places.leave(stream)
            self.metrics.streams.set(len(self.places))

    async def _followed(
        self, stream: OpenStream, followed: "_Followed", page: EventPage
    ) -> AsyncIterator[bytes]:
        elapsed, news = asyncio.get_running_loop().time, self.news
        pinged, edition = elapsed(), _NEVER
        while not (self.closing.is_set() or stream.has_ended):
            for lines in page_lines(page):
                yield lines
            is_whole = len(page.data) < EVENTS_AT_ONCE
            if is_whole:
                left_s = max(0.0, followed.ping_s - (elapsed() - pinged))
                await news.wait(edition, left_s)
            if elapsed() - pinged >= followed.ping_s:
                pinged = elapsed()
                if not await self._still_welcome(followed):
                    return
                yield b": ping\n\n"
            if is_whole and edition == news.edition:
                page = EventPage(data=(), next=page.next)
                continue
            edition = news.edition
            try:
                page = await news.read(followed.service, followed.holder.group, page.next)
            except TellerError:
                return

    async def _still_welcome(self, followed: "_Followed") -> bool:
        """Whether the key, and the agent who signed, are still valid; one that is revoked ends its
        streams within one ping."""
        deployment, threads = self.gateway.deployment, self.gateway.threads
        group = followed.holder.group
        try:
            if deployment.recognise(followed.key) is None:
                await run(threads, functools.partial(deployment.authenticate, followed.key), group)
            if followed.actor.agent_id:
                return await run(
                    threads, functools.partial(deployment.agent_holds, followed.actor), group
                )
        except TellerError:
            return False
        return True


@dataclass(frozen=True, slots=True)
class _Followed:
    """What a stream reads, with which key or token and as whom, whose share it is, and how often it
    looks whether that's still so."""

    service: Service
    key: str
    holder: Holder
    actor: Actor
    ping_s: float


async def _no_lines() -> AsyncIterator[bytes]:
    """The body of a HEAD: its headers go out with the end of the body, which a stream hasn't."""
    empty: tuple[bytes, ...] = ()
    for line in empty:
        yield line


def event_lines(event: Event) -> bytes:
    """Format one event for the stream."""
    return f"id: {event.seq}\nevent: {event.type}\ndata: {event.to_json()}\n\n".encode()


def page_lines(page: EventPage) -> Iterator[bytes]:
    """Format the events of a page."""
    if page.reset:
        yield reset_lines(page.data[0].seq - 1 if page.data else page.next)
    yield from map(event_lines, page.data)


def reset_lines(after: int) -> bytes:
    """Say that the client's cursor was none of the log's: it has to read everything again."""
    body = EventReset(next=after).model_dump_json()
    return f"id: {after}\nevent: {EVENT_RESET}\ndata: {body}\n\n".encode()


def _cursor(context: RequestContext, request: Request) -> int:
    """Where to start: ``Last-Event-ID``, else ``after``, else now. Both must be cursors."""
    query = QueryText(query_pairs(request.scope["query_string"]))
    query.refuse_unknown({"after"})
    found = {"after": query.get("after"), "Last-Event-ID": context.header("last-event-id")}
    start = -1
    for name, text in found.items():
        if text is not None:
            start = whole_number(name, text, -1, LAST_CURSOR)
    return start


def _full(limit: int) -> RateLimited:
    return RateLimited(
        "Too many event streams are open.",
        {"policy": "streams", "limit": limit, "windowSeconds": 0, "retryAfterSeconds": 5},
    )
