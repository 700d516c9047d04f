"""What belongs to whom: learned from every answer of the deployment, never from the console."""

import csv
import io
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from chainteller.records.formats import short_id
from chainteller.service.models.accounts import TokenBalance, TradingAccount
from chainteller.service.models.base import WireModel, Written
from chainteller.service.models.counterparties import BlockchainAccount
from chainteller.service.models.funding import Transfer
from chainteller.service.models.pages import Page
from chainteller.service.models.quotes import AssetAmount, Quote
from chainteller.service.models.trades import Trade
from chainteller.service.operations import Call

ID = re.compile(r"\b(?:TDA|TXN|QTE|BCA|CHG|CLM)_[0-9A-Z]{4}(?:[0-9A-Z]+|\.\.[0-9A-Z]{4})")
BANK = re.compile(r"\bDDA-\d+")
NUMBER = re.compile(r"(?<![\w.,])\d[\d,]*\.\d{2,}(?![\d.%])")
"""An amount; a percentage is of a market or a fee, and nobody's."""
SPACE = Decimal(3_000_000)
"""Dollars between the balances of two customers: what they trade for never bridges it."""
_EXACT_DIGITS = 8
"""A number with so many digits belongs to whoever it was answered for."""


def numbers(text: str) -> set[str]:
    """The amounts in a text, without separators and trailing zeros."""
    return {plain(found) for found in NUMBER.findall(text)}


def plain(amount: str) -> str:
    value = amount.replace(",", "")
    return value.rstrip("0").rstrip(".") if "." in value else value


