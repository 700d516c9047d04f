"""What large windows show beside a screen's own data: the strip, free room, the right column.

From ``-roomy`` on (and ``-tall``) there is a strip of what is pending, and the room under short
lists and details is used; from ``-vast`` on there is a column of panels at the right.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from chainteller.domain.clock import SECOND
from chainteller.tui import sections
from chainteller.tui.desk import Desk
from chainteller.tui.pending import Item, next_repaint, of_customer, of_desk, strip_line
from chainteller.tui.surrounding_views import has_room_around
from chainteller.tui.widgets.detail import Detail, Filled
from chainteller.tui.widgets.lines import Fill, Line, Lines, line, nothing_below

if TYPE_CHECKING:
    from chainteller.tui.desk_screen import DeskScreen

_Section = Callable[[Desk], Fill]
_CUSTOMER = ("Customer", sections.customer)
_BALANCES = ("Balances over time", sections.balances_over_time)
_MARKET = ("Market", sections.market)
_OTHER_MARKETS = ("Other markets", sections.other_markets)
_TRADES = ("Trades", sections.trades)
_ACTIVITY = ("Activity", sections.transactions)
_Titled = Sequence[tuple[str, _Section]]

COLUMNS: Mapping[str, _Titled] = {
    "accounts": (_MARKET, _TRADES, _OTHER_MARKETS),
    "markets": (_CUSTOMER, _TRADES),
    "quote": (_CUSTOMER, _TRADES),
    "trades": (_CUSTOMER, _ACTIVITY),
    "transfers": (_CUSTOMER, _TRADES),
    "wallets": (_CUSTOMER, _MARKET, _ACTIVITY),
    "audit": (_CUSTOMER, _MARKET, _TRADES),
}
"""The panels of the right column, by screen."""
UNDER_LISTS: Mapping[str, _Titled] = {
    "accounts": (_ACTIVITY, _OTHER_MARKETS),
    "trades": (_BALANCES, _OTHER_MARKETS),
    "transfers": (_BALANCES, _TRADES, _OTHER_MARKETS),
    "wallets": (_BALANCES, _OTHER_MARKETS),
    "audit": (_ACTIVITY,),
    "customers": (_BALANCES, _OTHER_MARKETS),
    "customers-vast": (_OTHER_MARKETS,),
    "transfers-vast": (_BALANCES, _OTHER_MARKETS),
}
"""What is shown under short lists, by screen; ``-vast`` is for the largest windows."""
UNDER_DETAILS: Mapping[str, _Titled] = {
    "trades": (_MARKET,),
    "transfers": (_MARKET,),
    "audit": (_ACTIVITY, _BALANCES),
    "customers": (_MARKET,),
    "more": (_BALANCES,),
}
"""What is shown under details, by the pane's id or by screen."""
IN_ROOMS: Mapping[str, _Titled] = {
    "order-rest": (_ACTIVITY, _BALANCES),
    "quoted-market": (_MARKET, _OTHER_MARKETS),
    "wallet-more": (_ACTIVITY,),
}
"""What is shown in the free room of a screen's own panels, by the room's id."""


def draw_surroundings(screen: "DeskScreen", *_news: object) -> None:
    """Draw everything around the screen's own data, as far as there is room for it."""
    if not screen.is_current:
        return
    desk, is_shown = screen.desk, has_room_around(screen)
    _draw_strip(screen)
    listed = screen.paged
    if listed is not None:
        vast = f"{screen.KEY}-vast" if screen.has_class("-vast") else ""
        key = vast if vast in UNDER_LISTS else screen.KEY
        listed.fill_below(_stack(desk, UNDER_LISTS, key) if is_shown else nothing_below)
    for detail in screen.query(Detail):
        pane = detail.id or ""
        key = pane if pane in UNDER_DETAILS else screen.KEY
        detail.fill_below(_stack(desk, UNDER_DETAILS, key) if is_shown else nothing_below)
    for room in screen.query(Filled):
        if room.id == "around":
            room.fill_with(partial(sections.framed, _titled(desk, COLUMNS, screen.KEY)))
        else:
            room.fill_with(_stack(desk, IN_ROOMS, room.id or ""))


def _titled(desk: Desk, tables: Mapping[str, _Titled], key: str) -> list[tuple[str, Fill]]:
    return [(title, section(desk)) for title, section in tables.get(key, ())]


def _stack(desk: Desk, tables: Mapping[str, _Titled], key: str) -> Fill:
    found = [section for _, section in _titled(desk, tables, key)]
    return partial(sections.stacked, found)


# -- the strip ------------------------------------------------------------------------------------


def _draw_strip(screen: "DeskScreen") -> None:
    """A hidden strip is emptied: it may be shown again when somebody else is served."""
    strip = screen.query_one("#strip", Lines)
    if not strip.display:
        strip.show([line(), line()])
    elif strip.size.width:
        lines, items = strip_lines(screen.desk, strip.size.width)
        strip.show(lines)
        _repaint_later(screen, items)


def strip_lines(desk: Desk, width: int) -> tuple[list[Line], list[Item]]:
    """The two lines, and all that they tell."""
    around, now, served = desk.surroundings, desk.now, desk.customer.account
    view = around.customer if around is not None else None
    own = of_customer(view, now) if view is not None else []
    all_desk = of_desk(around.desk_view, desk.challenges.values(), now) if around else []
    whose = (served.customer_name or served.id) if served is not None else "No customer"
    longest = max(len(whose), len("Desk"))
    lines = [
        strip_line((f" {name:<{longest}}  ", "strong"), items, now, width)
        for name, items in ((whose, own), ("Desk", all_desk))
    ]
    return lines, [*own, *all_desk]


def _repaint_later(screen: "DeskScreen", items: Sequence[Item]) -> None:
    """Once, when what the strip says has changed by time alone."""
    if screen.strip_timer is not None:
        screen.strip_timer.stop()
    screen.strip_timer = None
    if screen.desk.settings.poll_interval_s > 0:
        after = next_repaint(items, screen.desk.now) / SECOND
        screen.strip_timer = screen.set_timer(max(after, 0.1), partial(_tick, screen))


def _tick(screen: "DeskScreen") -> None:
    if screen.is_current and has_room_around(screen):
        _draw_strip(screen)
