"""Query deposits and withdrawals."""

from typing import Any

from chainteller.domain.assets import ASSETS_BY_KEY
from chainteller.domain.evidence import EvidenceLevel
from chainteller.domain.limits import DestinationClass, Spent
from chainteller.domain.money import format_atoms, format_cents
from chainteller.domain.transfers import COUNTED, HOLDING, PAID, Direction, type_of
from chainteller.service.models.funding import (
    Reason,
    Review,
    Transfer,
    TransferCurrency,
    TransferDestination,
)
from chainteller.service.models.pages import ListQuery
from chainteller.service.told import merged
from chainteller.storage.db import records
from chainteller.storage.db.query import Query, Record, Session, Value, quoted, remembered, row_of
from chainteller.storage.db.sources import Finder, Source
from chainteller.storage.lists import search_filter
from chainteller.storage.lists.pages import Counted, Listing, between, numbered

_T: Any = records.Transfer
_FILTERS = ("status",)
find = Finder(_T, "trading_account_id", "id", "direction")
find_any = Finder(_T, "id")
"""A transfer of any account; lock its account before locking the transfer."""
_OF_ACCOUNT = Listing(_T, "trading_account_id", "direction", filters=_FILTERS, order=("ordinal",))
_OF_ORGANISATION = Listing(
    _T, "organisation_id", filters=(*_FILTERS, "trading_account_id"), is_tallied=True
)
_OF_DIRECTION = Listing(
    _T, "organisation_id", "direction", filters=(*_FILTERS, "trading_account_id")
)
_COUNTED = (
    "FROM transfer WHERE trading_account_id = :account AND direction = 'withdrawal' "
    f"AND status IN ({quoted(COUNTED)}) "
    "AND created > :since"
)
"""Withdrawals that count against an account's limits."""
_SPENT = Query(
    f"SELECT destination_class, notional_cents, created {_COUNTED}",
    row_of("destination_class", "notional_cents", "created"),
)
_ON_LEVELS = Query(
    f"SELECT destination_class, notional_cents, created, evidence_level {_COUNTED} "
    "AND evidence_level IS NOT NULL",
    row_of("destination_class", "notional_cents", "created", "evidence_level"),
)
_SUMS = Query(
    "SELECT destination_class, sum(notional_cents) AS cents, min(created) AS first "
    f"{_COUNTED} AND created <= :upto GROUP BY destination_class",
    row_of("destination_class", "cents", "first"),
)
of_ids = Source(_T).where("trading_account_id = :account AND id IN :ids").rows
"""The transfers of an account that have these ids."""
_TOLD = Query(
    "SELECT 1 AS value FROM transfer WHERE id = :told "
    "OR trading_account_id = :account AND provider_id = :told LIMIT 1",
    Value,
)


def sums_between(connection: Session, account_id: str, since: int, upto: int) -> tuple[Spent, ...]:
    """Withdrawals after an instant and up to another one that count against the account's limits:
    one sum for each class of destination, dated as the first of them."""
    return tuple(
        Spent(DestinationClass(row.destination_class), int(row.cents), int(row.first))
        for row in _SUMS.rows(connection, account_id, since, upto)
    )


def spent_since(connection: Session, account_id: str, since: int) -> tuple[Spent, ...]:
    """Withdrawals after an instant that count against the account's limits."""
    rows = _SPENT.run(connection, account_id, since)
    return tuple(
        Spent(DestinationClass(row.destination_class), row.notional_cents, row.created)
        for row in rows
    )


def spent_on_levels(connection: Session, account_id: str, since: int) -> tuple[Spent, ...]:
    """Withdrawals after an instant to wallets whose evidence has limits of its own, with that."""
    rows = _ON_LEVELS.run(connection, account_id, since)
    return tuple(
        Spent(
            DestinationClass(row.destination_class),
            row.notional_cents,
            row.created,
            EvidenceLevel(row.evidence_level),
        )
        for row in rows
    )


def is_told(connection: Session, account_id: str, provider_id: str) -> bool:
    """Whether a provider's id is that of a transfer which is kept already."""
    return _TOLD.exists(connection, provider_id, account_id)


