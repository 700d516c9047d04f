"""Executing quotes and following trades (specification 4.2 and 4.3)."""

import time
from dataclasses import dataclass

import click

from chainteller.bootstrap import OpenedService
from chainteller.cli.confirmation import confirm, require_terminal
from chainteller.cli.error_output import Exit, Usage, say
from chainteller.cli.markets import SIDES
from chainteller.cli.open_services import opened, recording, service, writing
from chainteller.cli.options import (
    TellerCommand,
    TellerGroup,
    example,
    idempotent,
    listed,
    options,
)
from chainteller.cli.output import document, line, listing, record
from chainteller.cli.transfers import DEFAULT_CURRENCY, currency_of
from chainteller.domain.assets import USD
from chainteller.domain.money import format_cents, parse_atoms
from chainteller.paths import shipped
from chainteller.records.trades import TRADE
from chainteller.service.errors import InsufficientFunds, NotFound, NotOffered
from chainteller.service.interface import Service
from chainteller.service.models.funding import DepositRequest
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.quotes import AssetAmount, ExecuteRequest, Quote, QuoteRequest
from chainteller.service.models.trades import Trade
from chainteller.tui.customer_texts import CustomerTexts
from chainteller.workspace.receipts import receipt_of, render
from chainteller.workspace.recording import Recorder

_POLL_S = 0.5
_ENDS = {"settled": Exit.DONE, "cancelled": Exit.REFUSED, "failed": Exit.REFUSED}


@click.command(
    "execute", cls=TellerCommand, epilog=example("chainteller execute QTE_... --account TDA_...")
)
@click.argument("quote_id")
@click.option("--account", "account_id", required=True, metavar="ID", help="The trading account.")
@idempotent
def execute(quote_id: str, account_id: str, idempotency_key: str | None) -> None:
    """Execute a quote at its price."""
    request = ExecuteRequest(trading_account_id=account_id)
    with writing() as desk:
        written = desk.execute_quote(quote_id, request, idempotency_key=idempotency_key)
    record(written.value, TRADE)


@click.group("trades", cls=TellerGroup)
def trades() -> None:
    """Trades of an account: list, show, cancel."""


@trades.command("list", epilog=example("chainteller trades list TDA_... --status processing"))
@click.argument("account_id", metavar="ACCOUNT")
@click.option("--status", help="Only those in this status.")
@click.option("--market", help="Only those of this market.")
@listed
def list_trades(
    account_id: str, status: str | None, market: str | None, page: int, limit: int
) -> None:
    """List an account's trades, newest first."""
    query = ListQuery(status=status, market=market, page=page, limit=limit)
    with service() as bank:
        found = bank.trades(account_id, query)
    listing(
        found,
        TRADE,
        nothing="no trades; make one: chainteller trade buy sol-usd --spend 100 --account ID",
    )


_ids = click.argument("ids", metavar="[ACCOUNT] TRADE", nargs=-1, required=True)


def _examples(word: str, more: str = "") -> str:
    """Example lines with and without the account."""
    return example(
        f"chainteller trades {word} TDA_... TXN_...{more}", f"chainteller trades {word} TXN_..."
    )


@trades.command("show", epilog=_examples("show"))
@_ids
def show(ids: tuple[str, ...]) -> None:
    """Show a trade; its account may be left out where the deployment finds trades by id."""
    with service() as bank:
        record(_found(bank, ids, "show"), TRADE)


def _found(bank: Service, ids: tuple[str, ...], word: str) -> Trade:
    """The trade of an account, or the trade alone where its account was left out.

    Raises:
        Usage: more than two ids, or the deployment does not find a trade without its account.
        NotFound: no trade has the id.
    """
    _require_two_at_most(ids)
    return bank.trade(*ids) if len(ids) == 2 else _trade_by_id(bank, ids[0], word)


def _named(bank: Service, ids: tuple[str, ...], word: str) -> tuple[str, str]:
    """An account and its trade, looked up only where the account was left out. Raises as above."""
    _require_two_at_most(ids)
    if len(ids) == 2:
        return ids[0], ids[1]
    account_id = _trade_by_id(bank, ids[0], word).trading_account_id
    if not account_id:
        raise _account_needed(word)
    return account_id, ids[0]


def _require_two_at_most(ids: tuple[str, ...]) -> None:
    if len(ids) > 2:
        raise Usage("An account and a trade are all that it takes.", "Leave the rest out.")


def _trade_by_id(bank: Service, trade_id: str, word: str) -> Trade:
    try:
        found = bank.transaction_by_id(trade_id)
    except NotOffered:
        raise _account_needed(word) from None
    if not isinstance(found, Trade):
        raise NotFound("trade", trade_id)
    return found


def _account_needed(word: str) -> Usage:
    return Usage(
        "This deployment does not find a trade by its id alone.",
        f"Name its account too: chainteller trades {word} TDA_… TXN_…",
    )


