"""The OpenAPI description, generated from the declared operations and the models.

Names follow one rule, so that test tools can link operations: a path parameter is the resource's
name in camelCase with ``Id``, a schema is the resource's name, and every reply with a new id lists
the operations that accept it (``links``).

In replies every field is required, some of them as null, except those that are written only where
they say something. In requests, those with a default may be left out.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Annotated, Any

from pydantic import BaseModel, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue

from chainteller.api.described import (
    LIMITED,
    headers,
    headers_in,
    operating_paths,
    tags,
)
from chainteller.api.request_context import API_VERSION, JSON, PROBLEM
from chainteller.api.responses import headers_of
from chainteller.api.schemas import UNIONS, overlaid
from chainteller.service import errors
from chainteller.service.error_codes import ERRORS
from chainteller.service.errors import ServiceError
from chainteller.service.models.base import OneOf, WireModel
from chainteller.service.models.pages import Page
from chainteller.service.models.records import Event, EventPage
from chainteller.service.operations import ANY_KEY, LIMIT, PAGE, Endpoint, Operation, Write

_ID_TEXT = {"type": "string", "minLength": 1, "maxLength": 64}

_ALWAYS: tuple[type[ServiceError], ...] = (
    errors.ValidationFailed,
    errors.MalformedRequest,
    errors.Unauthorized,
    errors.Forbidden,
    errors.RateLimited,
    errors.InternalError,
    errors.ServiceUnavailable,
    errors.ClockUncertain,
)
_KEYED = (errors.IdempotencyInProgress, errors.IdempotencyKeyReused, errors.ProviderUnanswered)
_BODIES = (errors.UnsupportedMediaType, errors.PayloadTooLarge)

_ABOUT = (
    "Trading accounts, quotes, trades and withdrawals of a bank's customers, and proof that they "
    "own their wallets. Amounts and prices are decimal numbers as text, times are ISO 8601 in UTC. "
    "A write with an `Idempotency-Key` happens once, however often it is sent."
)
_SERVER = {
    "url": "{scheme}://{host}",
    "description": "Where this deployment is served.",
    "variables": {
        "scheme": {"default": "https", "enum": ["https", "http"]},
        "host": {"default": "127.0.0.1:8470"},
    },
}
Document = dict[str, Any]
Models = list[tuple[Any, JsonSchemaMode]]
Routed = Sequence[tuple[Endpoint, Operation[Any]]]


ErrorCode = Annotated[str, OneOf("ErrorCode", sorted(ERRORS))]


class ErrorBody(WireModel):
    """The body of every error (specification 7)."""

    error: ErrorCode
    message: str
    details: Mapping[str, Any]


class Problem(WireModel):
    """The body of an error for callers that accept application/problem+json (RFC 9457).

    ``type`` is ``urn:chainteller:error:`` with the code, in every deployment.
    """

    type: str
    title: str
    status: int
    detail: str
    error: ErrorCode
    message: str
    details: Mapping[str, Any]


class _Schemas(GenerateJsonSchema):
    """Without titles that repeat names, and without null as a default: it means left out."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - as inherited
        return False

    def default_schema(self, schema: Any) -> JsonSchemaValue:
        described = super().default_schema(schema)
        if self.mode == "serialization":
            described.pop("default", None)
        return {
            name: value
            for name, value in described.items()
            if name != "default" or value is not None
        }

    def field_is_required(self, field: Any, total: bool) -> bool:  # noqa: FBT001 - as inherited
        if self.mode == "serialization":
            return field.get("serialization_exclude_if") is None
        return super().field_is_required(field, total)


