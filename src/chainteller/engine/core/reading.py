"""Reading what a request carries: ids, pages and sides, with the error of each."""

from collections.abc import Iterable
from typing import TypeVar

from chainteller.domain.assets import MARKETS, MARKETS_BY_NAME, Market
from chainteller.domain.clock import parse_instant
from chainteller.domain.ids import plausible
from chainteller.domain.keys import duration_of
from chainteller.domain.quoting import Side
from chainteller.service.errors import NotFound, UnsupportedMarket, ValidationFailed
from chainteller.service.models.pages import (
    MAXIMUM_LIMIT,
    MAXIMUM_PAGE,
    ListQuery,
    Page,
    Pagination,
)
from chainteller.service.operations import SORTS
from chainteller.storage.db.query import Record, Session
from chainteller.storage.db.sources import Finder
from chainteller.storage.lists.pages import Counted

Item = TypeVar("Item")

_MAXIMUM_TEXT = 200
_TEXT_FILTERS = (
    "text",
    "bank_account_id",
    "trading_account_id",
    "status",
    "side",
    "market",
    "case_id",
    "subject",
)


def require_found(record: Record | None, resource: str, identifier: str) -> Record:
    """Raises NotFound for an id that is unknown, foreign or impossible."""
    if record is None:
        raise NotFound(resource, shown(identifier))
    return record


def checked_id(resource: str, identifier: str) -> str:
    """An id that may be looked up; an impossible one is NotFound like an unknown one."""
    if not plausible(identifier):
        raise NotFound(resource, shown(identifier))
    return identifier


def row_by_id(
    find: Finder,
    connection: Session,
    resource: str,
    owner_id: str,
    identifier: str,
    *,
    lock: bool = False,
) -> Record:
    """The row that an owner, an account or an organisation, has under an id. Raises NotFound: there
    is none, or it's another's."""
    is_possible = plausible(identifier)
    record = find(connection, owner_id, identifier, lock=lock) if is_possible else None
    return require_found(record, resource, identifier)


def shown(identifier: str) -> str:
    """An id as an error may repeat it: what could not be one is left out."""
    return identifier if plausible(identifier) else ""


def words(field: str, text: str, most: int) -> str:
    """Words of a person on one line, without outer white space. Raises ValidationFailed."""
    told = text.strip()
    if not 0 < len(told) <= most or not told.isprintable():
        raise ValidationFailed.of(field, f"1 to {most} printable characters.")
    return told


def duration(field: str, text: str) -> int:
    """Microseconds of a duration such as 30d. Raises ValidationFailed."""
    try:
        return duration_of(text)
    except ValueError as error:
        raise ValidationFailed.of(field, str(error)) from None


def side(text: str) -> Side:
    """Case-insensitive in, lower case out. Raises ValidationFailed."""
    try:
        return Side(text.lower())
    except ValueError:
        raise ValidationFailed.of("side", "buy or sell") from None


def market(name: str) -> Market:
    """Raises UnsupportedMarket."""
    known = MARKETS_BY_NAME.get(name)
    if known is None:
        raise UnsupportedMarket(
            "This market doesn't exist.",
            {"market": shown(name), "supported": [each.name for each in MARKETS]},
        )
    return known


def checked_query(query: ListQuery, sorts: Iterable[str] = SORTS) -> ListQuery:
    """A list's query with its limit coerced. Raises ValidationFailed."""
    if not 1 <= query.page <= MAXIMUM_PAGE:
        raise ValidationFailed.of("page", "a whole number from 1")
    if query.limit < 1:
        raise ValidationFailed.of("limit", f"a whole number from 1 to {MAXIMUM_LIMIT}")
    if query.sort is not None and query.sort not in sorts:
        raise ValidationFailed.of("sort", f"one of {', '.join(sorts)}")
    _check_bounds(query)
    changes: dict[str, object] = {}
    for name in _TEXT_FILTERS:
        if text := getattr(query, name):
            changes[name] = _searchable(text)
    if query.limit > MAXIMUM_LIMIT:
        changes["limit"] = MAXIMUM_LIMIT
    if query.sort == "-created":
        changes["sort"] = None
    return query.model_copy(update=changes) if changes else query


def _check_bounds(query: ListQuery) -> None:
    for name in ("created_gte", "created_lt"):
        value = getattr(query, name)
        try:
            if value is not None:
                parse_instant(value)
        except ValueError as error:
            wire = f"filter[created][{name.removeprefix('created_')}]"
            raise ValidationFailed.of(wire, str(error)) from None


def _searchable(text: str) -> str:
    """Text that both databases take: no control characters, no lone surrogates, not too long."""
    kept = "".join(sign for sign in text[:_MAXIMUM_TEXT] if sign.isprintable())
    return kept.encode("utf-8", "ignore").decode().strip()


def page(items: tuple[Item, ...], counted: Counted | int, query: ListQuery) -> Page[Item]:
    total, more_than = counted if isinstance(counted, Counted) else (counted, None)
    shown = Pagination(total=total, page=query.page, limit=query.limit, more_than=more_than)
    return Page(data=items, pagination=shown)
