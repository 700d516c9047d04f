"""Trades as lines: rows, timeline and what may still be done."""

from typing import TYPE_CHECKING

from chainteller.domain.trades import TERMINAL
from chainteller.tui.formats import (
    Piece,
    clock_time,
    countdown,
    grouped,
    seconds_since,
    short_id,
    status,
    when,
)
from chainteller.tui.widgets.lines import Line, heading, line
from chainteller.tui.widgets.paged_list import Column, Row

if TYPE_CHECKING:
    from chainteller.service.models.trades import Trade

SLOW_S = 60
COLUMNS = (
    Column("TRADE", 14),
    Column("ACCOUNT", 14, rank=4),
    Column("CREATED", 8, rank=2),
    Column("SIDE", 4),
    Column("MARKET", 7),
    Column("AMOUNT", 13, "right"),
    Column("PRICE", 11, "right", rank=3),
    Column("STATUS", 22, grows=True),
)
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
            _status(trade, now),
        ),
    )


def _status(trade: "Trade", now: int) -> Piece:
    text, tone = status(trade.status)
    if is_over(trade):
        return text, tone
    waiting = seconds_since(trade.created, now)
    slow = " SLOW" if waiting > SLOW_S and trade.status == "processing" else ""
    return f"{text} {countdown(waiting)}{slow}", tone


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
    rows += [line(), *_timeline(trade, now), line(), *_what_next(trade)]
    return rows


def _timeline(trade: "Trade", now: int) -> list[Line]:
    rows = [heading("TIMELINE", trade.created.strftime("%Y-%m-%d UTC"))]
    if trade.quote_id:
        rows.append(line((f"{clock_time(trade.created)}  ", "muted"), f"quote {trade.quote_id}"))
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
        rows.append(line(("failed    ", "bad"), f"{reason.code}  {reason.message}"))
    if not is_over(trade):
        waiting = seconds_since(trade.created, now)
        rows.append(line(("now       ", "muted"), f"still {trade.status} ({countdown(waiting)})"))
    return rows


def _what_next(trade: "Trade") -> list[Line]:
    can = trade.cancellable if trade.cancellable is not None else trade.status == "processing"
    if can:
        return [
            line(("Can be cancelled until it executes.", "")),
            line(("C", "key"), (" cancel   ", "muted"), ("t", "key"), (" customer text", "muted")),
        ]
    over = "It is final." if is_over(trade) else "It can no longer be cancelled."
    return [line((over, "muted")), line(("t", "key"), (" customer text", "muted"))]


def summary(trade: "Trade", now: int) -> list[Line]:
    """Two lines under the list, where the detail does not fit."""
    can = "yes (C)" if trade.cancellable or trade.status == "processing" else "no"
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
