"""Replies: JSON written once, and the one shape of every refusal (specification 7)."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from chainteller.service.errors import (
    IdempotencyInProgress,
    MarketUnavailable,
    MethodNotAllowed,
    RateLimited,
    ServiceError,
    ServiceUnavailable,
    Unauthorized,
)

if TYPE_CHECKING:
    from chainteller.api.exchange import Exchange

JSON = "application/json"
PROBLEM = "application/problem+json"
_RETRY_AFTER_S: Mapping[type[ServiceError], int] = {
    IdempotencyInProgress: 1,
    MarketUnavailable: 60,
    ServiceUnavailable: 5,
    RateLimited: 1,
}


def json_reply(text: str | bytes, status: int = 200, headers: Mapping[str, str] = {}) -> Response:
    return Response(text, status, dict(headers), media_type=JSON)


def error_reply(exchange: "Exchange", error: ServiceError) -> Response:
    """The error body of the specification, or RFC 9457 where the caller asked for it."""
    exchange.error = error.code
    status = error.status
    headers = dict(_headers(error))
    if exchange.wants_problem:
        return Response(_problem(error, status), status, headers, media_type=PROBLEM)
    return Response(_dumped(error.to_wire()), status, headers, media_type=JSON)


def _headers(error: ServiceError) -> Mapping[str, str]:
    if isinstance(error, Unauthorized):
        return {"WWW-Authenticate": "Bearer"}
    if isinstance(error, MethodNotAllowed):
        return {"Allow": ", ".join(error.details["allowed"])}
    wait_s = next((s for kind, s in _RETRY_AFTER_S.items() if isinstance(error, kind)), None)
    if wait_s is None:
        return {}
    wait = str(error.details.get("retryAfterSeconds", wait_s))
    if not isinstance(error, RateLimited):
        return {"Retry-After": wait}
    return {
        "Retry-After": wait,
        "RateLimit-Limit": str(error.details["limit"]),
        "RateLimit-Remaining": "0",
        "RateLimit-Reset": wait,
    }


def _problem(error: ServiceError, status: int) -> bytes:
    return _dumped(
        {
            "type": f"urn:chainteller:error:{error.code}",
            "title": error.code.replace("_", " ").capitalize(),
            "status": status,
            "detail": error.message,
            "error": error.code,
            "message": error.message,
            "details": error.details,
        }
    )


def _dumped(document: Mapping[str, Any]) -> bytes:
    """Lone surrogates, which JSON text may smuggle in, leave as escapes."""
    return json.dumps(document, separators=(",", ":")).encode("ascii")
