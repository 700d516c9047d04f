"""Routing: finds the handler of a path with a few look-ups."""

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
    """A node of the path tree: literal parts, a parameter, and the handlers of this path."""

    literal: dict[str, "_Node"] = field(default_factory=dict)
    parameter: "_Node | None" = None
    answers: dict[str, tuple[Handler, str, tuple[str, ...]]] = field(default_factory=dict)


class Router:
    """ASGI application that passes a request to the handler of its path and method.

    An unknown path is NotFound; a wrong method is MethodNotAllowed, with the allowed ones.
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
        node.answers[method] = (handler, path, tuple(names))
        if method == "GET":
            node.answers["HEAD"] = node.answers[method]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        node, values = self._find(scope["path"])
        found = node.answers.get(scope["method"]) if node is not None else None
        response: Response
        if found is not None:
            handler, context_of(scope).route, names = found
            scope["path_params"] = dict(zip(names, values, strict=True))
            response = await handler(Request(scope, receive))
        elif node is not None and node.answers:
            allowed = {"allowed": sorted(node.answers)}
            refusal = MethodNotAllowed("This path doesn't accept this method.", allowed)
            response = error_reply(context_of(scope), refusal)
        else:
            response = error_reply(context_of(scope), NotFound("path", scope["path"][:200]))
        await response(scope, receive, send)

    def _find(self, path: str) -> tuple[_Node | None, list[str]]:
        """The node of a path, and its parameters. Literal parts take precedence."""
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
