"""Lists: the envelope of the specification (section 2) and what a list may be asked for."""

from typing import Generic, TypeVar

from pydantic import Field

from chainteller.service.models.base import WireList, WireModel

Item = TypeVar("Item")

DEFAULT_LIMIT = 20
MAXIMUM_LIMIT = 100
MAXIMUM_PAGE = 2**53 - 1
"""The widest whole number that every JSON reader holds exactly; records end long before it."""


class Pagination(WireModel):
    """``total`` is exact without filters. Under a filter that matches many records it is a lower
    bound, and ``more_than`` says so: there are more than that many."""

    total: int
    page: int
    limit: int
    more_than: int | None = Field(default=None, exclude_if=lambda value: value is None)


class Page(WireList[Item], Generic[Item]):
    pagination: Pagination

    @classmethod
    def whole(cls, items: tuple[Item, ...]) -> "Page[Item]":
        """A list that the engine makes whole (markets, balances, limits, prices)."""
        shown = max(len(items), DEFAULT_LIMIT)
        return cls(data=items, pagination=Pagination(total=len(items), page=1, limit=shown))

    def cut(self, number: int, limit: int) -> "Page[Item]":
        """Page ``number`` of a whole list, in pages of ``limit``; past the end it is empty."""
        start = (number - 1) * limit
        return Page[Item](
            data=self.data[start : start + limit],
            pagination=Pagination(total=self.pagination.total, page=number, limit=limit),
        )


class ListQuery(WireModel):
    """Page, filters and order of a list; each list documents the filters that it honours.

    ``created_gte`` and ``created_lt`` are timestamps; ``sort`` is ``-created`` (the default),
    ``created`` or, for trading accounts, ``-lastActivity``.
    """

    page: int = 1
    limit: int = DEFAULT_LIMIT
    text: str | None = None
    bank_account_id: str | None = None
    trading_account_id: str | None = None
    status: str | None = None
    side: str | None = None
    market: str | None = None
    type: str | None = None
    case_id: str | None = None
    subject: str | None = None
    created_gte: str | None = None
    created_lt: str | None = None
    sort: str | None = None

    def takes(self, name: str, value: str | None) -> bool:
        """Whether a record with this value passes a filter; upper and lower case are the same."""
        asked = getattr(self, name)
        return asked is None or (value is not None and value.casefold() == asked.casefold())


class BalancesQuery(WireModel):
    """Whether assets of which nothing is held are listed, too."""

    include_zero: bool = False


class MarketsQuery(WireModel):
    """``names`` are the markets to show; None shows all, and an unknown name is absent."""

    names: tuple[str, ...] | None = None


class EventsQuery(WireModel):
    """At most ``limit`` events after a cursor; ``after`` -1 asks for the newest cursor alone."""

    after: int = 0
    limit: int = 100
