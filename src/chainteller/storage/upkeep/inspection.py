"""Stream every row of the database, in the order that the checks need."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, NamedTuple

from chainteller.domain.clock import parse_instant
from chainteller.domain.decisions import UNCONFIRMED_HELD, UNVERIFIED_HELD, DecisionKind
from chainteller.domain.provider_requests import RequestStatus
from chainteller.domain.second_method import StatementStatus
from chainteller.domain.trades import OPEN
from chainteller.domain.transfers import MAY_HOLD, TransferStatus
from chainteller.storage.database import Database
from chainteller.storage.db import records
from chainteller.storage.db.query import (
    POSTGRESQL,
    SQLITE,
    Query,
    Record,
    Session,
    Value,
    built,
    quoted,
    row_of,
)
from chainteller.storage.db.records import ALL
from chainteller.storage.db.sources import Source
from chainteller.storage.db.table import SALT, Table
from chainteller.storage.log import entry, sealing
from chainteller.storage.log.rows import DEPLOYMENT
from chainteller.storage.queries.epochs import ACCEPTED, SUBJECT
from chainteller.storage.queries.provider_requests import IS_OWN
from chainteller.storage.schema import ddl

_BATCH = 5_000


@contextmanager
def snapshot(database: Database) -> Iterator[Session]:
    """Open a consistent view of the whole database, without time limits.

    On PostgreSQL this is REPEATABLE READ without the timeouts of a request. On SQLite it is a
    read transaction; in TRUNCATE mode writers wait until it ends.
    """
    with database.read(patient=True) as connection:
        yield connection


_QUOTED = {
    f"quote_{name}": f"quote.{name}"
    for name in (
        "trade_id", "trading_account_id", "market", "side", "status", "price_cents", "sold",
        "bought", "fee_cents", "created", "expires", "executed_at",
    )
}  # fmt: skip
_OPEN_TRADES = Source(records.Trade).where(f"trade.status IN ({quoted(OPEN)}) AND {IS_OWN}")
_WITHDRAWAL = "transfer.direction = 'withdrawal'"
_OPEN_WITHDRAWALS = Source(records.Transfer).where(
    f"{_WITHDRAWAL} AND transfer.status IN ({quoted(MAY_HOLD)}) AND {IS_OWN}"
)
_ORDINAL = row_of("trading_account_id", "counter", "ordinal")
_COUNTERS = ("trade_count", "deposit_count", "withdrawal_count", "transaction_count")


ledger_accounts = Source(records.LedgerAccount).everything().stream
journals = Source(records.Journal).everything().stream
"""Which entry posted each journal."""
trades = Source(records.Trade).where(IS_OWN).stream
transfers = Source(records.Transfer).where(IS_OWN).stream
jobs = Source(records.Job).everything().stream
"""Every scheduled job."""
rules = Source(records.Rule).everything().stream
"""Every version of the settings that decided something."""
trades_with_quotes = (
    Source(records.Trade, "LEFT JOIN quote ON quote.id = trade.quote_id", **_QUOTED)
    .where(f"trade.{IS_OWN}")
    .stream
)
"""Every trade with its quote's columns prefixed ``quote_``, None if the quote is missing."""
quotes_with_trades = (
    Source(records.Quote, "LEFT JOIN trade ON trade.quote_id = quote.id", used_by="trade.id")
    .where(f"quote.{IS_OWN}")
    .stream
)
"""Every quote; ``used_by`` is the id of its trade."""
withdrawals = (
    Source(records.Transfer)
    .where(f"{_WITHDRAWAL} AND {IS_OWN} ORDER BY transfer.trading_account_id, transfer.ordinal")
    .stream
)
"""Withdrawals, by account and in the order in which they were requested."""
counters = Query(
    f"SELECT id, {', '.join(_COUNTERS)} FROM trading_account", row_of("id", *_COUNTERS)
).stream
"""Every trading account with its counters."""
idempotent_outcomes = Source(records.Idempotency).everything("at").stream
logs = Source(records.Log).everything("organisation_id").stream
"""The stored head of every log."""
links_with_claims = (
    Source(
        records.Link,
        "LEFT JOIN claim ON claim.id = link.claim_id "
        "LEFT JOIN challenge ON challenge.id = claim.challenge_id",
        found_claim="claim.id",
        claim_account="claim.blockchain_account_id",
        claim_counterparty="claim.counterparty_id",
        claim_expires="claim.expires",
        claim_created="claim.created",
        challenge_account="challenge.blockchain_account_id",
        challenge_counterparty="challenge.counterparty_id",
        challenge_claim="challenge.claim_id",
    )
    .everything()
    .stream
)
"""Every link with its claim and that claim's challenge, or None."""
verified_withdrawals_without_link = Query(
    "SELECT transfer.id, (SELECT first.id FROM claim AS first "
    "WHERE first.blockchain_account_id = link.blockchain_account_id "
    "AND first.counterparty_id = link.counterparty_id "
    "AND first.linked_at = link.first_linked_at) AS linked_by FROM transfer LEFT JOIN link "
    "ON link.blockchain_account_id = transfer.blockchain_account_id "
    "AND link.counterparty_id = transfer.counterparty_id "
    "WHERE transfer.destination_class = 'VerifiedCounterparty1P' "
    "AND (link.claim_id IS NULL OR link.first_linked_at > transfer.created)",
    row_of("id", "linked_by"),
).stream
"""Withdrawals classified as to a verified wallet that wasn't linked before; ``linked_by`` is the
claim that linked it first, where the link says that was later, or None."""


