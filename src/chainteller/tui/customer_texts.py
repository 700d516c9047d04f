"""Texts for customers: templates from a data file, filled with the fields that may be told.

The texts hold no codes of ours and no other customer's data. Times are in UTC and in local time.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from string import Formatter
from typing import TYPE_CHECKING

from chainteller.domain.assets import base_symbol
from chainteller.domain.decisions import UNCONFIRMED_HELD, is_by_person
from chainteller.domain.transfers import TransferStatus
from chainteller.records.accounts import ACCOUNT
from chainteller.records.formats import both_times, clean
from chainteller.records.markets import MARKET, is_open
from chainteller.records.trades import QUOTE, TRADE, is_trade
from chainteller.records.transfers import transfer_fields, why_not_cancelled
from chainteller.service.errors import BooksDisputed
from chainteller.tui.queries import Gap, is_over

if TYPE_CHECKING:
    from chainteller.service.models.accounts import TradingAccount
    from chainteller.service.models.funding import Transfer
    from chainteller.service.models.markets import Market
    from chainteller.service.models.quotes import Quote
    from chainteller.service.models.trades import Trade, Transaction
    from chainteller.tui.queries import AccountSheet


@dataclass(frozen=True, slots=True)
class CustomerTexts:
    """Templates by name, such as ``trade.settled`` or ``refusal.QUOTE_EXPIRED``."""

    templates: Mapping[str, str]
    problems: tuple[str, ...] = ()
    """What is wrong with the bank's own file; the texts concerned are the shipped ones."""

    @classmethod
    def load(cls, path: Path | None, own: Path | None = None) -> "CustomerTexts":
        """Read the shipped file and the bank's ``own``, each once until it changes.

        Without a file there are no texts. An own text replaces the shipped one of the same name.
        """
        shipped = {} if path is None or not path.is_file() else _read(path, _changed_ns(path))
        if own is None or not own.is_file():
            return cls(shipped)
        try:
            given = _read(own, _changed_ns(own))
        except (OSError, ValueError) as error:
            return cls(shipped, (f"{own.name}: {error}",))
        wrong = tuple(_problems(own.name, given, shipped))
        usable = {
            name: text for name, text in given.items() if not _why_unusable(name, text, shipped)
        }
        return cls({**shipped, **usable}, wrong)

    def fill(self, name: str, values: Mapping[str, str]) -> str:
        """The text called ``name``; empty when there is none or a value is missing."""
        try:
            return clean(self.templates[name].format_map(dict(values)))
        except KeyError:
            return ""

    def of_trade(self, trade: "Trade", bank: str) -> str:
        values = {"bank": bank, **_with_unit(TRADE.spoken(trade), trade.market)}
        kinds = ("_sale", "", "_in_short") if trade.side == "sell" else ("", "_in_short")
        names = (f"trade.{trade.status}{kind}" for kind in kinds)
        return self._first((*names, "trade.other"), values)

    def of_quote(self, quote: "Quote", state: str, bank: str) -> str:
        """``state`` is live, expired, executed or unknown."""
        values = {"bank": bank, **_with_unit(QUOTE.spoken(quote), quote.market_name)}
        kinds = (f"{state}_sale", state) if quote.side == "sell" else (state,)
        names = (f"quote.{kind}{fee}" for kind in kinds for fee in ("", "_without_fee"))
        return self._first(tuple(names), values)

    def of_transfer(self, transfer: "Transfer", bank: str, *, can_cancel: bool = False) -> str:
        """A deposit or a withdrawal, by its status, as far as that can be known.

        ``can_cancel`` says whether the agent is able to cancel a withdrawal that has not left.
        """
        fields = transfer_fields(transfer)
        values = {"bank": bank, **fields.spoken(transfer)}
        status = transfer.status if transfer.as_of is None else "requested"
        if status == TransferStatus.REVIEWING and "until" in values:
            status = _review(transfer)
        told = self._first((f"{fields.kind}.{status}", f"{fields.kind}.other"), values)
        if told and can_cancel and not why_not_cancelled(transfer):
            return f"{told} {self.fill(f'{fields.kind}.stoppable', values)}".rstrip()
        return told

    def of_account(self, account: "TradingAccount", now: datetime, bank: str) -> str:
        """A control on the account, or what is available."""
        if account.controls:
            return self.of_control(account, bank)
        values = {"bank": bank, "now": both_times(now), **ACCOUNT.spoken(account)}
        is_empty = account.buying_power is not None and not Decimal(account.buying_power)
        return self.fill("account.empty" if is_empty else "account.open", values)

    def of_control(self, account: "TradingAccount", bank: str) -> str:
        """The first control on the account; empty when there is none."""
        names = [name for each in account.controls[:1] for name in (each, "other")]
        return self._first([f"account.{name}" for name in names], {"bank": bank})

    def of_account_sheet(
        self,
        sheet: "AccountSheet",
        bank: str,
        as_of: datetime | None = None,
        *,
        is_disputed: bool = False,
    ) -> str:
        """The account's state as of when it was read, or another instant, then its newest
        transaction and up to two that aren't over. No sum is told while the books are disputed."""
        if is_disputed:
            told = [self.of_refusal(BooksDisputed.code, {}, bank)]
        else:
            told = [self.of_account(sheet.account, as_of or sheet.read_at, bank)]
        if not isinstance(sheet.activity, Gap):
            told += [
                self.of_transaction(row, bank)
                for place, row in enumerate(sheet.activity)
                if place == 0 or not is_over(row)
            ][:3]
        return "\n\n".join(text for text in told if text)

    def of_transaction(self, row: "Transaction", bank: str) -> str:
        return self.of_trade(row, bank) if is_trade(row) else self.of_transfer(row, bank)

    def of_market(self, market: "Market", bank: str) -> str:
        values = {"bank": bank, **MARKET.spoken(market)}
        if is_open(market):
            return self.fill("market.open", values)
        return self._first(("market.closed_until", "market.closed"), values)

    def of_refusal(self, code: str, facts: Mapping[str, str], bank: str) -> str:
        return self._first((f"refusal.{code}", "refusal.INTERNAL_ERROR"), {"bank": bank, **facts})

    def _first(self, names: Sequence[str], values: Mapping[str, str]) -> str:
        """The first text that exists and has all its values."""
        return next((text for name in names if (text := self.fill(name, values))), "")


