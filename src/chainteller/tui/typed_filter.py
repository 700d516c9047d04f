"""Typed filters of lists: words that name a kind, a side or a status, days, and other words."""

from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

from chainteller.domain.periods import Days, said_days
from chainteller.tui.widgets.paged_list import PAGE_ROWS

if TYPE_CHECKING:
    from chainteller.service.models.pages import ListQuery


class Named(NamedTuple):
    """Words that stand for a filter of the service, each with the filter and its value."""

    words: Mapping[str, tuple[str, str]]
    least_letters: int = 1
    """Shorter beginnings are searched for, so that the list doesn't jump while a name is typed."""


class Wanted(NamedTuple):
    """A parsed filter: the service's own filters, the other words, and the days."""

    filters: Mapping[str, str]
    words: tuple[str, ...] = ()
    days: Days | None = None

    @property
    def text(self) -> str:
        return " ".join(self.words)

    def as_query(self, only: Mapping[str, str], sort: str, page: int) -> "ListQuery":
        """The service's query without the words; what was typed precedes ``only``."""
        from chainteller.tui.queries import created_within, query

        asked: dict[str, Any] = {**only, **self.filters, **created_within(self.days)}
        return query(page=page, limit=PAGE_ROWS, sort=sort, **asked)


def wanted(typed: str, named: Named, today: date | None = None) -> Wanted:
    """Parse a typed filter: a word that begins one of the names only stands for it. With
    ``today``, it may name a day or a period.
    """
    found: dict[str, str] = {}
    words = []
    rest, days = said_days(typed, today)
    for word in rest.split():
        meant = {named.words[name] for name in named.words if name.startswith(word.lower())}
        kind, value = next(iter(meant)) if len(meant) == 1 else ("", "")
        if len(word) >= named.least_letters and kind and kind not in found:
            found[kind] = value
        else:
            words.append(word)
    return Wanted(found, tuple(words), days[0] if days else None)
