"""The only thread boundary: a screen awaits a synchronous call of the service.

The threads are daemons, so that a call that never returns cannot keep the console from ending.
"""

import asyncio
import queue
import threading
from collections.abc import Awaitable, Callable, Generator
from functools import partial
from typing import Any, ParamSpec, TypeVar

from chainteller.telemetry import tracing
from chainteller.tui.acting import command_here

Given = ParamSpec("Given")
Answer = TypeVar("Answer")

_THREADS = 4
_Task = Callable[[], None]


class Callers:
    """A few daemon threads that take calls in order; started at the first call."""

    def __init__(self) -> None:
        self._tasks: queue.SimpleQueue[_Task] = queue.SimpleQueue()
        self._started = False

    def submit(self, task: _Task) -> None:
        if not self._started:
            self._started = True
            for number in range(_THREADS):
                threading.Thread(target=self._serve, daemon=True, name=f"call-{number}").start()
        self._tasks.put(task)

    def _serve(self) -> None:
        while True:
            self._tasks.get()()


_READS, _WRITES = Callers(), Callers()


async def call_service(
    call: Callable[Given, Answer], *args: Given.args, **kwargs: Given.kwargs
) -> Answer:
    """Await ``call(*args, **kwargs)`` in a thread; whatever it raises is raised here."""
    return await _call(_READS, partial(call, *args, **kwargs))


async def send_to_service(
    call: Callable[Given, Answer], *args: Given.args, **kwargs: Given.kwargs
) -> Answer:
    """As ``call_service``, but not behind reads: a silent service keeps all their threads."""
    return await _call(_WRITES, partial(call, *args, **kwargs))


async def _call(callers: Callers, call: Callable[[], Answer]) -> Answer:
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Answer] = loop.create_future()
    traced = _traced(call)

    def deliver(setter: Callable[[], None]) -> None:
        if not future.done():
            setter()

    def report(setter: Callable[[], None]) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(deliver, setter)

    def task() -> None:
        try:
            answer = traced()
        except BaseException as error:  # noqa: BLE001 - the awaiting screen handles it
            report(partial(future.set_exception, error))
        else:
            report(partial(future.set_result, answer))

    callers.submit(task)
    return await future


def _traced(call: Callable[[], Answer]) -> Callable[[], Answer]:
    """A call as a span, if a command of the agent makes it."""
    command = command_here()

    def run() -> Answer:
        with tracing.span(command):
            return call()

    return run if command else call


class Later(Awaitable[None]):
    """Work for a worker: the coroutine is made when it is awaited, so none is left unawaited."""

    def __init__(self, work: Callable[[], Awaitable[None]]) -> None:
        self._work = work

    def __await__(self) -> Generator[Any, None, None]:
        return self._work().__await__()


class OneAtATime:
    """Calls of which only one is on its way: the next one is sent when it has ended, and whoever
    gave up waiting by then sends nothing.

    Run each call in a worker that replaces the one before it: of a burst of keys, the first and the
    last are sent.
    """

    def __init__(self) -> None:
        self._running: asyncio.Future[Any] | None = None

    async def call(
        self, call: Callable[Given, Answer], *args: Given.args, **kwargs: Given.kwargs
    ) -> Answer:
        """As ``call_service``, after the call that is on its way."""
        while self._running is not None and not self._running.done():
            await asyncio.wait([self._running])
        running = asyncio.ensure_future(call_service(call, *args, **kwargs))
        running.add_done_callback(_heard)
        self._running = running
        return await asyncio.shield(running)


def _heard(ended: "asyncio.Future[Any]") -> None:
    """Nobody may be left to be told how a call ended."""
    if not ended.cancelled():
        ended.exception()
