"""Search for the outcome of an execution that wasn't answered."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from chainteller.domain.clock import from_datetime
from chainteller.service.errors import (
    NotOffered,
    ReplyUnusable,
    ServiceUnavailable,
    ServiceUnreachable,
    TellerError,
)
from chainteller.tui.queries import query
from chainteller.tui.service_calls import call_service

if TYPE_CHECKING:
    from chainteller.service.interface import Service
    from chainteller.service.models.quotes import Quote
    from chainteller.service.models.trades import Trade

PAUSE_S = 2
LONGEST_PAUSE_S = 10
UNHEARD = (ServiceUnreachable, ServiceUnavailable, ReplyUnusable)
"""Failures that say nothing of what was asked."""
_ENDED = frozenset({"expired", "withdrawn"})


@dataclass(frozen=True, slots=True)
class Became:
    """``trade`` is what a quote became; ``over``: there is none and there can't be one any more."""

    trade: "Trade | None" = None
    over: bool = False


@dataclass(slots=True)
class Search:
    """Progress of a search.

    Attributes:
        fault: Error code of the last look, when it failed.
        wait_s: Seconds until the next look.
        looking: Whether a look is running.
    """

    looks: int = 0
    fault: str = ""
    wait_s: int = PAUSE_S
    looking: bool = False
    _pause_s: int = PAUSE_S
    _seemed_over: bool = False

    def is_due(self) -> bool:
        """Count one second down; whether the next look is due. Never while one is running."""
        if self.looking:
            return False
        self.wait_s -= 1
        return self.wait_s <= 0

    async def look(self, service: "Service", account_id: str, quote: "Quote", now: int) -> Became:
        """Look once. A failed look is reported through ``fault``."""
        self.looking = True
        try:
            found = await call_service(what_became, service, account_id, quote, now)
        except TellerError as error:
            self._pause_s = min(LONGEST_PAUSE_S, self._pause_s * 2) if self.fault else PAUSE_S
            self.fault, found = error.code, Became()
        else:
            self._pause_s, self.fault = PAUSE_S, ""
            found = self._twice(found)
        finally:
            self.looking = False
        self.looks += 1
        self.wait_s = self._pause_s
        return found

    def _twice(self, found: Became) -> Became:
        """Call it over only after two looks: an execution that began in the quote's last moment
        may be committed just after the first.
        """
        certain = found.over and self._seemed_over
        self._seemed_over = found.over
        return Became(found.trade, certain)


def what_became(service: "Service", account_id: str, quote: "Quote", now: int) -> Became:
    """Look the quote up, or search the account's newest trades where quotes can't be looked up.

    Raises:
        TellerError: the lookup failed.
    """
    try:
        shown = service.quote(quote.id)
    except NotOffered:
        newest = service.trades(account_id, query(limit=100)).data
        return Became(_among(newest, quote), over=now > from_datetime(quote.expires))
    if shown.trade_id is not None:
        return Became(service.trade(account_id, shown.trade_id))
    if shown.status is None:
        return Became(over=now > from_datetime(quote.expires))
    return Became(over=shown.status in _ENDED)


def _among(trades: "Sequence[Trade]", quote: "Quote") -> "Trade | None":
    """The quote's trade; where trades do not name quotes, the one at its price since it was made
    (specification 4.2, rule 3: executing a quote uses the quoted price).
    """
    named = next((trade for trade in trades if trade.quote_id == quote.id), None)
    if named is not None:
        return named
    terms = (quote.market_name, quote.side, Decimal(quote.price))
    alike = [
        trade
        for trade in trades
        if trade.quote_id is None
        and (trade.market, trade.side, Decimal(trade.price)) == terms
        and trade.created >= quote.created
    ]
    return alike[-1] if alike else None
