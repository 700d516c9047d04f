"""Query blockchain accounts, counterparties and the links between them."""

from chainteller.domain.challenges import (
    VerificationStatus,
    is_verified,
    verification_end,
    verification_status,
)
from chainteller.domain.evidence import EvidenceLevel, evidence_of
from chainteller.service.models.counterparties import (
    COUNTERPARTY,
    VERIFIED_FIRST_PARTY,
    BlockchainAccount,
    Counterparty,
    OnChain,
    SharedWallet,
    Verification,
)
from chainteller.service.models.pages import ListQuery
from chainteller.storage.db import records
from chainteller.storage.db.query import Query, Record, Session, Value, escaped, remembered, row_of
from chainteller.storage.db.sources import Finder, Source
from chainteller.storage.lists import search_filter
from chainteller.storage.lists.pages import Counted, Listing

_B, _C = records.BlockchainAccount, records.Counterparty
find_account = Finder(_B, "organisation_id", "id")
find_counterparty = Finder(_C, "organisation_id", "id")
find_address = Finder(_C, "organisation_id", "network", "canonical")
_OF_IDS = Source(_C).where("organisation_id = :organisation AND id IN :ids")
_ACCOUNTS = Listing(_B, "organisation_id", filters=("trading_account_id",), is_tallied=True)
_COUNTERPARTIES = Listing(_C, "organisation_id", is_tallied=True)


def is_shared(counterparty: str, customer: str) -> str:
    """The condition that a customer other than ``customer`` has verified the counterparty, now or
    before."""
    return (
        "EXISTS (SELECT 1 FROM link AS other "
        "JOIN blockchain_account AS custody ON custody.id = other.blockchain_account_id "
        f"WHERE other.counterparty_id = {counterparty} AND custody.customer_id <> {customer})"
    )


