"""The filter of a customer's timeline: kinds, days and words."""

from dataclasses import dataclass
from datetime import date, datetime

from chainteller.domain.money import ungrouped
from chainteller.domain.periods import Days, said_days
from chainteller.tui.queries import is_within

KINDS = ("trade", "deposit", "withdrawal", "review", "quote", "wallet", "note", "text", "audit")
SHOWN = (("", ""), *(("audit" if each == "audit" else f"{each}s", each) for each in KINDS))
"""What ``f`` shows, in its order, in words and as the kind; first everything."""
_LEAST_LETTERS = 3


@dataclass(frozen=True, slots=True)
class Wanted:
    """A parsed filter: no kind stands for all of them."""

    kinds: frozenset[str] = frozenset()
    days: Days | None = None
    words: tuple[str, ...] = ()

    def shows(self, at: datetime, told: str) -> bool:
        """Whether an entry of a wanted kind is within the days and has every word."""
        text = told.casefold()
        plain = text.replace(",", "")
        has_words = all(word in text or ungrouped(word) in plain for word in self.words)
        return has_words and is_within(at, self.days)


def wanted(typed: str, only: str = "", today: date | None = None) -> Wanted:
    """Parse a typed filter; a kind that is typed precedes ``only``. With ``today``, it may name a
    day or a period: 2026-11-20, 2026-11, yesterday, last week, 22 nov.
    """
    kinds: set[str] = set()
    words = []
    rest, days = said_days(typed, today)
    for word in rest.casefold().split():
        meant = _kinds(word)
        kinds |= meant
        words += [] if meant else [word]
    chosen = frozenset(kinds or ({only} if only else ()))
    return Wanted(chosen, days[0] if days else None, tuple(words))


def _kinds(word: str) -> frozenset[str]:
    """The kind that a word begins, also in the plural; ``transfers`` are two."""
    if len(word) < _LEAST_LETTERS:
        return frozenset()
    if "transfers".startswith(word) and len(word) > len("tra"):
        return frozenset({"deposit", "withdrawal"})
    found = [kind for kind in KINDS if f"{kind}s".startswith(word)]
    return frozenset(found) if len(found) == 1 else frozenset()
