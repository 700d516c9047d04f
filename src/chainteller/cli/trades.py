"""Executing quotes and following trades (specification 4.2 and 4.3)."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from chainteller.bootstrap import OpenedService
from chainteller.cli.amounts import DEFAULT_CURRENCY, currency_of, request_amount
from chainteller.cli.confirmation import account_of_customer, confirm, require_terminal
from chainteller.cli.error_output import Exit, say
from chainteller.cli.lists import Selection, list_options
from chainteller.cli.markets import SIDES
from chainteller.cli.named import TRADES, receipt_form
from chainteller.cli.open_services import opened, recording, service, writing
from chainteller.cli.options import command, group, idempotency_key, options
from chainteller.cli.output import answer, record
from chainteller.domain.assets import USD
from chainteller.domain.money import asset_sold, format_cents, parse_atoms
from chainteller.domain.randomness import SystemRandomness
from chainteller.domain.trades import TERMINAL, TradeStatus
from chainteller.records.trades import TRADE, next_of
from chainteller.service import operations as op
from chainteller.service.errors import InsufficientFunds, OutcomeUnknown
from chainteller.service.models.funding import DepositRequest
from chainteller.service.models.quotes import AssetAmount, ExecuteRequest, Quote, QuoteRequest
from chainteller.service.models.trades import Trade

if TYPE_CHECKING:
    from chainteller.workspace.recording import Recorder

_POLL_S = 0.5
_ENDS = {
    status.value: Exit.DONE if status is TradeStatus.SETTLED else Exit.REFUSED
    for status in TERMINAL
}


@command("execute", calls=[op.EXECUTE_QUOTE], example="execute QTE_... --account TDA_...")
@click.argument("quote_id")
@click.option("--account", "account_id", required=True, metavar="ID", help="The trading account.")
def execute(quote_id: str, account_id: str) -> None:
    """Execute a quote at its price."""
    request = ExecuteRequest(trading_account_id=account_id)
    with writing() as desk:
        written = desk.execute_quote(quote_id, request)
    record(written.value, TRADE)


@group("trades")
def trades() -> None:
    """Trades of an account: list, show, cancel."""


@trades.command(
    "list", calls=[op.TRADES, op.ALL_TRADES], example="trades list TDA_... --status processing"
)
@click.argument("account_id", metavar="[ACCOUNT]", required=False)
@list_options(op.TRADES, TRADE)
def list_trades(account_id: str | None, selection: Selection[Trade]) -> None:
    """List trades, newest first: of an account, or of all where the deployment lists those."""
    with service() as bank:
        selection.show(
            bank,
            bank.all_trades if account_id is None else partial(bank.trades, account_id),
            nothing="no trades; make one: chainteller trade buy sol-usd --spend 100 --account ID",
        )


_ids = click.argument("ids", metavar="[ACCOUNT] TRADE", nargs=-1, required=True)


def _examples(word: str, more: str = "") -> tuple[str, str]:
    """Example lines with and without the account."""
    return f"trades {word} TDA_... TXN_...{more}", f"trades {word} TXN_..."


@trades.command("show", calls=[op.SHOW_TRADE, op.TRANSACTION_BY_ID], example=_examples("show"))
@_ids
def show(ids: tuple[str, ...]) -> None:
    """Show a trade; its account may be left out where the deployment finds trades by id."""
    with service() as bank:
        found = TRADES.find(bank, ids)
    record(found, TRADE, [("now", next_of(found).words)])


@trades.command("text", calls=[op.SHOW_TRADE, op.TRANSACTION_BY_ID], example=_examples("text"))
@_ids
def text(ids: tuple[str, ...]) -> None:
    """Print the text for the customer about a trade; the account may be left out as in show."""
    with service() as bank:
        found = TRADES.find(bank, ids)
    texts = options().customer_texts()
    said = texts.of_trade(found, options().configured.settings.service.bank_name)
    answer({"text": said}, said)


@trades.command(
    "receipt",
    calls=[op.SHOW_TRADE, op.TRANSACTION_BY_ID],
    example=_examples("receipt", " --format csv"),
)
@_ids
@receipt_form
def receipt(ids: tuple[str, ...], form: str, file: Path | None) -> None:
    """Print a trade's receipt, byte for byte as the console's export writes it; the account may
    be left out as in show."""
    with service() as bank:
        TRADES.print_receipt(bank, ids, form, file)


@trades.command("cancel", calls=[op.CANCEL_TRADE], example=_examples("cancel"))
@_ids
def cancel(ids: tuple[str, ...]) -> None:
    """Cancel a trade that has not executed yet; the account may be left out as in show."""
    with writing() as desk:
        named = TRADES.ids(desk.service, ids)
        written = desk.cancel_trade(*named)
    record(written.value, TRADE)


@dataclass(frozen=True, slots=True)
class _Order:
    market: str
    side: str
    spend: str
    account_id: str
    key: str

    def key_of(self, step: str) -> str:
        """The key of a step before the execution; repeating the command derives the same one."""
        return f"{self.key}.{step}"


@command(
    "trade",
    calls=[op.CREATE_QUOTE, op.EXECUTE_QUOTE, op.DEPOSIT],
    example="trade buy sol-usd --spend 1000 --account TDA_... --fund --yes --wait --json",
)
@click.argument("side", type=SIDES)
@click.argument("market")
@click.option("--spend", required=True, metavar="AMOUNT", help="Amount of the asset sold.")
@click.option("--account", "account_id", required=True, metavar="ID", help="The trading account.")
@click.option("--fund", is_flag=True, help="Deposit a shortfall in DPT_USD first.")
@click.option("--yes", is_flag=True, help="Don't ask for confirmation.")
@click.option("--wait", is_flag=True, help="End when the trade is settled, cancelled or failed.")
def trade(  # noqa: PLR0913 - one per option
    side: str, market: str, spend: str, account_id: str, *, fund: bool, yes: bool, wait: bool
) -> int:
    """Get a quote, execute it and follow the trade."""
    amount = request_amount(spend, asset_sold(market, side))
    if not yes:
        require_terminal()
    key = idempotency_key() or SystemRandomness().bytes(16).hex()
    order = _Order(market, side, amount, account_id, key)
    with opened() as found, recording(found.service) as desk, _one_key(key):
        quote = _quote(desk, order)
        sold, bought = _amount(quote.asset_sold), _amount(quote.asset_bought)
        funding = ", depositing what is missing" if fund else ""
        if not yes:
            account = account_of_customer(found.service, account_id)
            question = f"{side} with {quote.id}: pay {sold}, get {bought}, in {account}{funding}."
            confirm(question, yes=yes)
        made = _execute(desk, order, quote.id, fund=fund)
        say(f"{made.id}  {made.status}")
        if wait:
            made = _followed(found, made, account_id)
    record(made, TRADE)
    return _ENDS.get(made.status, Exit.DONE)


@contextmanager
def _one_key(key: str) -> Iterator[None]:
    """Name the key of the whole command in place of that of the step that wasn't answered."""
    try:
        yield
    except OutcomeUnknown as error:
        raise type(error)(error.message, key) from None


