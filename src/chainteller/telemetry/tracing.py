"""Where spans are made, whoever records them.

Nothing is recorded, and nothing of OpenTelemetry is imported, before ``record_with``. Names and
attributes of spans follow OpenTelemetry's semantic conventions. They come from the program's own
declarations: nothing that somebody wrote, and no id of a customer's record, is among them.
"""

import os
import re
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar, copy_context
from enum import Enum
from typing import Any, ParamSpec, Protocol, TypeVar

Given = ParamSpec("Given")
Answer = TypeVar("Answer")
Attributes = Mapping[str, str | int]
NONE: Attributes = {}
VARIABLE = "TRACEPARENT"
"""Where a program that starts this one hands its trace on."""
_TRACEPARENT = re.compile(
    r"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?"
)
"""The header ``traceparent`` of W3C Trace Context; later versions may add to it."""


class Kind(Enum):
    INTERNAL = "internal"
    SERVER = "server"
    CLIENT = "client"


class Span(Protocol):
    """A span while it lasts."""

    @property
    def trace_id(self) -> str: ...
    @property
    def span_id(self) -> str: ...

    def rename(self, name: str) -> None: ...
    def put(self, attributes: Attributes) -> None: ...
    def fail(self, error_type: str) -> None:
        """Mark as failed, by a code or the name of a class: messages can name customers."""


class Tracer(Protocol):
    """Records spans."""

    def span(
        self, name: str, kind: Kind, attributes: Attributes, traceparent: str
    ) -> AbstractContextManager[Span]: ...
    def current(self) -> Span | None:
        """The span that is recorded here, if there is one."""

    def traceparent(self) -> str: ...


class _NoSpan(AbstractContextManager["_NoSpan"]):
    """What isn't recorded."""

    trace_id = span_id = ""

    def rename(self, name: str) -> None: ...
    def put(self, attributes: Attributes) -> None: ...
    def fail(self, error_type: str) -> None: ...
    def __exit__(self, *raised: object) -> None: ...


NO_SPAN = _NoSpan()
_tracer: Tracer | None = None
_received: ContextVar[str] = ContextVar("received", default="")


def record_with(tracer: Tracer | None) -> None:
    """Record the spans of this process; None ends that."""
    global _tracer  # noqa: PLW0603 - one for the process, as there is one clock
    _tracer = tracer


def span(
    name: str, kind: Kind = Kind.INTERNAL, attributes: Attributes = NONE, traceparent: str = ""
) -> AbstractContextManager[Span]:
    """A span, of the trace that ``traceparent`` names or of the span around it.

    A span that another program's span is to be around needs that one's ``traceparent``.
    """
    return NO_SPAN if _tracer is None else _tracer.span(name, kind, attributes, traceparent)


def current() -> Span | None:
    """The span that is recorded here. Calls of the database and of other services are spans only
    within another one: what a program does by itself all day belongs to no trace."""
    return None if _tracer is None else _tracer.current()


def read_traceparent(text: str) -> str:
    """The header as it's passed on; empty where it isn't one."""
    found = _TRACEPARENT.fullmatch(text)
    return "" if found is None else f"00-{found[1]}-{found[2]}-{found[3]}"


def pass_on(traceparent: str) -> None:
    """Let requests from here on name the caller's trace, where none is recorded here."""
    if traceparent and _tracer is None:
        _received.set(traceparent)


def outgoing() -> dict[str, str]:
    """The headers that tell another service which trace a request belongs to."""
    if _tracer is not None:
        found = _tracer.traceparent()
    else:
        found = _received.get() or read_traceparent(os.environ.get(VARIABLE, ""))
    return {"traceparent": found} if found else {}


def bound(work: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """``work`` for another thread, as a part of the trace here."""
    context: Any = copy_context()

    def run(*args: Given.args, **kwargs: Given.kwargs) -> Answer:
        answer: Answer = context.run(work, *args, **kwargs)
        return answer

    return run
