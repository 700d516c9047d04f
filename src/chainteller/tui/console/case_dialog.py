"""``#``: the number of the case that everything is for until the call ends."""

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import Input

from chainteller.domain.pasted_secrets import find_secret
from chainteller.domain.policy import CASE_FORM, MAXIMUM_CASE, CasePolicy
from chainteller.tui.desk import Desk
from chainteller.tui.dialogs.line_dialog import LineDialog
from chainteller.tui.found import Found
from chainteller.tui.widgets.lines import Line, line


class CaseScreen(LineDialog[None]):
    """Enter takes the number, ctrl+f shows what was done for it; an empty field ends the case."""

    PLACEHOLDER: ClassVar[str] = "INC-20931"
    LONGEST: ClassVar[int] = MAXIMUM_CASE
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+f", "find", show=False, priority=True),
    ]

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk

    def value(self) -> str:
        return self._desk.case_id

    def rows(self) -> Sequence[Line]:
        keys = (
            ("enter", "key"),
            (" works on it   ", "muted"),
            ("ctrl+f", "key"),
            (" history   ", "muted"),
            ("esc", "key"),
            (" closes", "muted"),
        )
        return (
            line(("CASE", "strong"), right=keys),
            line(("on record with every change until the call ends (i)", "muted")),
        )

    def submitted(self, field: Input) -> None:
        case_id = self._checked(field)
        if case_id is not None:
            self._desk.set_case(case_id)
            self.dismiss()

    def action_find(self) -> None:
        case_id = self._checked(self.query_one(Input))
        if case_id:
            self.dismiss()
            self._desk.shell.open_found(Found("case", case_id))

    def _checked(self, field: Input) -> str | None:
        """The number that is typed; None where it's none, which is told."""
        case_id = field.value.strip()
        if case_id and not CasePolicy().accepts(case_id):
            self._desk.notify(f"the number of a case is {CASE_FORM}", "warn")
            return None
        if find_secret(case_id) is not None:
            field.clear()
            self._desk.notify("That looks like a wallet's secret. It wasn't kept.", "bad")
            return None
        return case_id
