"""Draw what is known of who is served: one line of what waits, and the day where there is room."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from chainteller.domain.clock import SECOND
from chainteller.tui.desk import Desk
from chainteller.tui.served import day, waits
from chainteller.tui.unanswered_lines import unanswered_lines
from chainteller.tui.widgets.lines import Line, Lines, line

if TYPE_CHECKING:
    from textual.screen import Screen

    from chainteller.service.models.accounts import TradingAccount


def draw(
    screen: "Screen[Any]", desk: Desk, shown: str, account: "TradingAccount | None"
) -> float | None:
    """Draw both, without what the screen ``shown`` lists itself.

    Args:
        account: of the customer being served; None for what the whole desk waits for.

    Returns:
        Seconds until one of them says something else by time alone; None where neither is shown.
    """
    strip, column = screen.query_one("#strip", Lines), screen.query_one("#day", Lines)
    if strip.display and strip.size.width:
        told, items = strip_line(desk, shown, account, strip.size.width)
        strip.show([told])
    elif column.display and column.size.width:
        lines, items = _day(desk, shown, account, column.size.height)
        name = (account.customer_name or account.id) if account is not None else ""
        column.border_title = f"The day of {name}" if name else "The desk"
        column.show(lines)
    else:
        strip.show([line()])
        return None
    return waits.next_repaint(items, desk.now) / SECOND


def strip_line(
    desk: Desk, shown: str, account: "TradingAccount | None", width: int
) -> tuple[Line, Sequence[waits.Item]]:
    """What waits for the customer or for the whole desk, and its items."""
    items = _items(desk, shown, account)
    name = (account.customer_name or account.id) if account is not None else "All customers"
    whose = (f" {name}  ", "strong")
    is_read = account is None or (desk.served is not None and desk.served.customer is not None)
    if not items and (not is_read or unanswered_lines(desk, shown)):
        return line(whose), items  # the line below says what is pending, or nobody knows yet
    if not items:
        words = "nothing else pending" if _items(desk, "", account) else "nothing pending"
        return line(whose, (words, "muted")), items
    return waits.strip_line(whose, items, desk.now, width), items


def _items(desk: Desk, shown: str, account: "TradingAccount | None") -> list[waits.Item]:
    served = desk.served
    if served is None:
        return []
    if account is None:
        return waits.of_desk(served.desk_view, desk.challenges.values(), desk.now)
    view = served.customer
    return [] if view is None else waits.of_customer(view, desk.now, shown)


def _day(
    desk: Desk, shown: str, account: "TradingAccount | None", rows: int
) -> tuple[list[Line], Sequence[waits.Item]]:
    served, items = desk.served, _items(desk, shown, account)
    if served is not None and account is None:
        return day.of_desk(served.desk_view, [*desk.challenges.values()], desk.now), items
    if served is None or served.customer is None:
        return [line(("loading", "muted"))], items
    return day.of_customer(served.customer, desk.now, shown, rows), items
