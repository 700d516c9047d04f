"""Decisions screen: what waits for a person, the earliest deadline first."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from textual.widget import Widget

from chainteller.domain.decisions import DecisionStatus
from chainteller.tui.answer import answered
from chainteller.tui.decisions import view
from chainteller.tui.desk import Desk
from chainteller.tui.list_screen import Listed, ListScreen, list_beside_detail
from chainteller.tui.queries import query
from chainteller.tui.widgets.detail import Detail
from chainteller.tui.widgets.lines import Line, Lines, line
from chainteller.tui.widgets.paged_list import PAGE_ROWS

if TYPE_CHECKING:
    from chainteller.service.models.decisions import Decision


class DecisionsScreen(ListScreen["Decision"]):
    KEY = "decisions"
    CSS_PATH = "decisions.tcss"
    REMEMBERED = ("only",)

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.only = 0
        """Index of what ``f`` shows (``view.SHOWN``)."""
        self.shows_decided = False

    def may_recall(self, name: str, value: object) -> bool:
        if name == "only":
            return value in range(len(view.SHOWN))
        return super().may_recall(name, value)

    def body(self) -> Sequence[Widget]:
        return [list_beside_detail(self.KEY, view.COLUMNS)]

    def fetch(self, page: int) -> "Listed[Decision]":
        service, now = self.desk.service, self.desk.now
        status = None if self.shows_decided else DecisionStatus.OPEN.value
        order = "-created" if self.shows_decided else "due"
        kind = view.SHOWN[self.only][1]
        asked = query(page=page, limit=PAGE_ROWS, status=status, type=kind, sort=order)
        found = service.decisions(asked)
        rows = tuple((view.decision_row(row, now), row) for row in found.data)
        return Listed(rows, found.pagination.total)

    def listed(self, total: int) -> None:
        only = view.SHOWN[self.only][0]
        self.title_line(view.title(only, total, shows_all=self.shows_decided))
        self.paged.say_empty(*view.empty_text(only))
        self.row_chosen()

    def row_chosen(self) -> None:
        decision, now = self.selected, self.desk.now
        detail, short = self.query_one("#detail", Detail), [line(), line()]
        if decision is None:
            detail.tell(())
        else:
            detail.tell(partial(_detail, decision, now))
            short = view.summary(decision, now)
        self.query_one("#summary", Lines).show(short)
        self.draw_footer()

    def next_kind(self) -> None:
        self.only = (self.only + 1) % len(view.SHOWN)
        self.restart()

    def toggle_decided(self) -> None:
        """List the decided ones too, or only what waits."""
        self.shows_decided = not self.shows_decided
        self.restart()

    def step_back(self) -> bool:
        if super().step_back():
            return True
        was_narrowed = bool(self.only or self.shows_decided)
        self.only, self.shows_decided = 0, False
        if was_narrowed:
            self.restart()
        return was_narrowed

    def object_id(self) -> str:
        return self.selected.id if self.selected else ""

    def main_text(self) -> str:
        return self.query_one("#detail", Detail).facts_text if self.selected else ""


def _detail(decision: "Decision", now: int, width: int) -> list[Line]:
    now_lines = view.now_lines(decision, width)
    return answered(now_lines, "", view.detail(decision, now), width)
