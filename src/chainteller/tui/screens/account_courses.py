"""Where an account's balances over time stand: within its detail, beside it, or nowhere."""

from typing import TYPE_CHECKING, Protocol

from textual.geometry import Size

from chainteller.tui.calls import ask
from chainteller.tui.desk import Desk
from chainteller.tui.reads import AccountSheet, Gap
from chainteller.tui.screens import accounts_view
from chainteller.tui.widgets.lines import Line, Lines

if TYPE_CHECKING:
    from textual.screen import Screen

    from chainteller.tui.balance_history import History

_ROWS = (4, 3, 2, 1)
"""Lines for each asset: as many as there is room for."""
_LEAST_WIDTH = 44
_BESIDE_WIDTH = 100
_FRAME_ROWS = 9
"""Lines around the courses of a zoomed detail: the bars, their heading and their times."""


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
        needed = accounts_view.course_rows(sheet, 1)
        if not needed:
            return 0, 0
        size: Size = self._host.as_screen.size
        if self._beside:
            rows = (size.height - _FRAME_ROWS) // (needed - 3)
            return size.width // 2 - 4, min(rows, _ROWS[0])
        size, desk = self._host.as_screen.query_one("#detail", Lines).size, self._host.desk
        notes = accounts_view.notes(desk.note(sheet.account.id))
        spare = size.height - len(accounts_view.detail(sheet, desk.now)) - len(notes)
        fitting = (rows for rows in _ROWS if accounts_view.course_rows(sheet, rows) <= spare)
        return size.width, next(fitting, 0) if size.width >= _LEAST_WIDTH else 0

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
        return accounts_view.course_lines(history, self._host.desk.now, width, rows)

    async def follow_back(self, sheet: AccountSheet) -> bool:
        """Ask for one page of transactions, once per change of the account and only where it
        fits; True when there is something new to draw.
        """
        desk = self._host.desk
        if desk.privacy.hidden or isinstance(sheet.balances, Gap):
            return False
        if self._history[0] == sheet.state or self._room(sheet)[1] < 1:
            return False
        from chainteller.tui.balance_history import read_history  # noqa: PLC0415 - where it fits

        found = await ask(read_history, desk.service, sheet.account.id, sheet.balances)
        self._history = (sheet.state, found)
        return True