@dataclass
class Ownership:
    """Owners (trading account ids) of ids, names, bank accounts and amounts.

    Attributes:
        places: The number of each account: its dollars are that many times ``SPACE``, and more.
        listed: The amounts of each account in lists of accounts, few digits or many.
        neutral: Amounts that belong to nobody, such as prices.
    """

    owners: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    amounts: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    names: dict[str, str] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)
    quotes: dict[str, Quote] = field(default_factory=dict)
    trades: dict[str, Trade] = field(default_factory=dict)
    transfers: dict[str, Transfer] = field(default_factory=dict)
    listed: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    neutral: set[str] = field(default_factory=set)

    # -- learning ------------------------------------------------------------------------------

    def account_of(self, call: Call[Any]) -> str:
        """Whose a call is; empty for nobody's."""
        first = call.ids[0] if call.ids else ""
        if first.startswith("TDA_"):
            return first
        if first.startswith("BCA_"):
            return next(iter(self.owners.get(first, ())), "")
        named = getattr(call.request, "trading_account_id", None)
        return str(named or getattr(call.query, "trading_account_id", None) or "")

    def learn(self, call: Call[Any], answer: object) -> None:
        owner = self.account_of(call)
        for record in _records(answer):
            self._learn(record, getattr(record, "trading_account_id", None) or owner)

    def learn_refusal(self, call: Call[Any], facts: Mapping[str, object]) -> None:
        """The amounts in a refusal are of the customer that was asked for."""
        owner = self.account_of(call)
        told = [each for each in map(str, facts.values()) if NUMBER.fullmatch(each)]
        if owner:
            self._learn_exact(told, owner)

    def typed(self, account_id: str, amount: str) -> None:
        """The walker types an amount for a customer."""
        self.amounts[plain(amount)].add(account_id)

    def _learn(self, record: WireModel, owner: str) -> None:
        if isinstance(record, TradingAccount):
            owner = record.id
            self.owners[record.bank_account_id].add(owner)
            if record.customer_name:
                self.names[record.customer_name] = owner
        if not owner:
            return
        identifier = str(getattr(record, "id", "") or "")
        if ID.fullmatch(identifier):
            self.owners[identifier].add(owner)
            self.owners[short_id(identifier)].add(owner)
        self._learn_amounts(record, owner)
        if isinstance(record, BlockchainAccount):
            self.owners[record.address].add(owner)

    def _learn_amounts(self, record: WireModel, owner: str) -> None:
        found: list[str | None] = []
        if isinstance(record, Quote):
            self.quotes[record.id] = record
            found = [record.asset_bought.amount, record.asset_sold.amount]
        elif isinstance(record, Trade):
            self.trades[record.id] = record
            found = [record.amount, *_amounts(record.asset_bought, record.asset_sold)]
        elif isinstance(record, Transfer):
            self.transfers[record.id] = record
            found = [record.amount]
        elif isinstance(record, TokenBalance):
            found = [record.amount, record.total]
        elif isinstance(record, TradingAccount):
            told = filter(None, (record.buying_power, record.crypto_value_usd))
            self.listed[owner] |= set(map(plain, told))
        self._learn_exact(found, owner)

    def _learn_exact(self, found: Iterable[str | None], owner: str) -> None:
        for amount in found:
            if amount and len(re.sub(r"\D", "", amount)) >= _EXACT_DIGITS:
                self.amounts[plain(amount)].add(owner)

    # -- checking ------------------------------------------------------------------------------

    def full_ids(self, text: str) -> set[str]:
        """The trading accounts that a text names, also by their shortened ids."""
        found = set()
        for identifier in ID.findall(text):
            if identifier.startswith("TDA_"):
                found |= self.owners.get(identifier, set())
        return found

    def foreign(self, text: str, owner: str) -> list[str]:
        """What in a text belongs to somebody else than ``owner``."""
        named = {*ID.findall(text), *BANK.findall(text)}
        wrong = [each for each in named if self._is_foreign(self.owners.get(each), owner)]
        wrong += [name for name, whose in self.names.items() if whose != owner and name in text]
        for amount in numbers(text) - self.neutral:
            owners = self.amounts.get(amount)
            is_foreign = (
                self._is_foreign(owners, owner) if owners else self._is_elsewhere(amount, owner)
            )
            if is_foreign:
                wrong.append(amount)
        return sorted(wrong)

    def foreign_rows(self, rows: Iterable[str]) -> Iterator[str]:
        """What is wrong with the exported rows of a list of everybody: each is about one account.
        Among accounts, every amount in a row was answered for that account.
        """
        for row in rows:
            first = ID.search(row)
            whose = self.full_ids(row) or (first and self.owners.get(first[0])) or set()
            if len(whose) != 1:
                yield f"is about {sorted(whose)}: {row}"
                continue
            owner = next(iter(whose))
            wrong = self.foreign(row, owner)
            if first is not None and first[0].startswith("TDA_"):
                wrong += sorted(numbers(row) - self.listed[owner])
            if wrong:
                yield f"of {owner} has {wrong}: {row}"

    def _is_foreign(self, owners: set[str] | None, owner: str) -> bool:
        return bool(owners) and owner not in (owners or ())

    def _is_elsewhere(self, amount: str, owner: str) -> bool:
        """A balance like those of another account; asked of amounts that nobody is known to have,
        since an order of millions may be worth what another customer holds.
        """
        place = Decimal(amount) // SPACE
        return 0 < place <= len(self.places) and place != self.places.get(owner)


def _records(answer: object) -> Iterator[WireModel]:
    if isinstance(answer, Written):
        yield from _records(answer.value)
    elif isinstance(answer, Page):
        for row in answer.data:
            yield from _records(row)
    elif isinstance(answer, WireModel):
        yield answer


def _amounts(*legs: AssetAmount | None) -> list[str]:
    return [leg.amount for leg in legs if leg is not None]


def with_cells_apart(text: str) -> str:
    """A CSV file with spaces between its cells: commas are part of amounts."""
    return "\n".join("  ".join(row) for row in csv.reader(io.StringIO(text)))


def rows_of(text: str) -> list[str]:
    """The rows of an exported list of records; none where the text is something else."""
    if text.startswith('{\n  "rows"'):
        return [json.dumps(row, ensure_ascii=False) for row in json.loads(text)["rows"]]
    head, *rows = text.splitlines() or [""]
    return rows if head.startswith("ID  ") else []
