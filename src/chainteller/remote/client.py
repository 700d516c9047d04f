"""``RemoteService``: a deployment over HTTP with the interface of the embedded engine.

Requests are built from the operations' declarations. The calls of the specification go to every
deployment. Additions go only to a deployment that reports them in ``GET /capabilities``; elsewhere
they raise ``NotOffered``.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, TypeVar
from urllib.parse import quote

from pydantic_core import PydanticSerializationError

from chainteller.domain.clock import from_datetime, parse_instant
from chainteller.domain.signed_requests import CASE_HEADER
from chainteller.domain.transfers import DEPOSIT_TYPE, WITHDRAWAL_TYPE
from chainteller.remote.answers import AnotherRecord, NotShown, complete, require_same
from chainteller.remote.connection import Connection
from chainteller.remote.sending import Sender, fitted, parsed, read_unshown, where
from chainteller.remote.transport import DEADLINE_S, Bearer, Outgoing, Reply, Sign, Transport
from chainteller.service import operations
from chainteller.service.entered_secrets import require_clean
from chainteller.service.errors import (
    NotFound,
    NotOffered,
    OutcomeUnknown,
    ReplyUnusable,
    TellerError,
    UnsupportedMarket,
    ValidationFailed,
)
from chainteller.service.interface import Service
from chainteller.service.layers import Answers
from chainteller.service.models.base import RequestModel, Written
from chainteller.service.models.counterparties import Counterparty
from chainteller.service.models.funding import Transfer
from chainteller.service.models.markets import Market
from chainteller.service.models.pages import MAXIMUM_LIMIT, ListQuery, MarketsQuery, Page
from chainteller.service.models.records import Capabilities
from chainteller.service.models.trades import Trade
from chainteller.service.operations import Call, Read
from chainteller.service.paging import identity

Answer = TypeVar("Answer")
Item = TypeVar("Item")

_SEGMENT = re.compile(r"[!-~]{1,200}", re.ASCII)
_ASTRAY = frozenset("/\\?#%;")
_MARKET = "market"
ACCEPTED = "accepted"
"""The status of a deposit or withdrawal that was accepted without saying more."""


class RemoteService(Service):
    """Client of the deployment at ``url``.

    Nothing is sent before the first call, which raises ``ServiceUnreachable`` if the deployment
    can't be reached.

    Raises:
        ValueError: ``url`` is no address of a deployment, or contains credentials.
    """

    def __init__(
        self,
        url: str,
        api_key: str | Bearer,
        *,
        deadline_s: float = DEADLINE_S,
        sign: Sign | None = None,
    ) -> None:
        self._transport = Transport(url, api_key, deadline_s=deadline_s, sign=sign)
        self.connection = Connection(Sender(self._transport))

    def __repr__(self) -> str:
        return f"RemoteService({self._transport.address})"

    def call(self, call: Call[Answer]) -> Answer:
        require_clean(call)
        if call.operation in _ANSWERED_HERE:
            return _ANSWERED_HERE[call.operation](self, call)
        return self.send(call)

    def send(self, call: Call[Answer]) -> Answer:
        """Send a call. Raises NotOffered if the deployment lacks a required addition."""
        operation, path = call.operation, path_of(call)
        for feature in _needed(call):
            self.connection.require(feature)
        key = self.connection.key(call.key) if operation.takes_key else ""
        content = self._body_of(call)
        headers = {
            "Idempotency-Key": key,
            CASE_HEADER: self._case_of(call),
            "Content-Type": "application/json" if content else "",
        }
        sent = {name: value for name, value in headers.items() if value}
        query = tuple(_query_of(call))
        asked = Outgoing(operation.method, path, query, sent, content, operation.path)
        answer: Answer
        answer = self._write(call, asked, key) if operation.writes else self._read(call, asked)
        return answer

    def _read(self, call: Call[Any], asked: Outgoing) -> Any:
        """Send a read; a list that is answered whole here may come in pages from elsewhere."""
        check = partial(complete, call)

        def page(number: int) -> Any:
            further = (("page", str(number)),) if number > 1 else ()
            sent = replace(asked, query=(*asked.query, *further))
            return self.connection.sender.read(sent, call.operation.wire_response, check)

        return _fetched(page) if getattr(call.operation, "is_whole", False) else page(1)

    def _case_of(self, call: Call[Any]) -> str:
        """The case of a call, for a deployment that knows cases."""
        if call.case_id and self.connection.offers(operations.AGENTS_FEATURE):
            return call.case_id
        return ""

    def _write(self, call: Call[Any], asked: Outgoing, key: str) -> Any:
        """Send a write; it's repeated only if the deployment supports idempotency keys."""
        repeatable = self.connection.offers(operations.IDEMPOTENCY)
        read = partial(self._read_answer, call)
        outcome = self.connection.sender.write(
            asked, key, read, repeatable=repeatable, harmless=call.operation.is_harmless
        )
        if isinstance(outcome.value, NotShown):
            return Written(self._unshown(call, outcome.value, key), created=outcome.created)
        return outcome

    def _body_of(self, call: Call[Any]) -> bytes | None:
        """The request as JSON. Raises NotOffered, and ValidationFailed of half a character, as
        only a paste can hold it.
        """
        request = self._known_request(call)
        if request is None:
            return None
        try:
            return request.model_dump_json(by_alias=True, exclude_none=True).encode()
        except PydanticSerializationError:
            raise ValidationFailed.of("body", "It has text that cannot be sent.") from None

    def _known_request(self, call: Call[Any]) -> RequestModel | None:
        """The request as the deployment knows it. Raises NotOffered."""
        request = call.request
        if request is None or not isinstance(call.operation, operations.Write):
            return request
        for name, feature in call.operation.additions.items():
            if getattr(request, name) is not None and not self.connection.offers(feature):
                is_implied = getattr(request, name) == call.operation.implied.get(name)
                if name not in call.operation.hints and not is_implied:
                    field = type(request).model_fields[name].alias or name
                    raise NotOffered(f"This deployment doesn't offer {field} ({feature}).", field)
                request = request.model_copy(update={name: None})
        return request

    def _read_answer(self, call: Call[Any], reply: Reply) -> Any:
        """The record that a POST answered. Raises ValueError."""
        operation = call.operation
        try:
            found = parsed(operation.wire_response, reply.body)
        except ValueError:
            if isinstance(operation, operations.Write) and not operation.is_shown:
                return read_unshown(reply)
            raise
        if isinstance(operation, operations.Write) and operation.is_enveloped:
            if not found.data:
                raise ReplyUnusable(f"The answer has no {operation.response.__name__.lower()}.")
            found = found.data[0]
        return complete(call, found)

    def _unshown(self, call: Call[Any], told: NotShown, key: str) -> Any:
        """The record of a write that was accepted, where the answer has other fields than ours.
        Raises OutcomeUnknown: it was accepted, and what it did cannot be read."""
        try:
            require_same(call, told.fields)
            return complete(call, _UNSHOWN[call.operation](self, call, told))
        except (TellerError, ValueError) as fault:
            said = fault.message if isinstance(fault, TellerError) else f"{where(fault)}."
            raise OutcomeUnknown(f"Accepted, but the answer can't be read: {said}", key) from None

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
        raise UnsupportedMarket(
            "This market doesn't exist.", {"market": identifier, "supported": []}
        )
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
    raise UnsupportedMarket(
        "This market doesn't exist.", {"market": call.ids[0], "supported": supported}
    )


