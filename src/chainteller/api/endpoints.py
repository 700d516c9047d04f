"""The generic endpoint: rate limit, scope, body, call, status and headers of every operation."""

import functools
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, quote

from starlette.requests import Request
from starlette.responses import Response

from chainteller.api.limits import Bucket, RateLimits
from chainteller.api.queries import cut, next_page, read_query
from chainteller.api.reading import QueryText, idempotency_key, read_document
from chainteller.api.request_context import RequestContext
from chainteller.api.responses import json_reply
from chainteller.api.threads import Threads, run
from chainteller.domain.signed_requests import (
    CASE_HEADER,
    DIGEST_HEADER,
    KEY_HEADER,
    SIGNATURE_HEADER,
)
from chainteller.service.deployment import Deployment, Principal
from chainteller.service.errors import (
    Forbidden,
    MalformedRequest,
    ServiceError,
    Unauthorized,
    ValidationFailed,
)
from chainteller.service.interface import Service
from chainteller.service.models.base import RequestModel, Written, read_request
from chainteller.service.models.records import Capabilities
from chainteller.service.operations import (
    ACCOUNT_ID,
    ANY_KEY,
    EVENT_STREAM,
    Call,
    Endpoint,
    Operation,
    Write,
    features_of,
)

Handler = Callable[[Request, RequestContext], Coroutine[Any, Any, Response]]
"""Raises TellerError, which becomes an error body."""
_REMEMBERED = 128


@dataclass(frozen=True, slots=True)
class Asked:
    """A request for an operation, with body and query not validated yet."""

    operation: Operation[Any]
    path: dict[str, str]
    query: QueryText
    document: object = None
    key: str | None = None
    case_id: str = ""

    def call(self) -> Call[Any]:
        """Validate the request. Raises ValidationFailed."""
        operation, request = self.operation, None
        if operation.request is not None:
            request = read_request(operation.request, self.document)
            if isinstance(operation, Write):
                _check_echoes(operation, request, self.query)
        return Call(
            operation,
            tuple(self.path[name] for name in operation.path_names),
            request,
            read_query(operation, self.query),
            self.key,
            self.case_id,
        )


@dataclass(frozen=True, slots=True)
class Gateway:
    """Handles requests for operations by calling the deployment."""

    deployment: Deployment
    limits: RateLimits
    threads: Threads

    def handler(self, endpoint: Endpoint, operation: Operation[Any]) -> Handler:
        """Make the handler of one endpoint of an operation."""

        async def answer(request: Request, context: RequestContext) -> Response:
            context.operation = endpoint.operation_id
            principal = self.permit(context, endpoint)
            asked = await _asked(request, context, operation)
            if not operation.writes:
                if principal.actor.agent_id and ACCOUNT_ID in asked.path:
                    account_id, case_id = asked.path[ACCOUNT_ID], asked.case_id
                    self.deployment.note_look(principal.actor, account_id, case_id)
                if not asked.query.reaches_far:
                    # Switching to a thread costs more than a short read.
                    answered = functools.partial(_answered, asked)
                    reply = await self.deployment.at_once(principal.actor, operation, answered)
                    if reply is not None:
                        return reply
            service = self.deployment.acting_as(principal.actor)
            work = functools.partial(_answered, asked, service)
            return await run(self.threads, work, principal.actor.organisation)

        return answer

    def permit(self, context: RequestContext, endpoint: Endpoint) -> Principal:
        """Take a token from the key's rate limit, then check its scopes; a missing scope and a
        missing signature are put into the trail.

        Raises:
            RateLimited: the bucket is empty.
            Unauthorized: an agent has to sign.
            Forbidden: the scope is missing.
        """
        principal = context.principal
        if principal is None:
            raise RuntimeError("the authentication layer sets the principal of every request")
        actor, key_id = principal.actor, principal.actor.key_id
        bucket = Bucket(endpoint.rate_bucket)
        holder = actor.agent_id or key_id or actor.name
        grant = self.limits.take(actor.organisation, holder, bucket)
        if grant is not None:
            context.reply_headers += grant.headers()
        if endpoint.scope != ANY_KEY and endpoint.scope not in principal.scopes:
            refusal: ServiceError = Forbidden(endpoint.scope, key_id)
            if principal.is_unsigned:
                refusal = Unauthorized("AGENT_REQUIRED")
            self.deployment.note_refusal(context.client, refusal, actor)
            raise refusal
        return principal


