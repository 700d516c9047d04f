"""Trade filter: a typed side, market or status filters at the service; other words are searched
for in the newest trades.
"""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from chainteller.domain.assets import MARKETS_BY_NAME
from chainteller.domain.trades import TradeStatus
from chainteller.tui.queries import is_within, records_found, trades_by_id
from chainteller.tui.typed_filter import Named, Wanted

if TYPE_CHECKING:
    from chainteller.service.interface import Service
    from chainteller.service.models.pages import ListQuery, Page
    from chainteller.service.models.trades import Trade

_KIND = frozenset({"trade"})
SEARCHED = 100
"""Newest trades that words are searched in: one page."""
NAMED = Named(
    {
        **{each: ("side", each) for each in ("buy", "sell")},
        **{each: ("market", each) for each in MARKETS_BY_NAME},
        **{str(each): ("status", str(each)) for each in TradeStatus},
    }
)


def page_of(
    service: "Service", account_id: str | None, typed: Wanted, asked: "ListQuery"
) -> "Page[Trade]":
    """Trades of one account, or of all accounts: those that contain every word, or else the one
    with that id.

    Raises:
        TellerError: the list can't be read.
    """
    if not typed.words:
        return _listed(service, account_id, asked)
    newest = asked.model_copy(update={"page": 1, "limit": SEARCHED})
    page = _listed(service, account_id, newest)
    words = typed.text.lower().split()
    rows = [row for row in page.data if _holds(row, words)]
    if not rows:
        found = _found(service, account_id, words, newest)
        rows = [row for row in found if is_within(row.created, typed.days)]
    return page.whole(tuple(rows)).cut(asked.page, asked.limit)


def _listed(service: "Service", account_id: str | None, asked: "ListQuery") -> "Page[Trade]":
    return service.trades(account_id, asked) if account_id else service.all_trades(asked)


def _holds(trade: "Trade", words: Sequence[str]) -> bool:
    told = (trade.id, trade.trading_account_id, trade.side, trade.market, trade.status,
            trade.quote_id, trade.amount, f"{trade.created:%Y-%m-%d %d %b}")  # fmt: skip
    text = " ".join(part for part in told if part).lower()
    return all(word in text for word in words)


def _found(
    service: "Service", account_id: str | None, words: Sequence[str], asked: "ListQuery"
) -> "list[Trade]":
    """Trades that a search of everything finds by an id, a name, an amount or a day; by its whole
    id also without that. Only of ``account_id``, where that is given; otherwise also those of the
    people who are found.
    """
    if len(words) == 1 and words[0].startswith("txn_") and ".." not in words[0]:
        found = trades_by_id(service, words[0].upper())
    else:
        named = None if account_id else partial(_of_account, service, asked)
        found = records_found(service, " ".join(words), _KIND, service.trade, named)
    return [row for row in found if account_id in {None, row.trading_account_id}]


def _of_account(service: "Service", asked: "ListQuery", account_id: str) -> "Sequence[Trade]":
    return service.trades(account_id, asked).data