_ITS_WALLET = "JOIN counterparty ON counterparty.id = link.counterparty_id"
_ITS_CLAIM = "LEFT JOIN claim ON claim.id = link.claim_id"
_ITS_CUSTODY = "JOIN blockchain_account ON blockchain_account.id = link.blockchain_account_id"
_IS_SHARED = is_shared("link.counterparty_id", "blockchain_account.customer_id")
_OF_LINK = {
    "network": "counterparty.network",
    "address": "counterparty.address",
    "canonical": "counterparty.canonical",
    "counterparty_created": "counterparty.created",
    "code": "counterparty.code",
    "code_block": "counterparty.code_block",
    "claim_method": "claim.method",
    "claim_level": "claim.level",
}
find_link = Finder(
    Source(records.Link, f"{_ITS_WALLET} {_ITS_CLAIM}", **_OF_LINK),
    "blockchain_account_id",
    "counterparty_id",
)
_PROVED_BY_KEY = Source(
    records.Link, f"{_ITS_WALLET} {_ITS_CUSTODY} {_ITS_CLAIM}", **_OF_LINK
).where(
    "blockchain_account.customer_id = :customer AND claim.method = 'signature' "
    "AND link.revoked_at IS NULL ORDER BY link.verified_at DESC, link.counterparty_id LIMIT :limit"
)
_SHOWN = Source(
    records.Link,
    f"{_ITS_WALLET} {_ITS_CUSTODY} {_ITS_CLAIM}",
    **_OF_LINK,
    shared=(_IS_SHARED, bool),
)
find_shown_link = Finder(_SHOWN, "blockchain_account_id", "counterparty_id")
"""A link as ``link_model`` needs it."""
_OF_ACCOUNT = Listing(_SHOWN, "blockchain_account_id", order=("first_linked_at", "counterparty_id"))
_SHARED = Source(
    records.Link,
    f"{_ITS_WALLET} {_ITS_CUSTODY} JOIN customer ON customer.id = blockchain_account.customer_id",
    network="counterparty.network",
    address="counterparty.address",
    trading_account_id="blockchain_account.trading_account_id",
    customer_name="customer.name",
    customer_reference="customer.reference",
)
_ARE_SHARED = f"counterparty.organisation_id = :organisation AND {_IS_SHARED}"
_NAMED = (
    " AND (counterparty.id = :text OR lower(counterparty.address) LIKE lower(:part) ESCAPE '\\')"
)
"""The condition for wallets with the id, or a part of the address, that is asked for."""
_COUNT_SHARED = {
    is_named: Query(
        f"SELECT count(*) AS value FROM {_SHARED.tables} WHERE {_ARE_SHARED}"
        f"{_NAMED if is_named else ''}",
        Value,
    )
    for is_named in (False, True)
}
_PAGE_OF_SHARED = {
    (is_named, way): _SHARED.where(
        f"{_ARE_SHARED}{_NAMED if is_named else ''} "
        f"ORDER BY counterparty.created {way}, counterparty.id {way}, "
        "link.first_linked_at, blockchain_account.id LIMIT :limit OFFSET :start"
    )
    for is_named in (False, True)
    for way in ("ASC", "DESC")
}
_OWNER = Query(
    "SELECT customer.reference AS customer_reference, trading_account.bank_account_id "
    "FROM blockchain_account "
    "JOIN trading_account ON trading_account.id = blockchain_account.trading_account_id "
    "JOIN customer ON customer.id = trading_account.customer_id "
    "WHERE blockchain_account.id = :id",
    row_of("customer_reference", "bank_account_id"),
)
is_of_another = Query(
    "SELECT 1 AS value FROM blockchain_account WHERE organisation_id = :organisation "
    "AND network = :network AND address = :address AND trading_account_id <> :account LIMIT 1",
    Value,
).exists
"""Whether an address in custody is that of another trading account."""
_LEVELS = Query(
    "SELECT DISTINCT claim.level AS value FROM blockchain_account "
    "JOIN link ON link.blockchain_account_id = blockchain_account.id "
    "JOIN claim ON claim.id = link.claim_id "
    "WHERE blockchain_account.organisation_id = :organisation "
    "AND blockchain_account.trading_account_id = :account AND claim.level IS NOT NULL",
    Value,
)


def owner(connection: Session, account_id: str) -> tuple[str, str]:
    """Of a blockchain account: its customer's reference, and the id of the bank account."""
    found = _OWNER.run(connection, account_id).one()
    return found.customer_reference, found.bank_account_id


def levels_of(
    connection: Session, organisation_id: str, account_id: str
) -> frozenset[EvidenceLevel]:
    """The levels of evidence of a trading account's linked wallets, where they were stored."""
    found = connection.execute(
        _LEVELS, {"organisation": organisation_id, "account": account_id}
    ).scalars()
    return frozenset(EvidenceLevel(each) for each in found)


def networks_of(connection: Session, organisation_id: str, ids: list[str]) -> dict[str, str]:
    """The networks of counterparties, by their ids."""
    return (
        {row.id: row.network for row in _OF_IDS.rows(connection, organisation_id, ids)}
        if ids
        else {}
    )


lock_counterparty = Query(
    "SELECT id AS value FROM counterparty WHERE id = :id FOR NO KEY UPDATE", Value
).run
"""Wait until no other write links the wallet; it may be challenged meanwhile."""
linked_through = Query(
    "SELECT blockchain_account_id AS value FROM link WHERE counterparty_id = :counterparty "
    "ORDER BY blockchain_account_id",
    Value,
).values
"""The blockchain accounts for which a wallet was verified, now or before."""
has_other_owner = Query(
    f"SELECT CASE WHEN {is_shared(':counterparty', ':customer')} THEN 1 ELSE 0 END AS value", Value
).value
"""Whether another customer has verified a wallet, now or before."""


