"""An execution that nobody answered: its trade is looked for until it is found or cannot be."""

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
from chainteller.tui.widgets.lines import Line, line

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
    """``trade`` is what a quote became; ``over``: it became none and no longer can."""

    trade: "Trade | None" = None
    over: bool = False


@dataclass(slots=True)
class Search:
    """How the looking goes; ``fault`` is why the last look learned nothing, ``wait_s`` when the
    next one comes.
    """

    looks: int = 0
    fault: str = ""
    wait_s: int = PAUSE_S
    looking: bool = False
    _pause_s: int = PAUSE_S
    _seemed_over: bool = False

    def is_due(self) -> bool:
        """Asked once a second; a look that still runs is not overtaken by another."""
        if self.looking:
            return False
        self.wait_s -= 1
        return self.wait_s <= 0

    async def look(self, service: "Service", account_id: str, quote: "Quote", now: int) -> Became:
        """What is known now. Raises nothing: a look that fails is told by ``fault``."""
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
        """An execution that began in the quote's last moment may be committed just after the
        first look that calls it over.
        """
        certain = found.over and self._seemed_over
        self._seemed_over = found.over
        return Became(found.trade, certain)

    def lines(self) -> list[Line]:
        times = "Looked once" if self.looks == 1 else f"Looked {self.looks} times"
        if self.looking or not self.looks:
            where: str = "Looking now."
        elif self.fault:
            where = f"{times}: no answer ({self.fault}), retry in {max(1, self.wait_s)} s."
        else:
            where = f"{times}: not there yet, again in {max(1, self.wait_s)} s."
        return [
            line(("No answer came: it may or may not have been executed.", "bad")),
            line("Do not execute it again: this desk looks for the trade."),
            line((where, "warn" if self.fault else "muted")),
        ]


def what_became(service: "Service", account_id: str, quote: "Quote", now: int) -> Became:
    """Ask the quote itself where the deployment shows quotes, else the account's newest trades."""
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
