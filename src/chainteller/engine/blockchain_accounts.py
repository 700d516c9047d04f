"""Blockchain accounts: where a trading account's assets are held in custody on a network."""

from sqlalchemy import Connection

from chainteller.domain.ids import Prefix
from chainteller.domain.preconditions import Act
from chainteller.engine import accounts, preconditions, reading
from chainteller.engine.bank import Bank
from chainteller.engine.table import reads, writes
from chainteller.engine.transaction import Transaction
from chainteller.service import operations
from chainteller.service.errors import UnsupportedNetwork
from chainteller.service.models.counterparties import BlockchainAccount, OpenBlockchainAccount
from chainteller.service.models.pages import ListQuery, Page
from chainteller.storage import wallets
from chainteller.storage.database import Record
from chainteller.wallets.networks import (
    Network,
    UnknownNetwork,
    network_names,
    resolve_network,
)

RESOURCE = "blockchain account"
ACTIVE = "active"


def network(bank: Bank, text: str) -> Network:
    """An open network by any of its names. Raises UnsupportedNetwork."""
    try:
        return resolve_network(text, test_networks=bank.options.test_networks)
    except UnknownNetwork:
        raise UnsupportedNetwork(
            "This network is not supported.",
            {
                "network": reading.shown(text),
                "supported": list(network_names(test_networks=bank.options.test_networks)),
            },
        ) from None


@writes(operations.OPEN_BLOCKCHAIN_ACCOUNT)
def open_account(tx: Transaction, request: OpenBlockchainAccount) -> BlockchainAccount:
    on = network(tx.bank, request.network)
    trading_account = accounts.locked(tx, request.trading_account_id)
    preconditions.require_allowed(trading_account, Act.OPEN)
    account_id = tx.new_id(Prefix.BLOCKCHAIN_ACCOUNT)
    wallets.insert_account(
        tx.connection,
        {
            "id": account_id,
            "organisation_id": tx.organisation_id,
            "trading_account_id": trading_account.id,
            "customer_id": trading_account.customer_id,
            "network": on.name,
            "address": on.family.custody_address(on, tx.bank.randomness.bytes),
            "status": ACTIVE,
            "created": tx.now,
        },
    )
    tx.audited_object = account_id
    tx.event(
        "blockchain_account.created",
        account_id,
        tradingAccountId=trading_account.id,
        network=on.name,
    )
    return wallets.account_model(find(tx.connection, tx.organisation_id, account_id))


def find(connection: Connection, organisation_id: str, account_id: str) -> Record:
    """Raises NotFound."""
    reading.checked_id(RESOURCE, account_id)
    row = wallets.find_account(connection, organisation_id, account_id)
    return reading.found(row, RESOURCE, account_id)


@reads(operations.SHOW_BLOCKCHAIN_ACCOUNT)
def show(connection: Connection, organisation_id: str, account_id: str) -> BlockchainAccount:
    return wallets.account_model(find(connection, organisation_id, account_id))


@reads(operations.BLOCKCHAIN_ACCOUNTS)
def page(connection: Connection, organisation_id: str, query: ListQuery) -> Page[BlockchainAccount]:
    checked = reading.checked_query(query)
    found, total = wallets.accounts_page(connection, organisation_id, checked)
    return reading.page(found, total, checked)