@cache
def describe(title: str, version: str, operations: tuple[Operation[Any], ...]) -> Document:
    """The complete description as a JSON document, cached per process."""
    routed = [(endpoint, each) for each in operations for endpoint in each.endpoints]
    paths: Document = {}
    for endpoint, operation in routed:
        item = paths.setdefault(endpoint.path, {})
        item[endpoint.method.lower()] = _operation(endpoint, operation, routed)
    paths |= operating_paths(_refused(_ALWAYS), _refused((errors.ValidationFailed,)))
    used = (each["tags"][0] for item in paths.values() for each in item.values())
    return {
        "openapi": "3.1.0",
        "info": {
            "title": title,
            "version": version,
            "description": _ABOUT,
            "contact": {"name": "The operator of this deployment"},
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
            "x-api-version": API_VERSION,
        },
        "servers": [_SERVER],
        "security": [{"apiKey": []}],
        "tags": tags(used),
        "paths": paths,
        "components": {
            "schemas": _schemas(_models(operations)),
            "headers": headers_in(paths),
            "securitySchemes": {"apiKey": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(endpoint: Endpoint, operation: Operation[Any], routed: Routed) -> Document:
    scope = f"`{endpoint.scope}`" if endpoint.scope != ANY_KEY else ANY_KEY
    described: Document = {
        "operationId": endpoint.operation_id,
        "summary": endpoint.summary,
        "description": f"Scope: {scope}.",
        "tags": [endpoint.tag],
        "parameters": _parameters(endpoint, operation),
        "responses": _responses(endpoint, operation, routed),
    }
    if operation.request is not None:
        described["requestBody"] = {
            "required": True,
            "content": {JSON: {"schema": _reference(operation.request)}},
        }
    return described


def _parameters(endpoint: Endpoint, operation: Operation[Any]) -> list[Document]:
    parameters: list[Document] = [
        {"name": name, "in": "path", "required": True, "schema": _ID_TEXT}
        for name in endpoint.path_names
    ]
    paging = (PAGE, LIMIT) if operation.is_whole else ()
    parameters += [{"in": "query", **each.described()} for each in (*operation.parameters, *paging)]
    if isinstance(operation, Write) and operation.request is not None:
        parameters += [_echo(operation.request, field) for field in operation.echoes]
    if endpoint.takes_key:
        parameters.append(
            {
                "name": "Idempotency-Key",
                "in": "header",
                "description": "The same key with the same request gives the first reply again.",
                "schema": {"type": "string", "pattern": "^[!-~]{1,255}$", "maxLength": 255},
            }
        )
    return parameters


def _echo(request: type[BaseModel], field: str) -> Document:
    return {
        "in": "query",
        "name": field,
        "description": "Where it is given, it says the same as the body.",
        "schema": _schemas([(request, "validation")])[request.__name__]["properties"][field],
    }


def _responses(endpoint: Endpoint, operation: Operation[Any], routed: Routed) -> Document:
    replayed = ("Idempotent-Replayed",) if operation.takes_key else ()
    success: Document = {
        "description": endpoint.summary,
        "headers": headers(*LIMITED, *replayed, *(("Link",) if _is_list(operation) else ())),
        "content": {JSON: {"schema": _answer_schema(operation.wire_response)}},
    }
    responses: Document = {}
    links = _links(operation, routed)
    if links:
        success["links"] = links
    if isinstance(operation, Write) and operation.creates is not None:
        responses["201"] = {**success, "headers": headers(*LIMITED, *replayed, "Location")}
        success = {**success, "description": "It was there already."}
    responses["200"] = success
    return {**responses, **_refused(_kinds(operation))}


def _is_list(operation: Operation[Any]) -> bool:
    answer = operation.response
    return isinstance(answer, type) and issubclass(answer, Page | EventPage)


def _kinds(operation: Operation[Any]) -> list[type[ServiceError]]:
    kinds = [*_ALWAYS, *operation.errors]
    if operation.takes_key:
        kinds += _KEYED
    if operation.request is not None:
        kinds += _BODIES
    return kinds


def _refused(kinds: Sequence[type[ServiceError]]) -> Document:
    """The replies of refusals, by status."""
    found: dict[int, list[type[ServiceError]]] = {}
    for kind in sorted(kinds, key=lambda kind: (kind.status, kind.code)):
        found.setdefault(kind.status, []).append(kind)
    return {str(status): _error_reply(those) for status, those in found.items()}


def _error_reply(kinds: Sequence[type[ServiceError]]) -> Document:
    named = [name for kind in kinds for name in headers_of(kind)]
    return {
        "description": ", ".join(kind.code for kind in kinds),
        "headers": headers(*dict.fromkeys(named)),
        "content": {
            JSON: {"schema": _reference(ErrorBody)},
            PROBLEM: {"schema": _reference(Problem)},
        },
    }


def _links(operation: Operation[Any], routed: Routed) -> Document:
    """Links to all operations whose path takes the id from this reply."""
    if not isinstance(operation, Write) or operation.new_name is None:
        return {}
    known = {name: f"$request.path.{name}" for name in operation.path_names}
    known |= {name: f"$request.body#/{name}" for name in operation.body_names}
    made_at = "/data/0/id" if operation.is_enveloped else "/id"
    known[operation.new_name] = f"$response.body#{made_at}"
    return {
        target.operation_id: {
            "operationId": target.operation_id,
            "parameters": {name: known[name] for name in target.path_names},
        }
        for target, _ in routed
        if operation.new_name in target.path_names and set(target.path_names) <= set(known)
    }


def _models(operations: Sequence[Operation[Any]]) -> Models:
    """What requests and replies are made of."""
    models: Models = [
        (Event, "serialization"),
        (ErrorBody, "serialization"),
        (Problem, "serialization"),
    ]
    for operation in operations:
        if operation.request is not None:
            models.append((operation.request, "validation"))
        models.append((operation.wire_response, "serialization"))
    return models


def _schemas(models: Models) -> Document:
    """The schemas of the models, named after the resources."""
    _, definitions = _Schemas(ref_template="#/components/schemas/{model}").generate_definitions(
        [(model, mode, TypeAdapter(model).core_schema) for model, mode in models]
    )
    named = {_plain(str(name)): _with_references(each) for name, each in definitions.items()}
    return overlaid({name: {**schema, "title": name} for name, schema in named.items()})


def _answer_schema(answers: Any) -> Document:
    if isinstance(answers, type) and issubclass(answers, BaseModel):
        return _reference(answers)
    return _union([_reference(kind) for kind in answers.__args__])


def _union(choices: list[Any]) -> Document:
    """One of several records: by its name where it has one."""
    named = frozenset(str(each.get("$ref", "")).rpartition("/")[2] for each in choices)
    for name, (members, _) in UNIONS.items():
        if named == frozenset(members):
            return {"$ref": f"#/components/schemas/{name}"}
    return {"anyOf": choices}


def _reference(model: type[BaseModel]) -> Document:
    return {"$ref": f"#/components/schemas/{_plain(model.__name__)}"}


def _plain(name: str) -> str:
    """The schema name of a model: ``Page[Trade]`` is ``TradeList``; no mode suffixes."""
    name = re.sub(r"-(Input|Output)$", "", name)
    paged = re.fullmatch(r"Page[\[_](.+?)[\]_]", name)
    if paged is None:
        return name
    item = "Transaction" if "Union" in paged[1] or "|" in paged[1] else paged[1]
    return f"{item}List"


def _with_references(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_with_references(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    found: Document = {
        name: _renamed_reference(value) if name == "$ref" else _with_references(value)
        for name, value in schema.items()
    }
    choices = found.pop("anyOf", None)
    return found if choices is None else {**found, **_union(choices)}


def _renamed_reference(reference: str) -> str:
    prefix, _, name = reference.rpartition("/")
    return f"{prefix}/{_plain(name)}"
