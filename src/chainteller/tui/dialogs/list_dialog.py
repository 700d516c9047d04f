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


class KeyedListDialog(ListDialog[Answer], Generic[Answer]):
    """Without a field: letters are keys."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "close", show=False),
        Binding("k", "move(-1)", show=False),
        Binding("j", "move(1)", show=False),
        Binding("home", "move_to_end(False)", show=False),
        Binding("end", "move_to_end(True)", show=False),
    ]

    def action_move_to_end(self, end: bool) -> None:  # noqa: FBT001 - called by a key binding
        listed = self.query_one(PagedList)
        listed.move_to((listed.total or 1) - 1 if end else 0)
