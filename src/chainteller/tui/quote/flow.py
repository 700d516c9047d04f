"""Quote flow: the requests for a quote, its execution and a missing deposit."""

from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING

from chainteller.domain.assets import MARKETS_BY_NAME, USD, Asset
from chainteller.records.formats import countdown, grouped
from chainteller.service.errors import QuoteAccountMismatch, TellerError
from chainteller.tui import writes
from chainteller.tui.accounts.flow import deposit
from chainteller.tui.customer import CustomerRequest
from chainteller.tui.dialogs.question import Ask, retype_above
from chainteller.tui.failures import Failure, amount_failure
from chainteller.tui.quote.state import QuoteState
from chainteller.tui.quote.view import missing_amount

if TYPE_CHECKING:
    from chainteller.service.errors import InsufficientFunds
    from chainteller.service.interface import Service
    from chainteller.service.models.accounts import TradingAccount
    from chainteller.service.models.funding import Transfer
    from chainteller.service.models.quotes import Quote
    from chainteller.service.models.trades import Trade


class QuoteNotShown(TellerError):
    """An execution of a quote that the form has been turned away from."""

    code = "QUOTE_NOT_SHOWN"
    next_step = "Turn back to its market and side, or get a new quote."


def typed_amount_failure(state: QuoteState, value: str) -> "Failure | None":
    """Why a text typed into the form isn't an amount of the asset sold."""
    market = MARKETS_BY_NAME.get(state.market)
    sold = USD if state.side == "buy" else market.base if market else Asset("", "", 18)
    return amount_failure(value, sold, "backspace: the amount again")


def quote_request(state: QuoteState) -> CustomerRequest["Quote"]:
    asked = (state.market, state.side, state.amount, state.account_id)
    return CustomerRequest(
        state.account_id, lambda service, key: writes.create_quote(service, *asked, key)
    )


def execution_request(
    state: QuoteState, account: "TradingAccount", now: int, confirm_above_cents: int
) -> CustomerRequest["Trade"]:
    """Execute the quote on the screen, in the account that it was made for.

    Raises:
        QuoteAccountMismatch: its record names another account than ``account``.
        QuoteNotShown: its record names another market or side than the screen.
    """
    quote = _executable(state, account.id)
    base, usd = quote.asset_bought, quote.asset_sold
    if quote.side == "sell":
        base, usd = usd, base
    price, left = grouped(quote.price), countdown(state.seconds_left(now))
    question = Ask(
        f"EXECUTE {quote.side} {grouped(base.amount)} {base.symbol} for {grouped(usd.amount)} USD?",
        (f"account {account.id}   at {price}   good for {left}",),
        retype=retype_above(confirm_above_cents, usd.amount),
    )

    def call(service: "Service", key: str) -> "Trade":
        if _executable(state, account.id).id != quote.id:  # it changed while it was confirmed
            raise QuoteNotShown("Another quote has come since. Nothing was sent.")
        return writes.execute_quote(service, quote.id, account.id, key)

    return CustomerRequest(account.id, call, question)


def _executable(state: QuoteState, account_id: str) -> "Quote":
    quote, shown = state.quote, state.shown_quote
    if quote is None or shown is None:
        raise QuoteNotShown("The quote isn't on the screen any more. Nothing was sent.")
    if account_id != state.account_id or quote.trading_account_id not in {None, account_id}:
        raise QuoteAccountMismatch(
            "The quote was made for another account. Nothing was sent.",
            {"tradingAccountId": quote.trading_account_id or state.account_id},
        )
    return quote


def shortfall(state: QuoteState) -> str:
    """Dollars that a deposit would have to bring for a buy; empty when there is enough."""
    short = missing_amount(state)
    is_buy = state.quote is not None and state.quote.side == "buy"
    return f"{short:.2f}" if is_buy and short is not None and short > 0 else ""


def refused_shortfall(error: "InsufficientFunds") -> str:
    """Dollars that were missing for an execution."""
    short = Decimal(str(error.details["required"])) - Decimal(str(error.details["available"]))
    return f"{short:.2f}"


def shortfall_deposit(
    account: "TradingAccount", short: str, confirm_above_cents: int
) -> CustomerRequest["Transfer"]:
    """Deposit exactly what is missing; the quote stays as it is."""
    question = Ask(
        f"SHORT OF {grouped(short)} USD: DEPOSIT it into {account.id} and go on?",
        (f"from bank account {account.bank_account_id}; the quote stays as it is",),
        retype=retype_above(confirm_above_cents, short),
    )
    return CustomerRequest(account.id, partial(deposit, account.id, short), question)
