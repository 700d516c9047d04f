"""Trade view: rows, detail, timeline and summary as lines."""

from typing import TYPE_CHECKING

from chainteller.domain.trades import TERMINAL
from chainteller.tui.dialogs.boxes import wrapped
from chainteller.tui.formats import (
    Piece,
    age,
    clock_time,
    grouped,
    live_age,
    seconds_since,
    short_id,
    status,
    when,
)
from chainteller.tui.notifications import SLOW_S
from chainteller.tui.widgets.lines import Line, heading, line
from chainteller.tui.widgets.paged_list import Column, Row

if TYPE_CHECKING:
    from chainteller.service.models.trades import Trade

_NARROWEST = 39
"""Cells of the detail beside the list: whole ids and amounts with their labels."""
_MINUTE_S = 60
_AMOUNT = Column("AMOUNT", 12, "right", most=30)
_STATUS = Column("STATUS", 18, grows=True, most=28)
COLUMNS_OF_ONE = (
    Column("TRADE", 14, rank=1),
    Column("ACCOUNT", 0),
    Column("CREATED", 8, rank=2),
    Column("SIDE", 4),
    Column("MARKET", 7),
    _AMOUNT,
    Column("PRICE", 11, "right", rank=4),
    _STATUS,
)
COLUMNS_OF_ALL = (
    COLUMNS_OF_ONE[0]._replace(rank=3),
    COLUMNS_OF_ONE[1]._replace(width=14, rank=1),
    *COLUMNS_OF_ONE[2:],
)
"""The account comes before the trade's own id, which the detail and the summary have too."""
STATUSES = (None, "processing", "executed", "settled", "cancelled", "failed")


def is_over(trade: "Trade") -> bool:
    return trade.status in TERMINAL


def trade_row(trade: "Trade", now: int) -> Row:
    return Row(
        trade.id,
        (
            (short_id(trade.id), ""),
            (short_id(trade.trading_account_id or "-"), "muted"),
            (when(trade.created, now), "muted"),
            (trade.side.upper(), "up" if trade.side == "buy" else "down"),
            (trade.market, ""),
            (grouped(trade.amount), ""),
            (grouped(trade.price), "muted"),
            _status(trade, now, exact=False),
        ),
    )


def _status(trade: "Trade", now: int, *, exact: bool = True) -> Piece:
    """With the time it has been open: to the second, from a minute on by the minute."""
    text, tone = status(trade.status)
    if is_over(trade):
        return text, tone
    waiting = seconds_since(trade.created, now)
    open_for = live_age if exact or waiting < _MINUTE_S else age
    slow = " SLOW" if waiting > SLOW_S and trade.status == "processing" else ""
    return f"{text} {open_for(trade.created, now)}{slow}", tone


def detail(trade: "Trade", now: int) -> list[Line]:
    base = trade.market.partition("-")[0].upper()
    rows = [
        line((trade.id, "strong")),
        line(
            (f"{trade.side.upper()} {trade.market}", "strong"),
            right=(f"{grouped(trade.amount)} {base}",),
        ),
        line(("status", "muted"), right=(_status(trade, now),)),
        line(("price", "muted"), right=(f"{grouped(trade.price)} USD",)),
    ]
    if trade.asset_sold is not None and trade.asset_bought is not None:
        sold, bought = trade.asset_sold, trade.asset_bought
        gives = f"{grouped(sold.amount)} {sold.symbol}"
        rows.append(line(("customer gives", "muted"), right=(gives,)))
        gets = f"{grouped(bought.amount)} {bought.symbol}"
        rows.append(line(("customer gets", "muted"), right=((gets, "good"),)))
    if trade.fees is not None and trade.fees.total is not None:
        fee = f"{grouped(trade.fees.total)} {trade.fees.currency or 'USD'}"
        rows.append(line(("fee, included", "muted"), right=(fee,)))
    if trade.trading_account_id:
        rows.append(line(("account", "muted"), right=(trade.trading_account_id,)))
    if trade.quote_id:
        rows.append(line(("quote", "muted"), right=(trade.quote_id,)))
    rows += [line(), *_timeline(trade, now), line(), *_what_next(trade)]
    return rows


def _timeline(trade: "Trade", now: int) -> list[Line]:
    rows = [heading("TIMELINE", trade.created.strftime("%Y-%m-%d UTC"))]
    rows.append(line((f"{clock_time(trade.created)}  ", "muted"), "processing"))
    for moment, word, tone in (
        (trade.executed_at, "executed", "accent"),
        (trade.settled_at, "settled", "good"),
        (trade.cancelled_at, "cancelled, nothing was traded", "muted"),
    ):
        if moment is not None:
            rows.append(line((f"{clock_time(moment)}  ", "muted"), (word, tone)))
    if trade.failure_reason is not None:
        reason = trade.failure_reason
        rows.append(line(("failed    ", "bad"), reason.code))
        rows += [line(f"          {row}") for row in wrapped(reason.message, _NARROWEST - 10)[:6]]
    if not is_over(trade):
        waiting = live_age(trade.created, now)
        rows.append(line(("now       ", "muted"), f"still {trade.status} ({waiting})"))
    return rows


def can_be_cancelled(trade: "Trade") -> bool:
    return trade.status == "processing" if trade.cancellable is None else trade.cancellable


def why_it_stands(trade: "Trade") -> str:
    """Why a trade cannot be cancelled; empty when it can."""
    if is_over(trade):
        return f"{short_id(trade.id)} is {trade.status}: it is final"
    return "" if can_be_cancelled(trade) else f"{short_id(trade.id)} is {trade.status} already"


def _what_next(trade: "Trade") -> list[Line]:
    if can_be_cancelled(trade):
        return [line("Can be cancelled until it executes.  ", ("C", "key"))]
    over = "It is final." if is_over(trade) else "It can no longer be cancelled."
    return [line((over, "muted"))]


def told(words: str, width: int) -> list[Line]:
    """What to tell the customer, in lines of ``width`` cells."""
    if not words:
        return []
    rows = [line(row) for row in wrapped(words, width)]
    return [line(), line(("WHAT TO TELL THE CUSTOMER", "strong"), right=(("t", "key"),)), *rows]


def told_by_key(words: str) -> list[Line]:
    """Where the words have no room."""
    return [line(("t", "key"), (" what to tell the customer", "muted"))] if words else []


def summary(trade: "Trade", now: int) -> list[Line]:
    """Two lines under the list, where the detail does not fit."""
    can = "yes (C)" if can_be_cancelled(trade) else "no"
    sold = trade.asset_sold
    gives = f"{grouped(sold.amount)} {sold.symbol}" if sold else ""
    return [
        line(
            (f" {trade.id}  ", "strong"),
            _status(trade, now),
            right=(f"at {grouped(trade.price)} ",),
        ),
        line((f" gives {gives}   can be cancelled: {can}   enter: detail", "muted")),
    ]
