r"""Amounts as exact integers of atoms: the grammar of amounts, parsing and formatting.

A request's amount is ``(0|[1-9][0-9]{0,37})(\.[0-9]{1,18})?``, greater than zero. A typed amount
(console, line-by-line console, command line, settings) has the same form, or separates its whole
part into groups of three digits by commas: ``1,234.56``. Nothing else is an amount: no signs,
exponents, suffixes, surrounding spaces or digits outside ASCII. Output never has an exponent: fiat
has exactly its decimals, other assets are trimmed to at least two.
"""

import re
from dataclasses import dataclass
from typing import Self

from chainteller.domain.assets import MARKETS_BY_NAME, USD, Asset, base_symbol

WIRE_AMOUNT = r"(0|[1-9][0-9]{0,37})(\.[0-9]{1,18})?"
_WIRE = re.compile(WIRE_AMOUNT)
_GROUPS = re.compile(r"[1-9][0-9]{0,2}(,[0-9]{3})+")
MAX_DIGITS, MAX_DECIMALS = 38, 18
"""Most digits before and after the decimal point of an amount."""
UNKNOWN_ASSET = Asset("", "", MAX_DECIMALS)
"""For an amount of an asset that isn't known here: every amount can be counted in its atoms."""
MAX_ATOMS = 10**38 - 1
"""The largest amount that both databases store exactly (NUMERIC(38, 0)).

The grammar allows up to 56 digits; checks of funds and limits refuse such a request before
anything is stored.
"""


def asset_sold(market: str, side: str) -> Asset:
    """The asset that an order sells; of a market that isn't known here, with all decimals."""
    if side == "buy":
        return USD
    known = MARKETS_BY_NAME.get(market)
    return known.base if known else UNKNOWN_ASSET._replace(symbol=base_symbol(market))


class AmountInvalid(ValueError):
    """The text is not an amount. The message says why and what would be right, without the text."""


class AmountMalformed(AmountInvalid):
    """The text is not a positive decimal number in the grammar."""


class AmountTooPrecise(AmountInvalid):
    """The text has more decimals than the asset (or the payment) allows."""

    def __init__(self, asset: Asset, max_decimals: int) -> None:
        super().__init__(f"Enter at most {max_decimals} decimals.")
        self.asset = asset
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


def parse_atoms(
    text: object, asset: Asset, *, max_decimals: int | None = None, allow_zero: bool = False
) -> int:
    """Parse a request's amount into atoms.

    Args:
        text: the value from a request; anything except a string is malformed.
        asset: the asset of the amount.
        max_decimals: a stricter limit than the asset's own (bank payments have whole cents).
        allow_zero: also accept zero, for amounts that a deployment reports.

    Raises:
        AmountMalformed: the text isn't in the grammar, or is zero.
        AmountTooPrecise: it has too many decimals.
    """
    match = _WIRE.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise AmountMalformed(_why_malformed(text, typed=False))
    whole, fraction = match[1], (match[2] or "")[1:]
    if not allow_zero and not int(whole) and not int(fraction or "0"):
        raise AmountMalformed("Enter an amount greater than zero.")
    allowed = asset.decimals if max_decimals is None else min(max_decimals, asset.decimals)
    if len(fraction) > allowed:
        raise AmountTooPrecise(asset, allowed)
    return int(whole + fraction.ljust(asset.decimals, "0"))


def parse_typed(text: str, asset: Asset, *, max_decimals: int | None = None) -> Amount:
    """Parse an amount typed by a person, in which complete groups of three are allowed. Raises
    AmountMalformed, AmountTooPrecise: as ``parse_atoms``."""
    plain = ungrouped(text)
    if _WIRE.fullmatch(plain) is None:
        raise AmountMalformed(_why_malformed(text, typed=True))
    return Amount(parse_atoms(plain, asset, max_decimals=max_decimals), asset)


def ungrouped(text: str) -> str:
    """Remove the commas between complete groups of three; any other text is returned as it is."""
    whole, point, fraction = text.partition(".")
    if _GROUPS.fullmatch(whole) is None:
        return text
    return f"{whole.replace(',', '')}{point}{fraction}"


def _why_malformed(text: object, *, typed: bool) -> str:
    """Why a text is not an amount, and what would be right; never repeats the text."""
    example = "1500 or 1,500.00" if typed else "1500.00"
    if not isinstance(text, str) or not re.search("[0-9]", text):
        return f"Enter an amount, for example {example}."
    if text != text.strip():
        return "Remove the spaces before and after the amount."
    if text[0] in "+-":
        return f"Enter the amount without a sign, for example {example}."
    if not set(text) <= set("0123456789.,"):
        return f"Use only digits and a decimal point, for example {example}."
    if "," in text and not typed:
        return f"Leave out the commas, for example {example}."
    return _why_misplaced(ungrouped(text))


def _why_misplaced(text: str) -> str:
    """Why digits, points and commas are not an amount, once complete groups are removed."""
    whole, _, fraction = text.partition(".")
    if "," in text:
        return "Use commas only for groups of three (1,234.56) and a point for decimals."
    if not whole or text.endswith(".") or "." in fraction:
        return "Put digits on both sides of one decimal point, for example 0.50."
    if len(whole) > MAX_DIGITS or len(fraction) > MAX_DECIMALS:
        return "Use at most 38 digits before the decimal point and 18 after it."
    return "Remove the leading zeros, for example 7.00 instead of 007."


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
