"""The timeline of a session: calls with outcomes, events, and words to the customer.

A moment's name is ``method:outcome`` for a call (``execute_quote:done``,
``execute_quote:QUOTE_EXPIRED``), an event's type (``trade.settled``), or one of ``WORDS``:
``opened`` is when the trainee first opened the caller's record.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from chainteller.service.operations import DIAGNOSE_SIGNATURE, WRITES

START, OPENED, TOLD, SIGNED, AGREED = "start", "opened", "told", "signed", "agreed"
WORDS = (START, OPENED, TOLD, SIGNED, AGREED)
DONE = "done"
OBSERVED = frozenset({*WRITES, DIAGNOSE_SIGNATURE.name})
"""Calls that count as actions of the trainee; other reads don't."""


@dataclass(frozen=True, slots=True)
class Moment:
    """An entry of the timeline.

    Of a call, ``text`` are its details, ``key`` its idempotency key, and ``account`` the trading
    account that it's for. Of words, ``account`` is whose record was shown meanwhile.
    """

    at: int
    name: str
    text: str = ""
    key: str = ""
    account: str = ""

    @property
    def method(self) -> str:
        return self.name.partition(":")[0]

    @property
    def outcome(self) -> str:
        return self.name.partition(":")[2]


def first_index(moments: Iterable[Moment], name: str) -> int | None:
    return next((index for index, each in enumerate(moments) if each.name == name), None)


def full_name(name: str) -> str:
    """Complete a moment's name: a call without an outcome means its success."""
    return f"{name}:{DONE}" if name in OBSERVED else name
