"""The filter of a customer's timeline: kinds, days and words."""

from dataclasses import dataclass
from datetime import date, datetime

from chainteller.domain.money import ungrouped
from chainteller.domain.periods import day_after, midnight, parse_span, said_days

KINDS = ("trade", "deposit", "withdrawal", "review", "quote", "wallet", "note", "text", "audit")
SHOWN = (("", ""), *(("audit" if each == "audit" else f"{each}s", each) for each in KINDS))
"""What ``f`` shows, in its order, in words and as the kind; first everything."""
_LEAST_LETTERS = 3
_CENTURY = "20"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A parsed filter: no kind stands for all of them. ``since`` is the first moment that is shown
    and ``until`` the first one after it.
    """

    kinds: frozenset[str] = frozenset()
    since: datetime | None = None
    until: datetime | None = None
    words: tuple[str, ...] = ()

    def shows(self, at: datetime, told: str) -> bool:
        """Whether an entry of a wanted kind is within the days and has every word."""
        if self.until is not None and at >= self.until:
            return False
        if self.since is not None and at < self.since:
            return False
        text = told.casefold()
        plain = text.replace(",", "")
        return all(word in text or ungrouped(word) in plain for word in self.words)


def wanted(typed: str, only: str = "", today: date | None = None) -> Wanted:
    """Parse a typed filter; a kind that is typed precedes ``only``.

    Days are ``2026-11-20``, ``2026-11`` or ``2026``, and ``2026-11-01..2026-11-20`` for all that
    lies between two of them, of which one may be left out. With ``today``, they may be named as
    people do: yesterday, last week, 22 nov.
    """
    kinds: set[str] = set()
    since = until = None
    words = []
    rest, named = said_days(typed, today)
    if named:
        since, until = midnight(named[0].first), midnight(day_after(named[0].last))
    for word in rest.casefold().split():
        meant = _kinds(word)
        days = _days(word)
        if meant:
            kinds |= meant
        elif days is not None:
            since, until = days
        else:
            words.append(word)
    return Wanted(frozenset(kinds or ({only} if only else ())), since, until, tuple(words))


def _kinds(word: str) -> frozenset[str]:
    """The kind that a word begins, also in the plural; ``transfers`` are two."""
    if len(word) < _LEAST_LETTERS:
        return frozenset()
    if "transfers".startswith(word) and len(word) > len("tra"):
        return frozenset({"deposit", "withdrawal"})
    found = [kind for kind in KINDS if f"{kind}s".startswith(word)]
    return frozenset(found) if len(found) == 1 else frozenset()


def _days(word: str) -> tuple[datetime | None, datetime | None] | None:
    first, dots, last = word.partition("..")
    begin, end = _span(first), _span(last) if dots else None
    if not dots:
        return begin
    if (first and begin is None) or (last and end is None) or not (first or last):
        return None
    return (begin[0] if begin else None, end[1] if end else None)


def _span(text: str) -> tuple[datetime, datetime] | None:
    """The first moment of a day, a month or a year of this century, and that of the next one; other
    numbers may be amounts."""
    days = parse_span(text) if text.startswith(_CENTURY) else None
    return (midnight(days[0]), midnight(day_after(days[1]))) if days else None
