"""Paging, filters and order of lists, as ``page``, ``limit``, ``filter[...]`` and ``sort``."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypeVar

from chainteller.api.reading import QueryText
from chainteller.domain.clock import format_instant, parse_instant
from chainteller.service.errors import ValidationFailed
from chainteller.service.models.pages import (
    DEFAULT_LIMIT,
    MAXIMUM_LIMIT,
    MAXIMUM_PAGE,
    ListQuery,
    Page,
)

FILTERS: Mapping[str, tuple[str, ...]] = {
    "text": ("filter[query]", "query"),
    "object": ("filter[object]",),
    "bank_account_id": ("filter[bankAccountId]",),
    "trading_account_id": ("filter[tradingAccountId]",),
    "status": ("filter[status]",),
    "side": ("filter[side]",),
    "market": ("filter[market]",),
    "type": ("filter[type]",),
    "created": ("filter[created][gte]", "filter[created][lt]"),
}
"""Each filter of ``ListQuery`` with its names on the wire; ``object`` fills ``text``."""

TRANSACTION_TYPES = (
    "trade-execution-transaction",
    "deposit-transaction",
    "withdrawal-transaction",
)
SORTS = ("-created", "created")
_PAGE, _LIMIT = ("page", "page[number]"), ("limit", "page[size]")
Item = TypeVar("Item")
_REMEMBERED = 128
_LAST_INSTANT = 253_402_300_799_999_999
"""9999-12-31T23:59:59.999999Z; nothing was created outside this and the epoch."""

ACTIVITY_SORTS = ("-lastActivity", *SORTS)


@lru_cache(_REMEMBERED)
def read_listing(
    query: QueryText, filters: tuple[str, ...], sorts: tuple[str, ...] = SORTS
) -> ListQuery:
    """What a list is asked for; remembered as long as the parameters' object is.

    Raises:
        ValidationFailed: a page, limit, timestamp or order that cannot be, an unknown filter.
    """
    query.refuse_unknown_filters({name for kind in filters for name in FILTERS[kind]})
    asked: dict[str, str | None] = {}
    for kind in filters:
        if kind == "created":
            asked["created_gte"] = _timestamp(query, "filter[created][gte]")
            asked["created_lt"] = _timestamp(query, "filter[created][lt]")
        else:
            asked["text" if kind == "object" else kind] = query.get(*FILTERS[kind])
    page, limit = _paging(query)
    return ListQuery(
        page=page,
        limit=limit,
        sort=_sort(query, sorts),
        **asked,
    )


def cut(found: Page[Item], query: QueryText) -> Page[Item]:
    """The page asked for of a list that the engine gives whole; unasked, the whole.

    Raises:
        ValidationFailed: a page or limit that cannot be.
    """
    page, limit = _paging(query)
    asked = query.get(*_PAGE) is not None or query.get(*_LIMIT) is not None
    return found.cut(page, limit) if asked else found


def _paging(query: QueryText) -> tuple[int, int]:
    page = query.whole_number(_PAGE, low=1, default=1, high=MAXIMUM_PAGE)
    limit = query.whole_number(_LIMIT, low=1, default=DEFAULT_LIMIT)
    return page, min(limit, MAXIMUM_LIMIT)


def _sort(query: QueryText, sorts: tuple[str, ...]) -> str | None:
    order = query.get("sort")
    if order is not None and order not in sorts:
        raise ValidationFailed.of("sort", f"One of: {', '.join(sorts)}.")
    return order


def _timestamp(query: QueryText, name: str) -> str | None:
    text = query.get(name)
    if text is None:
        return None
    try:
        instant = parse_instant(text.replace(" ", "+"))
        return format_instant(min(max(instant, 0), _LAST_INSTANT))
    except ValueError:
        raise ValidationFailed.of(name, "A timestamp such as 2026-11-20T12:00:00Z.") from None


PAGING: tuple[dict[str, Any], ...] = (
    {
        "name": "page",
        "schema": {"type": "integer", "minimum": 1, "maximum": MAXIMUM_PAGE, "default": 1},
    },
    {
        "name": "limit",
        "description": f"More than {MAXIMUM_LIMIT} is answered with {MAXIMUM_LIMIT}.",
        "schema": {"type": "integer", "minimum": 1, "default": DEFAULT_LIMIT},
    },
)


def described(filters: tuple[str, ...], sorts: tuple[str, ...]) -> list[Mapping[str, object]]:
    """The parameters of a list for its OpenAPI description."""
    named = [name for kind in filters for name in FILTERS[kind] if name.startswith("filter")]
    return [
        *PAGING,
        *({"name": name, "schema": _schema(name)} for name in named),
        {"name": "sort", "schema": {"type": "string", "enum": list(sorts)}},
    ]


def _schema(name: str) -> Mapping[str, object]:
    if "created" in name:
        return {"type": "string", "format": "date-time"}
    if name == "filter[type]":
        return {"type": "string", "enum": list(TRANSACTION_TYPES)}
    return {"type": "string"}