def _with_unit(values: dict[str, str], market_name: str) -> dict[str, str]:
    """The values of an order, its price with what it is for: 184.50 USD per SOL."""
    price = values.get("price")
    return {**values, "price": f"{price} per {base_symbol(market_name)}"} if price else values


def _review(transfer: "Transfer") -> str:
    """Which text says why a withdrawal waits until a time."""
    reason = transfer.review.reason if transfer.review is not None else ""
    if is_by_person(reason):
        return "decided"
    return "unconfirmed" if reason == UNCONFIRMED_HELD else "held"


def _changed_ns(path: Path) -> int:
    return path.stat().st_mtime_ns


@lru_cache(maxsize=4)
def _read(path: Path, changed_ns: int) -> Mapping[str, str]:  # noqa: ARG001 - another time, other texts
    """Raises OSError, ValueError."""
    found: dict[str, str] = {}
    for group, texts in tomllib.loads(path.read_text(encoding="utf-8")).items():
        if not isinstance(texts, dict):
            raise ValueError(  # noqa: TRY004 - a fault of the file, not of a caller
                f"{group} needs to be a table of texts"
            )
        for name, text in texts.items():
            if not isinstance(text, str):
                raise ValueError(  # noqa: TRY004 - as above
                    f"{group}.{name} needs to be a text"
                )
            found[f"{group}.{name}"] = " ".join(text.split())
    return found


def _problems(file: str, given: Mapping[str, str], shipped: Mapping[str, str]) -> Iterator[str]:
    for name, text in given.items():
        reason = _why_unusable(name, text, shipped)
        if reason:
            yield f"{file}: {name}: {reason}"


def _why_unusable(name: str, text: str, shipped: Mapping[str, str]) -> str:
    """Why a bank's own text can't replace the shipped one; empty if it can."""
    if name not in shipped:
        return "no text has this name"
    if not text:
        return "the text is empty"
    known = _names(shipped[name]) | {"bank"}
    try:
        unknown = sorted(_names(text) - known)
    except ValueError as error:
        return f"{error}; write {{{{ for a brace"
    if unknown:
        return f"{{{unknown[0]}}} isn't known here; known: {', '.join(sorted(known))}"
    return ""


def _names(template: str) -> set[str]:
    """The names in braces. Raises ValueError: a brace is left open, or holds more than a name."""
    found = set()
    for _, name, form, conversion in Formatter().parse(template):
        if name is None:
            continue
        if form or conversion or not name.isidentifier():
            raise ValueError(f"{{{name}}} has more than a name in its braces")
        found.add(name)
    return found