_ACCOUNT_IDS = Query("SELECT id AS value FROM trading_account", Value)


def trading_account_ids(connection: Session) -> Iterator[str]:
    return (row.value for row in _ACCOUNT_IDS.stream(connection))


def open_records(connection: Session) -> Iterator[Record]:
    """Trades and withdrawals that hold funds, and executed trades."""
    yield from _OPEN_TRADES.stream(connection)
    yield from _OPEN_WITHDRAWALS.stream(connection)


def work_later_than(
    connection: Session, kind: str, table: Table, at: str, longest: int
) -> Iterator[Record]:
    """Ids of records of a table whose job of a kind is later than ``longest`` after the instant in
    their column ``at``."""
    query = built(  # the subtraction of what was altered stays in the range of integers
        f"SELECT id FROM job JOIN {table.name} ON id = job.reference WHERE job.kind = :kind "
        f"AND CASE WHEN run_at > 0 THEN run_at - :longest ELSE 0 END > {table.name}.{at}",
        _ID,
    )
    return connection.stream(query, {"kind": kind, "longest": longest})


def waiting_without_job(
    connection: Session, table: Table, kind: str, condition: str
) -> Iterator[Record]:
    """Ids of records of a table that fulfil a condition and have no job of a kind."""
    query = built(
        f"SELECT id FROM {table.name} WHERE {condition} AND NOT EXISTS "
        f"(SELECT 1 FROM job WHERE job.kind = :kind AND job.reference = {table.name}.id)",
        _ID,
    )
    return connection.stream(query, {"kind": kind})


_ID = row_of("id")
_BY_ITSELF = quoted((UNVERIFIED_HELD, UNCONFIRMED_HELD))
"""Why withdrawals wait for a time and for no person."""
_ABOUT = "decision.subject = {}.id AND decision.status = 'open'"
withdrawals_undecided = Query(
    f"SELECT id FROM transfer WHERE status = '{TransferStatus.REVIEWING}' "
    f"AND review_reason NOT IN ({_BY_ITSELF}) AND NOT EXISTS "
    f"(SELECT 1 FROM decision WHERE {_ABOUT.format('transfer')} AND due = transfer.review_eta)",
    _ID,
).stream
"""Ids of withdrawals that wait for a person and have no open decision with their time."""
_WAITING = " ".join(
    f"AND NOT (decision.kind = '{kind}' AND EXISTS "
    f"(SELECT 1 FROM {table} WHERE {key} = decision.subject AND {waits}))"
    for kind, table, key, waits in (
        (DecisionKind.WITHDRAWAL, "transfer", "id", f"status = '{TransferStatus.REVIEWING}'"),
        (DecisionKind.CONTROL, "trading_account", "id", "control = decision.control"),
        (DecisionKind.MARKET, "market_control", "market", "reason = decision.reason"),
        (
            DecisionKind.OWNERSHIP_STATEMENT,
            "ownership_statement",
            "id",
            f"status = '{StatementStatus.REVIEWING}'",
        ),
        (DecisionKind.LINK, "provider_request", "id", f"status = '{RequestStatus.WAITING}'"),
        (DecisionKind.UNANSWERED, "provider_request", "id", f"status = '{RequestStatus.UNKNOWN}'"),
    )
)
decisions_about_nothing = Query(
    f"SELECT id FROM decision WHERE status = 'open' {_WAITING}", _ID
).stream
"""Ids of open decisions whose subject waits for none."""


Ordinal = tuple[str, str, int]
"""A trading account, one of its counters, and the number assigned to a record."""


def _ordinals(query: Query, connection: Session) -> Iterator[Ordinal]:
    for account, counter, ordinal in query.stream(connection):
        yield str(account), str(counter), int(ordinal)


