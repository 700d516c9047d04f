"""Quote flow: the requests for a quote, its execution and a missing deposit."""

from contextlib import suppress
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING

from chainteller.domain.clock import format_instant, from_datetime
from chainteller.domain.money import asset_sold
from chainteller.domain.preconditions import act_of
from chainteller.domain.trades import LAPSED
from chainteller.records.formats import countdown, grouped, money
from chainteller.service.errors import (
    InsufficientFunds,
    NotOffered,
    QuoteAccountMismatch,
    QuoteAlreadyUsed,
    QuoteExpired,
    TellerError,
)
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.tui.accounts.flow import deposit_request
from chainteller.tui.customer import CustomerRequest, require_unrestricted
from chainteller.tui.dialogs.question import Ask, retype_above
from chainteller.tui.failures import Failure
from chainteller.tui.queries import form_sheet
from chainteller.tui.quote.state import QuoteState
from chainteller.tui.quote.view import missing_amount

if TYPE_CHECKING:
    from chainteller.service.interface import Service
    from chainteller.service.models.accounts import TradingAccount
    from chainteller.service.models.funding import Currency, Transfer
    from chainteller.service.models.quotes import Quote
    from chainteller.service.models.trades import Trade

NO_MARKET = Failure(
    "MARKET_UNAVAILABLE",
    "No prices at the moment.",
    "The price source isn't answering. Nothing was sent.",
    "r: retry",
)


class QuoteNotShown(TellerError):
    """An execution of a quote that the form has been turned away from."""

    code = "QUOTE_NOT_SHOWN"
    next_step = "Go back to its market and side, or get a new quote."


def quote_request(state: QuoteState) -> CustomerRequest["Quote"]:
    """Bound to the customer's account; its amount is of the asset sold."""
    market, amount, side = state.market, state.amount, state.side
    request = QuoteRequest(amount=amount, side=side, trading_account_id=state.account_id)

    def call(service: "Service", key: str) -> "Quote":
        return service.create_quote(market, request, idempotency_key=key).value

    return CustomerRequest(state.account_id, call)


def execution_request(
    state: QuoteState, account: "TradingAccount", confirm_above_cents: int
) -> CustomerRequest["Trade"]:
    """Execute the quote on the screen, in the account that it was made for.

    Raises:
        QuoteAccountMismatch: its record names another account than ``account``.
        QuoteNotShown: its record names another market or side than the screen.
    """
    quote = _executable(state, account.id)

    def call(service: "Service", key: str) -> "Trade":
        if _executable(state, account.id).id != quote.id:  # it changed while it was confirmed
            raise QuoteNotShown("There is a newer quote now. Nothing was sent.")
        request = ExecuteRequest(trading_account_id=account.id)
        return service.execute_quote(quote.id, request, idempotency_key=key).value

    question = partial(_execution_question, state, quote, account.id, confirm_above_cents)
    sold = quote.asset_sold
    words = f"{quote.side} in {quote.market_name} for {money(sold.amount, sold.symbol)}"
    return CustomerRequest(account.id, call, renew=question, words=words)


def require_held(state: QuoteState) -> None:
    """Raises InsufficientFunds: a sale is of more than the account has."""
    held, asset = state.spendable, asset_sold(state.market, state.side)
    if state.side == "sell" and held and Decimal(state.amount) > Decimal(held):
        raise InsufficientFunds(held, state.amount, asset.symbol)


def _execution_question(
    state: QuoteState,
    quote: "Quote",
    account_id: str,
    confirm_above_cents: int,
    service: "Service",
) -> Ask:
    """Raises, as the execution would, what the quote can't be executed for any more."""
    _require_open(service, quote)
    sheet = form_sheet(service, account_id, state.sheet)
    require_unrestricted(sheet.account, act_of(quote.side))
    held, sold = sheet.spendable(quote.market_name, quote.side), quote.asset_sold
    if Decimal(sold.amount) > Decimal(held):
        raise InsufficientFunds(held, sold.amount, sold.symbol)
    base, usd = quote.asset_bought, quote.asset_sold
    if quote.side == "sell":
        base, usd = usd, base
    return Ask(
        f"EXECUTE {quote.side} {money(base.amount, base.symbol)} for {money(usd.amount, 'USD')}?",
        (
            lambda now: (
                f"{quote.id} at {grouped(quote.price)} USD per {base.symbol}"
                f"   expires in {countdown(state.seconds_left(now))}"
            ),
            f"available {money(held, sold.symbol)}",
        ),
        retype=retype_above(confirm_above_cents, usd.amount),
        last_at=from_datetime(quote.expires),
        too_late=_expired(quote),
    )


def _require_open(service: "Service", quote: "Quote") -> None:
    """Raises QuoteAlreadyUsed or QuoteExpired, as far as the deployment tells."""
    with suppress(NotOffered):
        known = service.quote(quote.id)
        if known.trade_id is not None:
            facts = {"quoteId": quote.id, "tradeId": known.trade_id}
            raise QuoteAlreadyUsed("The quote was already executed.", facts)
        if known.status in LAPSED:
            raise _expired(quote)


def _expired(quote: "Quote") -> QuoteExpired:
    return QuoteExpired(quote.id, format_instant(from_datetime(quote.expires)))


def _executable(state: QuoteState, account_id: str) -> "Quote":
    quote, shown = state.quote, state.shown_quote
    if quote is None or shown is None:
        raise QuoteNotShown("The quote is no longer on the screen. Nothing was sent.")
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


def shortfall_deposit(
    account: "TradingAccount",
    quote: "Quote | None",
    short: str,
    token: "Currency",
    confirm_above_cents: int,
) -> CustomerRequest["Transfer"]:
    """Deposit exactly what is missing; the quote stays as it is, and must last that long."""
    question = Ask(
        f"SHORT OF {grouped(short)} USD: DEPOSIT it into {account.id} and go on?",
        (f"from bank account {account.bank_account_id}; the quote stays as it is",),
        retype=retype_above(confirm_above_cents, short),
        last_at=from_datetime(quote.expires) if quote is not None else None,
        too_late=_expired(quote) if quote is not None else None,
    )
    request = deposit_request(account, short, token, confirm_above_cents)
    return request._replace(question=question)
