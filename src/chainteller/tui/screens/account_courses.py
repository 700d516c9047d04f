"""Balances over time on an account's detail: drawn where they fit, read once per change."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from chainteller.domain.clock import to_datetime
from chainteller.tui.balance_history import History, read_history
from chainteller.tui.calls import ask
from chainteller.tui.charts import step_blocks
from chainteller.tui.formats import grouped
from chainteller.tui.reads import USD_LIKE, AccountSheet, Gap
from chainteller.tui.widgets.lines import Line, heading, line

if TYPE_CHECKING:
    from chainteller.tui.desk import Desk

_ROWS = (4, 3, 2, 1)
"""Lines for each asset: as many as there is room for."""
_LEAST_WIDTH = 44
_LABELS = 25
"""Cells beside a course: the asset before it and its amount now behind it."""
_LEAST_CELLS, _MOST_CELLS = 10, 96


class AccountCourses:
    """``redraw`` is called when a history that fits has been read."""

    def __init__(self, desk: "Desk", redraw: Callable[[], None]) -> None:
        self._desk, self._redraw = desk, redraw
        self._state: object = None
        self._history: History | None = None
        self._fits = False

    def lines(self, sheet: AccountSheet, width: int, spare: int) -> Sequence[Line]:
        """Nothing where ``spare`` lines are too few, and no picture of a balance that is hidden."""
        fitting = (rows for rows in _ROWS if _lines_needed(sheet, rows) <= spare)
        rows = next(fitting, 0) if width >= _LEAST_WIDTH else 0
        self._fits = rows > 0
        hidden = self._desk.privacy.hidden
        if not rows or hidden or self._state != sheet.state or self._history is None:
            return ()
        return _course_lines(self._history, self._desk.now, width, rows)

    async def follow(self, sheet: AccountSheet) -> None:
        """One more page of transactions, once per change of the account and only where it fits."""
        if self._desk.privacy.hidden or isinstance(sheet.balances, Gap):
            return
        if self._state == sheet.state or not self._fits:
            return
        service = self._desk.service
        found = await ask(read_history, service, sheet.account.id, sheet.balances)
        self._state, self._history = sheet.state, found
        self._redraw()


def _lines_needed(sheet: AccountSheet, rows: int) -> int:
    """At least, before anything is asked for; more than any pane has where there is nothing."""
    if isinstance(sheet.balances, Gap) or isinstance(sheet.activity, Gap) or not sheet.activity:
        return 1_000_000
    assets = {"USD" if row.token.symbol in USD_LIKE else row.token.symbol for row in sheet.balances}
    return 3 + rows * max(1, len(assets))


def _course_lines(history: History, now: int, width: int, rows: int) -> list[Line]:
    """Each asset's balance over time in ``rows`` lines of its own scale, then the time below."""
    cells = max(_LEAST_CELLS, min(width - _LABELS, _MOST_CELLS))
    since = to_datetime(history.since)
    told = "" if history.complete else "newest transactions only, "
    shown = [line(), heading("BALANCES OVER TIME", f"{told}in steps, from zero")]
    for course in history.courses:
        blocks = step_blocks(course.before, course.steps, history.since, now, cells, rows)
        for place, row in enumerate(blocks):
            last = place == len(blocks) - 1
            name = course.asset if last else ""
            amount = grouped(f"{course.now:f}") if last else ""
            shown.append(
                line((f"{name:<6}", ""), (row, "accent"), right=((f" {amount}", "muted"),))
            )
    began = f"{since:%d %b %H:%M}"
    shown.append(line((f"{' ' * 6}{began}{'now':>{max(4, cells - len(began))}}", "muted")))
    if history.untold:
        which = ", ".join(history.untold)
        shown.append(line((f"not drawn, its transactions do not tell all: {which}", "muted")))
    return shown
