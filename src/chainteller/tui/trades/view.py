"""Trade view: rows, detail, timeline and summary as lines."""

from typing import TYPE_CHECKING

from chainteller.domain.assets import base_symbol
from chainteller.domain.trades import TradeStatus
from chainteller.records.formats import Piece, grouped
from chainteller.records.trades import TRADE, next_of, steps_of
from chainteller.tui import answer
from chainteller.tui.widgets.lines import Line, line
from chainteller.tui.widgets.paged_list import Column
from chainteller.tui.widgets.record_lines import RecordColumns, fact_lines

if TYPE_CHECKING:
    from chainteller.service.models.trades import Trade

LIST = RecordColumns(
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
COLUMNS_OF_ALL = LIST.of_all()
SHOWN = (("", {}), *((str(each), {"status": str(each)}) for each in TradeStatus))
"""What ``f`` shows, one after the other."""


def empty_text(typed: str, narrowed: str, *, nobody: bool) -> tuple[Piece, ...]:
    """What an empty list says instead of rows; it names the next key.

    ``nobody`` is whether no customer is selected where only one account's trades can be listed.
    """
    if nobody:
        return ("No account is selected.  ", ""), ("1", "key"), (" accounts", "muted")
    if typed:
        return (f'No matches for "{typed}"   ', "muted"), ("esc", "key"), (" all trades", "muted")
    if narrowed:
        return ("No matches   ", "muted"), ("f", "key"), (" status", "muted")
    return ("No trades yet.  ", ""), ("b", "key"), (" buy", "muted")


def now_lines(trade: "Trade", now: int, width: int) -> list[Line]:
    """What was ordered, how far it is, and what can still be done."""
    ordered = f"{trade.side.upper()} {trade.market}"
    amount = f"{grouped(trade.amount)} {base_symbol(trade.market)}"
    return answer.now_lines(
        ordered, amount, TRADE["status"].line(trade, now), next_of(trade), width
    )


def detail(trade: "Trade", now: int, width: int, *, is_of_all: bool) -> list[Line]:
    """The facts of a trade and its steps, its id last. In a list of one account, the title has the
    account.
    """
    without = {"status", *(() if is_of_all else ("trading_account_id",))}
    return [
        *fact_lines(TRADE, trade, now, without),
        line(("trade", "muted"), right=(trade.id,)),
        line(),
        *answer.step_lines(trade, steps_of(trade), width),
    ]