trade_ordinals = partial(
    _ordinals,
    Query(
        "SELECT trading_account_id, 'trade_count' AS counter, ordinal FROM trade "
        "ORDER BY trading_account_id, ordinal",
        _ORDINAL,
    ),
)
"""The number of every trade, in order."""
transfer_ordinals = partial(
    _ordinals,
    Query(
        "SELECT trading_account_id, direction || '_count' AS counter, ordinal FROM transfer "
        "ORDER BY trading_account_id, direction, ordinal",
        _ORDINAL,
    ),
)
transaction_ordinals = partial(
    _ordinals,
    Query(
        "SELECT trading_account_id, 'transaction_count' AS counter, transaction_ordinal "
        "AS ordinal FROM (SELECT trading_account_id, transaction_ordinal FROM trade UNION ALL "
        "SELECT trading_account_id, transaction_ordinal FROM transfer) AS both_kinds "
        "ORDER BY trading_account_id, transaction_ordinal",
        _ORDINAL,
    ),
)
_ENDS = Query(
    f"SELECT organisation_id, number FROM entry WHERE object = '{SUBJECT}' "
    f"AND action = '{ACCEPTED}' ORDER BY number",
    row_of("organisation_id", "number"),
)
_SPANS = Query(
    "SELECT object, organisation_id, min(number) AS first, max(number) AS last FROM entry "
    f"WHERE organisation_id <> '{DEPLOYMENT}' GROUP BY object, organisation_id",
    row_of("object", "organisation_id", "first", "last"),
)


def ends_of_epochs(connection: Session) -> dict[str, list[int]]:
    """The numbers of the entries that ended an epoch, by log."""
    found: dict[str, list[int]] = {}
    for organisation, number in connection.execute(_ENDS):
        found.setdefault(organisation, []).append(number)
    return found


def spans_of_records(connection: Session) -> dict[str, tuple[str, int, int]]:
    """The log of every record, and the numbers of the first and the last entry about it."""
    return {row[0]: (row[1], int(row[2]), int(row[3])) for row in _SPANS.stream(connection)}


_WHOSE = Query("SELECT DISTINCT organisation_id AS value FROM entry", Value)


def organisations_of_entries(connection: Session) -> list[str]:
    """Whose logs have entries."""
    return sorted(connection.execute(_WHOSE).scalars())


class StoredEntry(NamedTuple):
    """The columns of an entry, as far as they can be read; ``body`` is its text."""

    number: int
    at: int
    action: str
    object: str
    account: str | None
    case_id: str | None
    leaf: bytes
    mark: bytes
    body: bytes | None


_LEAST = -(2**63)
"""No number is less."""


def entries(connection: Session, organisation_id: str, after: int = 0) -> Iterator[StoredEntry]:
    """Every entry of a log after a number in its order; after 0, also one whose number is less. A
    hash, a mark or a body that can't be read is empty, a number 0; a body that an archive has is
    None."""
    mine = {"organisation": organisation_id, "first": after + 1 if after else _LEAST}
    for row in connection.stream(_ENTRIES[connection.dialect.name], mine, batch=_BATCH):
        number, at, action, subject, account, case_id, leaf, mark, stored = row
        found = (leaf or b"", mark or b"", _unpacked(stored))
        yield StoredEntry(number, at, action, subject, account, case_id, *found)


def _entries(dialect: str) -> Query:
    numbers, names = ["number", "at"], ["leaf", "mark", "body"]
    if dialect == SQLITE:  # which may hold a text in any column
        names = [
            f"CASE typeof({name}) WHEN 'blob' THEN {name} WHEN 'null' THEN NULL ELSE x'' END"
            for name in names
        ]
        numbers = [f"CASE typeof({name}) WHEN 'integer' THEN {name} ELSE 0 END" for name in numbers]
    columns = (*numbers, "action", "object", "trading_account_id", "case_id", *names)
    named = zip(columns, StoredEntry._fields, strict=True)
    told = ", ".join(f"{column} AS {name}" for column, name in named)
    here = "organisation_id = :organisation AND number >= :first"
    text = f"SELECT {told} FROM entry WHERE {here} ORDER BY number"
    return Query(text, StoredEntry, only=dialect)


_ENTRIES = {dialect: _entries(dialect) for dialect in (SQLITE, POSTGRESQL)}


_PUT_BACK = Query(
    "SELECT number, body FROM entry WHERE object = :reference AND action = 'work.put_back' "
    "ORDER BY number DESC LIMIT 1",
    row_of("number", "body"),
)


def _unpacked(stored: bytes | None) -> bytes | None:
    if stored is None:
        return None
    try:
        return entry.unpack(stored)
    except ValueError:
        return b""


def put_back_until(connection: Session, reference: str) -> int | None:
    """Until when the work on a record was last put back, by the log; None where it doesn't say."""
    found = _PUT_BACK.first(connection, reference)
    with suppress(ValueError, LookupError):
        if found is not None and found.body is not None:
            told = entry.opened(found.number, found.body, entry.FOR_AUDIT).inputs or {}
            return parse_instant(str(told["dueAt"]))
    return None


