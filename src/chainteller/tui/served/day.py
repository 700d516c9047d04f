"""The served customer's day, in a column of its own at the right of large windows.

It leaves out what the screen beside it lists, so that no fact stands twice, and a section of which
nothing is left: it's never said that there is nothing.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from chainteller.domain.assets import base_symbol
from chainteller.domain.clock import to_datetime
from chainteller.records.formats import approximate, status, transferred, when
from chainteller.records.trades import is_trade
from chainteller.records.transfers import direction
from chainteller.tui.served import waits
from chainteller.tui.widgets.lines import EMPTY, Line, heading, line

if TYPE_CHECKING:
    from chainteller.service.models.trades import Transaction
    from chainteller.tui.queries import CustomerView, DeskView

_SIDE = {"buy": "bought", "sell": "sold"}


def of_customer(view: "CustomerView", now: int, shown: str, rows: int) -> list[Line]:
    """What waits for the customer, and what was done today, newest first.

    Args:
        view: the customer.
        now: microseconds since the epoch.
        shown: the screen beside it, whose records are left out.
        rows: lines that there are.
    """
    today, before = _by_day(view, now, shown)
    sections = (
        ("WAITS", [line(item.told(now)) for item in waits.of_customer(view, now, shown)]),
        ("TODAY", [_happened(row, now) for row in today]),
        ("BEFORE", [_happened(row, now) for row in before]),
    )
    filled = [each for each in sections if each[1]] or [
        ("TODAY", [line(("nothing else", "muted"))])
    ]
    lines: list[Line] = []
    for title, told in filled:
        lines += [heading(title), *told, EMPTY]
    lines = [heading(filled[0][0], "P: all"), *lines[1:-1]]
    if len(lines) <= rows:
        return lines
    left = len(lines) - rows + 1
    return [*lines[: rows - 1], line((f"{left} more", "muted"), right=(("P", "key"),))]


def of_desk(view: "DeskView", challenges: Sequence[int], now: int) -> list[Line]:
    """What the whole desk waits for, while nobody is served."""
    items = waits.of_desk(view, challenges, now)
    waiting = [line(item.told(now)) for item in items] or [line(("nothing", "muted"))]
    return [heading("WAITS", "all customers"), *waiting]


def _by_day(
    view: "CustomerView", now: int, shown: str
) -> "tuple[list[Transaction], list[Transaction]]":
    """What was done today, and before."""
    day = to_datetime(now).date()
    today: list[Transaction] = []
    before: list[Transaction] = []
    for row in view.transactions:
        kind = "trades" if is_trade(row) else "transfers"
        if kind != shown and row.created is not None and not waits.is_under_way(row):
            (today if row.created.date() == day else before).append(row)
    return today, before


def _happened(row: "Transaction", now: int) -> Line:
    at = f"{when(row.created, now):<10}" if row.created is not None else ""
    if is_trade(row):
        what = (
            f"{_SIDE.get(row.side, row.side)} {approximate(row.amount)} {base_symbol(row.market)}"
        )
    else:
        what = f"{direction(row)} {transferred(row)}"
    return line((at, "muted"), what, right=(status(row.status),))
