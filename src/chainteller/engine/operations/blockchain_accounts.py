"""Blockchain accounts: where a trading account's assets are held in custody on a network."""

from collections.abc import Callable

from chainteller.domain.ids import Prefix
from chainteller.domain.preconditions import Act
from chainteller.engine.core import outcome, preconditions, reading
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.outcome import Event, Insert, Moment, Outcome
from chainteller.engine.core.table import lists, reads, writes
from chainteller.engine.core.unit_of_work import UnitOfWork
from chainteller.engine.operations import accounts
from chainteller.service import operations
from chainteller.service.errors import UnsupportedNetwork
from chainteller.service.models.counterparties import BlockchainAccount, OpenBlockchainAccount
from chainteller.storage.db.query import Record, Session
from chainteller.storage.db.records import Tables
from chainteller.storage.queries import accounts as account_rows
from chainteller.storage.queries import wallets
from chainteller.wallets.addresses import InvalidAddress, parse_address
from chainteller.wallets.networks import (
    Network,
    UnknownNetwork,
    network_names,
    resolve_network,
)

RESOURCE = "blockchain account"
ACTIVE = "active"


def network(context: EngineContext, text: str) -> Network:
    """An open network by any of its names. Raises UnsupportedNetwork."""
    try:
        return resolve_network(text, test_networks=context.options.test_networks)
    except UnknownNetwork:
        raise UnsupportedNetwork(
            "This network isn't supported.",
            {
                "network": reading.shown(text),
                "supported": list(network_names(test_networks=context.options.test_networks)),
            },
        ) from None


def _address_in_custody(
    context: EngineContext, organisation_id: str, request: OpenBlockchainAccount
) -> str | None:
    """The address that a connected custody has for an account on a network, the same one whenever
    it's asked; None where custody is simulated, or the request is refused anyway.

    Raises:
        ServiceUnavailable: the custody has no address for it, or that of another account.
    """
    port = context.ports.custody
    if port is None:
        return None
    with context.database.read() as connection:
        account = account_rows.find(connection, organisation_id, request.trading_account_id)
    try:
        on = network(context, request.network)
    except UnsupportedNetwork:
        return None
    if account is None:
        return None
    told = port.read("/addresses", {"account": account.id, "network": on.name})
    try:
        address = parse_address(told["address"], on).display
    except (InvalidAddress, LookupError, TypeError, AttributeError):
        raise port.unavailable(f"its address isn't one of {on.name}") from None
    with context.database.read() as connection:
        if wallets.is_of_another(connection, organisation_id, on.name, address, account.id):
            raise port.unavailable("its address is that of another trading account")
    return address


@writes(operations.OPEN_BLOCKCHAIN_ACCOUNT, _address_in_custody, timeless=True)
def open_account(
    tx: UnitOfWork, request: OpenBlockchainAccount, in_custody: str | None
) -> BlockchainAccount:
    on = network(tx.context, request.network)
    trading_account = accounts.locked(tx, request.trading_account_id)
    moment = outcome.moment(tx)
    decided = decide_opening(
        trading_account,
        on,
        lambda: in_custody or on.family.custody_address(on, tx.context.randomness.bytes),
        moment,
    )
    outcome.apply(tx, decided)
    return wallets.account_model(decided.record(Tables.blockchain_account))


def decide_opening(
    trading_account: Record, on: Network, new_address: Callable[[], str], moment: Moment
) -> Outcome:
    """An active account with a new custody address. Raises AccountRestricted, TermsNotAccepted,
    KycRequired."""
    preconditions.require_allowed(trading_account, Act.OPEN)
    row = {
        "id": moment.new_id(Prefix.BLOCKCHAIN_ACCOUNT),
        "organisation_id": moment.organisation_id,
        "trading_account_id": trading_account.id,
        "customer_id": trading_account.customer_id,
        "network": on.name,
        "address": new_address(),
        "status": ACTIVE,
        "created": moment.now,
    }
    told = {"tradingAccountId": trading_account.id, "network": on.name}
    return Outcome(
        row["id"],
        rows=(Insert(Tables.blockchain_account, (row,)),),
        events=(Event("blockchain_account.created", row["id"], told),),
    )


def find(connection: Session, organisation_id: str, account_id: str) -> Record:
    """Raises NotFound."""
    find_row = wallets.find_account
    return reading.row_by_id(find_row, connection, RESOURCE, organisation_id, account_id)


@reads(operations.SHOW_BLOCKCHAIN_ACCOUNT)
def show(connection: Session, organisation_id: str, account_id: str) -> BlockchainAccount:
    return wallets.account_model(find(connection, organisation_id, account_id))


lists(operations.BLOCKCHAIN_ACCOUNTS, wallets.accounts_page)
