"""Read lists to their end."""

from collections.abc import Iterator
from typing import Protocol, TypeVar

from chainteller.service.models.pages import MAXIMUM_LIMIT, MAXIMUM_PAGE, ListQuery, Page

Item = TypeVar("Item")


class Fetch(Protocol[Item]):
    """Reads the page of a list that a query asks for."""

    def __call__(self, query: ListQuery, /) -> Page[Item]: ...


def every(fetch: Fetch[Item], query: ListQuery) -> Iterator[Item]:
    """Every record of a list, page after page.

    A record that moves to another page meanwhile is returned once. A page without a new record
    ends the list, whatever the deployment says there is.
    """
    seen: set[object] = set()
    for number in range(1, MAXIMUM_PAGE):
        page = fetch(query.model_copy(update={"page": number, "limit": MAXIMUM_LIMIT}))
        rows = [row for row in page.data if identity(row) not in seen]
        seen.update(map(identity, rows))
        yield from rows
        if not rows or len(seen) >= page.pagination.total:
            return


def identity(row: object) -> object:
    """What tells a record from all others of its list."""
    return getattr(row, "id", None) or getattr(row, "seq", None) or repr(row)
