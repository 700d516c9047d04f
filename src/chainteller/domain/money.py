r"""Amounts as exact integers of atoms, parsed from and formatted as decimal text.

The grammar of a request's amount is ``[0-9]{1,38}(\.[0-9]{1,18})?`` in ASCII, greater than
zero. Output never has an exponent: fiat has exactly its decimals, other assets are trimmed to at
least two.
"""

import re
from dataclasses import dataclass
from typing import Self

from chainteller.domain.assets import USD, Asset

_GRAMMAR = re.compile(r"([0-9]{1,38})(?:\.([0-9]{1,18}))?", re.ASCII)
MAX_ATOMS = 10**38 - 1
"""The largest amount that both databases store exactly (NUMERIC(38, 0)).

The grammar allows up to 56 digits; checks of funds and limits refuse such a request before
anything is stored.
"""


class AmountMalformed(ValueError):
    """The text is not a positive decimal number in the grammar."""


class AmountTooPrecise(ValueError):
    """The text has more decimals than the asset (or the payment) allows."""

    def __init__(self, max_decimals: int) -> None:
        super().__init__(f"at most {max_decimals} decimals")
        self.max_decimals = max_decimals


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount of one asset; arithmetic between different assets raises ValueError."""

    atoms: int
    asset: Asset

    def __post_init__(self) -> None:
        if type(self.atoms) is not int:
            raise TypeError(f"atoms are whole numbers, not {type(self.atoms).__name__}")

    def __str__(self) -> str:
        return format_atoms(self.atoms, self.asset)

    def __add__(self, other: Self) -> "Amount":
        self._same(other)
        return Amount(self.atoms + other.atoms, self.asset)

    def __sub__(self, other: Self) -> "Amount":
        self._same(other)
        return Amount(self.atoms - other.atoms, self.asset)

    def _same(self, other: "Amount") -> None:
        if self.asset != other.asset:
            raise ValueError(f"{self.asset.key} and {other.asset.key} do not add up")


def parse_atoms(text: object, asset: Asset, *, max_decimals: int | None = None) -> int:
    """Parse a positive amount into atoms.

    Args:
        text: the value from a request; anything except a string is malformed.
        asset: the asset of the amount.
        max_decimals: a stricter limit than the asset's own (bank payments have whole cents).

    Raises:
        AmountMalformed: the text isn't in the grammar, or is zero.
        AmountTooPrecise: it has too many decimals.
    """
    match = _GRAMMAR.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise AmountMalformed("a positive decimal number such as 100.00")
    whole, fraction = match[1], match[2] or ""
    if not int(whole) and not int(fraction or "0"):
        raise AmountMalformed("greater than zero")
    allowed = asset.decimals if max_decimals is None else min(max_decimals, asset.decimals)
    if len(fraction) > allowed:
        raise AmountTooPrecise(allowed)
    return int(whole + fraction.ljust(asset.decimals, "0"))


def format_atoms(atoms: int, asset: Asset) -> str:
    """Format ``atoms`` as decimal text (``150000000`` of BTC is ``1.50``)."""
    sign, digits = ("-" if atoms < 0 else ""), str(abs(atoms)).rjust(asset.decimals + 1, "0")
    whole, fraction = digits[: -asset.decimals], digits[-asset.decimals :]
    if not asset.is_fiat:
        fraction = fraction.rstrip("0").ljust(2, "0")
    return f"{sign}{whole}.{fraction}"


def format_cents(cents: int) -> str:
    return format_atoms(cents, USD)


def whole_cents(atoms: int, asset: Asset) -> int:
    """The value of a cash equivalent (one USD per unit) in cents, rounded down."""
    return int(atoms // 10 ** (asset.decimals - USD.decimals))


def atoms_of_cents(cents: int, asset: Asset) -> int:
    """The atoms of a cash equivalent that are worth ``cents``, at par."""
    return int(cents * 10 ** (asset.decimals - USD.decimals))


def ceil_div(numerator: int, denominator: int) -> int:
    return -(-numerator // denominator)
