"""Finding records by what people remember of them: the tables of words and keys.

``search_name`` has the words of customers' names and ``search_word`` each of them once;
``search_key`` has references, bank account numbers and addresses without separators, from their
beginning and from their end. ``rows.Writer`` writes them in the transaction that writes the record
(``note``). Trades, transfers, quotes and trading accounts are found by their own indexes.

Both databases compare the words and keys byte by byte, so that a beginning is a range. Misspelt
words are found in memory (``storage/vocabulary.py``), in the same way on either database.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from threading import Lock
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine, Table, bindparam, func, select
from sqlalchemy.dialects import postgresql, sqlite

from chainteller.domain.search_texts import Ends, key_of, keys_of, name_words
from chainteller.storage import tallies
from chainteller.storage.columns import Record
from chainteller.storage.tables import Tables
from chainteller.storage.vocabulary import Vocabulary
from chainteller.storage.wallet_tables import WalletTables

Row = Mapping[str, Any]
MOST = 1_000
"""Records that a search looks at; a list with more matches is read in its own order."""
_LAST = "\U0010ffff"
_LAST_OF_ID = "Z" * 40
"""Behind every id with the same beginning, in any collation: ids are capitals and digits."""
_BATCH = 500
_MANY = 5_000
"""Names that are counted to find the rarest word."""
_MOST_VOCABULARIES = 8
_WORD, _NAME, _KEY = Tables.search_word, Tables.search_name, Tables.search_key
CUSTOMER, BANK_ACCOUNT = "customer", "bank-account"
COUNTERPARTY, BLOCKCHAIN_ACCOUNT = "counterparty", "blockchain-account"
KEYED: Mapping[Table, tuple[str, str]] = {
    Tables.customer: (CUSTOMER, "reference"),
    Tables.bank_account: (BANK_ACCOUNT, "id"),
    WalletTables.counterparty: (COUNTERPARTY, "address"),
    WalletTables.blockchain_account: (BLOCKCHAIN_ACCOUNT, "address"),
}
"""Tables whose rows have a key, with their kind and the column that it's made of."""


# Writing


