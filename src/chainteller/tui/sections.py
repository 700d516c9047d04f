"""Parts of the surroundings as lines: the customer, the market, trades, quotes and balances.

A section gives its lines for the room that is left, or none when it doesn't fit.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from chainteller.domain.assets import base_symbol
from chainteller.domain.clock import from_datetime
from chainteller.records.formats import change, grouped, status, when
from chainteller.records.trades import SIDE, is_trade
from chainteller.records.transfers import DIRECTION
from chainteller.tui.accounts.detail import detail as account_lines
from chainteller.tui.balance_history import LEAST_WIDTH, chart_lines, chart_rows
from chainteller.tui.charts import AXIS_ROWS, LEAST_ROWS, price_chart
from chainteller.tui.desk import Desk
from chainteller.tui.widgets.lines import EMPTY, Fill, Line, line

if TYPE_CHECKING:
    from chainteller.service.models.trades import Transaction
    from chainteller.tui.surrounding_views import CustomerView

_MOST_CHART_ROWS = 16
_LEAST_LIST = 3
_AT, _STATUS = 10, 14
_LEAST, _WIDE, _WIDEST = 44, 54, 64
"""Widths of a list of transactions: the least, and from which on it has words instead of signs and
the markets of trades.
"""
_SHORT = {"DEPOSIT": "DEP", "WITHDRAW": "WDR"}


def stacked(sections: Sequence[Fill], width: int, rows: int) -> list[Line]:
    """One section under the other, a blank line between, as long as there is room."""
    shown: list[Line] = []
    for section in sections:
        free = rows - len(shown) - (1 if shown else 0)
        found = section(width, free) if free > 0 else ()
        if found:
            shown += [*([EMPTY] if shown else ()), *found]
    return shown


def framed(titled: Sequence[tuple[str, Fill]], width: int, rows: int) -> list[Line]:
    """Panels below each other over the whole height: a frame with its title around each section.

    The last one takes what is left.
    """
    shown: list[Line] = []
    for title, section in titled:
        free = rows - len(shown) - 2
        found = section(width - 4, free) if free > 0 else ()
        if found:
            shown += _frame(title, found, width)
    if shown and (rest := rows - len(shown)) > 0:
        blank = line(("│", "rule"), right=(("│", "rule"),))
        shown[-1:-1] = [blank] * rest
    return shown


def _frame(title: str, inside: Sequence[Line], width: int) -> list[Line]:
    top = line(("╭─ ", "rule"), (title, "muted"), (" ", ""), right=(("─╮", "rule"),), fill="─")
    bottom = line(("╰" + "─" * max(0, width - 2) + "╯", "rule"))
    rows = [
        Line((("│ ", "rule"), *each.left), (*each.right, (" │", "rule")), each.fill)
        for each in inside
    ]
    return [top, *rows, bottom]


# -- the customer ---------------------------------------------------------------------------------


def customer(desk: Desk) -> Fill:
    """The whole account, as long as it fits."""

    def fill(_width: int, rows: int) -> Sequence[Line]:
        view = _view(desk)
        if view is None:
            return ()
        return account_lines(view.sheet, desk.now, shown=desk.privacy.balance)[:rows]

    return fill


def balances_over_time(desk: Desk) -> Fill:
    """Charts of all assets, from zero; none while balances are hidden."""

    def fill(width: int, rows: int) -> Sequence[Line]:
        view = _view(desk)
        if view is None or view.history is None or desk.privacy.hidden or width < LEAST_WIDTH:
            return ()
        each = chart_rows(view.sheet, rows - 1)
        return chart_lines(view.history, desk.now, width, each)[1:] if each else ()

    return fill


def _view(desk: Desk) -> "CustomerView | None":
    return desk.surroundings.customer if desk.surroundings is not None else None


# -- lists of the customer ------------------------------------------------------------------------


def trades(desk: Desk) -> Fill:
    """The customer's newest trades."""

    def fill(width: int, rows: int) -> Sequence[Line]:
        view = _view(desk)
        listed = view.trades if view is not None else []
        return _listed(desk, ("TRADES", "4: all"), listed, width, rows)

    return fill


def transactions(desk: Desk) -> Fill:
    """The customer's newest deposits, withdrawals and trades."""

    def fill(width: int, rows: int) -> Sequence[Line]:
        view = _view(desk)
        listed = view.transactions if view is not None else ()
        return _listed(desk, ("ACTIVITY", "newest first"), listed, width, rows)

    return fill


def _listed(
    desk: Desk, titles: tuple[str, str], rows: "Sequence[Transaction]", width: int, room: int
) -> list[Line]:
    title, note = titles
    if not rows or room < _LEAST_LIST or width < _LEAST or (view := _view(desk)) is None:
        return []
    name = view.sheet.account.customer_name or view.sheet.account.id
    shown = [_transaction(row, desk.now, width) for row in rows[: room - 1]]
    return [line((title, "strong"), (f"  {name}", "muted"), right=((note, "muted"),)), *shown]


def _transaction(row: "Transaction", now: int, width: int) -> Line:
    """When, what, how much and how it ended; in little room in short. No amount is cut."""
    at = when(row.created, now) if row.created is not None else ""
    if is_trade(row):
        (kind, tone), unit = SIDE.cell(row.side, now), base_symbol(row.market)
        kind += f"  {row.market}" if width >= _WIDEST else ""
    else:
        (kind, tone), unit = DIRECTION.cell(row, now), row.currency.symbol or ""
    said, tone_of_end = status(row.status)
    end = f"  {said:<{_STATUS}}"
    if width < _WIDE:
        kind, end = _SHORT.get(kind, kind), f" {said.partition(' ')[0]:<4}"
    right = (f"{grouped(row.amount)} {unit}", (end, tone_of_end))
    return line((f"{at:<{_AT}}", "muted"), (kind, tone), right=right)


# -- markets --------------------------------------------------------------------------------------


def market(desk: Desk, name: str = "") -> Fill:
    """One market's price and chart: the one that the agent looked at last, or ``name``."""

    def fill(width: int, rows: int) -> Sequence[Line]:
        if desk.surroundings is None:
            return ()
        view = desk.surroundings.desk_view
        wanted = name or desk.customer.market or next((m.market_name for m in view.markets), "")
        row, samples = view.market(wanted), view.samples_of(wanted)
        if row is None or rows < LEAST_ROWS + AXIS_ROWS + 1:
            return ()
        (percent, tone), _ = change(row.current_price, row.yesterdays_price)
        head = line(
            (row.market_name.upper(), "strong"),
            f"  {grouped(row.current_price)}",
            (f"  {percent}{' since yesterday' if width >= _WIDE else ''}", tone),
        )
        shown = [(from_datetime(each.at), Decimal(each.price)) for each in samples]
        height = min(_MOST_CHART_ROWS, rows - AXIS_ROWS - 1)
        return [head, *price_chart(shown, width, height)]

    return fill


def other_markets(desk: Desk) -> Fill:
    """Charts of the markets that aren't the one looked at, as many as fit."""

    def fill(width: int, rows: int) -> Sequence[Line]:
        if desk.surroundings is None:
            return ()
        names = [row.market_name for row in desk.surroundings.desk_view.markets]
        looked_at = desk.customer.market or next(iter(names), "")
        others = [market(desk, name) for name in names if name != looked_at]
        return stacked(others, width, rows)

    return fill
