"""Rows that a search of everything finds, by kind: bounded reads, each from an index."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from chainteller.domain.assets import ASSETS_BY_KEY, MARKETS_BY_NAME, USD
from chainteller.domain.money import AmountMalformed, AmountTooPrecise, parse_atoms
from chainteller.domain.search_texts import Ends
from chainteller.storage.db import records
from chainteller.storage.db.query import Query, Record, Session, built, quoted
from chainteller.storage.db.sources import Source
from chainteller.storage.lists import search

RECENT = 2_000
"""Trades and quotes of an organisation among which an amount is looked for: their amounts have no
index, so that executing costs nothing for it."""
SOURCES: Mapping[str, Source] = {
    "customer": Source(records.Customer),
    "bank-account": Source(records.BankAccount),
    "trading-account": Source(records.TradingAccount),
    "trade": Source(records.Trade),
    "quote": Source(records.Quote),
    **dict.fromkeys(("transfer", "deposit", "withdrawal"), Source(records.Transfer)),
    "counterparty": Source(records.Counterparty),
    "blockchain-account": Source(records.BlockchainAccount),
}
_RECORDS = ("transfer", "trade", "quote")
_KINDS_OF = {"transfer": {"deposit", "withdrawal"}}
_OF_KIND = {
    kind: source.where("organisation_id = :organisation AND id IN :ids")
    for kind, source in SOURCES.items()
}
_CUSTOMERS = SOURCES["customer"].where("id IN :ids")
_OF_CUSTOMERS = {
    kind: SOURCES[kind].where(
        "organisation_id || '' = :organisation AND customer_id IN :customers ORDER BY id"
    )
    for kind in ("bank-account", "trading-account")
}
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
    connection: Session, organisation_id: str, kind: str, ends: Ends, most: int
) -> list[Record]:
    return search.with_id(connection, SOURCES[kind], organisation_id, ends, most)


def of_kind(
    connection: Session, organisation_id: str, kind: str, ids: Sequence[str]
) -> list[Record]:
    values = {"organisation": organisation_id, "ids": list(ids)}
    return list(connection.execute(_OF_KIND[kind], values))


def customers(connection: Session, ids: Sequence[str]) -> list[Record]:
    return _CUSTOMERS.rows(connection, list(ids))


def bank_accounts_of(
    connection: Session, organisation_id: str, customer_ids: Sequence[str]
) -> list[Record]:
    return _of_customers(connection, "bank-account", organisation_id, customer_ids)


def trading_accounts_of(
    connection: Session, organisation_id: str, customer_ids: Sequence[str]
) -> list[Record]:
    return _of_customers(connection, "trading-account", organisation_id, customer_ids)


def _of_customers(
    connection: Session, kind: str, organisation_id: str, customer_ids: Sequence[str]
) -> list[Record]:
    if not customer_ids:
        return []
    values = {"organisation": organisation_id, "customers": list(customer_ids)}
    return list(connection.execute(_OF_CUSTOMERS[kind], values))


class Only(NamedTuple):
    """The kinds of records, as ``kind_of`` names them, and the statuses that are wanted; any where
    there are none."""

    kinds: frozenset[str] = frozenset()
    statuses: frozenset[str] = frozenset()


def matching(
    connection: Session,
    scope: Scope,
    amounts: Amounts,
    spans: Spans,
    most: int,
    only: Only = Only(),  # noqa: B008 - immutable
) -> list[tuple[str, Record]]:
    """Transfers, trades and quotes with one of the amounts on one of the days, newest first; of
    those that aren't given, any."""
    found: list[tuple[str, Record]] = []
    values = _values(scope, amounts, spans, most)
    values |= {"kinds": sorted(only.kinds), "statuses": sorted(only.statuses)}
    for kind in _RECORDS:
        if only.kinds and only.kinds.isdisjoint(_KINDS_OF.get(kind, {kind})):
            continue
        query = _matching(kind, scope, amounts, len(spans), only)
        found += [(kind, row) for row in connection.execute(query, values)]
    found.sort(key=lambda each: -each[1].created)
    return found[:most]


def _values(scope: Scope, amounts: Amounts, spans: Spans, most: int) -> dict[str, object]:
    values: dict[str, object] = {"organisation": scope.organisation_id, "most": most}
    values["accounts"] = list(scope.account_ids)
    for at, (since, before) in enumerate(spans):
        values |= {f"since{at}": since, f"before{at}": before}
    return values | {f"amount{at}": atoms for at, (_, atoms) in enumerate(amounts)}


_NEWEST_FIRST = "ORDER BY created DESC, id DESC"


def _matching(kind: str, scope: Scope, amounts: Amounts, spans: int, only: Only) -> Query:
    source = SOURCES[kind]
    conditions = ["organisation_id = :organisation"]
    if scope.account_ids:
        conditions = [
            "organisation_id || '' = :organisation", "trading_account_id IN :accounts"
        ]  # fmt: skip
    if only.kinds and kind == "transfer":
        conditions.append("direction IN :kinds")
    if only.statuses:
        conditions.append("status IN :statuses")
    if spans:
        days = (f"created >= :since{at} AND created < :before{at}" for at in range(spans))
        conditions.append(f"({' OR '.join(f'({day})' for day in days)})")
    statement = f"{source.text} WHERE {' AND '.join(conditions)}"
    if amounts:
        has_amount = _has_amount(kind, [asset for asset, _ in amounts])
        if kind == "transfer" or scope.account_ids or spans:
            statement += f" AND {has_amount}"
        else:
            recent = f"({statement} {_NEWEST_FIRST} LIMIT {RECENT}) AS {source.table}"
            statement = f"{source.text.partition(' FROM ')[0]} FROM {recent} WHERE {has_amount}"
    return built(f"{statement} {_NEWEST_FIRST} LIMIT :most", source.row)


def _has_amount(kind: str, assets: Sequence[str]) -> str:
    """Whether a record has one of the amounts, each of its asset."""
    parts = []
    for at, asset in enumerate(assets):
        if kind == "transfer":
            parts.append(f"(amount = :amount{at} AND asset = '{asset}')")
            continue
        markets = [each.name for each in MARKETS_BY_NAME.values() if each.base.key == asset]
        either = f"(sold = :amount{at} OR bought = :amount{at})"
        if asset == USD.key:
            parts.append(either)
        elif markets:
            parts.append(f"(market IN ({quoted(markets)}) AND {either})")
    return f"({' OR '.join(parts)})" if parts else "1 = 0"


def owners(
    connection: Session, organisation_id: str, found: Iterable[tuple[str, Record]]
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
