"""Stream every row of the database, in the order that the checks need."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Numeric,
    Select,
    Table,
    exists,
    func,
    inspect,
    literal,
    select,
    text,
)
from sqlalchemy.sql.sqltypes import Float

from chainteller.domain.trades import TradeStatus
from chainteller.domain.transfers import HOLDING
from chainteller.storage import sealing
from chainteller.storage.columns import SALT, Atoms, Record
from chainteller.storage.database import Database
from chainteller.storage.epochs import ACCEPTED, SUBJECT
from chainteller.storage.log import entry
from chainteller.storage.rows import DEPLOYMENT
from chainteller.storage.sealing import own_tables
from chainteller.storage.tables import Tables
from chainteller.storage.wallet_tables import WalletTables

_BATCH = 5_000
_LEDGER = Tables.ledger_account
_TRADE, _QUOTE, _TRANSFER = Tables.trade, Tables.quote, Tables.transfer
_ACCOUNT = Tables.trading_account


@contextmanager
def snapshot(database: Database) -> Iterator[Connection]:
    """Open a consistent view of the whole database, without time limits.

    On PostgreSQL this is REPEATABLE READ without the timeouts of a request. On SQLite it is a
    read transaction; in TRUNCATE mode writers wait until it ends.
    """
    with database.read(patient=True) as connection:
        yield connection


def _stream(connection: Connection, statement: Select[Any]) -> Iterator[Record]:
    return iter(connection.execute(statement, execution_options={"yield_per": _BATCH}))


def ledger_accounts(connection: Connection) -> Iterator[Record]:
    return _stream(connection, select(_LEDGER))


def journals(connection: Connection) -> Iterator[Record]:
    """Which entry posted each journal."""
    return _stream(connection, select(Tables.journal))


def trades(connection: Connection) -> Iterator[Record]:
    return _stream(connection, select(_TRADE))


def transfers(connection: Connection) -> Iterator[Record]:
    return _stream(connection, select(_TRANSFER))


def trading_account_ids(connection: Connection) -> Iterator[str]:
    return (row.id for row in _stream(connection, select(_ACCOUNT.c.id)))


def open_records(connection: Connection) -> Iterator[Record]:
    """Trades and withdrawals that hold funds, and executed trades."""
    yield from _stream(
        connection,
        select(_TRADE).where(
            _TRADE.c.status.in_([each.value for each in TradeStatus if not each.facts.is_final])
        ),
    )
    yield from _stream(
        connection,
        select(_TRANSFER).where(
            _TRANSFER.c.direction == "withdrawal",
            _TRANSFER.c.status.in_([status.value for status in HOLDING]),
        ),
    )


def jobs(connection: Connection) -> Iterator[Record]:
    """Every scheduled job."""
    return _stream(connection, select(Tables.job))


def waiting_without_job(
    connection: Connection, table: Table, kind: str, *conditions: ColumnElement[bool]
) -> Iterator[Record]:
    """Ids of records of a table that fulfil conditions and have no job of a kind."""
    job = Tables.job
    is_scheduled = exists().where(job.c.kind == kind, job.c.reference == table.c.id)
    return _stream(connection, select(table.c.id).where(*conditions, ~is_scheduled))


def trades_with_quotes(connection: Connection) -> Iterator[Record]:
    """Every trade with its quote's columns prefixed ``quote_``, None if the quote is missing."""
    quoted = (
        _QUOTE.c[name].label(f"quote_{name}")
        for name in (
            "trade_id",
            "trading_account_id",
            "market",
            "side",
            "status",
            "price_cents",
            "sold",
            "bought",
            "fee_cents",
            "created",
            "expires",
            "executed_at",
        )
    )
    return _stream(
        connection,
        select(_TRADE, *quoted).outerjoin(_QUOTE, _QUOTE.c.id == _TRADE.c.quote_id),
    )


def quotes_with_trades(connection: Connection) -> Iterator[Record]:
    """Every quote; ``used_by`` is the id of its trade."""
    return _stream(
        connection,
        select(_QUOTE, _TRADE.c.id.label("used_by")).outerjoin(
            _TRADE, _TRADE.c.quote_id == _QUOTE.c.id
        ),
    )


def withdrawals(connection: Connection) -> Iterator[Record]:
    """Withdrawals, by account and in the order in which they were requested."""
    return _stream(
        connection,
        select(_TRANSFER)
        .where(_TRANSFER.c.direction == "withdrawal")
        .order_by(_TRANSFER.c.trading_account_id, _TRANSFER.c.ordinal),
    )


def rules(connection: Connection) -> Iterator[Record]:
    """Every version of the settings that decided something."""
    return _stream(connection, select(Tables.rule))


def counters(connection: Connection) -> Iterator[Record]:
    """Every trading account with its counters."""
    return _stream(
        connection,
        select(
            _ACCOUNT.c.id,
            _ACCOUNT.c.trade_count,
            _ACCOUNT.c.deposit_count,
            _ACCOUNT.c.withdrawal_count,
            _ACCOUNT.c.transaction_count,
        ),
    )


