"""Deposits and withdrawals (specification 4.1)."""

import click

from chainteller.cli.confirmation import confirm, require_terminal
from chainteller.cli.error_output import Usage
from chainteller.cli.open_services import writing
from chainteller.cli.options import TellerCommand, example, idempotent
from chainteller.cli.output import record
from chainteller.domain.assets import ASSETS_BY_KEY, CRYPTO
from chainteller.records.transfers import transfer_fields
from chainteller.service.interface import Service
from chainteller.service.models.funding import (
    Currency,
    DepositRequest,
    Destination,
    WithdrawalRequest,
)
from chainteller.service.models.pages import MAXIMUM_LIMIT, ListQuery

DEFAULT_CURRENCY = "DPT_USD"


def currency_of(text: str) -> Currency:
    """``DPT_...`` is a deposit token, ``USDC@solana`` a stablecoin, ``SOL@solana`` a coin.

    Raises:
        Usage: anything else.
    """
    if text.startswith("DPT_"):
        return Currency(type="deposit-token-currency", id=text)
    symbol, at, network = text.partition("@")
    if not (symbol and at and network):
        raise Usage(f"{text!r} names no currency.", "Give DPT_USD, USDC@solana or SOL@solana.")
    coin = ASSETS_BY_KEY.get(f"{symbol.upper()}@{network}") in CRYPTO
    return Currency(
        type="crypto-currency" if coin else "stablecoin-currency",
        symbol=symbol.upper(),
        network=network,
    )


@click.command(
    "deposit",
    cls=TellerCommand,
    epilog=example("chainteller deposit TDA_... 1000.00 --currency DPT_USD"),
)
@click.argument("account_id", metavar="ACCOUNT")
@click.argument("amount")
@click.option("--currency", default=DEFAULT_CURRENCY, help="DPT_USD (default) or USDC@solana.")
@idempotent
def deposit(account_id: str, amount: str, currency: str, idempotency_key: str | None) -> None:
    """Move money from the customer's bank account into the trading account."""
    request = DepositRequest(amount=amount, currency=currency_of(currency))
    with writing() as desk:
        written = desk.deposit(account_id, request, idempotency_key=idempotency_key)
    record(written.value, transfer_fields(written.value))


@click.command(
    "withdraw",
    cls=TellerCommand,
    epilog=example(
        "chainteller withdraw TDA_... 250.00 --yes",
        "chainteller withdraw TDA_... 250.00 --currency USDC@solana --to CPT_... --yes",
    ),
)
@click.argument("account_id", metavar="ACCOUNT")
@click.argument("amount")
@click.option("--currency", help="DPT_USD (default, to the bank), USDC@solana or SOL@solana.")
@click.option("--to", "counterparty_id", metavar="CPT_…", help="A wallet instead of the bank.")
@click.option("--via", metavar="BCA_…", help="The blockchain account that it leaves from.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@idempotent
def withdraw(  # noqa: PLR0913 - one per option
    account_id: str,
    amount: str,
    currency: str | None,
    counterparty_id: str | None,
    via: str | None,
    *,
    yes: bool,
    idempotency_key: str | None,
) -> None:
    """Move money out: to the customer's bank account, or to one of the customer's wallets."""
    if via and not counterparty_id:
        raise Usage("--via goes with --to.", "Name the wallet: --to CPT_…")
    if counterparty_id and not currency:
        raise Usage("A withdrawal to a wallet names its currency.", "Add --currency USDC@solana")
    if not yes:
        require_terminal()
    named = currency or DEFAULT_CURRENCY
    money = currency_of(named)
    with writing() as desk:
        destination = None
        target = "the customer's bank account"
        if counterparty_id:
            destination, target = _wallet(desk.service, account_id, counterparty_id, via)
        confirm(f"Withdraw {amount} {named} from {account_id} to {target}.", yes=yes)
        request = WithdrawalRequest(amount=amount, currency=money, destination=destination)
        written = desk.withdraw(account_id, request, idempotency_key=idempotency_key)
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