_MOST_PAGES = 20
_OWN_FILTERS = ("status", "side", "market")


def _trades(remote: RemoteService, call: Call[Page[Trade]]) -> Page[Trade]:
    """List an account's trades; without additions, filters and order are applied here. Raises
    NotOffered: a filter or an order is asked for of more trades than can be fetched."""
    query = call.query if isinstance(call.query, ListQuery) else ListQuery()
    if remote.connection.offers(operations.ALL_TRADES.feature or ""):
        return remote.send(call)
    shown = _every(remote, operations.TRADES, call.ids)
    rows, total = [*shown.data], shown.pagination.total
    is_chosen = any(getattr(query, name) for name in (*_OWN_FILTERS, "created_gte", "created_lt"))
    if total > len(rows) and (is_chosen or query.sort == "created"):
        raise NotOffered(f"This deployment shows {len(rows)} of {total} trades: filters need all.")
    rows.sort(key=lambda row: row.created, reverse=query.sort != "created")
    kept = tuple(row for row in rows if _is_wanted(row, query))
    found = Page.whole(kept).cut(query.page, query.limit)
    total = len(kept) if is_chosen else total
    return found.model_copy(
        update={"pagination": found.pagination.model_copy(update={"total": total})}
    )


def _fetched(fetch: Callable[[int], Page[Item]]) -> Page[Item]:
    """All records of a list that the deployment shows, each once; its total is what it says.

    It may answer every request with the same page.
    """
    found: dict[object, Item] = {}
    number, before, answer = 1, 0, fetch(1)
    while True:
        found |= {identity(row): row for row in answer.data}
        is_last = len(found) >= answer.pagination.total or answer.pagination.page != number
        if is_last or len(found) == before or number == _MOST_PAGES:
            break
        number, before, answer = number + 1, len(found), fetch(number + 1)
    return answer.model_copy(update={"data": tuple(found.values())})


