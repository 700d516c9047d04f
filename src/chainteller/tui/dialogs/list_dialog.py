"""A dialog over one list: the arrows move in it, also while a field has the keyboard."""

from typing import ClassVar, Generic

from textual.binding import Binding, BindingType

from chainteller.tui.dialogs.dialog import Answer, Dialog
from chainteller.tui.widgets.paged_list import PagedList


class ListDialog(Dialog[Answer], Generic[Answer]):
    """Composes one ``PagedList``; esc closes it without an answer."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", show=False),
        Binding("up", "move(-1)", show=False, priority=True),
        Binding("down", "move(1)", show=False, priority=True),
        Binding("pageup", "move(-10)", show=False, priority=True),
        Binding("pagedown", "move(10)", show=False, priority=True),
    ]

    def action_move(self, step: int) -> None:
        self.query_one(PagedList).move(step)