def _amount(asset: AssetAmount) -> str:
    return f"{asset.amount} {asset.symbol}"


def _quote(desk: "Recorder", order: _Order) -> Quote:
    request = QuoteRequest(amount=order.spend, side=order.side, trading_account_id=order.account_id)
    quote = desk.create_quote(order.market, request, idempotency_key=order.key_of("quote")).value
    say(
        f"{quote.id}  {quote.side} {quote.market_name} at {quote.price} USD: "
        f"{_amount(quote.asset_sold)} for {_amount(quote.asset_bought)}"
    )
    return quote


def _execute(desk: "Recorder", order: _Order, quote_id: str, *, fund: bool) -> Trade:
    request = ExecuteRequest(trading_account_id=order.account_id)
    try:
        return _send(desk, quote_id, request, order)
    except InsufficientFunds as short:
        if not fund or short.details.get("currency") != USD.symbol:
            raise
        _deposit_shortfall(desk, order, short)
    return _send(desk, quote_id, request, order)


def _send(desk: "Recorder", quote_id: str, request: ExecuteRequest, order: _Order) -> Trade:
    return desk.execute_quote(quote_id, request, idempotency_key=order.key).value


def _deposit_shortfall(desk: "Recorder", order: _Order, short: InsufficientFunds) -> None:
    available = str(short.details["available"])
    held = parse_atoms(available, USD, allow_zero=True)
    missing = format_cents(parse_atoms(short.details["required"], USD) - held)
    say(f"deposit {missing} {USD.symbol}: {available} is available")
    request = DepositRequest(amount=missing, currency=currency_of(DEFAULT_CURRENCY))
    desk.deposit(order.account_id, request, idempotency_key=order.key_of("deposit"))


def _followed(found: OpenedService, made: Trade, account_id: str) -> Trade:
    """Poll until the trade has ended, running due work; prints each change on stderr."""
    while made.status not in _ENDS:
        time.sleep(_POLL_S)
        found.run_due()
        now = found.service.trade(account_id, made.id)
        if now.status != made.status:
            say(f"{now.id}  {now.status}")
        made = now
    return made


COMMANDS = (execute, trades, trade)
