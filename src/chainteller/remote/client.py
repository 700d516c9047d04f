"""``RemoteService``: a deployment over HTTP with the interface of the embedded engine.

Requests are built from the operations' declarations. The calls of the specification go to every
deployment. Additions go only to a deployment that reports them in ``GET /capabilities``; elsewhere
they raise ``NotOffered``.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, TypeVar
from urllib.parse import quote

from chainteller.remote.connection import Connection
from chainteller.remote.sending import Query, Sender, Write
from chainteller.remote.stream import EventStream, Following
from chainteller.remote.transport import DEADLINE_S, Transport
from chainteller.service import operations
from chainteller.service.attempts import Watch
from chainteller.service.errors import NotFound, ReplyUnusable, UnsupportedMarket
from chainteller.service.interface import Service
from chainteller.service.layers import Answers
from chainteller.service.models.base import Written
from chainteller.service.models.markets import Market
from chainteller.service.models.pages import MarketsQuery
from chainteller.service.models.records import Capabilities, Event
from chainteller.service.operations import Call

Answer = TypeVar("Answer")

_SEGMENT = re.compile(r"[!-~]{1,200}", re.ASCII)
_ASTRAY = frozenset("/\\?#%;")
_MARKET = "market"


class RemoteService(Service):
    """Client of the deployment at ``url``.

    Nothing is sent before the first call, which raises ``ServiceUnreachable`` if the deployment
    can't be reached.

    Raises:
        ValueError: ``url`` isn't an http or https address, or contains credentials.
    """

    def __init__(self, url: str, api_key: str, *, deadline_s: float = DEADLINE_S) -> None:
        self._transport = Transport(url, api_key, deadline_s=deadline_s)
        self.connection = Connection(Sender(self._transport))

    def __repr__(self) -> str:
        return f"RemoteService({self._transport.base})"

    def call(self, call: Call[Answer]) -> Answer:
        if call.operation in _ANSWERED_HERE:
            return _ANSWERED_HERE[call.operation](self, call)
        return self.send(call)

    def send(self, call: Call[Answer]) -> Answer:
        """Send a call. Raises NotOffered if the deployment lacks a required addition."""
        path, query = path_of(call), tuple(_query_of(call))
        for feature in _needed(call):
            self.connection.require(feature)
        answer: Answer
        if call.operation.takes_key:
            answer = self._post(call, path, query)
        else:
            answer = self.connection.sender.read(path, call.operation.wire_response, query)
        return answer

    def _post(self, call: Call[Answer], path: str, query: Query) -> Any:
        """Send a POST; writes are repeated only if the deployment supports idempotency keys."""
        operation = call.operation
        asked = Write(operation.method, path, self.connection.key(call.key), call.request, query)
        repeatable = not operation.writes or self.connection.offers(operations.IDEMPOTENCY)
        outcome = self.connection.sender.write(
            asked, operation.wire_response, repeatable=repeatable
        )
        if not operation.writes:
            return outcome.value
        if not (isinstance(operation, operations.Write) and operation.is_enveloped):
            return outcome
        if not outcome.value.data:
            raise ReplyUnusable(f"The answer carries no {operation.response.__name__.lower()}.")
        return Written(outcome.value.data[0], outcome.created, outcome.replayed)

    def follow(
        self, after: int, on_event: Callable[[Event], None], on_state: Callable[[Following], None]
    ) -> EventStream:
        """Follow events from a cursor until the stream is closed.

        Both callbacks run on the background loop and must not block.

        Raises:
            NotOffered: there is no stream; poll ``events`` or the records instead.
        """
        for feature in operations.features_of(operations.EVENT_STREAM):
            self.connection.require(feature)
        return EventStream(self._transport, after, on_event, on_state)

    def watch_repeats(self, watch: Watch) -> None:
        """Call ``watch`` before every repetition of a request."""
        self.connection.sender.watch = watch

    def close(self) -> None:
        """Close every connection."""
        self._transport.close()


def _needed(call: Call[Any]) -> Iterator[str]:
    """The additions that a deployment must offer for a call."""
    for parameter in call.operation.parameters:
        if parameter.feature is not None and getattr(call.query, parameter.field) is not None:
            yield parameter.feature
    if call.operation.feature is not None:
        yield call.operation.feature


def path_of(call: Call[Any]) -> str:
    """Build the path of a call, with escaped ids.

    Raises:
        NotFound: an argument doesn't have the form of an id; nothing is sent.
        UnsupportedMarket: the same for a market's name.
    """
    named = zip(call.operation.path_names, call.ids, strict=True)
    return call.operation.path.format_map({name: _segment(name, value) for name, value in named})


def _segment(name: str, identifier: str) -> str:
    usable = _SEGMENT.fullmatch(identifier) and not _ASTRAY.intersection(identifier)
    if usable and identifier.strip("."):
        return quote(identifier, safe="")
    if name == _MARKET:
        raise UnsupportedMarket("No such market.", {"market": identifier, "supported": []})
    raise NotFound(_resource(name), identifier)


@lru_cache
def _resource(name: str) -> str:
    """The resource of a path parameter: ``tradingAccountId`` is a trading account."""
    return re.sub(r"[A-Z]", lambda found: f" {found[0].lower()}", name.removesuffix("Id"))


def _query_of(call: Call[Any]) -> Iterator[tuple[str, str]]:
    """The parameters that differ from their defaults, and the fields that the body repeats."""
    operation = call.operation
    if operation.query is not None and call.query is not None:
        fields = operation.query.model.model_fields
        for parameter in operation.parameters:
            value = getattr(call.query, parameter.field)
            if value != fields[parameter.field].default:
                yield parameter.name, parameter.written(value)
    if isinstance(operation, operations.Write):
        for field in operation.echoes:
            yield field, str(getattr(call.request, field))


_ANSWERED_HERE: Answers[RemoteService] = Answers()
"""Operations with special handling: cached, or answered by calls of the specification."""


def _capabilities(remote: RemoteService, _call: Call[Capabilities]) -> Capabilities:
    return remote.connection.capabilities()


def _market(remote: RemoteService, call: Call[Market]) -> Market:
    """Show one market; a deployment without additions only has the list."""
    if remote.connection.offers(_MARKET):
        return remote.send(call)
    listed = remote.send(Call(operations.MARKETS, query=MarketsQuery())).data
    for market in listed:
        if market.market_name == call.ids[0]:
            return market
    supported = [market.market_name for market in listed]
    raise UnsupportedMarket("No such market.", {"market": call.ids[0], "supported": supported})


_ANSWERED_HERE.add(operations.CAPABILITIES, _capabilities)
_ANSWERED_HERE.add(operations.SHOW_MARKET, _market)
