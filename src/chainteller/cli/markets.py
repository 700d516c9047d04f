"""Markets and quotes (specification 4.2)."""

import sys
import time

import click

from chainteller.cli.amounts import request_amount
from chainteller.cli.lists import Selection, list_options
from chainteller.cli.open_services import opened, service, writing
from chainteller.cli.options import command, options
from chainteller.cli.output import document, line, record
from chainteller.domain.money import asset_sold
from chainteller.records.markets import MARKET, PRICE
from chainteller.records.trades import QUOTE
from chainteller.service import operations as op
from chainteller.service.models.markets import Market, PriceSample
from chainteller.service.models.pages import Page
from chainteller.service.models.quotes import QuoteRequest

SIDES = click.Choice(["buy", "sell"], case_sensitive=False)


@command("markets", calls=[op.MARKETS], example=("markets sol-usd --json", "markets --watch"))
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--watch", is_flag=True, help="Continue with one line per change, until ctrl-c.")
@list_options(op.MARKETS, MARKET, given=["names"])
def markets(names: tuple[str, ...], selection: Selection[Market], *, watch: bool) -> None:
    """Show the markets and their prices."""
    with opened() as found:
        if not watch:
            page = found.service.markets(names)
            selection.write(page, nothing="no market has this name; see: chainteller markets")
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


@command("prices", calls=[op.PRICES], example="prices sol-usd --format csv")
@click.argument("market")
@list_options(op.PRICES, PRICE)
def prices(market: str, selection: Selection[PriceSample]) -> None:
    """Show recent prices of a market, oldest first."""
    with service() as bank:
        selection.write(bank.prices(market), nothing="no prices yet")


@command(
    "quote",
    calls=[op.CREATE_QUOTE],
    example=("quote sol-usd buy 1000.00", "quote sol-usd sell 2.5"),
)
@click.argument("market")
@click.argument("side", type=SIDES)
@click.argument("amount")
@click.option("--account", help="Bind the quote to this trading account.")
def quote(market: str, side: str, amount: str, account: str | None) -> None:
    """Get a guaranteed price; AMOUNT is of the asset sold."""
    asked = request_amount(amount, asset_sold(market, side))
    request = QuoteRequest(amount=asked, side=side, trading_account_id=account)
    with writing() as desk:
        written = desk.create_quote(market, request)
    if options().json:
        document(Page.whole((written.value,)))
    else:
        step = f"chainteller execute {written.value.id} --account {account or 'TDA_...'}"
        record(written.value, QUOTE, [("next", step)])


COMMANDS = (markets, prices, quote)
