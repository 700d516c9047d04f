"""Whose the rows of each table are: an organisation's or the deployment's; and how they move with
their organisation into another database (``moving``).

Keys don't begin with the organisation. A row names it, or a row that names it, or belongs to the
deployment. Every table of this program is in ``OWNERS``; a test names one that isn't.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Select,
    Table,
    func,
    literal,
    or_,
    select,
    union_all,
)

from chainteller.domain.ledger import CUSTOMER_PREFIX, Bucket
from chainteller.storage.tables import Tables
from chainteller.storage.wallet_tables import WalletTables


class Moves(Enum):
    """How an organisation's rows of a table get into another database."""

    AS_THEY_ARE = "every cell is the same there"
    NUMBERED = "the deployment numbers them, so they get numbers of the other one"
    LEDGER = "a customer's as they are; the bank's own are posted again"
    AS_A_LOG = "byte by byte, before everything else"
    OTHERWISE = "the organisation itself, and what is counted again"
    NOT = "they stay"


class Owner(NamedTuple):
    """Whose a table's rows are.

    ``column`` names the organisation; or a row of one of the ``parents``, by its primary key, whose
    owner is the row's too.
    """

    column: str = "organisation_id"
    parents: tuple[Table, ...] = ()
    moves: Moves = Moves.AS_THEY_ARE


_RECORDS = (Tables.trade, Tables.transfer)
_OWN = Owner()
OWNERS: Mapping[Table, Owner | None] = {
    Tables.head: None,
    Tables.clock: None,
    Tables.market_control: None,
    Tables.rule: None,
    Tables.server_lease: None,
    Tables.departure: None,
    Tables.arrival: None,
    Tables.organisation: Owner("id", moves=Moves.OTHERWISE),
    Tables.customer: _OWN,
    Tables.bank_account: _OWN,
    Tables.trading_account: _OWN,
    Tables.ledger_account: Owner("code", (Tables.trading_account,), Moves.LEDGER),
    Tables.journal: Owner("reference", _RECORDS),
    Tables.posting: Owner("journal_id", (Tables.journal,), Moves.LEDGER),
    Tables.quote: _OWN,
    Tables.trade: _OWN,
    Tables.transfer: _OWN,
    Tables.job: Owner("reference", (*_RECORDS, WalletTables.challenge)),
    Tables.idempotency: _OWN,
    Tables.audit: Owner(moves=Moves.NUMBERED),
    Tables.event: Owner(moves=Moves.NUMBERED),
    Tables.api_key: _OWN,
    Tables.entry: Owner(moves=Moves.AS_A_LOG),
    Tables.log: Owner(moves=Moves.AS_A_LOG),
    Tables.archived_leaves: Owner(moves=Moves.NOT),
    Tables.unnumbered: Owner(moves=Moves.NOT),
    Tables.checkpoint: Owner(moves=Moves.NOT),
    Tables.tally: Owner(moves=Moves.OTHERWISE),
    Tables.removal: _OWN,
    Tables.search_word: _OWN,
    Tables.search_name: _OWN,
    Tables.search_key: _OWN,
    WalletTables.blockchain_account: _OWN,
    WalletTables.counterparty: _OWN,
    WalletTables.challenge: _OWN,
    WalletTables.attempt: Owner("challenge_id", (WalletTables.challenge,)),
    WalletTables.claim: _OWN,
    WalletTables.evidence: _OWN,
    WalletTables.small_transfer: _OWN,
    WalletTables.arrival: _OWN,
    WalletTables.statement: _OWN,
    WalletTables.link: Owner("blockchain_account_id", (WalletTables.blockchain_account,)),
}
"""None: the deployment's. A customer's ledger account belongs to the trading account that its code
names; the bank's own belong to the deployment, and their postings to whose journal they are of."""


def owner(table: Table) -> Owner:
    """Raises KeyError: the table isn't in ``OWNERS``, or its rows are the deployment's."""
    found = OWNERS[table]
    if found is None:
        raise KeyError(table.name)
    return found


def rows_of(table: Table, organisation_id: str) -> ColumnElement[bool]:
    """Which rows of a table are an organisation's."""
    column, parents, _ = owner(table)
    if not parents:
        return table.c[column] == organisation_id
    if table is Tables.ledger_account:
        return table.c[column].in_(_codes(organisation_id))
    return or_(*(table.c[column].in_(_keys(parent, organisation_id)) for parent in parents))


def _keys(table: Table, organisation_id: str) -> Select[Any]:
    (key,) = table.primary_key
    return select(key).where(rows_of(table, organisation_id))


def _codes(organisation_id: str) -> Any:
    """The codes of the ledger accounts of an organisation's customers."""
    accounts = Tables.trading_account
    of_bucket = (
        select(literal(CUSTOMER_PREFIX).concat(accounts.c.id).concat(f":{bucket}")).where(
            rows_of(accounts, organisation_id)
        )
        for bucket in Bucket
    )
    return union_all(*of_bucket)


def organisation_of(table: Table) -> ColumnElement[Any]:
    """The organisation of a table's row, for a statement over that table; its parents must name
    it themselves."""
    column, parents, _ = owner(table)
    if not parents:
        return table.c[column]
    found = [
        select(parent.c[owner(parent).column])
        .where(parent.c.id == table.c[column])
        .scalar_subquery()
        for parent in parents
    ]
    return func.coalesce(*found) if len(found) > 1 else found[0]


def is_the_banks(code: ColumnElement[str]) -> ColumnElement[bool]:
    """Whether a ledger account is one of the bank's own, which all organisations share."""
    return ~code.startswith(CUSTOMER_PREFIX)
