"""Finding records by what people remember of them: the tables of words and keys.

``search_name`` has the words of customers' names and ``search_word`` each of them once;
``search_key`` has references, bank account numbers and addresses without separators, from their
beginning and from their end. ``rows.Writer`` writes them in the transaction that writes the record
(``note``). Trades, transfers, quotes and trading accounts are found by their own indexes.

Both databases compare the words and keys byte by byte, so that a beginning is a range. Misspelt
words are found in memory (``storage/lists/vocabulary.py``), in the same way on either database.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from threading import Lock
from typing import Any, NamedTuple, cast

from chainteller.domain.search_texts import Ends, key_of, keys_of, name_words
from chainteller.storage.db import records
from chainteller.storage.db.query import (
    Query,
    Record,
    Session,
    Value,
    built,
    escaped,
    row_of,
    table_of,
)
from chainteller.storage.db.records import Tables
from chainteller.storage.db.sources import Source
from chainteller.storage.db.table import Table
from chainteller.storage.lists import tallies
from chainteller.storage.lists.vocabulary import Vocabulary

Row = Mapping[str, Any]
MOST = 1_000
"""Records that a search looks at; a list with more matches is read in its own order."""
_LAST = "\U0010ffff"
_LAST_OF_ID = "Z" * 40
"""Behind every id with the same beginning, in any collation: ids are capitals and digits."""
_MANY = 5_000
"""Names that are counted to find the rarest word."""
_MOST_VOCABULARIES = 8
CUSTOMER, BANK_ACCOUNT = "customer", "bank-account"
COUNTERPARTY, BLOCKCHAIN_ACCOUNT = "counterparty", "blockchain-account"
KEYED: Mapping[Table, tuple[str, str]] = {
    Tables.customer: (CUSTOMER, "reference"),
    Tables.bank_account: (BANK_ACCOUNT, "id"),
    Tables.counterparty: (COUNTERPARTY, "address"),
    Tables.blockchain_account: (BLOCKCHAIN_ACCOUNT, "address"),
}
"""Tables whose rows have a key, with their kind and the column that it's made of."""


def _new(record: Any) -> Query:
    names, table = record._fields, table_of(record)
    values = ", ".join(f":{name}" for name in names)
    return Query(
        f"INSERT INTO {table} ({', '.join(names)}) VALUES ({values}) ON CONFLICT DO NOTHING"
    )


_NEW_KEY, _NEW_NAME, _NEW_WORD = (
    _new(each) for each in (records.SearchKey, records.SearchName, records.SearchWord)
)
_ALL_KEYS = Query("SELECT organisation_id, form, key, kind, id FROM search_key", records.SearchKey)
_ALL_NAMES = Query("SELECT organisation_id, word, customer_id FROM search_name", records.SearchName)
_ALL_WORDS = Query("SELECT organisation_id, word FROM search_word", records.SearchWord)
_ALL_KEYED = {
    table: Query(
        f"SELECT organisation_id, id, {column} AS told FROM {table.name}",
        row_of("organisation_id", "id", "told"),
    )
    for table, (_, column) in KEYED.items()
}
_NAMED = Query(
    "SELECT organisation_id, id, name AS told FROM customer",
    row_of("organisation_id", "id", "told"),
)
_OLD_NAME = Query(
    "DELETE FROM search_name WHERE organisation_id = :organisation AND customer_id = :customer "
    "AND word IN :words"
)
_UNUSED_WORDS = Query(
    "DELETE FROM search_word WHERE organisation_id = :organisation AND word IN :words "
    "AND NOT EXISTS (SELECT 1 FROM search_name AS named "
    "WHERE named.organisation_id = search_word.organisation_id AND named.word = search_word.word)"
)
_WORDS = Query("SELECT word AS value FROM search_word WHERE organisation_id = :organisation", Value)
_COUNT = Query(
    "SELECT count(*) AS value FROM (SELECT 1 AS one FROM search_name "
    f"WHERE organisation_id = :organisation AND word IN :words LIMIT {_MANY}) AS counted",
    Value,
)


# Writing


def note(connection: Session, table: Table, rows: Sequence[Row]) -> None:
    """Make new rows of a table in ``KEYED`` findable."""
    kind, column = KEYED[table]
    _insert(connection, _NEW_KEY, [key for row in rows for key in _keys(row, kind, column)])
    if table is Tables.customer:
        _note_names(connection, rows)


