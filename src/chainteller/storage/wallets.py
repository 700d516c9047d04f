"""Query blockchain accounts, counterparties and the links between them."""

from sqlalchemy import Connection, select

from chainteller.domain.challenges import VerificationStatus, is_verified, verification_status
from chainteller.service.models.counterparties import (
    COUNTERPARTY,
    VERIFIED_FIRST_PARTY,
    BlockchainAccount,
    Counterparty,
    Verification,
)
from chainteller.service.models.pages import ListQuery
from chainteller.storage import matching
from chainteller.storage.database import Record
from chainteller.storage.pages import Counted, Listing
from chainteller.storage.rows import Finder
from chainteller.storage.wallet_tables import WalletTables

_B = WalletTables.blockchain_account
_C = WalletTables.counterparty
_L = WalletTables.link
find_account = Finder(_B, "organisation_id", "id")
find_counterparty = Finder(_C, "organisation_id", "id")
find_address = Finder(_C, "organisation_id", "network", "canonical")
_ACCOUNTS = Listing(_B, "organisation_id", filters=("trading_account_id",), is_tallied=True)
_COUNTERPARTIES = Listing(_C, "organisation_id", is_tallied=True)
_LINKED = select(
    _L,
    _C.c.network,
    _C.c.address,
    _C.c.canonical,
    _C.c.created.label("counterparty_created"),
).join(_C, _C.c.id == _L.c.counterparty_id)
_OF_ACCOUNT = Listing(
    _L,
    "blockchain_account_id",
    rows=_LINKED,
    order=("first_linked_at", "counterparty_id"),
    key="counterparty_id",
)
find_link = Finder(_L, "blockchain_account_id", "counterparty_id", rows=_LINKED)


def accounts_page(
    connection: Connection, organisation_id: str, query: ListQuery
) -> tuple[tuple[BlockchainAccount, ...], Counted]:
    rows, total = _ACCOUNTS.page(connection, (organisation_id,), query)
    return tuple(account_model(row) for row in rows), total


def account_model(row: Record) -> BlockchainAccount:
    return BlockchainAccount(
        id=row.id,
        trading_account_id=row.trading_account_id,
        network=row.network,
        address=row.address,
        status=row.status,
        created=row.created,
    )


def counterparties_page(
    connection: Connection, organisation_id: str, query: ListQuery
) -> tuple[tuple[Counterparty, ...], Counted]:
    found = matching.counterparties(connection, organisation_id, query.text)
    known = found.total(query.page * query.limit)
    of = (organisation_id,)
    rows, total = _COUNTERPARTIES.page(connection, of, query, *found.extras, total=known)
    return tuple(counterparty_model(row) for row in rows), total


def counterparty_model(row: Record) -> Counterparty:
    return Counterparty(id=row.id, network=row.network, address=row.address, created=row.created)


def linked_page(
    connection: Connection, account_id: str, query: ListQuery, now: int
) -> tuple[tuple[Counterparty, ...], Counted]:
    rows, total = _OF_ACCOUNT.page(connection, (account_id,), query)
    return tuple(link_model(row, now) for row in rows), total


def link_status(row: Record, now: int) -> VerificationStatus:
    return verification_status(
        now=now,
        expires=row.expires,
        last_used_at=row.last_used_at,
        policy_version=row.policy_version,
        revoked=row.revoked_at is not None,
    )


def link_model(row: Record, now: int) -> Counterparty:
    """A linked counterparty as the specification lists it (2.7, 4.4)."""
    status = link_status(row, now)
    return Counterparty(
        type=VERIFIED_FIRST_PARTY if is_verified(status) else COUNTERPARTY,
        id=row.counterparty_id,
        network=row.network,
        address=row.address,
        created=row.counterparty_created,
        verification=Verification(
            status=status,
            verified_at=row.verified_at,
            expires_at=row.expires,
            claim_id=row.claim_id,
        ),
    )