paid = Query(
    "SELECT id AS value FROM transfer WHERE trading_account_id = :account "
    f"AND direction = '{Direction.WITHDRAWAL}' AND counterparty_id = :wallet "
    f"AND status IN ({quoted(PAID)}) LIMIT 1",
    Value,
).value
"""A withdrawal of the account that was sent to a wallet, if there's one."""
newest_withdrawals = Query(
    "SELECT ordinal, id, created FROM transfer WHERE trading_account_id = :account "
    f"AND direction = '{Direction.WITHDRAWAL}' ORDER BY ordinal DESC LIMIT :most",
    row_of("ordinal", "id", "created"),
).rows
"""The numbers, ids and instants of an account's withdrawals, the newest first."""
account_of = Query("SELECT trading_account_id AS value FROM transfer WHERE id = :id", Value).value
"""The trading account that a transfer names, without reading its amounts."""
of_ordinal = Query(
    " UNION ALL ".join(
        f"SELECT id AS value FROM {table} "
        "WHERE trading_account_id = :account AND transaction_ordinal = :ordinal"
        for table in ("transfer", "trade")
    ),
    Value,
).values
"""The ids of an account's transactions with a number; there is one if all is well."""


def page(
    connection: Session, account_id: str, direction: Direction, query: ListQuery, total: int
) -> tuple[tuple[Transfer, ...], Counted]:
    """An account's deposits or withdrawals, newest first."""
    of = {"trading_account_id": account_id, "direction": direction}
    rows, counted = numbered(connection, _OF_ACCOUNT, of, query, total)
    return tuple(to_model(row) for row in rows), counted


def page_of_all(
    connection: Session, organisation_id: str, query: ListQuery
) -> tuple[tuple[Transfer, ...], Counted]:
    """The organisation's deposits and withdrawals, newest first.

    Each word of ``query.text`` has to be found in an id, the address, the bank account or the
    customer, or to be the amount.
    """
    found = search_filter.transfers(connection, organisation_id, query.text)
    known = found.total(query.page * query.limit)
    listed: Listing = _OF_ORGANISATION
    of: tuple[str, ...] = (organisation_id,)
    if query.type is not None:
        listed, of = _OF_DIRECTION, (organisation_id, query.type.removesuffix("-transaction"))
    rows, total = listed.page(connection, of, query, *found.extras, total=known)
    return tuple(to_model(row) for row in rows), total


def of_transactions(
    connection: Session, account_id: str, first: int, last: int
) -> list[tuple[int, Transfer]]:
    """The transfers among an account's transactions ``first`` to ``last``, with their ordinals."""
    of = {"trading_account_id": account_id}
    rows = between(connection, _OF_ACCOUNT.source, of, "transaction_ordinal", first, last)
    return [(row.transaction_ordinal, to_model(row)) for row in rows]


@remembered
def to_model(row: Record) -> Transfer:
    asset = ASSETS_BY_KEY[row.asset]
    withdraws = row.direction == Direction.WITHDRAWAL
    transfer = Transfer(
        type=type_of(row.direction),
        id=row.id,
        status=row.status,
        trading_account_id=row.trading_account_id,
        amount=format_atoms(row.amount, asset),
        currency=TransferCurrency(
            type=row.currency_type,
            id=row.currency_id,
            symbol=asset.symbol,
            network=asset.network,
        ),
        bank_account_id=row.bank_account_id,
        destination=_destination(row) if withdraws else None,
        fee=format_atoms(row.fee, asset),
        notional_usd=format_cents(row.notional_cents),
        created=row.created,
        updated=row.updated,
        completed_at=row.completed_at,
        cancellable=withdraws and row.status in HOLDING,
        failure_reason=_reason(row),
        review=_review(row),
        network_tx_hash=row.network_tx_hash,
    )
    if row.told is None:
        return transfer
    transfer = transfer.model_copy(update={"fee": None})  # the provider's, unless it tells one
    return merged(transfer, row.told, id=row.id, status=row.status, type=transfer.type)


def _destination(row: Record) -> TransferDestination:
    if row.counterparty_id is None:
        return TransferDestination(type="bank-account", bank_account_id=row.bank_account_id)
    return TransferDestination(
        type="counterparty",
        counterparty_id=row.counterparty_id,
        blockchain_account_id=row.blockchain_account_id,
        network=ASSETS_BY_KEY[row.asset].network,
        address=row.address,
        verified=row.destination_class == DestinationClass.VERIFIED,
    )


def _reason(row: Record) -> Reason | None:
    if row.failure_code is None:
        return None
    return Reason(code=row.failure_code, message=row.failure_message or "")


def _review(row: Record) -> Review | None:
    if row.review_reason is None:
        return None
    return Review(reason=row.review_reason, eta=row.review_eta)
