"""Markets and quotes (specification 4.2)."""

import sys
import time

import click

from chainteller.cli.open_services import opened, writing
from chainteller.cli.options import TellerCommand, example, idempotent, options
from chainteller.cli.output import document, line, listing, record
from chainteller.records.markets import MARKET
from chainteller.records.trades import QUOTE
from chainteller.service.models.markets import Market
from chainteller.service.models.pages import Page
from chainteller.service.models.quotes import QuoteRequest

SIDES = click.Choice(["buy", "sell"], case_sensitive=False)


@click.command(
    "markets",
    cls=TellerCommand,
    epilog=example("chainteller markets sol-usd --json", "chainteller markets --watch"),
)
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--watch", is_flag=True, help="Go on, one line for every change, until ctrl-c.")
def markets(names: tuple[str, ...], *, watch: bool) -> None:
    """Show the markets and their prices."""
    with opened() as found:
        if not watch:
            page = found.service.markets(names)
            listing(page, MARKET, nothing="no such market; see: chainteller markets")
            return
        interval_s = options().configured.settings.desk.poll_interval_s or 1
        shown: dict[str, tuple[str, str | None]] = {}
        while True:
            for market in found.service.markets(names).data:
                state = (market.current_price, market.status)
                if shown.get(market.market_name) != state:
                    shown[market.market_name] = state
                    _changed(market)
            time.sleep(interval_s)


def _changed(market: Market) -> None:
    if options().json:
        document(market)
    else:
        at = f"{market.at:%H:%M:%SZ}"
        line(f"{at}  {market.market_name}  {market.current_price}  {market.status or ''}".rstrip())
    sys.stdout.flush()


@click.command(
    "quote",
    cls=TellerCommand,
    epilog=example("chainteller quote sol-usd buy 1000.00", "chainteller quote sol-usd sell 2.5"),
)
@click.argument("market")
@click.argument("side", type=SIDES)
@click.argument("amount")
@click.option("--account", help="Bind the quote to this trading account.")
@idempotent
def quote(
    market: str, side: str, amount: str, account: str | None, idempotency_key: str | None
) -> None:
    """Ask for a guaranteed price; AMOUNT is of the asset sold."""
    request = QuoteRequest(amount=amount, side=side, trading_account_id=account)
    with writing() as desk:
        written = desk.create_quote(market, request, idempotency_key=idempotency_key)
    if options().json:
        document(Page.whole((written.value,)))
    else:
        step = f"chainteller execute {written.value.id} --account TDA_…"
        record(written.value, QUOTE, [("next", step)])


COMMANDS = (markets, quote)
