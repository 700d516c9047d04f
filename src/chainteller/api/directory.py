"""The operations by their paths: found by a few look-ups instead of a walk over every route.

FastAPI holds the same routes and answers whatever is not found here: other methods, paths that
nobody takes, and the service's own pages.
"""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from chainteller.api.operations import Operation

Endpoint = Callable[[Request], Coroutine[Any, Any, Response]]


@dataclass(slots=True)
class _Place:
    """What follows one part of a path: literal parts, any other part, and who answers here."""

    literal: dict[str, "_Place"] = field(default_factory=dict)
    parameter: "_Place | None" = None
    answers: dict[str, tuple[Endpoint, tuple[str, ...]]] = field(default_factory=dict)


class Directory:
    """ASGI layer: answers a declared operation, and hands on what it does not know."""

    def __init__(self, others: ASGIApp) -> None:
        self._others = others
        self._root = _Place()

    def add(self, operation: Operation, endpoint: Endpoint) -> None:
        place, names = self._root, []
        for part in operation.path.split("/"):
            if part.startswith("{"):
                names.append(part[1:-1])
                place.parameter = place.parameter or _Place()
                place = place.parameter
            else:
                place = place.literal.setdefault(part, _Place())
        place.answers[operation.method] = (endpoint, tuple(names))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = self.find(scope["method"], scope["path"]) if scope["type"] == "http" else None
        if found is None:
            await self._others(scope, receive, send)
            return
        endpoint, scope["path_params"] = found
        response = await endpoint(Request(scope, receive))
        await response(scope, receive, send)

    def find(self, method: str, path: str) -> tuple[Endpoint, dict[str, str]] | None:
        """Who answers, with the path's parameters. A literal part goes before a parameter."""
        place: _Place | None = self._root
        values = []
        for part in path.split("/"):
            if place is None:
                return None
            literal = place.literal.get(part)
            if literal is None and part:
                values.append(part)
                literal = place.parameter
            place = literal
        answering = None if place is None else place.answers.get(method)
        if answering is None:
            return None
        endpoint, names = answering
        return endpoint, dict(zip(names, values, strict=True))
