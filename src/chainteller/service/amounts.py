"""Amounts and currencies that people and requests name: read, or refused, the same everywhere."""

from chainteller.domain.assets import ASSETS_BY_KEY, CRYPTO, Asset
from chainteller.domain.money import (
    Amount,
    AmountMalformed,
    AmountTooPrecise,
    parse_atoms,
    parse_typed,
)
from chainteller.service.errors import ExceedsPrecision, ValidationFailed
from chainteller.service.models.funding import Currency


def read_amount(text: str, asset: Asset, *, max_decimals: int | None = None) -> Amount:
    """Read the amount of a request. Raises ValidationFailed or ExceedsPrecision."""
    try:
        return Amount(parse_atoms(text, asset, max_decimals=max_decimals), asset)
    except (AmountMalformed, AmountTooPrecise) as error:
        raise _refusal(error) from None


def read_typed_amount(text: str, asset: Asset, *, max_decimals: int | None = None) -> Amount:
    """Read an amount typed by a person. Raises ValidationFailed or ExceedsPrecision."""
    try:
        return parse_typed(text, asset, max_decimals=max_decimals)
    except (AmountMalformed, AmountTooPrecise) as error:
        raise _refusal(error) from None


def read_currency(text: str) -> Currency:
    """``DPT_...`` is a deposit token, ``USDC@solana`` a stablecoin, ``SOL@solana`` a coin. Raises
    ValueError: anything else."""
    if text.startswith("DPT_"):
        return Currency(type="deposit-token-currency", id=text)
    symbol, at, network = text.partition("@")
    if not (symbol and at and network):
        raise ValueError("a currency such as DPT_USD, USDC@solana or SOL@solana")
    coin = ASSETS_BY_KEY.get(f"{symbol.upper()}@{network}") in CRYPTO
    return Currency(
        type="crypto-currency" if coin else "stablecoin-currency",
        symbol=symbol.upper(),
        network=network,
    )


def _refusal(error: AmountMalformed | AmountTooPrecise) -> ValidationFailed | ExceedsPrecision:
    if isinstance(error, AmountTooPrecise):
        return ExceedsPrecision("amount", error)
    return ValidationFailed.of("amount", str(error))
