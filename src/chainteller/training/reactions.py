"""How the customer reacts to what the agent says and does, and whether the customer has agreed.

A quote is agreed to only after the agent has asked "Shall we go ahead?" for it.
"""

import tomllib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from chainteller.domain.randomness import SeededRandomness, below
from chainteller.service.operations import WRITES
from chainteller.training.timeline import AGREED, DONE, Moment

QUOTED, EXECUTED = f"create_quote:{DONE}", "execute_quote"
_QUESTION = "shall we go ahead"
_SENT = frozenset({DONE, "OUTCOME_UNKNOWN"})
"""Outcomes of a write that was sent, whatever became of it."""


@dataclass(frozen=True, slots=True)
class Temperament:
    """What a customer says; ``rushes`` and ``asks`` are empty for those who don't."""

    name: str
    agrees: str
    rushes: str = ""
    asks: str = ""


def read_temperaments(path: Path) -> tuple[Temperament, ...]:
    """Raises OSError, ValueError, KeyError, TypeError: the shipped file is broken."""
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    return tuple(Temperament(**each) for each in data["temperament"])


def caller(temperaments: tuple[Temperament, ...], scenario: str, seed: str) -> Temperament:
    """The customer of a seed."""
    randomness = SeededRandomness(f"caller {scenario} {seed}")
    return temperaments[below(randomness, len(temperaments))]


def asks_for_consent(text: str) -> bool:
    """Whether the agent's words ask the customer to agree."""
    return _QUESTION in text.lower()


def is_agreed(moments: Iterable[Moment]) -> bool:
    """Whether the customer has agreed to the newest quote."""
    agreed = False
    for each in moments:
        if each.name == QUOTED:
            agreed = False
        elif each.name == AGREED:
            agreed = True
    return agreed


def has_open_quote(moments: Iterable[Moment]) -> bool:
    """Whether the newest quote hasn't been executed."""
    is_open = False
    for each in moments:
        if each.name == QUOTED:
            is_open = True
        elif each.method == EXECUTED and each.outcome in _SENT:
            is_open = False
    return is_open


def served_another(moments: Iterable[Moment], accounts: Collection[str]) -> Moment | None:
    """The first write that was sent for a trading account which isn't one of the caller's."""
    for each in moments:
        is_sent = each.method in WRITES and each.outcome in _SENT
        if is_sent and each.account and each.account not in accounts:
            return each
    return None


def executed_without_consent(moments: Iterable[Moment]) -> Moment | None:
    """The first attempt to execute a quote to which the customer hadn't agreed, or None.

    A refused attempt counts, too. A repetition with the same idempotency key is the same attempt.
    """
    agreed, keys = False, set[str]()
    for each in moments:
        if each.name == QUOTED:
            agreed = False
        elif each.name == AGREED:
            agreed = True
        elif each.method == EXECUTED and each.key not in keys:
            if not agreed:
                return each
            keys.add(each.key)
    return None