def _every(remote: RemoteService, operation: Read[Page[Item]], ids: tuple[str, ...]) -> Page[Item]:
    """All records of a list that has pages."""

    def page(number: int) -> Page[Item]:
        return remote.send(Call(operation, ids, query=ListQuery(page=number, limit=MAXIMUM_LIMIT)))

    return _fetched(page)


def _is_wanted(row: Trade, query: ListQuery) -> bool:
    named = (query.takes(name, getattr(row, name)) for name in _OWN_FILTERS)
    created = from_datetime(row.created)
    since = query.created_gte is None or created >= parse_instant(query.created_gte)
    until = query.created_lt is None or created < parse_instant(query.created_lt)
    return all(named) and since and until


_ANSWERED_HERE.add(operations.TRADES, _trades)
_ANSWERED_HERE.add(operations.CAPABILITIES, _capabilities)
_ANSWERED_HERE.add(operations.SHOW_MARKET, _market)

_UNSHOWN: Mapping[operations.Operation[Any], Callable[[RemoteService, Call[Any], NotShown], Any]]
"""How the record of an accepted write is known where the specification shows no answer."""


def _transfer(kind: str, _remote: RemoteService, call: Call[Any], told: NotShown) -> Transfer:
    """What was asked for, with what the deployment tells: nothing can be read again."""
    asked = call.request.model_dump(by_alias=True, exclude_none=True) if call.request else {}
    known = {"id": "", "status": ACCEPTED, **asked, **told.fields, "type": kind}
    record: Transfer = fitted(Transfer, known)
    return record


def _cancelled(remote: RemoteService, call: Call[Any], _told: NotShown) -> Trade:
    return remote.send(Call(operations.SHOW_TRADE, call.ids))


def _linked(remote: RemoteService, call: Call[Any], _told: NotShown) -> Counterparty:
    """The wallet as the account lists it. Raises AnotherRecord: it isn't listed."""
    address = str(getattr(call.request, "address", "")).casefold()
    for row in _every(remote, operations.LINKED_COUNTERPARTIES, call.ids).data:
        if row.address.casefold() == address:
            network = row.network or getattr(call.request, "network", None)
            return row.model_copy(update={"network": network})
    raise AnotherRecord("the account doesn't list the wallet")


_UNSHOWN = {
    operations.DEPOSIT: partial(_transfer, DEPOSIT_TYPE),
    operations.WITHDRAW: partial(_transfer, WITHDRAWAL_TYPE),
    operations.CANCEL_TRADE: _cancelled,
    operations.LINK_COUNTERPARTY: _linked,
}
