"""The condition that a list's search text sets: the records that the search tables name.

A text that matches more than ``search.MOST`` records is not narrowed to them: the list is read in
its own order then, where its matches are dense, and its total says no more than that there are
more.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Table,
    and_,
    bindparam,
    literal_column,
    or_,
    select,
)

from chainteller.domain.assets import ASSETS_BY_KEY
from chainteller.domain.ids import Prefix
from chainteller.domain.money import AmountMalformed, AmountTooPrecise, parse_atoms
from chainteller.domain.search_texts import LEAST_OF_KEY, Ends, folded, key_of, words_of
from chainteller.domain.transfers import LEAST_OF_ID
from chainteller.storage import search
from chainteller.storage.pages import Condition, Counted, Extra
from chainteller.storage.search import (
    BANK_ACCOUNT,
    COUNTERPARTY,
    CUSTOMER,
    MOST,
    Hit,
)
from chainteller.storage.tables import END_OF_ID, Tables
from chainteller.storage.wallet_tables import WalletTables

_A, _B, _C, _T = Tables.trading_account, Tables.bank_account, Tables.customer, Tables.transfer
_P = WalletTables.counterparty
_PREFIXES = {
    _A: Prefix.TRADING_ACCOUNT,
    _T: Prefix.TRANSACTION,
    _P: Prefix.COUNTERPARTY,
}
_END_OF_ID: ColumnElement[str] = literal_column(END_OF_ID)
_DOTS = ("..", "…")


class Matching(NamedTuple):
    """Conditions of a list; ``more_than`` if its matches aren't worth counting, ``is_empty`` if
    there is none."""

    extras: tuple[Extra, ...] = ()
    more_than: int | None = None
    is_empty: bool = False

    def total(self, end: int) -> Counted | None:
        """The total that a page shows whose last record would be number ``end``."""
        if self.more_than is None:
            return Counted(0) if self.is_empty else None
        return Counted(max(self.more_than, end) + 1, max(self.more_than, end))


class _People(NamedTuple):
    """Customers and bank accounts; None if there are too many customers to name them."""

    customers: list[str] | None
    bank_accounts: list[str]


def accounts(connection: Connection, organisation_id: str, text: str | None) -> Matching:
    """Trading accounts by id, and by their customer and bank account."""
    if not text:
        return Matching()
    people = _people(connection, organisation_id, text)
    if people.customers is None:
        named = _named(text)
        is_theirs = select(_C.c.id).where(_C.c.id == _A.c.customer_id, named.condition).exists()
        return Matching((Extra(named.name, is_theirs),), MOST)
    found = _ids(connection, _A, organisation_id, text)
    found += _of(connection, organisation_id, people)
    return _one_of(_A, found)


def customers(connection: Connection, organisation_id: str, text: str | None) -> Matching:
    """Customers by name, reference or bank account."""
    if not text:
        return Matching()
    people = _people(connection, organisation_id, text)
    if people.customers is None:
        return Matching((_named(text),), MOST)
    owners = select(_B.c.customer_id).where(
        _B.c.organisation_id == organisation_id, _B.c.id.in_(people.bank_accounts)
    )
    found = [*people.customers, *connection.execute(owners).scalars()]
    return _one_of(_C, found)


def counterparties(connection: Connection, organisation_id: str, text: str | None) -> Matching:
    """Wallets by id or address."""
    if not text:
        return Matching()
    found = _ids(connection, _P, organisation_id, text)
    hits = _hits(connection, organisation_id, text, MOST + 1)
    found += [hit.id for hit in hits if hit.kind == COUNTERPARTY]
    return _one_of(_P, found)


def transfers(connection: Connection, organisation_id: str, text: str | None) -> Matching:
    """Deposits and withdrawals of which each word says something: an id, an address, the bank
    account, the customer or the amount."""
    if not text or not text.split():
        return Matching()
    words = [_Word(connection, organisation_id, word) for word in text.split()]
    for at, word in enumerate(words):
        ids = word.transfers()
        if ids is None:
            continue
        others = [each for number, each in enumerate(words) if number != at]
        if others and ids:
            statement = select(_T.c.id).where(
                _T.c.id.in_(ids), *(each.condition() for each in others)
            )
            ids = list(connection.execute(statement).scalars())
        return _one_of(_T, ids)
    named = and_(*(_named(word.text).condition for word in words))
    theirs = (
        select(_A.c.id)
        .join(_C, _C.c.id == _A.c.customer_id)
        .where(_A.c.id == _T.c.trading_account_id, named)
        .exists()
    )
    return Matching((Extra(f"names {text.casefold()}", theirs),), MOST)


class _Word:
    """What one word of a search says about transfers."""

    def __init__(self, connection: Connection, organisation_id: str, text: str) -> None:
        self._connection, self._organisation_id, self.text = connection, organisation_id, text
        self._amounts = list(_amounts(text))
        people = _people(connection, organisation_id, text)
        self._is_dense = people.customers is None
        self._accounts: list[str] = []
        self._wallets: list[str] = []
        self._ids: list[str] = []
        if not self._is_dense:
            self._accounts = _of(connection, organisation_id, people)
        if len(text) >= LEAST_OF_ID:
            self._accounts += _ids(connection, _A, organisation_id, text)
            self._ids = _ids(connection, _T, organisation_id, text)
            hits = _hits(connection, organisation_id, text, MOST)
            self._wallets = [hit.id for hit in hits if hit.kind == COUNTERPARTY]

    def condition(self) -> Condition:
        """Whether a transfer has this word."""
        if self._is_dense:
            named = _named(self.text).condition
            return (
                select(_A.c.id)
                .join(_C, _C.c.id == _A.c.customer_id)
                .where(_A.c.id == _T.c.trading_account_id, named)
                .exists()
            )
        return or_(*self._parts())

    def transfers(self) -> list[str] | None:
        """The ids of the transfers that have this word; None if there are too many."""
        if self._is_dense:
            return None
        found: list[str] = []
        for part in self._parts():
            statement = select(_T.c.id).where(_T.c.organisation_id == self._organisation_id, part)
            found += self._connection.execute(statement.limit(MOST + 1)).scalars()
            if len(found) > MOST:
                return None
        return found

    def _parts(self) -> Iterator[Condition]:
        """Conditions that have an index each."""
        yield _T.c.id.in_(self._ids)
        if self._accounts:
            yield _T.c.trading_account_id.in_(self._accounts)
        if self._wallets:
            yield _T.c.counterparty_id.in_(self._wallets)
        for asset, atoms in self._amounts:
            yield and_(_T.c.amount.in_([atoms]), _T.c.asset.in_([asset]))
        if len(self.text) >= LEAST_OF_ID:
            yield _T.c.network_tx_hash == self.text
            end = self.text.upper()
            yield and_(_END_OF_ID.in_([end[-LEAST_OF_ID:]]), _T.c.id.endswith(end, autoescape=True))


def _amounts(word: str) -> Iterator[tuple[str, int]]:
    """An amount, with or without separators, in each asset that can have it."""
    for asset in ASSETS_BY_KEY.values():
        with suppress(AmountMalformed, AmountTooPrecise):
            yield asset.key, parse_atoms(word.replace(",", ""), asset)


def _one_of(table: Table, ids: Iterable[str]) -> Matching:
    found = list(dict.fromkeys(ids))
    is_one = table.c.id.in_(bindparam("b_found", expanding=True))
    return Matching((Extra("found", is_one, {"b_found": found}),), is_empty=not found)


def _named(text: str) -> Extra:
    """Whether a customer's name has all words of a text, for a scan of many that do."""
    words = text.casefold().split()
    name = f"named {len(words)} {text.casefold()}"
    conditions = [_C.c.search_name.contains(word, autoescape=True) for word in words]
    return Extra(name, and_(*conditions))


