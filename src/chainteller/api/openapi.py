"""The OpenAPI description, made from the declared operations and the models themselves.

Names follow one rule, so that a tester can link operations without help: a path parameter is
the resource's name in camelCase with ``Id``, a schema is the resource's name, and every reply
that carries a new id says which operations take it (``links``).
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode

from chainteller.api.exchange import API_VERSION
from chainteller.api.listing import described
from chainteller.api.operations import Operation, Routes
from chainteller.api.responses import JSON, PROBLEM
from chainteller.api.schemas import overlaid
from chainteller.service import errors
from chainteller.service.errors import ServiceError
from chainteller.service.models.base import WireModel

_PARAMETER = re.compile(r"\{(\w+)\}")
_ID_TEXT = {"type": "string", "minLength": 1, "maxLength": 64}

_ALWAYS: tuple[type[ServiceError], ...] = (
    errors.ValidationFailed,
    errors.MalformedRequest,
    errors.Unauthorized,
    errors.Forbidden,
    errors.RateLimited,
    errors.InternalError,
    errors.ServiceUnavailable,
)
_WRITES = (errors.IdempotencyInProgress, errors.IdempotencyKeyReused)
_BODIES = (errors.UnsupportedMediaType, errors.PayloadTooLarge)

Document = dict[str, Any]


class ErrorBody(WireModel):
    """Every refusal (specification 7)."""

    error: str
    message: str
    details: Mapping[str, Any]


@cache
def describe(title: str, version: str, all_routes: tuple[Routes, ...]) -> Document:
    """The whole description as a JSON document; every application of a process shares it."""
    declared = [
        (routes.tag, operation) for routes in all_routes for operation, _ in routes.declared
    ]
    operations = [operation for _, operation in declared]
    paths: Document = {}
    for tag, operation in declared:
        item = paths.setdefault(operation.path, {})
        item[operation.method.lower()] = _operation(tag, operation, operations)
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


def _operation(tag: str, operation: Operation, everything: list[Operation]) -> Document:
    described_operation: Document = {
        "operationId": operation.name,
        "summary": operation.summary,
        "description": f"Scope: `{operation.scope}`." if operation.scope else "Scope: any key.",
        "tags": [tag],
        "parameters": _parameters(operation),
        "responses": _responses(operation, everything),
    }
    if operation.body is not None:
        described_operation["requestBody"] = {
            "required": True,
            "content": {JSON: {"schema": _reference(operation.body)}},
        }
    return described_operation


def _parameters(operation: Operation) -> list[Document]:
    parameters: list[Document] = [
        {"name": name, "in": "path", "required": True, "schema": _ID_TEXT}
        for name in _PARAMETER.findall(operation.path)
    ]
    listed = described(operation.filters, operation.sorts) if operation.filters is not None else ()
    parameters += [{"in": "query", **query} for query in (*operation.query, *listed)]
    if operation.writes:
        parameters.append(
            {
                "name": "Idempotency-Key",
                "in": "header",
                "description": "The same key with the same request gives the first reply again.",
                "schema": {"type": "string", "pattern": "^[!-~]{1,255}$", "maxLength": 255},
            }
        )
    return parameters


def _responses(operation: Operation, everything: list[Operation]) -> Document:
    success = {
        "description": operation.summary,
        "content": {JSON: {"schema": _answer_schema(operation.answers)}},
    }
    responses: Document = {}
    links = _links(operation, everything)
    if links:
        success["links"] = links
    if operation.creates is not None:
        location = {"Location": {"schema": {"type": "string"}, "description": "The new record."}}
        responses["201"] = {**success, "headers": location}
        success = {**success, "description": "It was there already."}
    responses["200"] = success
    for status, codes in _refusals(operation).items():
        responses[status] = _error_reply(", ".join(codes))
    return responses


def _refusals(operation: Operation) -> dict[str, list[str]]:
    kinds = [*_ALWAYS, *operation.errors]
    if operation.writes:
        kinds += _WRITES
    if operation.body is not None:
        kinds += _BODIES
    found: dict[str, list[str]] = {}
    for kind in sorted(kinds, key=lambda kind: (kind.status, kind.code)):
        found.setdefault(str(kind.status), []).append(kind.code)
    return found


def _error_reply(description: str) -> Document:
    schema = {"schema": {"$ref": "#/components/schemas/ErrorBody"}}
    return {"description": description, "content": {JSON: schema, PROBLEM: schema}}


def _links(operation: Operation, everything: list[Operation]) -> Document:
    """Every operation whose path takes what this one made, with the other ids from the request."""
    if operation.made is None:
        return {}
    known = {name: f"$request.path.{name}" for name in _PARAMETER.findall(operation.path)}
    if operation.name == "executeQuote":
        known["tradingAccountId"] = "$request.body#/tradingAccountId"
    known[operation.made] = f"$response.body#{operation.made_at}"
    links: Document = {}
    for target in everything:
        needed = _PARAMETER.findall(target.path)
        if operation.made in needed and set(needed) <= set(known):
            links[target.name] = {
                "operationId": target.name,
                "parameters": {name: known[name] for name in needed},
            }
    return links


def _schemas(operations: list[Operation]) -> Document:
    """The models as schemas, under the names of the resources."""
    inputs: list[tuple[Any, JsonSchemaMode, Any]] = []
    for operation in operations:
        if operation.body is not None:
            inputs.append((operation.body, "validation", TypeAdapter(operation.body)))
        inputs.append((operation.answers, "serialization", TypeAdapter(operation.answers)))
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
    """``Page[Trade]`` and ``Page_Trade_`` are ``TradeList``; no mode suffix anywhere."""
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
