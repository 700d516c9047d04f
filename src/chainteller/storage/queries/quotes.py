"""Query quotes."""

from typing import Any

from chainteller.domain.assets import MARKETS_BY_NAME, USD, Asset
from chainteller.domain.money import format_atoms, format_cents
from chainteller.domain.quoting import Side
from chainteller.domain.trades import QuoteStatus, quote_is_live
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.quotes import Pricing, Quote
from chainteller.service.told import merged
from chainteller.storage.db import records
from chainteller.storage.db.query import Query, Record, Session, Value, remembered, row_of
from chainteller.storage.db.records import Tables
from chainteller.storage.db.sources import Finder, Source
from chainteller.storage.lists import tallies
from chainteller.storage.lists.pages import Counted, Extra, Listing
from chainteller.storage.log.rows import Writer
from chainteller.storage.queries.clock import FinderWithTime

_T: Any = records.Quote
find = Finder(_T, "organisation_id", "id")
find_to_execute = FinderWithTime(
    _T,
    "quote.organisation_id = :organisation AND quote.id = :id FOR UPDATE OF quote",
    "LEFT JOIN market_control ON market_control.market = quote.market",
    closed_for="market_control.reason",
    closed_until="market_control.until",
)
"""A quote under lock, with why its market is closed by an operator, if it is."""
of_ids = Source(_T).where("id IN :ids").rows

SPREAD = {
    "market": tuple(sorted(MARKETS_BY_NAME)),
    "side": tuple(sorted(side.value for side in Side)),
}
"""Filters of quotes and trades that share an index, and their values."""
_LISTED = Listing(
    _T,
    "organisation_id",
    filters=("status", "side", "market", "trading_account_id"),
    spread=SPREAD,
    is_tallied=True,
)
_IN_ORDER = "quote.expires + 0"
"""When a quote expires, without an index: the list is read in its own order."""
_MOST_OPEN = 1_000
_LIVE = Query(
    "SELECT id AS value FROM quote "
    "WHERE organisation_id = :organisation AND status = 'open' AND expires >= :now "
    f"LIMIT {_MOST_OPEN + 1}",
    Value,
)
_OLD = Query(
    "SELECT id, created FROM quote "
    "WHERE organisation_id = :organisation AND status = 'open' AND expires < :before "
    "ORDER BY expires LIMIT :most FOR UPDATE SKIP LOCKED",
    row_of("id", "created"),
)
count_open = Query(
    "SELECT count(*) AS value FROM quote "
    "WHERE trading_account_id = :account AND status = 'open' AND expires >= :now",
    Value,
).value


def page(
    connection: Session, organisation_id: str, query: ListQuery, now: int
) -> tuple[tuple[Quote, ...], Counted]:
    """The organisation's quotes, newest first."""
    extras: tuple[Extra, ...] = ()
    if query.status == QuoteStatus.EXPIRED:
        extras = (Extra(f":now > {_IN_ORDER}", {"now": now}),)
        query = query.model_copy(update={"status": QuoteStatus.OPEN.value})
    elif query.status == QuoteStatus.OPEN:
        extras = (_open(connection, organisation_id, now),)
    rows, total = _LISTED.page(connection, (organisation_id,), query, *extras)
    return tuple(to_model(row, now) for row in rows), total


def _open(connection: Session, organisation_id: str, now: int) -> Extra:
    """Whether a quote can be executed. There are few of these, among many that have expired."""
    ids = _LIVE.values(connection, organisation_id, now)
    if len(ids) > _MOST_OPEN:
        return Extra(f":now <= {_IN_ORDER}", {"now": now})
    return Extra("quote.id IN :found", {"found": ids})


def remove_expired(rows: Writer, organisation_id: str, before: int, most: int) -> list[str]:
    """Remove at most ``most`` quotes that nobody executed before they expired, which was before an
    instant; their ids."""
    values = {"organisation": organisation_id, "before": before, "most": most}
    found = rows.connection.execute(_OLD, values).all()
    if found:
        places = [int(row.created) for row in found]
        tallies.removed(rows.connection, Tables.quote, organisation_id, places)
        rows.delete(Tables.quote, "id IN :ids", {"ids": [row.id for row in found]})
    return [str(row.id) for row in found]


def terms(row: Record) -> dict[str, Any]:
    """What the model of a quote and that of a trade say alike, whose columns agree."""
    base = MARKETS_BY_NAME[row.market].base
    bought, sold = (base, USD) if row.side == Side.BUY else (USD, base)
    return {
        "price": format_cents(row.price_cents),
        "asset_bought": _asset_amount(row.bought, bought),
        "asset_sold": _asset_amount(row.sold, sold),
        "fees": {
            "flat": format_cents(row.fee_flat_cents),
            "bps": row.fee_bps,
            "total": format_cents(row.fee_cents),
            "currency": USD.symbol,
        },
    }


def _asset_amount(atoms: int, asset: Asset) -> dict[str, str]:
    amount = format_atoms(atoms, asset)
    return {"symbol": asset.symbol, "network": asset.network, "amount": amount}


def status_of(row: Record, now: int) -> str:
    """A quote's status; nothing is written when an open one expires."""
    if row.status == QuoteStatus.OPEN and not quote_is_live(now=now, expires=row.expires):
        return QuoteStatus.EXPIRED.value
    return str(row.status)


def to_model(row: Record, now: int) -> Quote:
    return _model(row, status_of(row, now))


@remembered
def _model(row: Record, status: str) -> Quote:
    premium = row.hold_premium_bps * (row.window // 1_000_000) * 100 // 60
    quote = Quote(
        id=row.id,
        market_name=row.market,
        side=row.side,
        created=row.created,
        expires=row.expires,
        status=status,
        trading_account_id=row.trading_account_id,
        trade_id=row.trade_id,
        pricing=Pricing(
            mid=f"{row.mid_micros // 1_000_000}.{row.mid_micros % 1_000_000:06d}",
            half_spread_bps=row.half_spread_bps,
            hold_premium_bps=f"{premium // 100}.{premium % 100:02d}",
        ),
        **terms(row),
    )
    if row.told is None:
        return quote
    return merged(quote.model_copy(update={"pricing": None}), row.told)
