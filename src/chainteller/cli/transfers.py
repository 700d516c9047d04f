"""Deposits and withdrawals (specification 4.1)."""

import click

from chainteller.cli.amounts import (
    DEFAULT_CURRENCY,
    asset_of,
    bank_amount,
    currency_of,
    is_above,
    read_back,
    request_amount,
)
from chainteller.cli.confirmation import (
    account_of_customer,
    confirm,
    confirm_in_session,
    require_terminal,
)
from chainteller.cli.error_output import Usage
from chainteller.cli.open_services import writing
from chainteller.cli.options import command, options
from chainteller.cli.output import record
from chainteller.records.transfers import transfer_fields
from chainteller.service import operations as op
from chainteller.service.interface import Service
from chainteller.service.models.funding import DepositRequest, Destination, WithdrawalRequest
from chainteller.service.models.pages import MAXIMUM_LIMIT, ListQuery


@command("deposit", calls=[op.DEPOSIT], example="deposit TDA_... 1000.00 --currency DPT_USD")
@click.argument("account_id", metavar="ACCOUNT")
@click.argument("amount")
@click.option("--currency", default=DEFAULT_CURRENCY, help="DPT_USD (default) or USDC@solana.")
@click.option("--yes", is_flag=True, help="Don't ask for confirmation; only desk --plain asks.")
def deposit(account_id: str, amount: str, currency: str, *, yes: bool) -> None:
    """Move money from the customer's bank account into the trading account.

    In desk --plain, an amount above desk.confirm_above is confirmed first.
    """
    money = currency_of(currency)
    request = DepositRequest(amount=bank_amount(amount, money), currency=money)
    with writing() as desk:
        if is_above(request.amount, money, options().configured.settings.desk.confirm_above):
            amount_read = read_back(request.amount, money)
            whose = account_of_customer(desk.service, account_id)
            confirm_in_session(f"Deposit {amount_read} into {whose}.", yes=yes)
        written = desk.deposit(account_id, request)
    record(written.value, transfer_fields(written.value))


@command(
    "withdraw",
    calls=[op.WITHDRAW],
    example=(
        "withdraw TDA_... 250.00 --yes",
        "withdraw TDA_... 250.00 --currency USDC@solana --to CPT_... --yes",
    ),
)
@click.argument("account_id", metavar="ACCOUNT")
@click.argument("amount")
@click.option("--currency", help="DPT_USD (default, to the bank), USDC@solana or SOL@solana.")
@click.option("--to", "counterparty_id", metavar="CPT_…", help="A wallet instead of the bank.")
@click.option("--via", metavar="BCA_…", help="The blockchain account that it leaves from.")
@click.option("--yes", is_flag=True, help="Don't ask for confirmation.")
def withdraw(
    account_id: str,
    amount: str,
    currency: str | None,
    counterparty_id: str | None,
    via: str | None,
    *,
    yes: bool,
) -> None:
    """Move money out: to the customer's bank account, or to one of the customer's wallets."""
    if via and not counterparty_id:
        raise Usage("--via goes with --to.", "Name the wallet: --to CPT_…")
    if counterparty_id and not currency:
        raise Usage("A withdrawal to a wallet names its currency.", "Add --currency USDC@solana")
    money = currency_of(currency or DEFAULT_CURRENCY)
    if counterparty_id:
        asked = request_amount(amount, asset_of(money))
    else:
        asked = bank_amount(amount, money)
    if not yes:
        require_terminal()
    with writing() as desk:
        destination = None
        target = "the customer's bank account"
        if counterparty_id:
            destination, target = _wallet(desk.service, account_id, counterparty_id, via)
        if not yes:
            source = account_of_customer(desk.service, account_id)
            confirm(f"Withdraw {read_back(asked, money)} from {source} to {target}.", yes=yes)
        request = WithdrawalRequest(amount=asked, currency=money, destination=destination)
        written = desk.withdraw(account_id, request)
    record(written.value, transfer_fields(written.value))


def _wallet(
    bank: Service, account_id: str, counterparty_id: str, via: str | None
) -> tuple[Destination, str]:
    counterparty = bank.counterparty(counterparty_id)
    source = via or _only_source(bank, account_id, counterparty_id, counterparty.network)
    destination = Destination(
        type="counterparty", counterparty_id=counterparty_id, blockchain_account_id=source
    )
    return destination, f"{counterparty.address} ({counterparty.network}, {counterparty_id})"


def _only_source(bank: Service, account_id: str, counterparty_id: str, network: str | None) -> str:
    """The only blockchain account linked to the wallet, or the only one of its network."""
    query = ListQuery(trading_account_id=account_id, limit=MAXIMUM_LIMIT)
    own = bank.blockchain_accounts(query).data
    whole = ListQuery(limit=MAXIMUM_LIMIT)
    linked = [
        each.id
        for each in own
        if any(
            listed.id == counterparty_id
            for listed in bank.linked_counterparties(each.id, whole).data
        )
    ]
    same_network = [each.id for each in own if each.network == network]
    for candidates in (linked, same_network, [each.id for each in own]):
        if len(candidates) == 1:
            return candidates[0]
    raise Usage(
        f"{account_id} has {len(own)} blockchain accounts for this wallet; one must be named.",
        "Add --via BCA_…; see: chainteller blockchain-accounts list",
    )


COMMANDS = (deposit, withdraw)