Ordinal = tuple[str, str, int]
"""A trading account, one of its counters, and the number assigned to a record."""


def _ordinals(connection: Connection, statement: Select[Any]) -> Iterator[Ordinal]:
    for row in _stream(connection, statement):
        account, counter, ordinal = list(row)
        yield str(account), str(counter), int(ordinal)


def trade_ordinals(connection: Connection) -> Iterator[Ordinal]:
    """The number of every trade, in order."""
    return _ordinals(
        connection,
        select(_TRADE.c.trading_account_id, literal("trade_count"), _TRADE.c.ordinal).order_by(
            _TRADE.c.trading_account_id, _TRADE.c.ordinal
        ),
    )


def transfer_ordinals(connection: Connection) -> Iterator[Ordinal]:
    return _ordinals(
        connection,
        select(
            _TRANSFER.c.trading_account_id,
            _TRANSFER.c.direction.concat("_count"),
            _TRANSFER.c.ordinal,
        ).order_by(_TRANSFER.c.trading_account_id, _TRANSFER.c.direction, _TRANSFER.c.ordinal),
    )


def transaction_ordinals(connection: Connection) -> Iterator[Ordinal]:
    both = (
        select(_TRADE.c.trading_account_id, _TRADE.c.transaction_ordinal)
        .union_all(select(_TRANSFER.c.trading_account_id, _TRANSFER.c.transaction_ordinal))
        .subquery()
    )
    return _ordinals(
        connection,
        select(
            both.c.trading_account_id, literal("transaction_count"), both.c.transaction_ordinal
        ).order_by(both.c.trading_account_id, both.c.transaction_ordinal),
    )


def idempotent_outcomes(connection: Connection) -> Iterator[Record]:
    return _stream(connection, select(Tables.idempotency).order_by(Tables.idempotency.c.at))


def ends_of_epochs(connection: Connection) -> dict[str, list[int]]:
    """The numbers of the entries that ended an epoch, by log."""
    t = Tables.entry
    ends = select(t.c.organisation_id, t.c.number).where(
        t.c.object == SUBJECT, t.c.action == ACCEPTED
    )
    found: dict[str, list[int]] = {}
    for organisation, number in connection.execute(ends.order_by(t.c.number)):
        found.setdefault(organisation, []).append(number)
    return found


def spans_of_records(connection: Connection) -> dict[str, tuple[str, int, int]]:
    """The log of every record, and the numbers of the first and the last entry about it."""
    t = Tables.entry
    first, last = func.min(t.c.number), func.max(t.c.number)
    found = (
        select(t.c.object, t.c.organisation_id, first, last)
        .where(t.c.organisation_id != DEPLOYMENT)
        .group_by(t.c.object, t.c.organisation_id)
    )
    return {row[0]: (row[1], int(row[2]), int(row[3])) for row in connection.execute(found)}


def links_with_claims(connection: Connection) -> Iterator[Record]:
    """Every link with its claim and that claim's challenge, or None."""
    link, claim, challenge = WalletTables.link, WalletTables.claim, WalletTables.challenge
    return _stream(
        connection,
        select(
            link,
            claim.c.id.label("found_claim"),
            claim.c.blockchain_account_id.label("claim_account"),
            claim.c.counterparty_id.label("claim_counterparty"),
            claim.c.expires.label("claim_expires"),
            claim.c.created.label("claim_created"),
            challenge.c.blockchain_account_id.label("challenge_account"),
            challenge.c.counterparty_id.label("challenge_counterparty"),
            challenge.c.claim_id.label("challenge_claim"),
        )
        .outerjoin(claim, claim.c.id == link.c.claim_id)
        .outerjoin(challenge, challenge.c.id == claim.c.challenge_id),
    )


def verified_withdrawals_without_link(connection: Connection) -> Iterator[Record]:
    """Withdrawals classified as to a verified wallet that wasn't linked before; ``linked_by`` is
    the claim of a link that says it's later, or None."""
    link = WalletTables.link
    return _stream(
        connection,
        select(_TRANSFER.c.id, link.c.claim_id.label("linked_by"))
        .outerjoin(
            link,
            (link.c.blockchain_account_id == _TRANSFER.c.blockchain_account_id)
            & (link.c.counterparty_id == _TRANSFER.c.counterparty_id),
        )
        .where(
            _TRANSFER.c.destination_class == "VerifiedCounterparty1P",
            link.c.claim_id.is_(None) | (link.c.first_linked_at > _TRANSFER.c.created),
        ),
    )


def logs(connection: Connection) -> Iterator[Record]:
    """The stored head of every log."""
    return _stream(connection, select(Tables.log).order_by(Tables.log.c.organisation_id))


def organisations_of_entries(connection: Connection) -> list[str]:
    """Whose logs have entries."""
    return sorted(connection.scalars(select(Tables.entry.c.organisation_id).distinct()))


class StoredEntry(NamedTuple):
    """The columns of an entry, as far as they can be read; ``body`` is its text."""

    number: int
    at: int
    action: str
    object: str
    account: str | None
    leaf: bytes
    mark: bytes
    body: bytes | None


