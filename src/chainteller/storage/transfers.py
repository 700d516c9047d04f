"""Query deposits and withdrawals."""

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, func, select, union_all

from chainteller.domain.assets import ASSETS_BY_KEY
from chainteller.domain.evidence import EvidenceLevel
from chainteller.domain.limits import DestinationClass, Spent
from chainteller.domain.money import format_atoms, format_cents
from chainteller.domain.transfers import COUNTED, HOLDING, Direction, type_of
from chainteller.service.models.funding import (
    Reason,
    Review,
    Transfer,
    TransferCurrency,
    TransferDestination,
)
from chainteller.service.models.pages import ListQuery
from chainteller.storage import matching
from chainteller.storage.columns import Record
from chainteller.storage.pages import Counted, Listing, between, numbered, numbered_ahead
from chainteller.storage.rows import Finder
from chainteller.storage.tables import Tables

_T = Tables.transfer
_FILTERS = ("status",)
find = Finder(_T, "trading_account_id", "id", "direction")
find_any = Finder(_T, "id")
"""A transfer of any account; lock its account before locking the transfer."""
_SAME_ORDINAL = union_all(
    *(
        select(table.c.id).where(
            table.c.trading_account_id == bindparam("b_account"),
            table.c.transaction_ordinal == bindparam("b_ordinal"),
        )
        for table in (_T, Tables.trade)
    )
)
_OF_ACCOUNT = Listing(_T, "trading_account_id", "direction", filters=_FILTERS, order=("ordinal",))
_OF_ORGANISATION = Listing(
    _T, "organisation_id", filters=(*_FILTERS, "trading_account_id"), is_tallied=True
)
_OF_DIRECTION = Listing(
    _T, "organisation_id", "direction", filters=(*_FILTERS, "trading_account_id")
)
_SPENT = select(_T.c.destination_class, _T.c.notional_cents, _T.c.created).where(
    _T.c.trading_account_id == bindparam("b_account"),
    _T.c.direction == Direction.WITHDRAWAL,
    _T.c.created > bindparam("b_since"),
    _T.c.status.in_([status.value for status in COUNTED]),
)

_OF_IDS = select(_T).where(
    _T.c.trading_account_id == bindparam("b_account"),
    _T.c.id.in_(bindparam("b_ids", expanding=True)),
)
_ON_LEVELS = _SPENT.add_columns(_T.c.evidence_level).where(_T.c.evidence_level.is_not(None))
_SUMS = (
    select(
        _T.c.destination_class,
        func.sum(_T.c.notional_cents).label("cents"),
        func.min(_T.c.created).label("first"),
    )
    .where(
        _T.c.trading_account_id == bindparam("b_account"),
        _T.c.direction == Direction.WITHDRAWAL,
        _T.c.created > bindparam("b_since"),
        _T.c.created <= bindparam("b_upto"),
        _T.c.status.in_([status.value for status in COUNTED]),
    )
    .group_by(_T.c.destination_class)
)


def sums_between(
    connection: Connection, account_id: str, since: int, upto: int
) -> tuple[Spent, ...]:
    """Withdrawals after an instant and up to another one that count against the account's limits:
    one sum for each class of destination, dated as the first of them."""
    values = {"b_account": account_id, "b_since": since, "b_upto": upto}
    return tuple(
        Spent(DestinationClass(row.destination_class), int(row.cents), int(row.first))
        for row in connection.execute(_SUMS, values)
    )


def spent_since(connection: Connection, account_id: str, since: int) -> tuple[Spent, ...]:
    """Withdrawals after an instant that count against the account's limits."""
    rows = connection.execute(_SPENT, {"b_account": account_id, "b_since": since})
    return tuple(
        Spent(DestinationClass(row.destination_class), row.notional_cents, row.created)
        for row in rows
    )


def spent_on_levels(connection: Connection, account_id: str, since: int) -> tuple[Spent, ...]:
    """Withdrawals after an instant to wallets whose evidence has limits of its own, with that."""
    rows = connection.execute(_ON_LEVELS, {"b_account": account_id, "b_since": since})
    return tuple(
        Spent(
            DestinationClass(row.destination_class),
            row.notional_cents,
            row.created,
            EvidenceLevel(row.evidence_level),
        )
        for row in rows
    )


def account_of(connection: Connection, transfer_id: str) -> str | None:
    """The trading account that a transfer names, without reading its amounts."""
    found = connection.execute(select(_T.c.trading_account_id).where(_T.c.id == transfer_id))
    return found.scalar()


def of_ordinal(connection: Connection, account_id: str, ordinal: int) -> list[str]:
    """The ids of an account's transactions with a number; there is one if all is well."""
    found = connection.execute(_SAME_ORDINAL, {"b_account": account_id, "b_ordinal": ordinal})
    return list(found.scalars())


def page(
    connection: Connection, account_id: str, direction: Direction, query: ListQuery, total: int
) -> tuple[tuple[Transfer, ...], Counted]:
    """An account's deposits or withdrawals, newest first."""
    of = {"trading_account_id": account_id, "direction": direction}
    rows, counted = numbered(connection, _OF_ACCOUNT, of, query, total)
    return tuple(to_model(row) for row in rows), counted


def page_ahead(
    connection: Connection, account_id: str, direction: Direction, query: ListQuery
) -> None:
    """Send what ``page`` will read, as far as that's known; see ``Plain.ahead``."""
    of = {"trading_account_id": account_id, "direction": direction}
    numbered_ahead(connection, _OF_ACCOUNT, of, query)


def page_of_all(
    connection: Connection, organisation_id: str, query: ListQuery
) -> tuple[tuple[Transfer, ...], Counted]:
    """The organisation's deposits and withdrawals, newest first.

    Each word of ``query.text`` has to be found in an id, the address, the bank account or the
    customer, or to be the amount.
    """
    found = matching.transfers(connection, organisation_id, query.text)
    known = found.total(query.page * query.limit)
    listed: Listing = _OF_ORGANISATION
    of: tuple[str, ...] = (organisation_id,)
    if query.type is not None:
        listed, of = _OF_DIRECTION, (organisation_id, query.type.removesuffix("-transaction"))
    rows, total = listed.page(connection, of, query, *found.extras, total=known)
    return tuple(to_model(row) for row in rows), total


def of_transactions(
    connection: Connection, account_id: str, first: int, last: int
) -> list[tuple[int, Transfer]]:
    """The transfers among an account's transactions ``first`` to ``last``, with their ordinals."""
    of = {"trading_account_id": account_id}
    rows = between(connection, _T, of, "transaction_ordinal", first, last)
    return [(row.transaction_ordinal, to_model(row)) for row in rows]


def of_ids(connection: Connection, account_id: str, ids: Sequence[str]) -> list[Record]:
    """The transfers of an account that have these ids."""
    return list(connection.execute(_OF_IDS, {"b_account": account_id, "b_ids": list(ids)}))


def to_model(row: Record) -> Transfer:
    asset = ASSETS_BY_KEY[row.asset]
    withdraws = row.direction == Direction.WITHDRAWAL
    return Transfer(
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
