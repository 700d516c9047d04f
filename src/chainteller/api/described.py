"""The parts of the description that no operation declares: headers, tags, and operators' paths."""

from collections.abc import Iterable, Mapping
from typing import Any

from chainteller.api.auth import OPEN_PATHS
from chainteller.api.documentation import OPENAPI
from chainteller.api.operating import METRICS
from chainteller.api.request_context import API_VERSION
from chainteller.service.operations import EVENT_STREAM, LAST_CURSOR, Endpoint

Document = dict[str, Any]
OPERATING = "Operating"
TAGS: Mapping[str, str] = {
    "Customers": "The bank's own customers and their bank accounts, as the bank imports them.",
    "Trading accounts": "Accounts beside a customer's bank account, their balances and limits.",
    "Funding": "Deposits from the bank account, and withdrawals to it or to a wallet.",
    "Markets": "Prices of the assets that can be traded.",
    "Quotes": "A price that holds until the quote expires, and its execution.",
    "Trades": "What became of an executed quote.",
    "Counterparties": "Customers' own wallets, and the accounts that they are linked to.",
    "Wallet ownership": "Texts that a wallet signs, and what the signatures prove.",
    "Decisions": "What waits for a person: withdrawals, controls, closed markets and statements.",
    "Notes": "Notes of the team about customers and their records.",
    "Agents": "People at desks, whose keys sign the requests of consoles.",
    "Webhooks": "Endpoints that are sent events, signed as Standard Webhooks says.",
    "Deployment": "What this deployment offers, its events and its audit trail.",
    OPERATING: "For operators: health, metrics and this description.",
}
"""What each tag holds."""

_WHOLE_NUMBER = {"type": "string", "pattern": "^[0-9]+$"}
HEADERS: Mapping[str, Document] = {
    "X-Request-Id": {
        "description": "The request's id, as in the service's log; the caller's own if it sent "
        "one of 1 to 64 letters, digits, '.', '_' or '-'.",
        "schema": {"type": "string"},
    },
    "API-Version": {
        "description": "The version of this interface.",
        "schema": {"type": "string", "enum": [API_VERSION]},
    },
    "RateLimit-Limit": {
        "description": "Requests that the key may send at once.",
        "schema": _WHOLE_NUMBER,
    },
    "RateLimit-Remaining": {
        "description": "Requests that the key may still send at once.",
        "schema": _WHOLE_NUMBER,
    },
    "RateLimit-Reset": {
        "description": "Seconds until all of them may be sent again.",
        "schema": _WHOLE_NUMBER,
    },
    "Location": {
        "description": "The path of the new record.",
        "schema": {"type": "string", "format": "uri-reference"},
    },
    "Link": {
        "description": 'The next page, with `rel="next"` and an address relative to the request\'s '
        "own (RFC 8288); absent from the last page.",
        "schema": {"type": "string"},
    },
    "Idempotent-Replayed": {
        "description": "Present if this reply was given before, under the same idempotency key.",
        "schema": {"type": "string", "enum": ["true"]},
    },
    "Retry-After": {
        "description": "Seconds after which the same request may succeed.",
        "schema": _WHOLE_NUMBER,
    },
    "WWW-Authenticate": {
        "description": "How to authenticate.",
        "schema": {"type": "string", "enum": ["Bearer"]},
    },
}
"""Headers of replies."""
EVERY_REPLY = ("X-Request-Id", "API-Version")
LIMITED = ("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")
"""Only while the deployment limits rates."""


def headers(*names: str) -> Document:
    """References to headers in ``components``."""
    return {name: {"$ref": f"#/components/headers/{name}"} for name in (*EVERY_REPLY, *names)}


def headers_in(paths: Mapping[str, Document]) -> Document:
    """The headers that the replies of some paths refer to."""
    calls = [call for item in paths.values() for call in item.values()]
    used = {
        name for call in calls for reply in call["responses"].values() for name in reply["headers"]
    }
    return {name: described for name, described in HEADERS.items() if name in used}


