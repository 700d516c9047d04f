"""Writing an account's statement to a file: the period is typed, the form chosen."""

import re
from datetime import date
from typing import TYPE_CHECKING, ClassVar

from textual.widgets import Input

from chainteller.domain.periods import parse_period, parse_span
from chainteller.tui.customer import label_of
from chainteller.tui.desk import Desk
from chainteller.tui.dialogs.line_dialog import LineDialog
from chainteller.tui.exports import Export, Source, document, write_one
from chainteller.tui.widgets.lines import Line, Lines, line
from chainteller.workspace import statements

if TYPE_CHECKING:
    from chainteller.service.models.accounts import TradingAccount

Days = tuple[str | None, str | None]
"""The first and the last day of a period; None for the beginning and for the present."""
_BETWEEN = re.compile(r"\s+(?:to\s+)?|\s*\.\.\s*")
_EXAMPLES = "last month  2026-11  2026  2026-11-01 to 2026-11-15  all"


def read_period(text: str, today: date) -> Days | None:
    """The period that was typed: a month, a year, a day, two days, one in words (``last month``) or
    ``all``; None if it's none.
    """
    named = parse_period(text.strip(), today)
    if named is not None:
        return named.first.isoformat(), named.last.isoformat()
    words = [each for each in _BETWEEN.split(text.strip().lower()) if each]
    if words == ["all"]:
        return None, None
    spans = [parse_span(each) for each in words]
    if len(spans) not in {1, 2} or None in spans:
        return None
    first, last = spans[0], spans[-1]
    if first is None or last is None or first[0] > last[1]:
        return None
    return first[0].isoformat(), last[1].isoformat()


class PeriodDialog(LineDialog[Days]):
    """Asks for the period of a statement; answers its days, or None for esc."""

    is_about_customer = True
    LONGEST: ClassVar[int] = 40

    def __init__(self, whose: str, today: date) -> None:
        super().__init__()
        self._whose, self._today = whose, today
        self._preset = f"{today:%Y-%m}"

    def value(self) -> str:
        return self._preset

    def rows(self) -> list[Line]:
        keys = (("enter", "key"), (" accept   ", "muted"), ("esc", "key"), (" cancel", "muted"))
        return [
            line(("STATEMENT", "strong"), right=keys),
            line(self._whose),
            line((f"Period, in UTC: {_EXAMPLES}", "muted")),
        ]

    def submitted(self, field: Input) -> None:
        found = read_period(field.value, self._today)
        if found is not None:
            self.dismiss(found)
            return
        wrong = f"Enter a period, for example {self._preset}, or two days."
        self.query_one("#rows", Lines).show([*self.rows(), line((wrong, "bad"))])


async def write_statement(source: Source, account: "TradingAccount | None") -> None:
    """Ask for a period and a form, and write the account's statement to a file."""
    desk = source.desk
    if account is None:
        return
    days = await source.app.push_screen_wait(PeriodDialog(label_of(account), desk.today))
    if days is not None:
        await write_one(source, "STATEMENT", statement_exports(desk, account.id, days))


def statement_exports(desk: Desk, account_id: str, days: Days) -> list[Export]:
    """An account's statement."""

    def make(form: str) -> str | bytes:
        found = statements.statement_of(desk.service_for(account_id), account_id, *days)
        return statements.render(found, form)

    name = "-".join(each for each in ("statement", account_id, days[0] or "all", days[1]) if each)
    return document("statement", name, make)
