"""Decisions screen: what waits for a person, the earliest deadline first."""

from functools import partial
from typing import TYPE_CHECKING

from chainteller.domain.decisions import DecisionStatus
from chainteller.records.formats import Piece
from chainteller.tui.commands import unavailable_reason
from chainteller.tui.decisions import view
from chainteller.tui.desk import Desk
from chainteller.tui.list_screen import (
    Blocks,
    Listing,
    ListScreen,
    headline,
    narrowed,
    only_of,
)
from chainteller.tui.queries import query
from chainteller.tui.start import DEMO_PROFILE
from chainteller.tui.widgets.lines import Line
from chainteller.tui.widgets.paged_list import PAGE_ROWS

if TYPE_CHECKING:
    from chainteller.service.models.decisions import Decision
    from chainteller.service.models.pages import Page


def _read(screen: "DecisionsScreen", number: int) -> "Page[Decision]":
    is_all, kind = screen.shows_decided, only_of(screen)[1]
    status, sort = (None, "-created") if is_all else (DecisionStatus.OPEN.value, "due")
    asked = query(page=number, limit=PAGE_ROWS, status=status, type=kind, sort=sort)
    return screen.desk.service.decisions(asked)


def _headline(screen: "DecisionsScreen", total: int) -> Line:
    decided = "  decided ones too" if screen.shows_decided else ""
    return headline(screen, total, None, (decided, "muted"), *_second_person(screen))


def _second_person(screen: "DecisionsScreen") -> tuple[Piece, ...]:
    """Who else the agent can play in the demo."""
    look = screen.desk.settings
    others = [
        each.name
        for each in look.profiles
        if each.kind == DEMO_PROFILE and each.name != look.profile
    ]
    return tuple(
        piece
        for name in others
        for piece in ((f"   : {name}", "key"), (" plays your colleague", "muted"))
    )


def _blocks(screen: "DecisionsScreen", decision: "Decision") -> Blocks:
    now, whys = screen.desk.now, (_why_not(screen, "approve"), _why_not(screen, "refuse"))
    now_lines, facts = partial(view.now_lines, decision, whys), partial(view.detail, decision, now)
    return Blocks(now_lines, facts)


def _why_not(screen: "DecisionsScreen", name: str) -> str:
    """Why the agent can't do it; read-only mode, which they can end, isn't counted."""
    command = screen.commands_by_id[f"decisions.{name}"]
    return "" if screen.desk.read_only else unavailable_reason(command, screen)


class DecisionsScreen(ListScreen["Decision"]):
    KEY = "decisions"
    REMEMBERED = ("only",)
    shows_all = True
    EVERYTHING = {"only": 0, "shows_decided": False}  # noqa: RUF012 - is never changed
    listing = Listing(
        titles=("Decisions", "Decision"),
        columns=view.COLUMNS,
        row=view.decision_row,
        read=_read,
        shown=view.SHOWN,
        headline=_headline,
        empty=lambda screen: view.empty_text(narrowed(screen)),
        blocks=_blocks,
    )

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.shows_decided = False

    def toggle_decided(self) -> None:
        """List the decided ones too, or only what waits."""
        self.shows_decided = not self.shows_decided
        self.restart()