def note_change(connection: Session, before: Row, after: Row) -> None:
    """Make a changed row of a customer findable by what it says now. The caller is the only one
    who writes names of the organisation."""
    if before["name"] == after["name"]:
        return
    organisation = {"organisation": after["organisation_id"]}
    gone = name_words(before["name"]) - name_words(after["name"])
    words = organisation | {"words": sorted(gone)}
    connection.later(_OLD_NAME, words | {"customer": after["id"]})
    connection.later(_UNUSED_WORDS, words)
    _note_words(connection, [after])
    _forget_vocabulary(connection, after["organisation_id"])


def _note_names(connection: Session, rows: Sequence[Row]) -> None:
    _note_words(connection, rows)
    counts = Counter(row["organisation_id"] for row in rows)
    for organisation, count in sorted(counts.items()):
        tallies.added(connection, Tables.customer, organisation, count)


def _note_words(connection: Session, rows: Sequence[Row]) -> None:
    named, words = [], dict[tuple[str, str], None]()
    for row in rows:
        organisation = row["organisation_id"]
        for word in sorted(name_words(row["name"])):
            words[organisation, word] = None
            named.append({"organisation_id": organisation, "word": word, "customer_id": row["id"]})
    _insert(connection, _NEW_NAME, named)
    _insert(connection, _NEW_WORD, [{"organisation_id": o, "word": w} for o, w in sorted(words)])


def _keys(row: Row, kind: str, column: str) -> Iterator[dict[str, str]]:
    text = str(row[column])
    common = {"organisation_id": row["organisation_id"], "kind": kind, "id": row["id"]}
    for key in keys_of(text):
        yield {**common, "form": "f", "key": key}
    whole = key_of(text)
    if whole:
        yield {**common, "form": "r", "key": whole[::-1]}


def _insert(connection: Session, statement: Query, rows: Iterable[Row]) -> None:
    for row in rows:
        connection.later(statement, row)


_Place = tuple[str, str, str]
"""Kind, organisation and id of a record."""
_Sums = defaultdict[_Place, int]
"""By record, the sum over the hashes of its texts, which don't come in an order."""


def missing(connection: Session) -> Iterator[tuple[str, str]]:
    """Records that can't be found by what they say, or by something else, and findable ones that
    don't exist: kind and id."""
    different = {(kind, record_id) for kind, _, record_id in _different_keys(connection)}
    yield from sorted(different | set(_different_words(connection)))


def _different_keys(connection: Session) -> Iterator[_Place]:
    known, expected = _Sums(int), _Sums(int)
    for row in connection.stream(_ALL_KEYS):
        known[row.kind, row.organisation_id, row.id] += hash((row.form, row.key))
    for table, query in _ALL_KEYED.items():
        kind = KEYED[table][0]
        for row in connection.stream(query):
            for each in _keys(row._asdict(), kind, "told"):
                expected[kind, row.organisation_id, row.id] += hash((each["form"], each["key"]))
    return _different(known, expected)


def _different_words(connection: Session) -> Iterator[tuple[str, str]]:
    known, expected = _Sums(int), _Sums(int)
    words, stored = set[tuple[str, str]](), set[tuple[str, str]]()
    for row in connection.stream(_ALL_NAMES):
        known[CUSTOMER, row.organisation_id, row.customer_id] += hash(row.word)
    for row in connection.stream(_NAMED):
        for word in name_words(row.told):
            expected[CUSTOMER, row.organisation_id, row.id] += hash(word)
            words.add((row.organisation_id, word))
    for row in connection.stream(_ALL_WORDS):
        stored.add((row.organisation_id, row.word))
    yield from ((kind, record_id) for kind, _, record_id in _different(known, expected))
    yield from (("search_word", organisation) for organisation, _ in words ^ stored)


def _different(known: "_Sums", expected: "_Sums") -> Iterator[_Place]:
    return (place for place in known.keys() | expected.keys() if known[place] != expected[place])


# Words of names


class _Known(NamedTuple):
    """A vocabulary as of a number of customers."""

    customers: int
    words: Vocabulary


_VOCABULARIES = "vocabularies"
_lock = Lock()


def vocabulary(connection: Session, organisation_id: str) -> Vocabulary:
    """The words of an organisation's names; read again once it has other customers."""
    customers = tallies.total(connection, Tables.customer, organisation_id)
    with _lock:
        kept: dict[str, _Known] = connection.shared.memory.setdefault(_VOCABULARIES, {})
        known = kept.get(organisation_id)
    if known is not None and known.customers == customers:
        return known.words
    found = _WORDS.run(connection, organisation_id)
    words = Vocabulary(found.scalars())
    with _lock:
        if len(kept) >= _MOST_VOCABULARIES:
            kept.clear()
        kept[organisation_id] = _Known(customers, words)
    return words