def note(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    """Make new rows findable; called for everything that is written."""
    keyed = KEYED.get(table)
    if keyed is None:
        return
    kind, column = keyed
    _insert(connection, _KEY, [key for row in rows for key in _keys(row, kind, column)])
    if table is Tables.customer:
        _note_names(connection, rows)


def _note_names(connection: Connection, rows: Sequence[Row]) -> None:
    counts: dict[str, int] = {}
    named, words = [], dict[tuple[str, str], None]()
    for row in rows:
        organisation = row["organisation_id"]
        counts[organisation] = counts.get(organisation, 0) + 1
        for word in sorted(name_words(row["name"])):
            words[organisation, word] = None
            named.append({"organisation_id": organisation, "word": word, "customer_id": row["id"]})
    _insert(connection, _NAME, named)
    _insert(connection, _WORD, [{"organisation_id": o, "word": w} for o, w in sorted(words)])
    for organisation, count in sorted(counts.items()):
        tallies.added(connection, Tables.customer, organisation, count)


def _keys(row: Row, kind: str, column: str) -> Iterator[dict[str, str]]:
    text = str(row[column])
    common = {"organisation_id": row["organisation_id"], "kind": kind, "id": row["id"]}
    for key in keys_of(text):
        yield {**common, "form": "f", "key": key}
    whole = key_of(text)
    if whole:
        yield {**common, "form": "r", "key": whole[::-1]}


def _insert(connection: Connection, table: Table, rows: Iterable[Row]) -> None:
    dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
    statement = dialect.insert(table).on_conflict_do_nothing()
    remaining = iter(rows)
    while batch := list(islice(remaining, _BATCH)):
        connection.execute(statement, batch)


def missing(connection: Connection) -> Iterator[tuple[str, str]]:
    """Records that can't be found, and findable ones that don't exist: kind and id."""
    known = {(row.kind, row.organisation_id, row.id) for row in connection.execute(select(_KEY))}
    there = {
        (kind, row.organisation_id, row.id)
        for table, (kind, _) in KEYED.items()
        for row in connection.execute(select(table.c.organisation_id, table.c.id))
    }
    for kind, _, record_id in sorted(known ^ there):
        yield kind, record_id


# Words of names


class _Known(NamedTuple):
    """A vocabulary as of a number of customers."""

    customers: int
    words: Vocabulary


_vocabularies: WeakKeyDictionary[Engine, dict[str, _Known]] = WeakKeyDictionary()
_lock = Lock()


def vocabulary(connection: Connection, organisation_id: str) -> Vocabulary:
    """The words of an organisation's names; read again once it has other customers."""
    customers = tallies.total(connection, Tables.customer, organisation_id)
    with _lock:
        kept = _vocabularies.setdefault(connection.engine, {})
        known = kept.get(organisation_id)
    if known is not None and known.customers == customers:
        return known.words
    found = connection.execute(
        select(_WORD.c.word).where(_WORD.c.organisation_id == organisation_id)
    )
    words = Vocabulary(found.scalars())
    with _lock:
        if len(kept) >= _MOST_VOCABULARIES:
            kept.clear()
        kept[organisation_id] = _Known(customers, words)
    return words


def customers_with(
    connection: Connection, organisation_id: str, alternatives: Sequence[Sequence[str]], most: int
) -> list[str]:
    """At most ``most`` customers whose name has, of each list of words, one.

    The list with the fewest names comes first; they are compared with the others, each by the few
    words that it has.
    """
    ordered = list(alternatives)
    if len(ordered) > 1:
        ordered.sort(key=lambda words: _count(connection, organisation_id, words))
    first, *others = (_NAME.alias(f"n{at}") for at in range(len(ordered)))
    statement = select(first.c.customer_id).where(
        first.c.organisation_id == organisation_id, first.c.word.in_(ordered[0])
    )
    for alias, words in zip(others, ordered[1:], strict=True):
        named = (
            select(alias.c.word)
            .where(
                alias.c.organisation_id == organisation_id,
                alias.c.customer_id == first.c.customer_id,
                alias.c.word.concat("").in_(words),
            )
            .exists()
        )
        statement = statement.where(named)
    found = connection.execute(statement.limit(most)).scalars()
    return list(dict.fromkeys(found))


def _count(connection: Connection, organisation_id: str, words: Sequence[str]) -> int:
    """How many names have one of some words, up to a bound."""
    some = select(_NAME.c.customer_id).where(
        _NAME.c.organisation_id == organisation_id, _NAME.c.word.in_(words)
    )
    counted = select(func.count()).select_from(some.limit(_MANY).subquery())
    return int(connection.execute(counted).scalar_one())


# Keys


class Hit(NamedTuple):
    """A record whose key is, begins or ends with what was looked for."""

    kind: str
    id: str
    key: str


def by_key(connection: Connection, organisation_id: str, keys: Sequence[str]) -> list[Hit]:
    """Records that have one of these keys."""
    statement = select(_KEY.c.kind, _KEY.c.id, _KEY.c.key).where(
        _KEY.c.organisation_id == organisation_id, _KEY.c.form == "f", _KEY.c.key.in_(keys)
    )
    return [Hit(*row) for row in connection.execute(statement.limit(MOST))]


_IN_RANGE = select(_KEY.c.kind, _KEY.c.id, _KEY.c.key).where(
    _KEY.c.organisation_id == bindparam("b_organisation"),
    _KEY.c.form == bindparam("b_form"),
    _KEY.c.key >= bindparam("b_begin"),
    _KEY.c.key < bindparam("b_end"),
)


def by_beginning(
    connection: Connection, organisation_id: str, begin: str, most: int = MOST
) -> list[Hit]:
    return _in_range(connection, organisation_id, "f", begin, most)


def by_end(connection: Connection, organisation_id: str, end: str, most: int = MOST) -> list[Hit]:
    found = _in_range(connection, organisation_id, "r", end[::-1], most)
    return [hit._replace(key=hit.key[::-1]) for hit in found]


def by_ends(
    connection: Connection, organisation_id: str, ends: Ends, most: int = MOST
) -> list[Hit]:
    """Records whose key has this beginning and this end."""
    found = by_beginning(connection, organisation_id, ends.begin, most)
    return [hit for hit in found if hit.key.endswith(ends.end)]


def _in_range(
    connection: Connection, organisation_id: str, form: str, begin: str, most: int
) -> list[Hit]:
    values = {"b_organisation": organisation_id, "b_form": form}
    values |= {"b_begin": begin, "b_end": begin + _LAST}
    found = connection.execute(_IN_RANGE.order_by(_KEY.c.key).limit(most), values)
    return [Hit(*row) for row in found]


def with_id(
    connection: Connection, table: Table, organisation_id: str, ends: Ends, most: int
) -> list[Record]:
    """Rows of a table whose id begins and ends with these texts, complete ids first."""
    statement = (
        select(table)
        .where(
            table.c.id.between(ends.begin, ends.begin + _LAST_OF_ID),
            table.c.organisation_id.concat("") == organisation_id,
            table.c.id.like(f"%{_escaped(ends.end)}", escape="\\"),
        )
        .order_by(table.c.id)
        .limit(most)
    )
    return list(connection.execute(statement))


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
