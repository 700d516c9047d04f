"""The condition that a list's search text sets: the records that the search tables name.

A text that matches more than ``search.MOST`` records is not narrowed to them: the list is read in
its own order then, where its matches are dense, and its total says no more than that there are
more.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple

from chainteller.domain.assets import ASSETS_BY_KEY
from chainteller.domain.ids import Prefix
from chainteller.domain.money import AmountMalformed, AmountTooPrecise, parse_atoms
from chainteller.domain.search_texts import LEAST_OF_KEY, Ends, folded, key_of, words_of
from chainteller.domain.transfers import LEAST_OF_ID
from chainteller.storage.db import records
from chainteller.storage.db.query import Query, Session, Value, built, escaped
from chainteller.storage.db.sources import Source
from chainteller.storage.lists import search
from chainteller.storage.lists.pages import Counted, Extra
from chainteller.storage.lists.search import (
    BANK_ACCOUNT,
    COUNTERPARTY,
    CUSTOMER,
    MOST,
    Hit,
)

_A, _C, _T, _P = (
    Source(each)
    for each in (
        records.TradingAccount,
        records.Customer,
        records.Transfer,
        records.Counterparty,
    )
)
_PREFIXES = {
    _A: Prefix.TRADING_ACCOUNT,
    _T: Prefix.TRANSACTION,
    _P: Prefix.COUNTERPARTY,
}
_OF_CUSTOMER = "SELECT 1 FROM customer WHERE customer.id = trading_account.customer_id"
_OF_ACCOUNT = (
    "SELECT 1 FROM trading_account JOIN customer ON customer.id = trading_account.customer_id "
    "WHERE trading_account.id = transfer.trading_account_id"
)
_OWNERS = Query(
    "SELECT customer_id AS value FROM bank_account "
    "WHERE organisation_id = :organisation AND id IN :ids",
    Value,
)
_ACCOUNTS_OF = {
    column: Query(
        f"SELECT id AS value FROM trading_account WHERE {of} = :organisation AND {column} IN :ids",
        Value,
    )
    for column, of in (
        ("customer_id", "organisation_id || ''"),  # it has an index of its own
        ("bank_account_id", "organisation_id"),
    )
}
_END_OF_ID = "substr(transfer.id, length(transfer.id) - 3)"
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


def accounts(connection: Session, organisation_id: str, text: str) -> Matching:
    """Trading accounts by id, and by their customer and bank account."""
    people = _people(connection, organisation_id, text)
    if people.customers is None:
        named = _named(text)
        is_theirs = f"EXISTS ({_OF_CUSTOMER} AND {named.condition})"
        return Matching((Extra(is_theirs, named.values),), MOST)
    found = _ids(connection, _A, organisation_id, text)
    found += _of(connection, organisation_id, people)
    return _one_of(_A, found)


def customers(connection: Session, organisation_id: str, text: str | None) -> Matching:
    """Customers by name, reference or bank account."""
    if not text:
        return Matching()
    people = _people(connection, organisation_id, text)
    if people.customers is None:
        return Matching((_named(text),), MOST)
    found = [*people.customers, *_OWNERS.values(connection, organisation_id, people.bank_accounts)]
    return _one_of(_C, found)


def counterparties(connection: Session, organisation_id: str, text: str | None) -> Matching:
    """Wallets by id or address."""
    if not text:
        return Matching()
    found = _ids(connection, _P, organisation_id, text)
    hits = _hits(connection, organisation_id, text, MOST + 1)
    found += [hit.id for hit in hits if hit.kind == COUNTERPARTY]
    return _one_of(_P, found)


def transfers(connection: Session, organisation_id: str, text: str | None) -> Matching:
    """Deposits and withdrawals of which each word says something: an id, an address, the bank
    account, the customer or the amount."""
    if not text or not text.split():
        return Matching()
    words = [_Word(connection, organisation_id, *each) for each in enumerate(text.split())]
    for at, word in enumerate(words):
        ids = word.transfers()
        if ids is None:
            continue
        others = [each.condition() for number, each in enumerate(words) if number != at]
        if others and ids:
            conditions = " AND ".join(["id IN :ids", *(each.condition for each in others)])
            query = built(f"SELECT id AS value FROM transfer WHERE {conditions}", Value)
            values = {name: value for each in others for name, value in each.values.items()}
            ids = list(connection.execute(query, {**values, "ids": ids}).scalars())
        return _one_of(_T, ids)
    named = _named(text)
    theirs = f"EXISTS ({_OF_ACCOUNT} AND {named.condition})"
    return Matching((Extra(theirs, named.values),), MOST)


class _Word:
    """What one word of a search says about transfers."""

    def __init__(self, connection: Session, organisation_id: str, number: int, text: str) -> None:
        self._connection, self._organisation_id, self.text = connection, organisation_id, text
        self._name = f"w{number}"
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

    def condition(self) -> Extra:
        """Whether a transfer has this word."""
        if self._is_dense:
            named = _named(self.text, self._name)
            return Extra(f"EXISTS ({_OF_ACCOUNT} AND {named.condition})", named.values)
        parts = list(self._parts())
        values = {name: value for part in parts for name, value in part.values.items()}
        return Extra(f"({' OR '.join(part.condition for part in parts)})", values)

    def transfers(self) -> list[str] | None:
        """The ids of the transfers that have this word; None if there are too many."""
        if self._is_dense:
            return None
        found: list[str] = []
        for condition, given in self._parts():
            query = built(
                "SELECT id AS value FROM transfer WHERE organisation_id = :organisation "
                f"AND {condition} LIMIT {MOST + 1}",
                Value,
            )
            values = {"organisation": self._organisation_id, **given}
            found += self._connection.execute(query, values).scalars()
            if len(found) > MOST:
                return None
        return found

    def _parts(self) -> Iterator[Extra]:
        """Conditions that have an index each."""
        name = self._name
        yield Extra(f"transfer.id IN :{name}_ids", {f"{name}_ids": self._ids})
        if self._accounts:
            values = {f"{name}_accounts": self._accounts}
            yield Extra(f"transfer.trading_account_id IN :{name}_accounts", values)
        if self._wallets:
            values = {f"{name}_wallets": self._wallets}
            yield Extra(f"transfer.counterparty_id IN :{name}_wallets", values)
        for at, (asset, atoms) in enumerate(self._amounts):
            is_it = f"transfer.amount = :{name}_amount{at} AND transfer.asset = '{asset}'"
            yield Extra(f"({is_it})", {f"{name}_amount{at}": atoms})
        if len(self.text) >= LEAST_OF_ID:
            yield Extra(f"transfer.network_tx_hash = :{name}", {name: self.text})
            end = self.text.upper()
            yield Extra(
                f"({_END_OF_ID} = :{name}_four AND transfer.id LIKE :{name}_end ESCAPE '\\')",
                {f"{name}_four": end[-LEAST_OF_ID:], f"{name}_end": f"%{escaped(end)}"},
            )


def _amounts(word: str) -> Iterator[tuple[str, int]]:
    """An amount, with or without separators, in each asset that can have it."""
    for asset in ASSETS_BY_KEY.values():
        with suppress(AmountMalformed, AmountTooPrecise):
            yield asset.key, parse_atoms(word.replace(",", ""), asset)


def _one_of(source: Source, ids: Iterable[str]) -> Matching:
    found = list(dict.fromkeys(ids))
    extra = Extra(f"{source.table}.id IN :found", {"found": found})
    return Matching((extra,), is_empty=not found)


def _named(text: str, name: str = "named") -> Extra:
    """Whether a customer's name has all words of a text, for a scan of many that do."""
    words = text.casefold().split()
    values = {f"{name}{at}": f"%{escaped(word)}%" for at, word in enumerate(words)}
    likes = [f"customer.search_name LIKE :{each} ESCAPE '\\'" for each in values]
    return Extra(" AND ".join(likes), values)


