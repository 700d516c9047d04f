"""Titles of the screens that work for one customer or list all accounts."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from chainteller.records.formats import Piece
from chainteller.tui.widgets.lines import Line, line

if TYPE_CHECKING:
    from chainteller.service.models.accounts import TradingAccount


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
