"""Customers and trading accounts (specification 4.1)."""

import click

from chainteller.cli.open_services import service, writing
from chainteller.cli.options import TellerGroup, example, idempotent, listed, options
from chainteller.cli.output import document, line, listing, record
from chainteller.domain.clock import SystemClock
from chainteller.paths import shipped
from chainteller.records.accounts import ACCOUNT, BALANCE, CUSTOMER, LIMIT
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.pages import ListQuery
from chainteller.tui.customer_texts import CustomerTexts
from chainteller.tui.queries import account_sheet


@click.group("customers", cls=TellerGroup)
def customers() -> None:
    """The core bank's customers."""


@customers.command("find", epilog=example("chainteller customers find DDA-1001"))
@click.argument("text")
@listed
def find(text: str, page: int, limit: int) -> None:
    """Find customers by name, reference or bank account."""
    with service() as bank:
        found = bank.customers(ListQuery(text=text, page=page, limit=limit))
        knows_nobody = not found.data and not bank.customers(ListQuery(limit=1)).data
    listing(
        found,
        CUSTOMER,
        nothing="this bank has no customers yet: chainteller db sample loads made-up ones"
        if knows_nobody
        else "no customer found; try a name, a reference or a bank account",
    )


@click.group("accounts", cls=TellerGroup)
def accounts() -> None:
    """Trading accounts: list, open, show, balances, limits."""


@accounts.command("list", epilog=example("chainteller accounts list --text DDA-1001"))
@click.option("--text", help="Only those whose id, bank account or customer fits.")
@click.option(
    "--sort",
    type=click.Choice(["-created", "created", "-lastActivity"]),
    help="Newest first (the default), oldest first, or most recently active first.",
)
@listed
def list_accounts(text: str | None, sort: str | None, page: int, limit: int) -> None:
    """List trading accounts, the newest first."""
    query = ListQuery(text=text, page=page, limit=limit, sort=sort)
    with service() as bank:
        found = bank.trading_accounts(query)
    listing(
        found,
        ACCOUNT,
        nothing="no accounts yet; open one: chainteller accounts open BANK_ACCOUNT_ID "
        "--type checking, or load the sample data: chainteller db sample",
    )


@accounts.command("open", epilog=example("chainteller accounts open DDA-1001 --type checking"))
@click.argument("bank_account_id")
@click.option(
    "--type", "bank_account_type", required=True, metavar="TYPE", help="checking or savings"
)
@idempotent
def open_account(bank_account_id: str, bank_account_type: str, idempotency_key: str | None) -> None:
    """Open a trading account for a bank account."""
    request = OpenTradingAccount(
        bank_account_id=bank_account_id, bank_account_type=bank_account_type
    )
    with writing() as desk:
        written = desk.open_trading_account(request, idempotency_key=idempotency_key)
    record(written.value, ACCOUNT)


@accounts.command("show", epilog=example("chainteller accounts show TDA_..."))
@click.argument("account_id")
def show(account_id: str) -> None:
    """Show a trading account."""
    with service() as bank:
        record(bank.trading_account(account_id), ACCOUNT)


@accounts.command("text", epilog=example("chainteller accounts text TDA_..."))
@click.argument("account_id", metavar="ID")
def text(account_id: str) -> None:
    """Print what the customer may be told about an account and what is under way."""
    with service() as bank:
        sheet = account_sheet(bank, account_id)
    texts = CustomerTexts.load(shipped("sample_data") / "customer_texts.toml")
    bank_name = options().configured.settings.service.bank_name
    said = texts.of_account_sheet(sheet, SystemClock().now(), bank_name)
    if options().json:
        document({"text": said})
        return
    for each in said.splitlines():
        line(each)


@accounts.command("balances", epilog=example("chainteller accounts balances TDA_..."))
@click.argument("account_id")
@click.option("--zero", is_flag=True, help="Show what is not held too.")
def balances(account_id: str, *, zero: bool) -> None:
    """Show what an account holds, asset by asset."""
    with service() as bank:
        found = bank.token_balances(account_id, include_zero=zero)
    listing(
        found,
        BALANCE,
        nothing="the account is empty; fund it: chainteller deposit ACCOUNT AMOUNT",
    )


@accounts.command("limits", epilog=example("chainteller accounts limits TDA_..."))
@click.argument("account_id")
def limits(account_id: str) -> None:
    """Show what may leave the account, by kind of destination."""
    with service() as bank:
        found = bank.limits(account_id)
    listing(found, LIMIT, nothing="no limits")


COMMANDS = (customers, accounts)
