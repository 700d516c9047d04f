"""Query blockchain accounts, counterparties and the links between them."""

from sqlalchemy import (
    ColumnElement,
    Connection,
    bindparam,
    exists,
    func,
    literal,
    or_,
    select,
)

from chainteller.domain.challenges import VerificationStatus, is_verified, verification_status
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
from chainteller.storage import matching
from chainteller.storage.columns import Record
from chainteller.storage.pages import Counted, Listing
from chainteller.storage.rows import Finder
from chainteller.storage.tables import Tables
from chainteller.storage.wallet_tables import WalletTables

_B = WalletTables.blockchain_account
_C = WalletTables.counterparty
_L = WalletTables.link
_M = WalletTables.claim
_K = Tables.customer
_T = Tables.trading_account
find_account = Finder(_B, "organisation_id", "id")
find_counterparty = Finder(_C, "organisation_id", "id")
find_address = Finder(_C, "organisation_id", "network", "canonical")
_ACCOUNTS = Listing(_B, "organisation_id", filters=("trading_account_id",), is_tallied=True)
_COUNTERPARTIES = Listing(_C, "organisation_id", is_tallied=True)
_OTHER = _L.alias("other")
_OTHERS_CUSTODY = _B.alias("others_custody")


def is_shared(
    counterparty: ColumnElement[str], customer: ColumnElement[str]
) -> ColumnElement[bool]:
    """Whether a customer other than ``customer`` has verified the counterparty, now or before."""
    return (
        exists()
        .where(
            _OTHER.c.counterparty_id == counterparty,
            _OTHERS_CUSTODY.c.id == _OTHER.c.blockchain_account_id,
            _OTHERS_CUSTODY.c.customer_id != customer,
        )
        .correlate_except(_OTHER, _OTHERS_CUSTODY)
    )


_LINKED = select(
    _L,
    _C.c.network,
    _C.c.address,
    _C.c.canonical,
    _C.c.created.label("counterparty_created"),
    _C.c.code,
    _C.c.code_block,
    _M.c.method.label("claim_method"),
    _M.c.level.label("claim_level"),
)
_LINKED = _LINKED.join(_C, _C.c.id == _L.c.counterparty_id).outerjoin(_M, _M.c.id == _L.c.claim_id)
find_link = Finder(_L, "blockchain_account_id", "counterparty_id", rows=_LINKED)
_SHOWN = _LINKED.join(_B, _B.c.id == _L.c.blockchain_account_id).add_columns(
    is_shared(_L.c.counterparty_id, _B.c.customer_id).label("shared")
)
find_shown_link = Finder(_L, "blockchain_account_id", "counterparty_id", rows=_SHOWN)
"""A link as ``link_model`` needs it."""
_OF_ACCOUNT = Listing(
    _L,
    "blockchain_account_id",
    rows=_SHOWN,
    order=("first_linked_at", "counterparty_id"),
    key="counterparty_id",
)
_SHARED = (
    select(
        _L,
        _C.c.network,
        _C.c.address,
        _B.c.trading_account_id,
        _K.c.name.label("customer_name"),
        _K.c.reference.label("customer_reference"),
    )
    .join(_C, _C.c.id == _L.c.counterparty_id)
    .join(_B, _B.c.id == _L.c.blockchain_account_id)
    .join(_K, _K.c.id == _B.c.customer_id)
    .where(is_shared(_L.c.counterparty_id, _B.c.customer_id))
)


_OWNER = (
    select(_K.c.reference.label("customer_reference"), _T.c.bank_account_id)
    .select_from(_B)
    .join(_T, _T.c.id == _B.c.trading_account_id)
    .join(_K, _K.c.id == _T.c.customer_id)
    .where(_B.c.id == bindparam("b_id"))
)


def owner(connection: Connection, account_id: str) -> tuple[str, str]:
    """Of a blockchain account: its customer's reference, and the id of the bank account."""
    found = connection.execute(_OWNER, {"b_id": account_id}).one()
    return found.customer_reference, found.bank_account_id


_LEVELS = (
    select(_M.c.level)
    .distinct()
    .select_from(_B)
    .join(_L, _L.c.blockchain_account_id == _B.c.id)
    .join(_M, _M.c.id == _L.c.claim_id)
    .where(
        _B.c.organisation_id == bindparam("b_organisation"),
        _B.c.trading_account_id == bindparam("b_account"),
        _M.c.level.is_not(None),
    )
)


def levels_of(
    connection: Connection, organisation_id: str, account_id: str
) -> frozenset[EvidenceLevel]:
    """The levels of evidence of a trading account's linked wallets, where they were stored."""
    found = connection.execute(
        _LEVELS, {"b_organisation": organisation_id, "b_account": account_id}
    ).scalars()
    return frozenset(EvidenceLevel(each) for each in found)


def lock_counterparty(connection: Connection, counterparty_id: str) -> None:
    """Wait until no other write links the wallet; it may be challenged meanwhile."""
    locked = select(_C.c.id).where(_C.c.id == counterparty_id).with_for_update(key_share=True)
    connection.execute(locked)


def has_other_owner(connection: Connection, counterparty_id: str, customer_id: str) -> bool:
    """Whether another customer has verified a wallet, now or before."""
    found = is_shared(literal(counterparty_id), literal(customer_id))
    return bool(connection.execute(select(found)).scalar_one())


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


def shared_page(
    connection: Connection, organisation_id: str, query: ListQuery, now: int
) -> tuple[tuple[SharedWallet, ...], int]:
    """Every account for which a wallet of several customers was verified, wallet by wallet."""
    statement = _SHARED.where(_C.c.organisation_id == organisation_id, *_named(query))
    total = connection.execute(select(func.count()).select_from(statement.subquery())).scalar_one()
    wallet = (_C.c.created, _C.c.id)
    first = wallet if query.sort == "created" else tuple(each.desc() for each in wallet)
    ordered = statement.order_by(*first, _L.c.first_linked_at, _B.c.id)
    rows = connection.execute(ordered.offset((query.page - 1) * query.limit).limit(query.limit))
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


def _named(query: ListQuery) -> tuple[ColumnElement[bool], ...]:
    """The condition for wallets with the id, or a part of the address, that is asked for."""
    if not query.text:
        return ()
    return (or_(_C.c.id == query.text, _C.c.address.icontains(query.text, autoescape=True)),)


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


def level_of(method: str | None, level: str | None) -> str | None:
    """The level of a claim: the stored one, else its method's."""
    evidence = evidence_of(method or "")
    return level or (None if evidence is None else evidence.level.value)


def link_model(row: Record, now: int) -> Counterparty:
    """A linked counterparty, with the fields of the specification (2.7, 4.4) and more."""
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
            method=row.claim_method,
            level=level_of(row.claim_method, row.claim_level),
        ),
        shared=row.shared,
        on_chain=_on_chain(row),
    )
