"""The paths of the service and who answers them, found by a few look-ups."""

from dataclasses import dataclass, field

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from chainteller.api.endpoints import Handler
from chainteller.api.request_context import context_of
from chainteller.api.responses import error_reply
from chainteller.service.errors import MethodNotAllowed, NotFound


@dataclass(slots=True)
class _Node:
    """What follows one part of a path: literal parts, any other part, and who answers here."""

    literal: dict[str, "_Node"] = field(default_factory=dict)
    parameter: "_Node | None" = None
    answers: dict[str, tuple[Handler, tuple[str, ...]]] = field(default_factory=dict)


class Router:
    """ASGI application: hands a request to who answers its path and method.

    A path of no route is NotFound; with another method, MethodNotAllowed names those it takes.
    """

    def __init__(self) -> None:
        self._root = _Node()

    def add(self, method: str, path: str, handler: Handler) -> None:
        node, names = self._root, []
        for part in path.split("/"):
            if part.startswith("{"):
                names.append(part[1:-1])
                node.parameter = node.parameter or _Node()
                node = node.parameter
            else:
                node = node.literal.setdefault(part, _Node())
        node.answers[method] = (handler, tuple(names))
        if method == "GET":
            node.answers["HEAD"] = node.answers[method]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        node, values = self._find(scope["path"])
        found = node.answers.get(scope["method"]) if node is not None else None
        response: Response
        if found is not None:
            handler, names = found
            scope["path_params"] = dict(zip(names, values, strict=True))
            response = await handler(Request(scope, receive))
        elif node is not None and node.answers:
            allowed = {"allowed": sorted(node.answers)}
            refusal = MethodNotAllowed("This path does not take it.", allowed)
            response = error_reply(context_of(scope), refusal)
        else:
            response = error_reply(context_of(scope), NotFound("path", scope["path"][:200]))
        await response(scope, receive, send)

    def _find(self, path: str) -> tuple[_Node | None, list[str]]:
        """Where a path ends, with the values of its parameters. A literal part goes first."""
        node: _Node | None = self._root
        values = []
        for part in path.split("/"):
            if node is None:
                break
            following = node.literal.get(part)
            if following is None and part:
                values.append(part)
                following = node.parameter
            node = following
        return node, values
