"""Replies, and the body of every error (specification 7)."""

import json
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from chainteller.api.request_context import JSON, PROBLEM, RequestContext
from chainteller.service.errors import (
    IdempotencyInProgress,
    MarketUnavailable,
    MethodNotAllowed,
    RateLimited,
    ServiceError,
    ServiceUnavailable,
    Unauthorized,
)

_RETRY_AFTER_S: Mapping[type[ServiceError], int] = {
    IdempotencyInProgress: 1,
    MarketUnavailable: 60,
    ServiceUnavailable: 5,
    RateLimited: 1,
}
_METHODS = ("DELETE", "GET", "HEAD", "POST")


def json_reply(text: str | bytes, status: int = 200, headers: Mapping[str, str] = {}) -> Response:
    return Response(text, status, dict(headers), media_type=JSON)


def error_reply(context: RequestContext, error: ServiceError) -> Response:
    """The error body of the specification, or problem details if the caller wants them."""
    context.error = error.code
    status = error.status
    headers = {**_headers(error), "Vary": "Accept"}
    if context.wants_problem:
        return Response(_problem(error, status), status, headers, media_type=PROBLEM)
    return Response(_dumped(error.to_wire()), status, headers, media_type=JSON)


def headers_of(kind: type[ServiceError]) -> tuple[str, ...]:
    """The names of the headers that replies with this error carry, besides those of every reply."""
    if issubclass(kind, Unauthorized):
        return ("WWW-Authenticate",)
    if issubclass(kind, RateLimited):
        return ("Retry-After", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")
    return ("Retry-After",) if issubclass(kind, tuple(_RETRY_AFTER_S)) else ()


def _headers(error: ServiceError) -> Mapping[str, str]:
    """The headers of an error. A gateway passes on those of its provider, whose details may say
    anything or nothing."""
    if isinstance(error, Unauthorized):
        return {"WWW-Authenticate": "Bearer"}
    if isinstance(error, MethodNotAllowed):
        allowed = error.details.get("allowed")
        methods = allowed if isinstance(allowed, list) else []
        return {"Allow": ", ".join(each for each in methods if each in _METHODS)}
    wait_s = error.retry_after_s
    if wait_s is None:
        wait_s = next((s for kind, s in _RETRY_AFTER_S.items() if isinstance(error, kind)), None)
        told = error.details.get("retryAfterSeconds")
        wait_s = told if wait_s is not None and isinstance(told, int) else wait_s
    if wait_s is None:
        return {}
    wait, limit = str(wait_s), error.details.get("limit")
    if not isinstance(error, RateLimited) or not isinstance(limit, int):
        return {"Retry-After": wait}
    return {
        "Retry-After": wait,
        "RateLimit-Limit": str(limit),
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
    """Encode JSON; lone surrogates become escapes."""
    return json.dumps(document, separators=(",", ":")).encode("ascii")