@remembered
def account_model(row: Record) -> BlockchainAccount:
    return BlockchainAccount(
        id=row.id,
        trading_account_id=row.trading_account_id,
        network=row.network,
        address=row.address,
        status=row.status,
        created=row.created,
    )


accounts_page = _ACCOUNTS.models(account_model)


def counterparties_page(
    connection: Session, organisation_id: str, query: ListQuery
) -> tuple[tuple[Counterparty, ...], Counted]:
    found = search_filter.counterparties(connection, organisation_id, query.text)
    known = found.total(query.page * query.limit)
    of = (organisation_id,)
    rows, total = _COUNTERPARTIES.page(connection, of, query, *found.extras, total=known)
    return tuple(counterparty_model(row) for row in rows), total


def shared_page(
    connection: Session, organisation_id: str, query: ListQuery, now: int
) -> tuple[tuple[SharedWallet, ...], int]:
    """Every account for which a wallet of several customers was verified, wallet by wallet."""
    is_named, way = bool(query.text), "ASC" if query.sort == "created" else "DESC"
    values: dict[str, object] = {"organisation": organisation_id}
    if query.text:
        values |= {"text": query.text, "part": f"%{escaped(query.text)}%"}
    total = connection.execute(_COUNT_SHARED[is_named], values).scalar_one()
    values |= {"limit": query.limit, "start": (query.page - 1) * query.limit}
    rows = connection.execute(_PAGE_OF_SHARED[is_named, way], values)
    return tuple(shared_model(row, now) for row in rows), int(total)


def shared_model(row: Record, now: int) -> SharedWallet:
    return SharedWallet(
        counterparty_id=row.counterparty_id,
        network=row.network,
        address=row.address,
        trading_account_id=row.trading_account_id,
        blockchain_account_id=row.blockchain_account_id,
        customer_name=row.customer_name,
        customer_reference=row.customer_reference,
        status=link_status(row, now),
        verified_at=row.verified_at,
    )


@remembered
def counterparty_model(row: Record) -> Counterparty:
    return Counterparty(
        id=row.id,
        network=row.network,
        address=row.address,
        created=row.created,
        on_chain=_on_chain(row),
    )


def _on_chain(row: Record) -> OnChain | None:
    if row.code is None or row.code_block is None:
        return None
    return OnChain(code=row.code, block=row.code_block)


def proved_by_key(connection: Session, customer_id: str, now: int, limit: int) -> list[Record]:
    """The links of a customer's wallets that are verified by a signature now."""
    found = _PROVED_BY_KEY.run(connection, customer_id, limit)
    return [row for row in found if is_verified(link_status(row, now))]


def link_status(row: Record, now: int) -> VerificationStatus:
    return verification_status(
        now=now,
        expires=row.expires,
        last_used_at=row.last_used_at,
        policy_version=row.policy_version,
        revoked=row.revoked_at is not None,
    )


def level_of(method: str | None, level: str | None) -> str | None:
    """The level of a claim: the stored one, else its method's."""
    evidence = evidence_of(method or "")
    return level or (None if evidence is None else evidence.level.value)


def link_model(row: Record, now: int) -> Counterparty:
    """A linked counterparty, with the fields of the specification (2.7, 4.4) and more."""
    return _link_model(row, link_status(row, now))


linked_page = _OF_ACCOUNT.models(link_model)


@remembered
def _link_model(row: Record, status: VerificationStatus) -> Counterparty:
    return Counterparty(
        type=VERIFIED_FIRST_PARTY if is_verified(status) else COUNTERPARTY,
        id=row.counterparty_id,
        network=row.network,
        address=row.address,
        created=row.counterparty_created,
        verification=Verification(
            status=status,
            verified_at=row.verified_at,
            expires_at=verification_end(row.expires, row.last_used_at),
            claim_id=row.claim_id,
            method=row.claim_method,
            level=level_of(row.claim_method, row.claim_level),
        ),
        shared=row.shared,
        on_chain=_on_chain(row),
    )