def _people(connection: Session, organisation_id: str, text: str) -> _People:
    """Customers by name or reference, and bank accounts by number."""
    named = _customers_named(connection, organisation_id, text)
    hits = _hits(connection, organisation_id, text, MOST + 1)
    known = [hit.id for hit in hits if hit.kind == CUSTOMER]
    banks = [hit.id for hit in hits if hit.kind == BANK_ACCOUNT]
    if named is None:
        return _People(None, banks)
    return _People([*named, *known], banks)


def _customers_named(connection: Session, organisation_id: str, text: str) -> list[str] | None:
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


def _hits(connection: Session, organisation_id: str, text: str, most: int) -> list[Hit]:
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


def _ids(connection: Session, source: Source, organisation_id: str, text: str) -> list[str]:
    """Rows whose id, with or without its prefix, begins with a text or is abbreviated by it."""
    begin, end = text, ""
    for dots in _DOTS:
        if dots in text:
            begin, _, end = text.partition(dots)
    ends = Ends(begin.strip().upper(), end.strip().upper())
    if len(ends.begin) < LEAST_OF_ID or not ends.begin.isascii():
        return []
    prefixed = ends._replace(begin=f"{_PREFIXES[source]}_{ends.begin}")
    return [
        row.id
        for each in (ends, prefixed)
        for row in search.with_id(connection, source, organisation_id, each, MOST)
    ]


def _of(connection: Session, organisation_id: str, people: _People) -> list[str]:
    """The trading accounts of customers and bank accounts."""
    found: list[str] = []
    for column, ids in (
        ("customer_id", people.customers or []),
        ("bank_account_id", people.bank_accounts),
    ):
        if ids:
            values = {"organisation": organisation_id, "ids": ids}
            found += connection.execute(_ACCOUNTS_OF[column], values).scalars()
    return found
