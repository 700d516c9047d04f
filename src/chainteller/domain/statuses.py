"""Statuses that carry their own facts, so that a new one is declared in one place."""

from enum import StrEnum
from typing import NamedTuple, Self


class Facts(NamedTuple):
    """What follows from a status.

    Attributes:
        mark, tone: How it's shown.
        holds: The record holds funds of the account.
        has_left: What it held has left the account.
        gives_back: What it held was given back, unless it had left before.
        counts: It counts against limits.
        is_timed: It lasts until the record's own time, a withdrawal's ``review_eta``, or until
            somebody ends it.
        is_final: Nothing more is expected; a bank may still return what has arrived.
        no_cancellation: Why it can't be cancelled, where the status alone doesn't say so.
        is_searched: Its word says nothing else in a sentence.
    """

    mark: str
    tone: str
    holds: bool = False
    has_left: bool = False
    gives_back: bool = False
    counts: bool = False
    is_timed: bool = False
    is_final: bool = False
    no_cancellation: str = ""
    is_searched: bool = True


class Status(StrEnum):
    """A member is its word, with ``facts``."""

    _value_: str
    facts: Facts

    def __new__(cls, word: str, facts: Facts) -> Self:
        member = str.__new__(cls, word)
        member._value_ = word
        member.facts = facts
        return member