async def _asked(request: Request, context: RequestContext, operation: Operation[Any]) -> Asked:
    """What a request asks for. What an agent signed has a signature; whoever signed in, a token."""
    has_agent = context.principal is not None and bool(context.principal.actor.agent_id)
    key, document, is_signed = None, None, has_agent and SIGNATURE_HEADER in context.headers
    if operation.takes_key:
        key = idempotency_key(context.header(KEY_HEADER))
        if key is None and is_signed and operation.writes:
            raise ValidationFailed.of("Idempotency-Key", "What an agent signs has one.", "MISSING")
    if operation.request is not None:
        digest = context.headers.get(DIGEST_HEADER, "") if is_signed else None
        document = await read_document(request, context.header("content-type"), digest)
    query = query_text(request.scope["query_string"])
    case_id = context.header(CASE_HEADER) or ""
    return Asked(operation, dict(request.path_params), query, document, key, case_id)


@functools.lru_cache(_REMEMBERED)
def query_text(query: bytes) -> QueryText:
    """Parse a query string; cached, because consoles repeat the same ones.

    Raises:
        MalformedRequest: as ``query_pairs``.
        ValidationFailed: a parameter is repeated.
    """
    return QueryText(query_pairs(query))


def query_pairs(query: bytes) -> list[tuple[str, str]]:
    """Parse a query string into its parameters, in order.

    Raises:
        MalformedRequest: it isn't UTF-8, or has more than a hundred parameters.
    """
    try:
        return parse_qsl(
            query.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=100
        )
    except ValueError:
        raise MalformedRequest("The query is not valid UTF-8.", {"position": 0}) from None


def _check_echoes(operation: Write[Any], request: RequestModel, query: QueryText) -> None:
    """Raises ValidationFailed if the query and the body disagree."""
    for field in operation.echoes:
        said = query.get(field)
        if said is not None and said.lower() != str(getattr(request, field)).lower():
            raise ValidationFailed.of(field, f"The query and the body name different {field}s.")


def _answered(asked: Asked, service: Service) -> Response:
    call, operation = asked.call(), asked.operation
    answer = service.call(call)
    if isinstance(operation, Write):
        return _written(operation, asked, call, answer)
    if operation.is_whole:
        answer = cut(answer, asked.query)
    elif isinstance(answer, Capabilities):
        over_http = features_of(EVENT_STREAM)
        answer = answer.model_copy(update={"features": (*answer.features, *over_http)})
    following = next_page(operation, answer, call.query, asked.query)
    return json_reply(answer.to_json(), headers={"Link": following} if following else {})


def _written(
    operation: Write[Any], asked: Asked, call: Call[Any], outcome: Written[Any]
) -> Response:
    headers, status = {}, 200
    if operation.creates is not None and outcome.created:
        status = 201
        headers["Location"] = _location(operation, operation.creates, asked, call, outcome.value.id)
    if outcome.replayed:
        headers["Idempotent-Replayed"] = "true"
    value = outcome.value
    if operation.is_enveloped:
        value = operation.wire_response.whole((value,))
    return json_reply(value.to_json(), status, headers)


def _location(
    operation: Write[Any], template: str, asked: Asked, call: Call[Any], identifier: str
) -> str:
    known = dict(asked.path)
    if operation.new_name is not None:
        known[operation.new_name] = identifier
    if operation.body_names and call.request is not None:
        sent = call.request.model_dump(by_alias=True)
        known |= {name: sent[name] for name in operation.body_names}
    return template.format_map({name: quote(value, safe="") for name, value in known.items()})
