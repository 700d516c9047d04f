"""The OpenAPI description, generated from the declared operations and the models.

Names follow one rule, so that test tools can link operations: a path parameter is the resource's
name in camelCase with ``Id``, a schema is the resource's name, and every reply with a new id lists
the operations that accept it (``links``).
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from pydantic import BaseModel, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode

from chainteller.api.request_context import API_VERSION
from chainteller.api.responses import JSON, PROBLEM
from chainteller.api.schemas import OVERLAYS, overlaid
from chainteller.service import errors
from chainteller.service.errors import ServiceError
from chainteller.service.models.base import WireModel
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
_KEYED = (errors.IdempotencyInProgress, errors.IdempotencyKeyReused)
_BODIES = (errors.UnsupportedMediaType, errors.PayloadTooLarge)

Document = dict[str, Any]
Routed = Sequence[tuple[Endpoint, Operation[Any]]]


class ErrorBody(WireModel):
    """The body of every error (specification 7)."""

    error: str
    message: str
    details: Mapping[str, Any]


@cache
def describe(title: str, version: str, operations: tuple[Operation[Any], ...]) -> Document:
    """The complete description as a JSON document, cached per process."""
    routed = [(endpoint, each) for each in operations for endpoint in each.endpoints]
    paths: Document = {}
    for endpoint, operation in routed:
        item = paths.setdefault(endpoint.path, {})
        item[endpoint.method.lower()] = _operation(endpoint, operation, routed)
    return {
        "openapi": "3.1.0",
        "info": {"title": title, "version": version, "x-api-version": API_VERSION},
        "security": [{"apiKey": []}],
        "paths": paths,
        "components": {
            "schemas": _schemas(operations),
            "responses": {"Error": _error_reply("A refusal; `error` is its code.")},
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
        "schema": {"type": "string", **OVERLAYS[request.__name__, field]},
    }


def _responses(endpoint: Endpoint, operation: Operation[Any], routed: Routed) -> Document:
    success: Document = {
        "description": endpoint.summary,
        "content": {JSON: {"schema": _answer_schema(operation.wire_response)}},
    }
    responses: Document = {}
    links = _links(operation, routed)
    if links:
        success["links"] = links
    if isinstance(operation, Write) and operation.creates is not None:
        location = {"Location": {"schema": {"type": "string"}, "description": "The new record."}}
        responses["201"] = {**success, "headers": location}
        success = {**success, "description": "It was there already."}
    responses["200"] = success
    for status, codes in _refusals(operation).items():
        responses[status] = _error_reply(", ".join(codes))
    return responses


def _refusals(operation: Operation[Any]) -> dict[str, list[str]]:
    kinds = [*_ALWAYS, *operation.errors]
    if operation.takes_key:
        kinds += _KEYED
    if operation.request is not None:
        kinds += _BODIES
    found: dict[str, list[str]] = {}
    for kind in sorted(kinds, key=lambda kind: (kind.status, kind.code)):
        found.setdefault(str(kind.status), []).append(kind.code)
    return found


def _error_reply(description: str) -> Document:
    schema = {"schema": {"$ref": "#/components/schemas/ErrorBody"}}
    return {"description": description, "content": {JSON: schema, PROBLEM: schema}}


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


def _schemas(operations: Sequence[Operation[Any]]) -> Document:
    """The schemas of the models, named after the resources."""
    inputs: list[tuple[Any, JsonSchemaMode, Any]] = []
    for operation in operations:
        if operation.request is not None:
            inputs.append((operation.request, "validation", TypeAdapter(operation.request)))
        answer = operation.wire_response
        inputs.append((answer, "serialization", TypeAdapter(answer)))
    inputs.append((ErrorBody, "serialization", TypeAdapter(ErrorBody)))
    generator = GenerateJsonSchema(ref_template="#/components/schemas/{model}")
    _, definitions = generator.generate_definitions(
        [(key, mode, adapter.core_schema) for key, mode, adapter in inputs]
    )
    return overlaid(_renamed({str(name): schema for name, schema in definitions.items()}))


def _answer_schema(answers: Any) -> Document:
    if isinstance(answers, type) and issubclass(answers, BaseModel):
        return _reference(answers)
    return {"anyOf": [_reference(kind) for kind in answers.__args__]}


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


def _renamed(definitions: Mapping[str, Any]) -> Document:
    return {_plain(name): _with_references(schema) for name, schema in definitions.items()}


def _with_references(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {
            name: _renamed_reference(value) if name == "$ref" else _with_references(value)
            for name, value in schema.items()
        }
    if isinstance(schema, list):
        return [_with_references(item) for item in schema]
    return schema


def _renamed_reference(reference: str) -> str:
    prefix, _, name = reference.rpartition("/")
    return f"{prefix}/{_plain(name)}"