@trades.command("text", epilog=_examples("text"))
@_ids
def text(ids: tuple[str, ...]) -> None:
    """Print what the customer may be told about a trade; the account may be left out as in show."""
    with service() as bank:
        found = _found(bank, ids, "text")
    texts = CustomerTexts.load(shipped("sample_data") / "customer_texts.toml")
    said = texts.of_trade(found, options().configured.settings.service.bank_name)
    if options().json:
        document({"text": said})
    else:
        line(said)


@trades.command("receipt", epilog=_examples("receipt", " --format csv"))
@_ids
@click.option(
    "--format",
    "form",
    type=click.Choice(("text", "json", "csv")),
    default="text",
    show_default=True,
    help="How it is written.",
)
def receipt(ids: tuple[str, ...], form: str) -> None:
    """Print a trade's receipt, byte for byte as the console's export writes it; the account may
    be left out as in show."""
    with service() as bank:
        found = receipt_of(bank, *_named(bank, ids, "receipt"))
    click.echo(render(found, "json" if options().json else form), nl=False)


@trades.command("cancel", epilog=_examples("cancel"))
@_ids
@idempotent
def cancel(ids: tuple[str, ...], idempotency_key: str | None) -> None:
    """Cancel a trade that has not executed yet; the account may be left out as in show."""
    with writing() as desk:
        named = _named(desk.service, ids, "cancel")
        written = desk.cancel_trade(*named, idempotency_key=idempotency_key)
    record(written.value, TRADE)


@dataclass(frozen=True, slots=True)
class _Order:
    market: str
    side: str
    spend: str
    account_id: str
    key: str | None

    def key_of(self, step: str) -> str | None:
        """The key of a step before the execution; repeating the command derives the same one."""
        return self.key and f"{self.key}.{step}"


@click.command(
    "trade",
    cls=TellerCommand,
    epilog=example(
        "chainteller trade buy sol-usd --spend 1000 --account TDA_... --fund --yes --wait --json"
    ),
)
@click.argument("side", type=SIDES)
@click.argument("market")
@click.option("--spend", required=True, metavar="AMOUNT", help="Amount of the asset sold.")
@click.option("--account", "account_id", required=True, metavar="ID", help="The trading account.")
@click.option("--fund", is_flag=True, help="Deposit a shortfall in DPT_USD first.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--wait", is_flag=True, help="End when the trade is settled, cancelled or failed.")
@idempotent
def trade(  # noqa: PLR0913 - one per option
    side: str,
    market: str,
    spend: str,
    account_id: str,
    *,
    fund: bool,
    yes: bool,
    wait: bool,
    idempotency_key: str | None,
) -> int:
    """Quote, execute and follow a trade in one line."""
    if not yes:
        require_terminal()
    order = _Order(market, side, spend, account_id, idempotency_key)
    with opened() as found, recording(found.service) as desk:
        quote = _quote(desk, order)
        sold, bought = _amount(quote.asset_sold), _amount(quote.asset_bought)
        funding = ", depositing what is missing" if fund else ""
        confirm(f"{side}: pay {sold}, get {bought}, in {account_id}{funding}.", yes=yes)
        made = _execute(desk, order, quote.id, fund=fund)
        say(f"{made.id}  {made.status}")
        if wait:
            made = _followed(found, made, account_id)
    record(made, TRADE)
    return _ENDS.get(made.status, Exit.DONE)


def _amount(asset: AssetAmount) -> str:
    return f"{asset.amount} {asset.symbol}"


def _quote(desk: Recorder, order: _Order) -> Quote:
    request = QuoteRequest(amount=order.spend, side=order.side, trading_account_id=order.account_id)
    quote = desk.create_quote(order.market, request, idempotency_key=order.key_of("quote")).value
    say(
        f"{quote.id}  {quote.side} {quote.market_name} at {quote.price} USD: "
        f"{_amount(quote.asset_sold)} for {_amount(quote.asset_bought)}"
    )
    return quote


def _execute(desk: Recorder, order: _Order, quote_id: str, *, fund: bool) -> Trade:
    request = ExecuteRequest(trading_account_id=order.account_id)
    try:
        return _send(desk, quote_id, request, order)
    except InsufficientFunds as short:
        if not fund or short.details.get("currency") != USD.symbol:
            raise
        _deposit_shortfall(desk, order, short)
    return _send(desk, quote_id, request, order)


def _send(desk: Recorder, quote_id: str, request: ExecuteRequest, order: _Order) -> Trade:
    return desk.execute_quote(quote_id, request, idempotency_key=order.key).value


def _deposit_shortfall(desk: Recorder, order: _Order, short: InsufficientFunds) -> None:
    available = str(short.details["available"])
    held = 0 if not available.strip("0.") else parse_atoms(available, USD)
    missing = format_cents(parse_atoms(short.details["required"], USD) - held)
    say(f"deposit {missing} {DEFAULT_CURRENCY}: {available} is available")
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
