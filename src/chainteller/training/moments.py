"""What happened in a session, in order: calls with their outcome, events, words to the customer.

A moment's name is ``method:outcome`` for a call (``execute_quote:done``,
``execute_quote:QUOTE_EXPIRED``), an event's type (``trade.settled``), or one of ``WORDS``.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from chainteller.service.operations import DIAGNOSE_SIGNATURE, WRITES

START, TOLD, SIGNED = "start", "told", "signed"
WORDS = (START, TOLD, SIGNED)
DONE = "done"
OBSERVED = frozenset({*WRITES, DIAGNOSE_SIGNATURE.name})
"""The calls that count as acts of the trainee; other reads are looking around."""


@dataclass(frozen=True, slots=True)
class Moment:
    """``at`` is an instant; ``key`` a call's idempotency key; ``text`` what was said or meant."""

    at: int
    name: str
    text: str = ""
    key: str = ""

    @property
    def method(self) -> str:
        return self.name.partition(":")[0]

    @property
    def outcome(self) -> str:
        return self.name.partition(":")[2]


def first_index(moments: Iterable[Moment], name: str) -> int | None:
    """Where the first moment of this name stands."""
    return next((index for index, each in enumerate(moments) if each.name == name), None)


def full_name(name: str) -> str:
    """A call without an outcome stands for its success."""
    return f"{name}:{DONE}" if name in OBSERVED else name
