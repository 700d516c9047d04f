"""Routing: finds the handler of a path with a few look-ups."""

from dataclasses import dataclass, field
from urllib.parse import unquote

from starlette.types import Scope

from chainteller.api.endpoints import Handler
from chainteller.api.request_context import RequestContext
from chainteller.service.errors import MethodNotAllowed, NotFound


@dataclass(slots=True)
class _Node:
    """A node of the path tree: literal parts, a parameter, and the handlers of this path."""

    literal: dict[str, "_Node"] = field(default_factory=dict)
    parameter: "_Node | None" = None
    answers: dict[str, tuple[Handler, str, tuple[str, ...]]] = field(default_factory=dict)


class Router:
    """The handlers of all paths."""

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

    def find(self, scope: Scope, context: RequestContext) -> Handler:
        """The handler of a request, which gets the parameters of its path.

        Raises:
            NotFound: nothing has this path.
            MethodNotAllowed: its ``details`` say which methods the path accepts.
        """
        node: _Node | None = self._root
        values = []
        for part in _parts(scope):
            if node is None:
                break
            following = node.literal.get(part)  # comes before a parameter
            if following is None and part:
                values.append(part)
                following = node.parameter
            node = following
        if node is None or not node.answers:
            raise NotFound("path", scope["path"][:200])
        if scope["method"] not in node.answers:
            allowed = {"allowed": sorted(node.answers)}
            raise MethodNotAllowed("This path doesn't accept this method.", allowed)
        handler, context.route, names = node.answers[scope["method"]]
        scope["path_params"] = dict(zip(names, values, strict=True))
        return handler


def _parts(scope: Scope) -> list[str]:
    """The parts of a path; a slash that is written as ``%2F`` belongs to a part (RFC 3986)."""
    written: bytes = scope.get("raw_path") or b""
    if b"%2f" not in written.lower():
        return scope["path"].split("/")  # type: ignore[no-any-return]
    return [unquote(part) for part in written.decode("ascii").split("/")]
