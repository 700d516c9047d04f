"""Replies: JSON written once, and the one shape of every refusal (specification 7)."""

import json
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from chainteller.api.exchange import Exchange
from chainteller.service.errors import (
    IdempotencyInProgress,
    MarketUnavailable,
    MethodNotAllowed,
    RateLimited,
    ServiceError,
    ServiceUnavailable,
    Unauthorized,
)
from chainteller.service.models.accounts import TokenBalance
from chainteller.service.models.base import WireModel
from chainteller.service.models.markets import Market
from chainteller.service.models.pages import Page
from chainteller.service.models.trades import Trade

JSON = "application/json"
PROBLEM = "application/problem+json"
_RETRY_AFTER_S: Mapping[type[ServiceError], int] = {
    IdempotencyInProgress: 1,
    MarketUnavailable: 60,
    ServiceUnavailable: 5,
    RateLimited: 1,
}


_KEPT_KINDS = (Trade, TokenBalance, Market)
"""Records that the engine hands out again as long as nothing about them changes."""
_MOST_KEPT = 4_096
_kept: dict[int, tuple[WireModel, str]] = {}


def written(answer: WireModel) -> str:
    """A record or a list as JSON; what was written before is not written again."""
    if not isinstance(answer, Page):
        return answer.to_json()
    items = ",".join([_written_item(item) for item in answer.data])
    return f'{{"data":[{items}],"pagination":{answer.pagination.to_json()}}}'


def _written_item(item: WireModel) -> str:
    """A record is frozen, so the same object is the same text. It is found by its identity, which
    stays its own while it is kept here."""
    found = _kept.get(id(item))
    if found is not None and found[0] is item:
        return found[1]
    text = item.to_json()
    if type(item) in _KEPT_KINDS:
        if len(_kept) >= _MOST_KEPT:
            _kept.clear()
        _kept[id(item)] = (item, text)
    return text


def json_reply(text: str | bytes, status: int = 200, headers: Mapping[str, str] = {}) -> Response:
    return Response(text, status, dict(headers), media_type=JSON)


def error_reply(exchange: Exchange, error: ServiceError) -> Response:
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
