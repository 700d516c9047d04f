"""Confirmation questions before money moves, and the check of a typed amount."""

from typing import TYPE_CHECKING

from chainteller.domain.assets import Asset
from chainteller.domain.money import AmountMalformed, AmountTooPrecise, parse_atoms
from chainteller.tui.dialogs.question import Ask
from chainteller.tui.failures import Failure
from chainteller.tui.formats import cents, countdown, grouped, plain

if TYPE_CHECKING:
    from chainteller.service.models.accounts import TradingAccount
    from chainteller.service.models.quotes import Quote
    from chainteller.service.models.trades import Trade


def amount_failure(value: str, asset: Asset, again: str) -> Failure | None:
    """Why a typed text isn't an amount of ``asset``; ``again`` names the key to retry."""
    try:
        parse_atoms(plain(value), asset)
    except (AmountMalformed, AmountTooPrecise) as error:
        return Failure("NO_AMOUNT", "This is no amount.", str(error), again)
    return None


def deposit_question(account: "TradingAccount", amount: str) -> Ask:
    return Ask(
        f"DEPOSIT {grouped(amount)} USD into {account.id}?",
        (f"from bank account {account.bank_account_id}",),
        retype=amount,
    )


def withdrawal_question(account: "TradingAccount", amount: str, confirm_above_cents: int) -> Ask:
    return Ask(
        f"WITHDRAW {grouped(amount)} USD from {account.id}?",
        (f"to the customer's bank account {account.bank_account_id}",),
        retype=amount if cents(amount) > confirm_above_cents else "",
    )


def shortfall_question(account: "TradingAccount", short: str, confirm_above_cents: int) -> Ask:
    return Ask(
        f"SHORT OF {grouped(short)} USD: DEPOSIT it into {account.id} and go on?",
        (f"from bank account {account.bank_account_id}; the quote stays as it is",),
        retype=short if cents(short) > confirm_above_cents else "",
    )


def execution_question(
    account: "TradingAccount", quote: "Quote", seconds_left: int, confirm_above_cents: int
) -> Ask:
    base, usd = quote.asset_bought, quote.asset_sold
    if quote.side == "sell":
        base, usd = usd, base
    return Ask(
        f"EXECUTE {quote.side} {grouped(base.amount)} {base.symbol} for {grouped(usd.amount)} USD?",
        (f"account {account.id}   at {grouped(quote.price)}   good for {countdown(seconds_left)}",),
        retype=usd.amount if cents(usd.amount) > confirm_above_cents else "",
    )


def cancellation_question(trade: "Trade", waited_s: int) -> Ask:
    base = trade.market.partition("-")[0].upper()
    return Ask(
        f"CANCEL the trade {trade.id}?",
        (
            f"{trade.side} {grouped(trade.amount)} {base} at {grouped(trade.price)}, "
            f"{trade.status} for {waited_s} s",
            f"account {trade.trading_account_id or '-'}",
        ),
    )
