"""Rows that a search of everything finds, by kind: bounded reads, each from an index."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, FromClause, Select, Table, and_, or_, select

from chainteller.domain.assets import ASSETS_BY_KEY, MARKETS_BY_NAME, USD
from chainteller.domain.money import AmountMalformed, AmountTooPrecise, parse_atoms
from chainteller.domain.search_texts import Ends
from chainteller.storage import search
from chainteller.storage.columns import Record
from chainteller.storage.tables import Tables
from chainteller.storage.wallet_tables import WalletTables

RECENT = 2_000
"""Trades and quotes of an organisation among which an amount is looked for: their amounts have no
index, so that executing costs nothing for it."""
_TABLES: Mapping[str, Table] = {
    "customer": Tables.customer,
    "bank-account": Tables.bank_account,
    "trading-account": Tables.trading_account,
    "trade": Tables.trade,
    "quote": Tables.quote,
    "transfer": Tables.transfer,
    "deposit": Tables.transfer,
    "withdrawal": Tables.transfer,
    "counterparty": WalletTables.counterparty,
    "blockchain-account": WalletTables.blockchain_account,
}
_RECORDS = ("transfer", "trade", "quote")
_KINDS_OF = {"transfer": {"deposit", "withdrawal"}}
_C, _A, _B = Tables.customer, Tables.trading_account, Tables.bank_account
Amounts = Sequence[tuple[str, int]]
Spans = Sequence[tuple[int, int]]


class Scope(NamedTuple):
    """Whose records are looked at: an organisation's, or those of some trading accounts of it."""

    organisation_id: str
    account_ids: tuple[str, ...] = ()


def kind_of(kind: str, row: Record) -> str:
    """The kind of a record as it's shown: a transfer is a deposit or a withdrawal."""
    return str(row.direction) if kind == "transfer" else kind


def in_assets(amount: str) -> Iterator[tuple[str, int]]:
    """An amount in each asset that can have it: the asset's key and atoms."""
    for asset in ASSETS_BY_KEY.values():
        with suppress(AmountMalformed, AmountTooPrecise):
            yield asset.key, parse_atoms(amount, asset)


def with_id(
    connection: Connection, organisation_id: str, kind: str, ends: Ends, most: int
) -> list[Record]:
    return search.with_id(connection, _TABLES[kind], organisation_id, ends, most)


def of_kind(
    connection: Connection, organisation_id: str, kind: str, ids: Sequence[str]
) -> list[Record]:
    table = _TABLES[kind]
    return list(
        connection.execute(
            select(table).where(table.c.organisation_id == organisation_id, table.c.id.in_(ids))
        )
    )


def customers(connection: Connection, ids: Sequence[str]) -> list[Record]:
    return list(connection.execute(select(_C).where(_C.c.id.in_(ids))))


def bank_accounts_of(
    connection: Connection, organisation_id: str, customer_ids: Sequence[str]
) -> list[Record]:
    return _of_customers(connection, _B, organisation_id, customer_ids)


def trading_accounts_of(
    connection: Connection, organisation_id: str, customer_ids: Sequence[str]
) -> list[Record]:
    return _of_customers(connection, _A, organisation_id, customer_ids)


def _of_customers(
    connection: Connection, table: Table, organisation_id: str, customer_ids: Sequence[str]
) -> list[Record]:
    if not customer_ids:
        return []
    statement = select(table).where(
        table.c.organisation_id.concat("") == organisation_id,
        table.c.customer_id.in_(customer_ids),
    )
    return list(connection.execute(statement.order_by(table.c.id)))


class Only(NamedTuple):
    """The kinds of records, as ``kind_of`` names them, and the statuses that are wanted; any where
    there are none."""

    kinds: frozenset[str] = frozenset()
    statuses: frozenset[str] = frozenset()


def matching(
    connection: Connection,
    scope: Scope,
    amounts: Amounts,
    spans: Spans,
    most: int,
    only: Only = Only(),  # noqa: B008 - immutable
) -> list[tuple[str, Record]]:
    """Transfers, trades and quotes with one of the amounts on one of the days, newest first; of
    those that aren't given, any."""
    found: list[tuple[str, Record]] = []
    for kind in _RECORDS:
        table = _TABLES[kind]
        if only.kinds and only.kinds.isdisjoint(_KINDS_OF.get(kind, {kind})):
            continue
        statement = _of_scope(table, scope)
        if only.kinds and kind == "transfer":
            statement = statement.where(table.c.direction.in_(sorted(only.kinds)))
        if only.statuses:
            statement = statement.where(table.c.status.in_(sorted(only.statuses)))
        if spans:
            statement = statement.where(or_(*(_within(table, span) for span in spans)))
        if amounts:
            whole = kind == "transfer" or bool(scope.account_ids or spans)
            among = table if whole else statement.limit(RECENT).subquery()
            here = statement if whole else _newest_first(select(among), among)
            statement = here.where(_has_amount(kind, among, amounts))
        rows = connection.execute(statement.limit(most))
        found += [(kind, row) for row in rows]
    found.sort(key=lambda each: -each[1].created)
    return found[:most]


def _of_scope(table: Table, scope: Scope) -> Select[tuple[object, ...]]:
    if scope.account_ids:
        conditions = [
            table.c.organisation_id.concat("") == scope.organisation_id,
            table.c.trading_account_id.in_(scope.account_ids),
        ]
    else:
        conditions = [table.c.organisation_id == scope.organisation_id]
    return _newest_first(select(table).where(*conditions), table)


def _newest_first(
    statement: Select[tuple[object, ...]], table: FromClause
) -> Select[tuple[object, ...]]:
    return statement.order_by(table.c.created.desc(), table.c.id.desc())


def _within(table: Table, span: tuple[int, int]) -> ColumnElement[bool]:
    return and_(table.c.created >= span[0], table.c.created < span[1])


def _has_amount(kind: str, table: FromClause, amounts: Amounts) -> ColumnElement[bool]:
    if kind == "transfer":
        return or_(*(and_(table.c.amount == n, table.c.asset == asset) for asset, n in amounts))
    parts: list[ColumnElement[bool]] = []
    for asset, atoms in amounts:
        for market in MARKETS_BY_NAME.values():
            if market.base.key == asset:
                is_its = table.c.market == market.name
                parts.append(and_(is_its, or_(table.c.sold == atoms, table.c.bought == atoms)))
        if asset == USD.key:
            parts.append(or_(table.c.sold == atoms, table.c.bought == atoms))
    return or_(*parts)


def owners(
    connection: Connection, organisation_id: str, found: Iterable[tuple[str, Record]]
) -> dict[tuple[str, str], Record]:
    """The customers whose records were found; a wallet belongs to none."""
    of_account: dict[str, str] = {}
    records = list(found)
    account_ids = {
        row.trading_account_id
        for kind, row in records
        if kind in {"trade", "quote", "deposit", "withdrawal"} and row.trading_account_id
    }
    if account_ids:
        accounts = of_kind(connection, organisation_id, "trading-account", sorted(account_ids))
        of_account = {row.id: row.customer_id for row in accounts}
    owner: dict[tuple[str, str], str] = {}
    for kind, row in records:
        if kind == "customer":
            owner[kind, row.id] = row.id
        elif kind in {"bank-account", "trading-account", "blockchain-account"}:
            owner[kind, row.id] = row.customer_id
        elif kind != "counterparty" and row.trading_account_id in of_account:
            owner[kind, row.id] = of_account[row.trading_account_id]
    rows = {row.id: row for row in customers(connection, sorted(set(owner.values())))}
    return {place: rows[customer] for place, customer in owner.items() if customer in rows}
