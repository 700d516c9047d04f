"""Trade view: rows, detail, timeline and summary as lines."""

from typing import TYPE_CHECKING

from chainteller.domain.assets import base_symbol
from chainteller.records.formats import Piece, clock_time, grouped, short_id
from chainteller.records.trades import TRADE, is_known, is_over
from chainteller.tui import answer
from chainteller.tui.dialogs.boxes import wrapped
from chainteller.tui.titles import work_title
from chainteller.tui.trades.filter import SEARCHED, wanted
from chainteller.tui.widgets.lines import Line, heading, line
from chainteller.tui.widgets.paged_list import Column, Row
from chainteller.tui.widgets.record_lines import RecordColumns, fact_lines

if TYPE_CHECKING:
    from chainteller.service.models.accounts import TradingAccount
    from chainteller.service.models.trades import Trade

_LIST = RecordColumns(
    TRADE,
    {
        "id": Column("", 14, rank=1, whole=26),
        "trading_account_id": Column("", 0, tone="muted", whole=26),
        "created": Column("", 8, rank=2),
        "side": Column("", 4),
        "market": Column("", 7),
        "amount": Column("", 12, "right", most=30),
        "price": Column("PRICE", 11, "right", rank=4, tone="muted"),
        "status": Column("", 17, grows=True, most=28),
    },
)
COLUMNS = _LIST.columns
COLUMNS_OF_ALL = (
    _LIST.columns[0]._replace(rank=3),
    _LIST.columns[1]._replace(width=14, rank=1),
    *_LIST.columns[2:],
)
"""The account stays longer than the trade's own id, which the detail and the summary show too."""
STATUSES = (None, "processing", "executed", "settled", "cancelled", "failed")


def title(  # noqa: PLR0913 - all that the list is of
    account: "TradingAccount | None",
    status: int,
    typed: str,
    order: str,
    total: int,
    *,
    all_accounts: bool,
    can_list_all: bool = True,
) -> Line:
    """``account`` is the customer being served; ``status`` is an index of ``STATUSES``."""
    other = "one account" if all_accounts else "all"
    switch = f"  0: {other}" if account and can_list_all else ""
    only = f"  only {STATUSES[status]}" if STATUSES[status] else ""
    if typed:
        only += f"  /{typed}"
        switch = f"  in the newest {SEARCHED}" if wanted(typed).words else ""
    listed, counted = None if all_accounts else account, f"{total:,}   order: {order} "
    return work_title("TRADES", listed, only, (switch, "muted"), right=((counted, "muted"),))


def empty_text(typed: str, status: int, *, nobody: bool) -> tuple[Piece, ...]:
    """What an empty list says instead of rows; it names the next key.

    ``nobody`` is whether no customer is selected where only one account's trades can be listed.
    """
    if nobody:
        return ("No account is selected.  ", ""), ("1", "key"), (" accounts", "muted")
    if typed:
        return (f'No matches for "{typed}"   ', "muted"), ("esc", "key"), (" all trades", "muted")
    if STATUSES[status]:
        return ("No matches   ", "muted"), ("f", "key"), (" status", "muted")
    return ("No trades yet.  ", ""), ("b", "key"), (" buy", "muted")


def trade_row(trade: "Trade", now: int) -> Row:
    return _LIST.row(trade.id, trade, now)


def now_lines(trade: "Trade", now: int, width: int) -> list[Line]:
    """What was ordered, how far it is, and what can still be done."""
    return [
        line(
            (f"{trade.side.upper()} {trade.market}", "strong"),
            right=((f"{grouped(trade.amount)} {base_symbol(trade.market)}", "strong"),),
        ),
        *answer.now_lines(TRADE["status"].line(trade, now), *_what_next(trade, width)),
    ]


def detail(trade: "Trade", now: int, width: int, *, is_of_all: bool) -> list[Line]:
    """The facts of a trade and its steps, its id last. In a list of one account, the title has the
    account.
    """
    without = {"status", *(() if is_of_all else ("trading_account_id",))}
    return [
        *fact_lines(TRADE, trade, now, without),
        line(("trade", "muted"), right=(trade.id,)),
        line(),
        *_timeline(trade, width),
    ]


def _timeline(trade: "Trade", width: int) -> list[Line]:
    rows = [heading("TIMELINE", trade.created.strftime("%Y-%m-%d UTC"))]
    rows.append(line((f"{clock_time(trade.created)}  ", "muted"), "processing"))
    for moment, word, tone in (
        (trade.executed_at, "executed", "accent"),
        (trade.settled_at, "settled", "good"),
        (trade.cancelled_at, "cancelled, no trade was made", "muted"),
    ):
        if moment is not None:
            rows.append(line((f"{clock_time(moment)}  ", "muted"), (word, tone)))
    times = (trade.executed_at, trade.settled_at, trade.cancelled_at, trade.failure_reason)
    if is_over(trade) and times == (None,) * len(times):
        rows.append(line(("not provided  ", "muted"), trade.status))
    if trade.failure_reason is not None:
        reason = trade.failure_reason
        rows.append(line(("failed    ", "bad"), reason.code))
        rows += [line(f"          {row}") for row in wrapped(reason.message, width - 10)[:6]]
    return rows


def can_be_cancelled(trade: "Trade") -> bool | None:
    """Whether a cancellation is possible; None where neither deployment nor status tells."""
    if trade.cancellable is not None:
        return trade.cancellable
    return trade.status == "processing" if trade.status in STATUSES else None


def why_it_stands(trade: "Trade") -> str:
    """Why a trade cannot be cancelled; empty when it can."""
    if is_over(trade):
        return f"{short_id(trade.id)} is {trade.status}; it can't be changed"
    if can_be_cancelled(trade) is False:
        return f"{short_id(trade.id)} is already {trade.status}"
    return ""


def _what_next(trade: "Trade", width: int) -> tuple[str, int, str, str]:
    """What can be done, with its key and its tone."""
    if not is_known(trade):
        return "The console doesn't know this status.", width, "C cancel", "warn"
    if can_be_cancelled(trade):
        return "Can be cancelled until executed", width, "C", ""
    if can_be_cancelled(trade) is None and not is_over(trade):
        return "Not known whether it can be cancelled.", width, "C tries", "muted"
    over = "It can't be changed any more." if is_over(trade) else "It can no longer be cancelled."
    return over, width, "", "muted"


def summary(trade: "Trade", now: int) -> list[Line]:
    """Two lines under the list, where the detail does not fit."""
    can = {True: "yes (C)", False: "no", None: "unknown (C tries)"}[can_be_cancelled(trade)]
    gives, _ = TRADE["asset_sold"].line(trade, now)
    return [
        line(
            (f" {trade.id}  ", "strong"),
            TRADE["status"].line(trade, now),
            right=(f"at {grouped(trade.price)} ",),
        ),
        line(
            (
                f" {f'pays {gives}   ' if gives else ''}can be cancelled: {can}   enter: detail",
                "muted",
            )
        ),
    ]
