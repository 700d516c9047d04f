"""``GET /events/stream``: server-sent events, first the history after a cursor, then live."""

import asyncio
import functools
from collections.abc import AsyncIterator
from concurrent.futures import Executor
from dataclasses import dataclass, field

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from chainteller.api.auth import key_in
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


@dataclass(slots=True)
class EventStreams:
    """The event streams of this process; setting ``closing`` ends all of them."""

    gateway: Gateway
    metrics: Metrics
    poll_s: float = POLL_S
    ping_s: float = PING_S
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    open: int = 0

    async def answer(self, request: Request) -> Response:
        """Stream events; the id of each is the cursor for reconnecting."""
        context = context_of(request.scope)
        context.operation = EVENT_STREAM.operation_id
        try:
            principal = self.gateway.permit(context, EVENT_STREAM)
            after = _cursor(context, request)
            service = self.gateway.deployment.acting_as(principal.actor)
            if self.open >= MAXIMUM_STREAMS:
                raise _full()
            start = await run(
                self.gateway.threads, functools.partial(service.events, after, EVENTS_AT_ONCE)
            )
        except ServiceError as refusal:
            return error_reply(context, refusal)
        key = key_in(context.headers.get("authorization"))
        headers = {"X-Accel-Buffering": "no"}
        return StreamingResponse(
            self._lines(service, key, start), headers=headers, media_type="text/event-stream"
        )

    async def _lines(self, service: Service, key: str, page: EventPage) -> AsyncIterator[bytes]:
        self.open += 1
        self.metrics.streams.set(self.open)
        try:
            yield b"retry: 2000\n\n"
            async for line in self._followed(service, key, page):
                yield line
        finally:
            self.open -= 1
            self.metrics.streams.set(self.open)

    async def _followed(self, service: Service, key: str, page: EventPage) -> AsyncIterator[bytes]:
        threads, elapsed = self.gateway.threads, asyncio.get_running_loop().time
        pinged = elapsed()
        while not self.closing.is_set():
            for event in page.data:
                yield event_lines(event)
            if len(page.data) < EVENTS_AT_ONCE:
                await self._pause()
            if elapsed() - pinged >= self.ping_s:
                pinged = elapsed()
                if not await self._still_welcome(threads, key):
                    return
                yield b": ping\n\n"
            try:
                page = await run(
                    threads, functools.partial(service.events, page.next, EVENTS_AT_ONCE)
                )
            except TellerError:
                return

    async def _still_welcome(self, threads: Executor, key: str) -> bool:
        """Whether the key is still valid; a revoked key ends its streams within one ping."""
        try:
            await run(threads, lambda: self.gateway.deployment.authenticate(key))
        except TellerError:
            return False
        return True

    async def _pause(self) -> None:
        try:
            async with asyncio.timeout(self.poll_s):
                await self.closing.wait()
        except TimeoutError:
            pass


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


def _full() -> RateLimited:
    return RateLimited(
        "Too many event streams are open.",
        {"policy": "streams", "limit": MAXIMUM_STREAMS, "windowSeconds": 0, "retryAfterSeconds": 5},
    )
