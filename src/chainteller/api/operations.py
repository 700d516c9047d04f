"""One declaration per operation: path, scope, bucket, models, and the call that answers it.

A route module declares its operations on ``Routes``; this module does for all of them what is
the same: rate limit, scope, body, the hop to the service's thread, status, headers.
"""

import functools
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any, TypeVar
from urllib.parse import parse_qsl, quote

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from chainteller.api.exchange import Exchange, exchange_of
from chainteller.api.limits import Bucket, RateLimits
from chainteller.api.listing import SORTS, read_listing
from chainteller.api.reading import QueryText, idempotency_key, read_document
from chainteller.api.responses import error_reply, json_reply, written
from chainteller.api.threads import run
from chainteller.service.deployment import Deployment, Principal
from chainteller.service.errors import (
    Forbidden,
    MalformedRequest,
    ServiceError,
    ServiceUnavailable,
    TellerError,
)
from chainteller.service.interface import Service
from chainteller.service.models.base import WireModel, Written, read_request
from chainteller.service.models.pages import ListQuery

Body = TypeVar("Body", bound=BaseModel)
Answer = WireModel | Written[Any]
_REMEMBERED = 128


@dataclass(frozen=True, slots=True)
class Operation:
    """What is declared of an operation.

    ``scope`` None: any key. ``creates`` is the path of the record that a 201 points to, with
    ``{id}`` for the new record's id; without it a write answers 200. ``made`` is the name under
    which other paths take that id; ``made_at`` where it stands in the reply. ``answers`` is the
    reply's model, or a union of models. ``brief``: a read that costs the same however much there
    is, unless a filter or an order is asked for.
    """

    name: str
    method: str
    path: str
    summary: str
    scope: str | None
    answers: Any
    bucket: Bucket = Bucket.READ
    body: type[BaseModel] | None = None
    creates: str | None = None
    made: str | None = None
    made_at: str = "/id"
    filters: tuple[str, ...] | None = None
    sorts: tuple[str, ...] = SORTS
    query: tuple[dict[str, Any], ...] = ()
    errors: tuple[type[ServiceError], ...] = ()
    brief: bool = False

    @property
    def writes(self) -> bool:
        return self.method in {"POST", "DELETE"}


@dataclass(frozen=True, slots=True)
class Call:
    """A request on its way to the service."""

    service: Service
    operation: Operation
    path: dict[str, str]
    query: QueryText
    document: object = None
    idempotency_key: str | None = None

    def read(self, model: type[Body]) -> Body:
        """The body as its model. Raises ValidationFailed."""
        return read_request(model, self.document)

    @property
    def listing(self) -> ListQuery:
        """What the list is asked for. Raises ValidationFailed."""
        return read_listing(self.query, self.operation.filters or (), self.operation.sorts)


Handler = Callable[[Call], Answer]


class Routes:
    """The operations of one concept."""

    def __init__(self, tag: str) -> None:
        self.tag = tag
        self.declared: list[tuple[Operation, Handler]] = []

    def add(self, operation: Operation) -> Callable[[Handler], Handler]:
        def declare(handler: Handler) -> Handler:
            self.declared.append((operation, handler))
            return handler

        return declare


@dataclass(frozen=True, slots=True)
class Front:
    """What every operation is answered with."""

    deployment: Deployment
    limits: RateLimits
    threads: Executor

    def endpoint(self, operation: Operation, handler: Handler) -> Callable[[Request], Any]:
        async def answer(request: Request) -> Response:
            exchange = exchange_of(request.scope)
            exchange.operation = operation.name
            try:
                principal = self.permit(exchange, operation)
                call = await self._call(request, exchange, operation, principal)
                if operation.brief and not call.query.narrows:
                    reply = self._at_once(exchange, call, handler, principal)
                    if reply is not None:
                        return reply
                return await run(
                    self.threads, functools.partial(_answered, exchange, call, handler)
                )
            except ServiceError as refusal:
                return error_reply(exchange, refusal)
            except TellerError as fault:
                unavailable = ServiceUnavailable(fault.message, {"reason": fault.code})
                return error_reply(exchange, unavailable)

        answer.__doc__ = handler.__doc__
        return answer

    def _at_once(
        self, exchange: Exchange, call: Call, handler: Handler, principal: Principal
    ) -> Response | None:
        """The reply to a short read without the hop to a thread, which costs more than the read;
        None where the read would have to wait."""
        service = self.deployment.at_once(principal.actor)
        if service is None:
            return None
        try:
            return _answered(exchange, replace(call, service=service), handler)
        except ServiceUnavailable:
            return None

    def permit(self, exchange: Exchange, operation: Operation) -> Principal:
        """Spend from the key's bucket, then look at its scopes.

        Raises:
            RateLimited: the bucket is empty.
            Forbidden: the scope is missing.
        """
        principal = exchange.principal
        if principal is None:
            raise RuntimeError("the authentication layer leaves a principal with every exchange")
        key_id = principal.actor.key_id
        grant = self.limits.take(key_id or principal.actor.name, operation.bucket)
        if grant is not None:
            exchange.reply_headers += grant.headers()
        if operation.scope is not None and operation.scope not in principal.scopes:
            raise Forbidden(operation.scope, key_id)
        return principal

    async def _call(
        self, request: Request, exchange: Exchange, operation: Operation, principal: Principal
    ) -> Call:
        key, document = None, None
        if operation.writes:
            key = idempotency_key(exchange.header("idempotency-key"))
        if operation.body is not None:
            document = await read_document(request, exchange.header("content-type"))
        return Call(
            self.deployment.acting_as(principal.actor),
            operation,
            dict(request.path_params),
            query_text(request.scope["query_string"]),
            document,
            key,
        )


@functools.lru_cache(_REMEMBERED)
def query_text(query: bytes) -> QueryText:
    """A query string's parameters; remembered, since a desk asks the same again and again.

    Raises:
        MalformedRequest: as ``query_pairs``.
        ValidationFailed: a parameter comes twice.
    """
    return QueryText(query_pairs(query))


def query_pairs(query: bytes) -> list[tuple[str, str]]:
    """The query string's parameters in order.

    Raises:
        MalformedRequest: not UTF-8, or more than a hundred.
    """
    try:
        return parse_qsl(
            query.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=100
        )
    except ValueError:
        raise MalformedRequest("The query is not valid UTF-8.", {"position": 0}) from None


def _answered(exchange: Exchange, call: Call, handler: Handler) -> Response:
    operation, answer = call.operation, handler(call)
    if not isinstance(answer, Written):
        return json_reply(written(answer))
    headers, status = {}, 200
    if operation.creates is not None and answer.created:
        status = 201
        headers["Location"] = _location(operation.creates, call.path, answer.value)
    if answer.replayed:
        headers["Idempotent-Replayed"] = "true"
    exchange.reply_headers += [(b"vary", b"Accept")]
    return json_reply(written(answer.value), status, headers)


def _location(template: str, path: dict[str, str], record: Any) -> str:
    known = {name: quote(value, safe="") for name, value in path.items()}
    if "{id}" in template:
        known["id"] = quote(_identifier(record), safe="")
    return template.format_map(known)


def _identifier(record: Any) -> str:
    """A record's id, or that of the only record in an envelope (quotes)."""
    if hasattr(record, "data"):
        record = record.data[0]
    identifier: str = record.id
    return identifier
