"""Titles of screens, and blocks of a pane: what is so now, what to tell the customer, and the steps
of a record.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from chainteller.records.blocks import Next, Step
from chainteller.records.formats import Piece, clock_time
from chainteller.tui.widgets.lines import EMPTY, Line, heading, line, wrapped

if TYPE_CHECKING:
    from chainteller.service.models.accounts import TradingAccount
    from chainteller.service.models.trades import Transaction


def answered(now: Sequence[Line], words: str, rest: Sequence[Line], width: int) -> list[Line]:
    """The lines of a pane: what is so now, ``words`` for the customer, and the rest."""
    return [*now, *say(words, width), EMPTY, *rest]


def now_lines(what: str, amount: str, status: Piece, following: Next, width: int) -> list[Line]:
    """What a record is, how far it is, and what can still be done, with the key that does it."""
    words, key, tone = following
    rows = wrapped(words, max(width - _LABEL - len(key) - 2, _LABEL))
    shown = [line(" " * _LABEL, (each, tone)) for each in rows]
    if key and rows:
        shown[-1] = line(" " * _LABEL, (f"{rows[-1]}  ", tone), (key, "key"))
    head = line((what, "strong"), right=((amount, "strong"),))
    return [head, line(("NOW  ", "key"), status), *shown]


def say(words: str, width: int) -> list[Line]:
    """What to tell the customer, in lines of ``width`` cells; nothing where there is no text."""
    if not words:
        return []
    first, *more = wrapped(words, max(width - _LABEL, _LABEL))
    indent = " " * _LABEL
    return [
        line(("SAY  ", "key"), (first, "accent")),
        *(line(indent, (each, "accent")) for each in more),
    ]


_LABEL = len("SAY  ")


def step_lines(record: "Transaction", steps: Sequence[Step], width: int) -> list[Line]:
    """The steps of a record, and why it failed."""
    failure, created = record.failure_reason, record.created
    rows = [heading("TIMELINE", f"{created:%Y-%m-%d} UTC" if created is not None else "")]
    for moment, words, tone in steps:
        at = clock_time(moment) if moment is not None else "-"
        for number, part in enumerate(wrapped(words, width - _TIME)):
            shown = f"{at:<{_TIME}}" if number == 0 else " " * _TIME
            rows.append(line((shown, "muted"), (part, tone)))
    if failure is not None:
        rows.append(line((f"{'reason':<{_TIME}}", "muted"), (failure.code, "bad")))
        said = wrapped(failure.message, width - _TIME)[:_MOST_ROWS]
        rows += [line(f"{'':<{_TIME}}{row}") for row in said]
    return rows


_TIME = len("00:00:00  ")
_MOST_ROWS = 6


def work_title(
    screen: str,
    account: "TradingAccount | None",
    narrowed: str = "",
    *notes: Piece,
    right: Sequence[Piece] = (),
) -> Line:
    """The screen, the customer it works for, what its list is narrowed to, and the account.

    Without an account it lists all of them. Where the line is short, what is last gives way first:
    ``notes``, then the account's id, and the customer's name never.
    """
    name, account_id = "all accounts", ""
    if account is not None:
        name, account_id = account.customer_name or "", account.id
    title = ((f" {screen}", "strong"), _after_gap(name), (narrowed, "accent"))
    return line(*title, _after_gap(account_id), *notes, right=right)


def _after_gap(text: str) -> str:
    return f"  {text}" if text else ""
