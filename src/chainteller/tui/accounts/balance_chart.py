"""Where an account's balances over time stand: within its detail, beside it, or nowhere."""

from typing import TYPE_CHECKING, Protocol

from textual.geometry import Size

from chainteller.domain.clock import to_datetime
from chainteller.tui.accounts import detail as account_detail
from chainteller.tui.accounts.balance_history import History, read_history
from chainteller.tui.charts import step_blocks
from chainteller.tui.desk import Desk
from chainteller.tui.formats import grouped
from chainteller.tui.queries import USD_LIKE, AccountSheet, Gap
from chainteller.tui.service_calls import call_service
from chainteller.tui.widgets.lines import Line, Lines, heading, line

if TYPE_CHECKING:
    from textual.screen import Screen

_ROWS = (4, 3, 2, 1)
"""Lines for each asset: as many as there is room for."""
_LEAST_WIDTH = 44
_BESIDE_WIDTH = 100
_FRAME_ROWS = 6
"""Lines of a zoomed screen that are not for courses: its bars and its title."""


class Host(Protocol):
    desk: Desk

    @property
    def as_screen(self) -> "Screen[None]":
        """The screen with ``#detail`` and ``#courses``."""


class Courses:
    """Drawn only where they fit, and asked for only where they are drawn."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._history: tuple[object, History | None] = (None, None)
        """Of which state of an account it is, and its balances over time."""

    @property
    def _beside(self) -> bool:
        screen = self._host.as_screen
        return screen.has_class("zoomed") and screen.size.width >= _BESIDE_WIDTH

    def _room(self, sheet: AccountSheet) -> tuple[int, int]:
        """(width for the courses, lines for each asset); 0 lines where they do not fit."""
        if not course_rows(sheet, 1):
            return 0, 0
        size: Size = self._host.as_screen.size
        if self._beside:
            width, spare = size.width // 2 - 4, size.height - _FRAME_ROWS
        else:
            pane, desk = self._host.as_screen.query_one("#detail", Lines).size, self._host.desk
            notes = account_detail.notes(desk.note(sheet.account.id))
            taken = len(account_detail.detail(sheet, desk.now)) + len(notes)
            width, spare = pane.width, pane.height - taken
        fitting = (rows for rows in _ROWS if course_rows(sheet, rows) <= spare)
        return width, next(fitting, 0) if width >= _LEAST_WIDTH else 0

    def draw_beside(self, sheet: AccountSheet) -> list[Line]:
        """Fill the pane beside a zoomed detail; answers the lines to stand within it instead."""
        courses, beside = self._lines(sheet), self._beside
        screen = self._host.as_screen
        screen.set_class(beside and bool(courses), "with-courses")
        screen.query_one("#courses", Lines).show(courses[1:] if beside else [])
        return [] if beside else courses

    def _lines(self, sheet: AccountSheet) -> list[Line]:
        """Nothing where there is no room, and no picture of a balance that is hidden."""
        width, rows = self._room(sheet)
        known, history = self._history
        hidden = self._host.desk.privacy.hidden
        if rows < 1 or hidden or known != sheet.state or history is None:
            return []
        return course_lines(history, self._host.desk.now, width, rows)

    async def follow_back(self, sheet: AccountSheet) -> bool:
        """Ask for one page of transactions, once per change of the account and only where it
        fits; True when there is something new to draw.
        """
        desk = self._host.desk
        if desk.privacy.hidden or isinstance(sheet.balances, Gap):
            return False
        if self._history[0] == sheet.state or self._room(sheet)[1] < 1:
            return False
        found = await call_service(read_history, desk.service, sheet.account.id, sheet.balances)
        self._history = (sheet.state, found)
        return True


def course_lines(history: History, now: int, width: int, rows: int) -> list[Line]:
    """Each asset's balance over time in ``rows`` lines of its own scale, then the time below."""
    amounts = [grouped(f"{course.now:f}") for course in history.courses]
    longest = max(map(len, amounts), default=0)
    cells = max(10, min(width - 6 - longest - 1, 96))
    since = to_datetime(history.since)
    told = "" if history.complete else "newest transactions only, "
    shown = [line(), heading("BALANCES OVER TIME", f"{told}in steps, from zero")]
    for course, amount in zip(history.courses, amounts, strict=True):
        if course is not history.courses[0]:
            shown.append(line())
        blocks = step_blocks(course.before, course.steps, history.since, now, cells, rows)
        for place, row in enumerate(blocks):
            last = place == len(blocks) - 1
            name = course.asset if last else ""
            behind = f" {amount}" if last else ""
            shown.append(line((f"{name:<6}", ""), (row, "accent"), right=((behind, "muted"),)))
    began = f"{since:%d %b %H:%M}"
    shown.append(line((f"{' ' * 6}{began}{'now':>{max(4, cells - len(began))}}", "muted")))
    if history.untold:
        which = ", ".join(history.untold)
        shown.append(line((f"not drawn, its transactions do not tell all: {which}", "muted")))
    return shown


def course_rows(sheet: AccountSheet, rows: int) -> int:
    """How many lines ``course_lines`` needs at least, before anything is asked for it."""
    if isinstance(sheet.balances, Gap) or isinstance(sheet.activity, Gap) or not sheet.activity:
        return 0
    assets = {"USD" if row.token.symbol in USD_LIKE else row.token.symbol for row in sheet.balances}
    return 2 + (rows + 1) * max(1, len(assets))