def _people(connection: Connection, organisation_id: str, text: str) -> _People:
    """Customers by name or reference, and bank accounts by number."""
    named = _customers_named(connection, organisation_id, text)
    hits = _hits(connection, organisation_id, text, MOST + 1)
    known = [hit.id for hit in hits if hit.kind == CUSTOMER]
    banks = [hit.id for hit in hits if hit.kind == BANK_ACCOUNT]
    if named is None:
        return _People(None, banks)
    return _People([*named, *known], banks)


def _customers_named(connection: Connection, organisation_id: str, text: str) -> list[str] | None:
    words = words_of(text)
    known = search.vocabulary(connection, organisation_id)
    alternatives = []
    for word in words:
        matches = known.matches(folded(word), forgiving=False)
        alternatives.append([match.word for match in matches])
    if not words or not all(alternatives):
        return []
    found = search.customers_with(connection, organisation_id, alternatives, MOST + 1)
    return None if len(found) > MOST else found


def _hits(connection: Connection, organisation_id: str, text: str, most: int) -> list[Hit]:
    """Records whose reference, number or address begins or ends with a text, or both."""
    for dots in _DOTS:
        begin, found, end = text.partition(dots)
        if found and key_of(begin) and key_of(end):
            ends = Ends(key_of(begin), key_of(end))
            return search.by_ends(connection, organisation_id, ends, most)
    key = key_of(text)
    if len(key) < LEAST_OF_KEY:
        return []
    return [
        *search.by_beginning(connection, organisation_id, key, most),
        *search.by_end(connection, organisation_id, key, most),
    ]


def _ids(connection: Connection, table: Table, organisation_id: str, text: str) -> list[str]:
    """Rows whose id, with or without its prefix, begins with a text or is abbreviated by it."""
    begin, end = text, ""
    for dots in _DOTS:
        if dots in text:
            begin, _, end = text.partition(dots)
    ends = Ends(begin.strip().upper(), end.strip().upper())
    if len(ends.begin) < LEAST_OF_ID or not ends.begin.isascii():
        return []
    prefixed = ends._replace(begin=f"{_PREFIXES[table]}_{ends.begin}")
    return [
        row.id
        for each in (ends, prefixed)
        for row in search.with_id(connection, table, organisation_id, each, MOST)
    ]


def _of(connection: Connection, organisation_id: str, people: _People) -> list[str]:
    """The trading accounts of customers and bank accounts."""
    found: list[str] = []
    for column, ids in (
        (_A.c.customer_id, people.customers or []),
        (_A.c.bank_account_id, people.bank_accounts),
    ):
        if ids:
            statement = select(_A.c.id).where(
                _A.c.organisation_id == organisation_id, column.in_(ids)
            )
            found += connection.execute(statement).scalars()
    return found
