"""How a trade's execution venue answers: it fills the whole order at its price, or refuses it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Filled:
    """The whole order was filled at the quoted price (no last look, no partial fills)."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """``code`` and ``message`` become the trade's failure reason."""

    code: str
    message: str


FillOutcome = Filled | Rejected
