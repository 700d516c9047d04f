"""Query trades."""

import json
from typing import Any

from chainteller.domain.assets import ASSETS_BY_KEY, MARKETS_BY_NAME
from chainteller.domain.json_depth import parse_json
from chainteller.domain.money import Amount, format_atoms
from chainteller.domain.trades import OPEN, TradeStatus
from chainteller.service.models.funding import Reason
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.trades import Trade
from chainteller.service.told import merged
from chainteller.storage.db import records
from chainteller.storage.db.query import Query, Record, Session, quoted, remembered, row_of
from chainteller.storage.db.sources import Finder, Source
from chainteller.storage.lists.pages import Counted, Listing, between, numbered
from chainteller.storage.queries.quotes import SPREAD, terms

_T: Any = records.Trade
_FILTERS = ("status", "side", "market")
find = Finder(_T, "trading_account_id", "id")
find_any = Finder(_T, "id")
"""A trade of any account; lock its account before locking the trade."""
_OF_ACCOUNT = Listing(_T, "trading_account_id", filters=_FILTERS, order=("ordinal",))
_OF_ORGANISATION = Listing(_T, "organisation_id", filters=_FILTERS, spread=SPREAD, is_tallied=True)
of_ids = Source(_T).where("trading_account_id = :account AND id IN :ids").rows
"""The trades of an account that have these ids."""


def hold_text(parts: tuple[Amount, ...]) -> str:
    """Serialise held amounts; atoms are text, because JSON numbers lose digits."""
    return json.dumps([[part.asset.key, str(part.atoms)] for part in parts])


def hold_parts(text: str) -> tuple[Amount, ...]:
    return tuple(Amount(int(atoms), ASSETS_BY_KEY[asset]) for asset, atoms in parse_json(text))


def page(
    connection: Session, account_id: str, query: ListQuery, total: int
) -> tuple[tuple[Trade, ...], Counted]:
    """An account's trades, newest first."""
    of = {"trading_account_id": account_id}
    rows, counted = numbered(connection, _OF_ACCOUNT, of, query, total)
    return tuple(to_model(row) for row in rows), counted


def of_transactions(
    connection: Session, account_id: str, first: int, last: int
) -> list[tuple[int, Trade]]:
    """The trades among an account's transactions ``first`` to ``last``, with their ordinals."""
    of = {"trading_account_id": account_id}
    rows = between(connection, _OF_ACCOUNT.source, of, "transaction_ordinal", first, last)
    return [(row.transaction_ordinal, to_model(row)) for row in rows]


unsettled_at_provider = Query(
    "SELECT id, trading_account_id FROM trade WHERE organisation_id = :organisation "
    f"AND status IN ({quoted(OPEN)}) AND told IS NOT NULL "
    "ORDER BY created DESC LIMIT :most",
    row_of("id", "trading_account_id"),
).rows
"""A gateway's newest trades that its provider hasn't ended, as far as it's known: ``id`` and
``trading_account_id``."""


@remembered
def to_model(row: Record) -> Trade:
    """Convert a complete row to its model: columns of the same name, and computed fields."""
    base = MARKETS_BY_NAME[row.market].base
    failure = None
    if row.failure_code is not None:
        failure = Reason(code=row.failure_code, message=row.failure_message or "")
    converted = terms(row) | {
        "amount": format_atoms(row.amount, base),
        "failure_reason": failure,
        "cancellable": row.status == TradeStatus.PROCESSING,
    }
    trade = Trade.model_validate(row._asdict() | converted)
    return trade if row.told is None else merged(trade, row.told, quoteId=row.quote_id)


page_of_all = _OF_ORGANISATION.models(to_model)
