"""``GET /events/stream``: server-sent events, first the history after a cursor, then live."""

import asyncio
import functools
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import ClassVar

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from chainteller.api.auth import key_in
from chainteller.api.connections import Holder, Places
from chainteller.api.endpoints import Gateway, query_pairs
from chainteller.api.metrics import Metrics
from chainteller.api.reading import QueryText, whole_number
from chainteller.api.request_context import RequestContext, context_of
from chainteller.api.responses import error_reply
from chainteller.api.threads import run
from chainteller.service.errors import RateLimited, ServiceError, TellerError
from chainteller.service.interface import Service
from chainteller.service.models.records import Event, EventPage
from chainteller.service.operations import EVENT_STREAM, EVENTS_AT_ONCE, LAST_CURSOR

PING_S = 15.0
POLL_S = 0.5
MAXIMUM_STREAMS = 100
STREAMS_OF_AN_ORGANISATION = 50
STREAMS_OF_A_KEY = 25


@dataclass(eq=False, slots=True)
class OpenStream:
    """A stream that ends when another organisation gets its place; its client reconnects."""

    has_ended: bool = False
    is_busy: ClassVar[bool] = False

    def give_way(self) -> None:
        self.has_ended = True


@dataclass(slots=True)
class EventStreams:
    """The event streams of this process; setting ``closing`` ends all of them."""

    gateway: Gateway
    metrics: Metrics
    poll_s: float = POLL_S
    ping_s: float = PING_S
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    places: Places[OpenStream] = field(default_factory=lambda: Places(MAXIMUM_STREAMS))

    async def answer(self, request: Request) -> Response:
        """Stream events; the id of each is the cursor for reconnecting."""
        context = context_of(request.scope)
        context.operation = EVENT_STREAM.operation_id
        try:
            principal = self.gateway.permit(context, EVENT_STREAM)
            after = _cursor(context, request)
            service = self.gateway.deployment.acting_as(principal.actor)
            holder = Holder(principal.actor.organisation, principal.actor.key_id)
            self._require_place(holder)
            read = functools.partial(service.events, after, EVENTS_AT_ONCE)
            start = await run(self.gateway.threads, read, holder.group)
        except ServiceError as refusal:
            return error_reply(context, refusal)
        key = key_in(context.headers.get("authorization"))
        headers = {"X-Accel-Buffering": "no"}
        followed = _Followed(service, key, holder)
        return StreamingResponse(
            self._lines(followed, start), headers=headers, media_type="text/event-stream"
        )

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
        stream = OpenStream()
        self.places.enter(stream, followed.holder)
        self.metrics.streams.set(len(self.places))
        try:
            yield b"retry: 2000\n\n"
            async for line in self._followed(stream, followed, page):
                yield line
        finally:
            self.places.leave(stream)
            self.metrics.streams.set(len(self.places))

    async def _followed(
        self, stream: OpenStream, followed: "_Followed", page: EventPage
    ) -> AsyncIterator[bytes]:
        threads, elapsed = self.gateway.threads, asyncio.get_running_loop().time
        service, group = followed.service, followed.holder.group
        pinged = elapsed()
        while not (self.closing.is_set() or stream.has_ended):
            for event in page.data:
                yield event_lines(event)
            if len(page.data) < EVENTS_AT_ONCE:
                await self._pause()
            if elapsed() - pinged >= self.ping_s:
                pinged = elapsed()
                if not await self._still_welcome(followed):
                    return
                yield b": ping\n\n"
            try:
                read = functools.partial(service.events, page.next, EVENTS_AT_ONCE)
                page = await run(threads, read, group)
            except TellerError:
                return

    async def _still_welcome(self, followed: "_Followed") -> bool:
        """Whether the key is still valid; a revoked key ends its streams within one ping."""
        try:
            check = functools.partial(self.gateway.deployment.authenticate, followed.key)
            await run(self.gateway.threads, check, followed.holder.group)
        except TellerError:
            return False
        return True

    async def _pause(self) -> None:
        try:
            async with asyncio.timeout(self.poll_s):
                await self.closing.wait()
        except TimeoutError:
            pass


@dataclass(frozen=True, slots=True)
class _Followed:
    """What a stream reads, with which key, and whose share it is."""

    service: Service
    key: str
    holder: Holder


def event_lines(event: Event) -> bytes:
    """Format one event for the stream."""
    body = event.model_dump_json(by_alias=True)
    return f"id: {event.seq}\nevent: {event.type}\ndata: {body}\n\n".encode()


def _cursor(context: RequestContext, request: Request) -> int:
    """Where to start: ``Last-Event-ID``, else ``after``, else now."""
    query = QueryText(query_pairs(request.scope["query_string"]))
    resumed, asked = context.header("last-event-id"), query.get("after")
    if resumed is not None:
        return whole_number("Last-Event-ID", resumed, -1, LAST_CURSOR)
    return -1 if asked is None else whole_number("after", asked, -1, LAST_CURSOR)


def _full(limit: int) -> RateLimited:
    return RateLimited(
        "Too many event streams are open.",
        {"policy": "streams", "limit": limit, "windowSeconds": 0, "retryAfterSeconds": 5},
    )