def sealed_rows(connection: Session, table: Table) -> Iterator[tuple[str, str | None, bytes]]:
    """Key, salt and sealed text of every row of a table, in no order."""
    form, dialect = sealing.form(table), connection.dialect.name
    written = form.sql_bytes(dialect)
    text = f'SELECT {form.sql_key(dialect)}, "{SALT}", {written} FROM "{table.name}"'
    return connection.stream(built(text, _SEALED), batch=_BATCH)


def sealed_rows_of(
    connection: Session, table: Table, keys: Sequence[str]
) -> list[tuple[str, str | None, bytes]]:
    """As ``sealed_rows``, of the rows with these keys."""
    form, dialect = sealing.form(table), connection.dialect.name
    written = form.sql_bytes(dialect)
    text = f'SELECT {form.sql_key(dialect)}, "{SALT}", {written} FROM "{table.name}"'
    (first, *others) = table.key
    if not others and first not in table.numbers:
        query = built(f'{text} WHERE "{first}" IN :keys', _SEALED)
        return list(connection.execute(query, {"keys": list(keys)}))
    here = " AND ".join(f'"{name}" = :{name}' for name in table.key)
    one = built(f"{text} WHERE {here}", _SEALED)
    named = [found for key in keys if (found := form.primary_key(key)) is not None]
    return [row for values in named for row in connection.execute(one, values)]


_SEALED = row_of("key", "salt", "text")


def row_by_key(connection: Session, table: Table, key: str) -> Mapping[str, Any] | None:
    """A row by the key that its seal names."""
    found_by = sealing.form(table).primary_key(key)
    if found_by is None:
        return None
    here = " AND ".join(f'"{name}" = :{name}' for name in found_by)
    query = built(f"{Source(table.record).text} WHERE {here}", table.record)
    row = connection.execute(query, found_by).first()
    return None if row is None else dict(row._asdict())


# The schema as it is


class _Column(NamedTuple):
    name: str
    type: str


_COLUMNS = {
    SQLITE: Query("SELECT name, type FROM pragma_table_info(:name)", _Column, only=SQLITE),
    POSTGRESQL: Query(
        "SELECT attname AS name, pg_catalog.format_type(atttypid, atttypmod) AS type "
        "FROM pg_catalog.pg_attribute JOIN pg_catalog.pg_class ON pg_class.oid = attrelid "
        "WHERE relname = :name AND relkind = 'r' AND attnum > 0 AND NOT attisdropped "
        "AND relnamespace = pg_catalog.current_schema()::pg_catalog.regnamespace",
        _Column,
        only=POSTGRESQL,
    ),
}
_FLOATING = re.compile("real|floa|doub", re.IGNORECASE)
_EXACT = {
    SQLITE: re.compile("int|char|clob|text|blob|boolean|^$", re.IGNORECASE),
    POSTGRESQL: re.compile(r"^(?!numeric)|^numeric\(\d+(,0)?\)$"),
}
"""Types that round nothing: on SQLite, others are numeric (https://sqlite.org/datatype3.html)."""


def _columns(connection: Session, table: str) -> list[_Column]:
    return list(connection.execute(_COLUMNS[connection.dialect.name], {"name": table}))


def missing_parts(connection: Session) -> Iterator[tuple[str, str]]:
    """Tables of this build's schema that the database lacks, and columns: table, column or ""."""
    existing = set(ddl.table_names(connection))
    for table in ALL:
        if table.name not in existing:
            yield table.name, ""
            continue
        has = {column.name for column in _columns(connection, table.name)}
        yield from ((table.name, name) for name in table.columns if name not in has)


def inexact_columns(connection: Session) -> Iterator[str]:
    """Columns of the live database whose type can round a number."""
    exact, on_sqlite = _EXACT[connection.dialect.name], connection.dialect.name == SQLITE
    for table in ALL:
        for name, kind in _columns(connection, table.name):
            rounds = _FLOATING.search(kind) or not exact.search(kind)
            if rounds or (
                on_sqlite and name in table.atoms and not kind.upper().startswith("TEXT")
            ):
                yield f"{table.name}.{name} {kind}"


def unreadable_atoms(connection: Session) -> Iterator[str]:
    """Columns with a value that isn't an integer; only SQLite can store one."""
    if connection.dialect.name != SQLITE:
        return
    for table in ALL:
        for name in sorted(table.atoms):
            cell = f'"{name}"'
            text = (
                f'SELECT count(*) FROM "{table.name}" WHERE {cell} IS NOT NULL AND '
                f"(typeof({cell}) <> 'text' OR {cell} IN ('', '-') "
                f"OR substr({cell}, 1 + ({cell} LIKE '-%')) GLOB '*[^0-9]*')"
            )
            if connection.execute(built(text, Value)).scalar_one():
                yield f"{table.name}.{name}"
