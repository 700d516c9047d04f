"""``:hide``: customers' names, balances and what they moved are masked while the screen is shared.

Names and amounts are learned from what the service answers; the last gate before the terminal
masks them wherever they stand, also where a column cut them short. Only where the agent is asked
about an amount, or offers one to the customer, it stays: nobody says yes to dots.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter
from textual.widget import Widget

from chainteller.records.accounts import (
    BALANCE,
    CUSTOMER,
    LIMIT,
    LISTED_ACCOUNT,
    ListedAccount,
)
from chainteller.records.fields import FieldList
from chainteller.records.formats import clean, grouped
from chainteller.records.trades import TRADE, is_trade
from chainteller.records.transfers import transfer_fields

if TYPE_CHECKING:
    from chainteller.service.models.accounts import Customer, TokenBalance
    from chainteller.service.models.funding import LimitUsage
    from chainteller.service.models.trades import Transaction

Record = TypeVar("Record")
_MOST = 20_000
_AMOUNT = re.compile(r"\d[\d,]*\.\d+")
_CUT_AMOUNT = re.compile(r"\d[\d,]*\.\d*…")
_CUT = "…"
_LEAST_CUT = 2
_MASK = "•"


class Privacy:
    """What is private, and whether it is hidden now."""

    def __init__(self) -> None:
        self.hidden = False
        self._names: dict[str, None] = {}
        self._amounts: dict[str, None] = {}
        self._pattern: re.Pattern[str] | None = None

    def learn(self, answer: object) -> None:
        """Take names and amounts from the records in an answer of the service."""
        answered = getattr(answer, "value", answer)
        for record in getattr(answered, "data", (answered,)):
            learned = _LEARNED.get(type(record).__name__)
            if learned is not None:
                learned(self, record)

    def would_show(self, text: str) -> bool:
        """Whether ``text`` holds what is hidden now."""
        return self.hidden and self.mask(text) != text

    def balance(self, amount: str) -> str:
        """A balance that was worked out here, as it may be shown: the gate has not learned it."""
        return _MASK * len(amount) if self.hidden else amount

    def mask(self, text: str, *, amounts: bool = True) -> str:
        """``text`` with every known name, and amount, masked; the width stays."""
        if self._pattern is None:
            self._pattern = _pattern(self._names)
        shown = self._pattern.sub(_dots, text)
        if _CUT in shown:
            shown = self._mask_cut(shown)
            if amounts:
                shown = _CUT_AMOUNT.sub(self._cut_amount, shown)
        return _AMOUNT.sub(self._amount, shown) if amounts else shown

    def _amount(self, found: re.Match[str]) -> str:
        return _dots(found) if found[0] in self._amounts else found[0]

    def _cut_amount(self, found: re.Match[str]) -> str:
        begun = found[0][:-1]
        return _dots(found) if any(each.startswith(begun) for each in self._amounts) else found[0]

    def _mask_cut(self, text: str) -> str:
        """A name cut short by a column: it begins like a known one and ends in the cut sign."""
        for start in range(len(text)):
            end = text.find(_CUT, start)
            begun = text[start:end]
            if len(begun) < _LEAST_CUT or not begun[0].isalpha() or text[:start][-1:].isalnum():
                continue
            if any(name.startswith(begun) for name in self._names):
                return text[:start] + _MASK * (end - start + 1) + text[end + 1 :]
        return text

    def account(self, account: ListedAccount) -> None:
        """Take the name and the balances of one account."""
        self._record(LISTED_ACCOUNT, account)

    def _record(self, fields: FieldList[Record], record: Record) -> None:
        for name in fields.private_names(record):
            self._name(name)
        self._money(fields.private_amounts(record))

    def _balance(self, balance: "TokenBalance") -> None:
        self._record(BALANCE, balance)

    def _customer(self, customer: "Customer") -> None:
        self._record(CUSTOMER, customer)

    def _transaction(self, record: "Transaction") -> None:
        """What was traded, deposited or withdrawn, with its fee, which tells it too."""
        if is_trade(record):
            self._record(TRADE, record)
        else:
            self._record(transfer_fields(record), record)

    def _limit(self, limit: "LimitUsage") -> None:
        """What of a limit is used, and so what is left of it, are sums of what was moved."""
        if limit.used.strip("0."):
            self._record(LIMIT, limit)

    def _name(self, name: str) -> None:
        shown = clean(name)
        if shown and shown not in self._names and len(self._names) < _MOST:
            self._names[shown] = None
            self._pattern = None

    def _money(self, amounts: Iterable[str]) -> None:
        for amount in amounts:
            if amount.strip("0.") and len(self._amounts) < _MOST:
                self._amounts |= {amount: None, grouped(amount): None}


def _pattern(names: Iterable[str]) -> re.Pattern[str]:
    longest_first = sorted(names, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")


def _dots(found: re.Match[str]) -> str:
    return _MASK * len(found[0])


_LEARNED: dict[str, Callable[[Privacy, Any], None]] = {
    "TradingAccount": Privacy.account,
    "TokenBalance": Privacy._balance,  # noqa: SLF001 - of this module
    "LimitUsage": Privacy._limit,  # noqa: SLF001 - as above
    "Customer": Privacy._customer,  # noqa: SLF001 - as above
    "Trade": Privacy._transaction,  # noqa: SLF001 - as above
    "Transfer": Privacy._transaction,  # noqa: SLF001 - as above
}
"""What is learned from a record, by the name of its model: the models are imported later."""


class PrivacyFilter(LineFilter):
    """Masks painted lines while ``privacy.hidden``."""

    def __init__(self, privacy: Privacy, *, amounts: bool = True) -> None:
        super().__init__()
        self._privacy, self._amounts = privacy, amounts

    def names_only(self) -> "PrivacyFilter":
        return PrivacyFilter(self._privacy, amounts=False)

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 - Textual's signature
        if not self._privacy.hidden:
            return segments
        return [
            segment
            if segment.control
            else Segment(self._privacy.mask(segment.text, amounts=self._amounts), segment.style)
            for segment in segments
        ]


class Stated(Widget):
    """What the agent is asked, or offers the customer now: its amounts are shown all the same."""

    def get_line_filters(self) -> Sequence[LineFilter]:
        return [
            each.names_only() if isinstance(each, PrivacyFilter) else each
            for each in super().get_line_filters()
        ]
