"""Amounts and currencies of the command line."""

from chainteller.cli.error_output import Usage
from chainteller.domain.assets import (
    ASSETS_BY_KEY,
    DEPOSIT_TOKENS,
    USD,
    Asset,
)
from chainteller.domain.money import UNKNOWN_ASSET, atoms_of_cents, parse_atoms, ungrouped
from chainteller.records.formats import currency_name, money
from chainteller.service.amounts import read_currency, read_typed_amount
from chainteller.service.models.funding import Currency

DEFAULT_CURRENCY = "DPT_USD"


def currency_of(text: str) -> Currency:
    """Raises Usage: the text isn't a currency."""
    try:
        return read_currency(text)
    except ValueError:
        raise Usage(
            f"{text!r} isn't a currency.", "Give DPT_USD, USDC@solana or SOL@solana."
        ) from None


def asset_of(currency: Currency) -> Asset:
    """The asset of a currency; of one that isn't known here, with all decimals."""
    if currency.id is not None:
        return DEPOSIT_TOKENS.get(currency.id, UNKNOWN_ASSET)
    key = f"{currency.symbol}@{str(currency.network).lower()}"
    return ASSETS_BY_KEY.get(key, UNKNOWN_ASSET)


def request_amount(typed: str, asset: Asset, *, max_decimals: int | None = None) -> str:
    """The amount of a request for one that was typed: without its groups. Raises ValidationFailed,
    ExceedsPrecision: it isn't an amount of ``asset``; nothing was sent."""
    read_typed_amount(typed, asset, max_decimals=max_decimals)
    return ungrouped(typed)


def bank_amount(typed: str, currency: Currency) -> str:
    """Like ``request_amount``, for money from or to a bank account: whole cents."""
    return request_amount(typed, asset_of(currency), max_decimals=USD.decimals)


def is_above(amount: str, currency: Currency, limit_cents: int) -> bool:
    """Whether a request's amount of a currency worth one dollar is above a limit."""
    asset = asset_of(currency)
    return parse_atoms(amount, asset) > atoms_of_cents(limit_cents, asset)


def read_back(amount: str, currency: Currency) -> str:
    """An amount with its currency, as a question shows it: ``1,500.00 USD``."""
    text = str(read_typed_amount(amount, asset_of(currency)))
    chain = f"{currency.symbol}@{currency.network}"
    return money(text, currency_name(currency.type, chain, currency.id))
