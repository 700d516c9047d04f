"""Quotes as records: list, show. ``chainteller quote`` asks for one."""

import contextlib

import click

from chainteller.cli.lists import Selection, list_options
from chainteller.cli.open_services import service
from chainteller.cli.options import group
from chainteller.cli.single_calls import add_show
from chainteller.records.trades import QUOTE
from chainteller.service import operations as op
from chainteller.service.errors import NotOffered
from chainteller.service.models.pages import ListQuery, Page
from chainteller.service.models.quotes import Quote


@group("quotes")
def quotes() -> None:
    """Quotes: list, show. `chainteller quote` asks for one."""


@quotes.command("list", calls=[op.QUOTES], example="quotes list TDA_... --status open")
@click.argument("account_id", metavar="[ACCOUNT]", required=False)
@list_options(op.QUOTES, QUOTE, given=["trading_account_id"])
def list_quotes(account_id: str | None, selection: Selection[Quote]) -> None:
    """List quotes, newest first: all of them, or those made for an account."""

    def fetch(query: ListQuery) -> Page[Quote]:
        found = bank.quotes(query.model_copy(update={"trading_account_id": account_id}))
        if account_id is not None and not found.data:
            with contextlib.suppress(NotOffered):
                bank.trading_account(account_id)  # raises NotFound: it's no account
        return found

    with service() as bank:
        selection.show(
            bank, fetch, nothing="no quotes; ask for one: chainteller quote sol-usd buy 100"
        )


add_show(
    quotes,
    op.SHOW_QUOTE,
    QUOTE,
    "Show a quote.",
    example="quotes show QTE_...",
    metavar="QTE",
)


COMMANDS = (quotes,)