def tags(used: Iterable[str]) -> list[Document]:
    """The tags that the description uses, in order. Raises KeyError for one without a text."""
    return [{"name": name, "description": TAGS[name]} for name in dict.fromkeys(used)]


def operating_paths(refusals: Document, unkeyed: Document) -> dict[str, Document]:
    """The paths beside the operations.

    Args:
        refusals: of those that need a key, by status.
        unkeyed: of the others.
    """
    return {
        EVENT_STREAM.path: {"get": _stream(refusals)},
        OPENAPI.path: {"get": _keyed(OPENAPI, "application/json", {"type": "object"}, refusals)},
        METRICS.path: {"get": _keyed(METRICS, "text/plain", {"type": "string"}, refusals)},
        "/healthz": {
            "get": _open(
                "health",
                "/healthz",
                "Report that the process responds",
                {"200": _reply("The process responds.", _HEALTH), **unkeyed},
            )
        },
        "/readyz": {
            "get": _open(
                "readiness",
                "/readyz",
                "Report whether requests can be served",
                {
                    **unkeyed,
                    "200": _reply("Requests are served.", _READINESS),
                    "503": _reply("Requests can't be served; `checks` says why.", _READINESS),
                },
            )
        },
    }


_HEALTH = {
    "type": "object",
    "properties": {"status": {"type": "string", "enum": ["ok"]}},
    "required": ["status"],
}
_READINESS = {
    "type": "object",
    "properties": {
        "status": {"type": "string", "enum": ["ready", "unavailable"]},
        "checks": {"type": "object", "additionalProperties": True},
        "simulated": {"type": "array", "items": {"type": "string"}},
        "suggestion": {"type": "string"},
    },
    "required": ["status", "checks"],
}


def _reply(description: str, schema: Document, media_type: str = "application/json") -> Document:
    return {
        "description": description,
        "headers": headers(),
        "content": {media_type: {"schema": schema}},
    }


def _keyed(endpoint: Endpoint, media_type: str, schema: Document, refusals: Document) -> Document:
    return {
        "operationId": endpoint.operation_id,
        "summary": endpoint.summary,
        "description": f"Scope: {endpoint.scope}.",
        "tags": [OPERATING],
        "responses": {"200": _reply(endpoint.summary, schema, media_type), **refusals},
    }


def _open(operation_id: str, path: str, summary: str, responses: Document) -> Document:
    if path not in OPEN_PATHS:
        raise ValueError(f"{path} needs a key")
    return {
        "operationId": operation_id,
        "summary": summary,
        "description": "Needs no key.",
        "tags": [OPERATING],
        "security": [],
        "responses": responses,
    }


_MESSAGE = {
    "description": "A message of the stream: `id` and `event`, and in `data` an Event in JSON."
}
"""Up to OpenAPI 3.1, the schema of a stream is taken for that of each message, and by programs that
know no streams for that of the whole body: so it names no type."""


def _stream(refusals: Document) -> Document:
    cursor = {"type": "integer", "minimum": -1, "maximum": LAST_CURSOR}
    described = _keyed(EVENT_STREAM, "text/event-stream", _MESSAGE, refusals)
    return {
        **described,
        "description": f"Scope: `{EVENT_STREAM.scope}`. Each message has the event's number as "
        "its `id`, the event's type as its `event`, and an Event in JSON as its `data`. Without "
        "a cursor, the stream begins with the next event.",
        "tags": [EVENT_STREAM.tag],
        "parameters": [
            {
                "name": "after",
                "in": "query",
                "description": "Begin after the event with this number; -1 for the next event.",
                "schema": cursor,
            },
            {
                "name": "Last-Event-ID",
                "in": "header",
                "description": "The same, as browsers send it when they connect again.",
                "schema": cursor,
            },
        ],
    }
