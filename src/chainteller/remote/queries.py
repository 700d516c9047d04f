"""Paths and query strings, so written that no id can lead elsewhere."""

import re
from collections.abc import Mapping
from urllib.parse import quote

from chainteller.service.errors import NotFound
from chainteller.service.models.pages import DEFAULT_LIMIT, ListQuery

Query = tuple[tuple[str, str], ...]

_SEGMENT = re.compile(r"[!-~]{1,200}", re.ASCII)
_ASTRAY = frozenset("/\\?#%;")

_FILTERS: Mapping[str, str] = {
    "text": "filter[query]",
    "bank_account_id": "filter[bankAccountId]",
    "trading_account_id": "filter[tradingAccountId]",
    "status": "filter[status]",
    "side": "filter[side]",
    "market": "filter[market]",
    "type": "filter[type]",
    "created_gte": "filter[created][gte]",
    "created_lt": "filter[created][lt]",
    "sort": "sort",
}


def segment(identifier: str, resource: str) -> str:
    """An id as a part of a path.

    Raises:
        NotFound: no id of any deployment looks like this; it is not even sent.
    """
    usable = _SEGMENT.fullmatch(identifier) and not _ASTRAY.intersection(identifier)
    if not usable or not identifier.strip("."):
        raise NotFound(resource, identifier)
    return quote(identifier, safe="")


def listing(query: ListQuery, *honoured: str, text: str = "filter[query]") -> Query:
    """The parameters of a list: what the list honours, and whatever differs from the default."""
    pairs: list[tuple[str, str]] = []
    if query.page != 1:
        pairs.append(("page", str(query.page)))
    if query.limit != DEFAULT_LIMIT:
        pairs.append(("limit", str(query.limit)))
    for name in (*honoured, "sort"):
        value = getattr(query, name)
        if value is not None:
            pairs.append((text if name == "text" else _FILTERS[name], value))
    return tuple(pairs)
