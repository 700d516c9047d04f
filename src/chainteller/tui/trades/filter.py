"""Trade filter: a typed side, market or status filters at the service; other words are searched
for in the newest trades.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import TYPE_CHECKING

from chainteller.domain.assets import MARKETS_BY_NAME
from chainteller.domain.periods import Days, said_days
from chainteller.domain.trades import TradeStatus
from chainteller.tui.queries import created_within, is_within, query, records_found, trades_by_id

if TYPE_CHECKING:
    from chainteller.service.interface import Service
    from chainteller.service.models.pages import ListQuery, Page
    from chainteller.service.models.trades import Trade

_KIND = frozenset({"trade"})
SEARCHED = 100
"""Newest trades that words are searched in: one page."""
_KINDS = {
    **dict.fromkeys(("buy", "sell"), "side"),
    **dict.fromkeys(MARKETS_BY_NAME, "market"),
    **{str(each): "status" for each in TradeStatus},
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """A parsed filter. ``words`` are in lower case; the others are the service's own filters."""

    side: str | None = None
    market: str | None = None
    status: str | None = None
    words: tuple[str, ...] = ()
    days: Days | None = None

    def as_query(self, status: str | None, sort: str, page: int, limit: int) -> "ListQuery":
        """The service's query, without the words; a typed status precedes ``status``."""
        return query(
            page=page,
            limit=limit,
            status=self.status or status,
            side=self.side,
            market=self.market,
            sort=sort,
            **created_within(self.days),
        )


def wanted(typed: str, today: date | None = None) -> Wanted:
    """Parse a typed filter: a word that begins exactly one side, market or status stands for it.
    With ``today``, it may name a day or a period.
    """
    found: dict[str, str] = {}
    words = []
    rest, days = said_days(typed, today)
    for word in rest.lower().split():
        meant = [name for name in _KINDS if name.startswith(word)]
        if len(meant) == 1 and _KINDS[meant[0]] not in found:
            found[_KINDS[meant[0]]] = meant[0]
        else:
            words.append(word)
    return Wanted(**found, words=tuple(words), days=days[0] if days else None)


def listed(service: "Service", account_id: str | None, asked: "ListQuery") -> "Page[Trade]":
    """Trades of one account, or of all accounts."""
    return service.trades(account_id, asked) if account_id else service.all_trades(asked)


def search(
    service: "Service", account_id: str | None, looked_for: Wanted, status: str | None, sort: str
) -> "Sequence[Trade]":
    """The newest trades that contain every word, or else the one with that id.

    Raises:
        TellerError: the list can't be read.
    """
    newest = listed(service, account_id, looked_for.as_query(status, sort, 1, SEARCHED))
    found = [row for row in newest.data if _holds(row, looked_for.words)]
    if found:
        return found
    named = partial(_of_account, service, looked_for.as_query(status, sort, 1, SEARCHED))
    rows = _found(service, account_id, looked_for.words, None if account_id else named)
    return [row for row in rows if is_within(row.created, looked_for.days)]


def _of_account(service: "Service", asked: "ListQuery", account_id: str) -> "Sequence[Trade]":
    return service.trades(account_id, asked).data


def _holds(trade: "Trade", words: Sequence[str]) -> bool:
    told = (trade.id, trade.trading_account_id, trade.side, trade.market, trade.status,
            trade.quote_id, trade.amount, f"{trade.created:%Y-%m-%d %d %b}")  # fmt: skip
    text = " ".join(part for part in told if part).lower()
    return all(word in text for word in words)


def _found(
    service: "Service",
    account_id: str | None,
    words: Sequence[str],
    listed: "Callable[[str], Sequence[Trade]] | None",
) -> "list[Trade]":
    """Trades that a search of everything finds by an id, a name, an amount or a day; by its whole
    id also without that. Only of ``account_id``, where that is given; otherwise ``listed`` reads
    those of the people who are found.
    """
    if len(words) == 1 and words[0].startswith("txn_") and ".." not in words[0]:
        found = trades_by_id(service, words[0].upper())
        return [row for row in found if account_id in {None, row.trading_account_id}]
    found = records_found(service, " ".join(words), _KIND, service.trade, listed)
    return [row for row in found if account_id in {None, row.trading_account_id}]