def _forget_vocabulary(connection: Session, organisation_id: str) -> None:
    """Read the words again when they're needed: another name doesn't change how many there are."""
    with _lock:
        connection.shared.memory.get(_VOCABULARIES, {}).pop(organisation_id, None)


def customers_with(
    connection: Session, organisation_id: str, alternatives: Sequence[Sequence[str]], most: int
) -> list[str]:
    """At most ``most`` customers whose name has, of each list of words, one.

    The list with the fewest names comes first; they are compared with the others, each by the few
    words that it has.
    """
    ordered = list(alternatives)
    if len(ordered) > 1:
        ordered.sort(key=lambda words: _count(connection, organisation_id, words))
    values: dict[str, object] = {"organisation": organisation_id, "most": most}
    values |= {f"words{at}": list(words) for at, words in enumerate(ordered)}
    found = connection.execute(_customers_with(len(ordered)), values).scalars()
    return list(dict.fromkeys(found))


@cache
def _customers_with(lists: int) -> Query:
    others = "".join(
        f" AND EXISTS (SELECT 1 FROM search_name AS n{at} "
        f"WHERE n{at}.organisation_id = :organisation AND n{at}.customer_id = n.customer_id "
        f"AND n{at}.word || '' IN :words{at})"
        for at in range(1, lists)
    )
    return built(
        "SELECT n.customer_id AS value FROM search_name AS n "
        f"WHERE n.organisation_id = :organisation AND n.word IN :words0{others} LIMIT :most",
        Value,
    )


def _count(connection: Session, organisation_id: str, words: Sequence[str]) -> int:
    """How many names have one of some words, up to a bound."""
    return int(_COUNT.run(connection, organisation_id, list(words)).scalar_one())


# Keys


class Hit(NamedTuple):
    """A record whose key is, begins or ends with what was looked for."""

    kind: str
    id: str
    key: str


_KEYS = "SELECT kind, id, key FROM search_key WHERE organisation_id = :organisation"
_BY_KEY = Query(f"{_KEYS} AND form = 'f' AND key IN :keys LIMIT {MOST}", Hit)
_IN_RANGE = Query(
    f"{_KEYS} AND form = :form AND key >= :begin AND key < :end ORDER BY key LIMIT :most", Hit
)


def by_key(connection: Session, organisation_id: str, keys: Sequence[str]) -> list[Hit]:
    """Records that have one of these keys."""
    return cast("list[Hit]", _BY_KEY.rows(connection, organisation_id, list(keys)))


def by_beginning(
    connection: Session, organisation_id: str, begin: str, most: int = MOST
) -> list[Hit]:
    return _in_range(connection, organisation_id, "f", begin, most)


def by_end(connection: Session, organisation_id: str, end: str, most: int = MOST) -> list[Hit]:
    found = _in_range(connection, organisation_id, "r", end[::-1], most)
    return [hit._replace(key=hit.key[::-1]) for hit in found]


def by_ends(connection: Session, organisation_id: str, ends: Ends, most: int = MOST) -> list[Hit]:
    """Records whose key has this beginning and this end."""
    found = by_beginning(connection, organisation_id, ends.begin, most)
    return [hit for hit in found if hit.key.endswith(ends.end)]


def _in_range(
    connection: Session, organisation_id: str, form: str, begin: str, most: int
) -> list[Hit]:
    values = {"organisation": organisation_id, "form": form, "most": most}
    values |= {"begin": begin, "end": begin + _LAST}
    return cast("list[Hit]", list(connection.execute(_IN_RANGE, values)))


def with_id(
    connection: Session, source: Source, organisation_id: str, ends: Ends, most: int
) -> list[Record]:
    """Rows of a table whose id begins and ends with these texts, complete ids first."""
    values = {
        "organisation": organisation_id,
        "begin": ends.begin,
        "last": ends.begin + _LAST_OF_ID,
        "end": f"%{escaped(ends.end)}",
        "most": most,
    }
    return list(connection.execute(_with_id(source), values))


@cache
def _with_id(source: Source) -> Query:
    return built(
        f"{source.text} WHERE id BETWEEN :begin AND :last "
        "AND organisation_id || '' = :organisation "
        "AND id LIKE :end ESCAPE '\\' ORDER BY id LIMIT :most",
        source.row,
    )
