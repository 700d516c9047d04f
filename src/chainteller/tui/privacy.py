"""``:hide``: customers' names and balances are masked while the screen is shared.

Names and balances are learned from what the service answers; the last gate before the terminal
masks them wherever they stand, also where a column cut them short.
"""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from chainteller.tui.formats import clean, grouped

if TYPE_CHECKING:
    from chainteller.service.models.accounts import Customer, TokenBalance, TradingAccount

_MOST = 20_000
_AMOUNT = r"\d[\d,]*\.\d+"
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

    def learn(self, operation: str, answer: Any) -> None:
        """Take names and balances from what an operation of the service answered."""
        if operation == "trading_accounts":
            for account in answer.data:
                self._account(account)
        elif operation == "trading_account":
            self._account(answer)
        elif operation == "token_balances":
            for balance in answer.data:
                self._balance(balance)
        elif operation == "customers":
            for customer in answer.data:
                self._customer(customer)

    def would_show(self, text: str) -> bool:
        """Whether ``text`` holds what is hidden now."""
        return self.hidden and self.mask(text) != text

    def balance(self, amount: str) -> str:
        """A balance that was worked out here, as it may be shown: the gate has not learned it."""
        return _MASK * len(amount) if self.hidden else amount

    def mask(self, text: str) -> str:
        """``text`` with every known name and balance masked; the width stays."""
        if self._pattern is None:
            self._pattern = _pattern(self._names)
        shown = self._pattern.sub(lambda found: _MASK * len(found[0]), text)
        if _CUT in shown:
            shown = self._mask_cut(shown)
        return re.sub(_AMOUNT, self._amount, shown)

    def _amount(self, found: re.Match[str]) -> str:
        return _MASK * len(found[0]) if found[0] in self._amounts else found[0]

    def _mask_cut(self, text: str) -> str:
        """A name cut short by a column: it begins like a known one and ends in the cut sign."""
        for start in range(len(text)):
            end = text.find(_CUT, start)
            begun = text[start:end]
            if len(begun) < _LEAST_CUT or not begun[0].isalpha():
                continue
            if any(name.startswith(begun) for name in self._names):
                return text[:start] + _MASK * (end - start + 1) + text[end + 1 :]
        return text

    def _account(self, account: "TradingAccount") -> None:
        self._name(account.customer_name)
        self._money((account.buying_power, account.crypto_value_usd))

    def _balance(self, balance: "TokenBalance") -> None:
        self._money((balance.amount, balance.held, balance.total, balance.value_usd))

    def _customer(self, customer: "Customer") -> None:
        self._name(customer.name)
        self._money(account.balance for account in customer.bank_accounts)

    def _name(self, name: str | None) -> None:
        shown = clean(name) if name else ""
        if shown and shown not in self._names and len(self._names) < _MOST:
            self._names[shown] = None
            self._pattern = None

    def _money(self, amounts: Iterable[str | None]) -> None:
        for amount in amounts:
            if amount and amount.strip("0.") and len(self._amounts) < _MOST:
                self._amounts |= {amount: None, grouped(amount): None}


def _pattern(names: Iterable[str]) -> re.Pattern[str]:
    longest_first = sorted(names, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")


class PrivacyFilter(LineFilter):
    """Masks painted lines while ``privacy.hidden``."""

    def __init__(self, privacy: Privacy) -> None:
        super().__init__()
        self._privacy = privacy

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 - Textual's signature
        if not self._privacy.hidden:
            return segments
        return [
            segment if segment.control else Segment(self._privacy.mask(segment.text), segment.style)
            for segment in segments
        ]