def entries(connection: Connection, organisation_id: str) -> Iterator[StoredEntry]:
    """Every entry of a log in its order. A hash, a mark or a body that can't be read is empty, a
    number 0; a body that an archive has is None."""
    numbers, names = ["number", "at"], ["leaf", "mark", "body"]
    if connection.dialect.name == "sqlite":  # which may hold a text in any column
        names = [
            f"CASE typeof({name}) WHEN 'blob' THEN {name} WHEN 'null' THEN NULL ELSE x'' END"
            for name in names
        ]
        numbers = [f"CASE typeof({name}) WHEN 'integer' THEN {name} ELSE 0 END" for name in numbers]
    query = (
        f"SELECT {', '.join(numbers)}, action, object, trading_account_id, {', '.join(names)} "  # noqa: S608 - our own words
        "FROM entry "
        "WHERE organisation_id = :organisation ORDER BY number"
    )
    for row in _raw(connection, query, {"organisation": organisation_id}):
        number, at, action, subject, account, leaf, mark, stored = row
        found = (bytes(leaf or b""), bytes(mark or b""), _unpacked(stored))
        yield StoredEntry(number, at, action, subject, account, *found)


def _unpacked(stored: bytes | None) -> bytes | None:
    if stored is None:
        return None
    try:
        return entry.unpack(bytes(stored))
    except ValueError:
        return b""


def sealed_rows(connection: Connection, table: Table) -> Iterator[tuple[str, str | None, bytes]]:
    """Key, salt and sealed text of every row of a table, in no order."""
    form, dialect = sealing.form(table), connection.dialect.name
    written = form.sql_text(dialect)
    if dialect == "postgresql":
        written = f"convert_to({written}, 'UTF8')"
    query = f'SELECT {form.sql_key(dialect)}, "{SALT}", {written} FROM "{table.name}"'  # noqa: S608 - our own names
    return _raw(connection, query, {})


def row_by_key(connection: Connection, table: Table, key: str) -> Mapping[str, Any] | None:
    """A row by the key that its seal names."""
    found_by = sealing.form(table).primary_key(key)
    if found_by is None:
        return None
    here = (table.c[name] == value for name, value in found_by.items())
    found = connection.execute(select(table).where(*here)).mappings().first()
    return None if found is None else dict(found)


def _raw(connection: Connection, query: str, values: Mapping[str, object]) -> Iterator[Any]:
    """Stream rows as tuples, as quickly as each driver can."""
    if connection.dialect.name == "sqlite":
        driver: Any = connection.connection.driver_connection
        yield from driver.execute(query, values)
        return
    found = connection.execute(text(query), values, execution_options={"yield_per": _BATCH})
    for part in found.partitions(_BATCH):  # which a text doesn't take from its options
        yield from map(tuple, part)


def missing_parts(connection: Connection) -> Iterator[tuple[str, str]]:
    """Tables of this build's schema that the database lacks, and columns: table, column or ""."""
    inspector = inspect(connection)
    existing = {*inspector.get_table_names()}
    for table in own_tables():
        if table.name not in existing:
            yield table.name, ""
            continue
        has = {column["name"] for column in inspector.get_columns(table.name)}
        yield from ((table.name, column.name) for column in table.columns if column.name not in has)


def inexact_columns(connection: Connection) -> Iterator[str]:
    """Columns of the live database whose type can round a number."""
    exact = {(table.name, column.name) for table, column in _atom_columns()}
    on_sqlite = connection.dialect.name == "sqlite"
    inspector = inspect(connection)
    for table in own_tables():
        for column in inspector.get_columns(table.name):
            kind = column["type"]
            scaled = isinstance(kind, Numeric) and (on_sqlite or kind.scale != 0)
            unbounded = (table.name, column["name"]) in exact
            if (
                isinstance(kind, Float)
                or scaled
                or (on_sqlite and unbounded and not _is_text(kind))
            ):
                yield f"{table.name}.{column['name']} {kind}"


def _is_text(kind: object) -> bool:
    return str(kind).upper().startswith("TEXT")


def _atom_columns() -> Iterator[tuple[Table, Column[Any]]]:
    for table in own_tables():
        for column in table.columns:
            if isinstance(column.type, Atoms):
                yield table, column


def unreadable_atoms(connection: Connection) -> Iterator[str]:
    """Columns with a value that isn't an integer; only SQLite can store one."""
    if connection.dialect.name != "sqlite":
        return
    for table, column in _atom_columns():
        cell = f'"{column.name}"'
        query = (
            f'SELECT count(*) FROM "{table.name}" WHERE {cell} IS NOT NULL AND '  # noqa: S608 - our own names
            f"(typeof({cell}) <> 'text' OR {cell} IN ('', '-') "
            f"OR substr({cell}, 1 + ({cell} LIKE '-%')) GLOB '*[^0-9]*')"
        )
        if connection.exec_driver_sql(query).scalar_one():
            yield f"{table.name}.{column.name}"
