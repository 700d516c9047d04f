"""Who may trade: terms, identity level and controls."""

from collections.abc import Iterable
from enum import StrEnum

TERMS_VERSION = "2026-01"
"""The trading provider's terms that a customer must have accepted."""

REQUIRED_KYC = "enhanced"
KYC_LEVELS = ("basic", REQUIRED_KYC)


class Control(StrEnum):
    FROZEN = "FROZEN"
    SELL_ONLY = "SELL_ONLY"
    DORMANT = "DORMANT"
    CLOSED = "CLOSED"


SETTABLE = (Control.FROZEN, Control.SELL_ONLY, Control.DORMANT)
"""Controls that a person sets and lifts; a closed account stays closed."""


class Act(StrEnum):
    OPEN = "open"
    DEPOSIT = "deposit"
    BUY = "buy"
    SELL = "sell"
    WITHDRAW = "withdraw"


def act_of(side: str) -> Act:
    """What an order of a side does."""
    return Act.BUY if side == Act.BUY else Act.SELL


_LEFT_BY_SELL_ONLY = frozenset({Act.SELL, Act.WITHDRAW})


def forbids(control: str, act: Act) -> bool:
    """Whether a control forbids an act; an unknown control forbids everything."""
    return not (control == Control.SELL_ONLY and act in _LEFT_BY_SELL_ONLY)


def forbidding(controls: Iterable[str], act: Act) -> str:
    """The first of ``controls`` that forbids an act; empty when none does."""
    return next((each for each in controls if forbids(each, act)), "")
