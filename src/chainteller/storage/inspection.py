"""Stream every row of the database, in the order that the checks need."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Numeric,
    Select,
    Table,
    and_,
    exists,
    func,
    inspect,
    literal,
    select,
    text,
)
from sqlalchemy.sql.sqltypes import Float

from chainteller.domain.json_depth import parse_json
from chainteller.domain.trades import TradeStatus
from chainteller.domain.transfers import HOLDING
from chainteller.storage import packing, sealing, sequencer
from chainteller.storage.columns import SALT, Atoms
from chainteller.storage.database import Database, Record
from chainteller.storage.epochs import ACCEPTED
from chainteller.storage.sealing import own_tables
from chainteller.storage.tables import Tables, journal_of
from chainteller.storage.wallet_tables import WalletTables

_BATCH = 5_000
_LEDGER, _POSTING, _JOURNAL = Tables.ledger_account, Tables.posting, Tables.journal
_TRADE, _QUOTE, _TRANSFER = Tables.trade, Tables.quote, Tables.transfer
_EVENT, _ACCOUNT = Tables.event, Tables.trading_account
_LEG = (
    select(*(_POSTING.c[name] for name in ("journal_id", "code", "asset", "debit", "atoms")))
    .cte("leg")
    .prefix_with("MATERIALIZED")
)
"""Every posting, to be joined with every journal: no index finds postings by their journal, and
SQLite makes one for the query only of what was materialized."""


@contextmanager
def snapshot(database: Database) -> Iterator[Connection]:
    """Open a consistent view of the whole database, without time limits.

    On PostgreSQL this is REPEATABLE READ without the timeouts of a request, and everything that is
    on record has its number. On SQLite it is a read transaction; in TRUNCATE mode writers wait
    until it ends.
    """
    with sequencer.numbered_snapshot(database) as connection:
        yield connection


def _stream(connection: Connection, statement: Select[Any]) -> Iterator[Record]:
    return iter(connection.execute(statement, execution_options={"yield_per": _BATCH}))


def balances_with_postings(connection: Connection) -> Iterator[Record]:
    """Every ledger account with each of its postings in order, or one row without a posting."""
    return _stream(
        connection,
        select(
            _LEDGER.c.code,
            _LEDGER.c.asset,
            _LEDGER.c.balance,
            _LEDGER.c.version,
            _POSTING.c.account_version,
            _POSTING.c.debit,
            _POSTING.c.atoms,
            _POSTING.c.balance_after,
        )
        .outerjoin(
            _POSTING,
            (_POSTING.c.code == _LEDGER.c.code) & (_POSTING.c.asset == _LEDGER.c.asset),
        )
        .order_by(_LEDGER.c.code, _LEDGER.c.asset, _POSTING.c.account_version),
    )


def ledger_accounts(connection: Connection) -> Iterator[Record]:
    return _stream(connection, select(_LEDGER.c.code, _LEDGER.c.asset, _LEDGER.c.balance))


def trading_account_ids(connection: Connection) -> Iterator[str]:
    return (row.id for row in _stream(connection, select(_ACCOUNT.c.id)))


def postings_without_account(connection: Connection) -> Iterator[Record]:
    return _stream(
        connection,
        select(_POSTING.c.code, _POSTING.c.asset, _POSTING.c.account_version)
        .outerjoin(
            _LEDGER,
            (_POSTING.c.code == _LEDGER.c.code) & (_POSTING.c.asset == _LEDGER.c.asset),
        )
        .where(_LEDGER.c.code.is_(None)),
    )


def journals_with_postings(connection: Connection) -> Iterator[Record]:
    """Every journal with each of its postings."""
    return _stream(
        connection,
        select(
            _JOURNAL.c.id,
            _JOURNAL.c.kind,
            _JOURNAL.c.reference,
            _LEG.c.code,
            _LEG.c.asset,
            _LEG.c.debit,
            _LEG.c.atoms,
        )
        .select_from(_JOURNAL)
        .outerjoin(_LEG, _LEG.c.journal_id == _JOURNAL.c.id)
        .order_by(_JOURNAL.c.id),
    )


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


def orphan_journals(connection: Connection) -> Iterator[Record]:
    """Journals without a trade or a transfer, and those whose ids aren't of their records."""
    record, kind = _JOURNAL.c.reference, _JOURNAL.c.kind
    return _stream(
        connection,
        select(_JOURNAL.c.id)
        .outerjoin(_TRADE, _TRADE.c.id == record)
        .outerjoin(_TRANSFER, _TRANSFER.c.id == record)
        .where(
            and_(_TRADE.c.id.is_(None), _TRANSFER.c.id.is_(None))
            | (_JOURNAL.c.id != record.concat(":").concat(kind))
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


_MOVED = ("id", "organisation_id", "status", "version", "created", "updated")


def _with_events(table: Table, *columns: Column[Any]) -> Select[Any]:
    """Each row of ``table`` with each of its events, oldest first."""
    return (
        select(*(table.c[name] for name in _MOVED), *columns, _EVENT.c.type)
        .outerjoin(_EVENT, _EVENT.c.resource == table.c.id)
        .order_by(table.c.id, _EVENT.c.seq)
    )


def trade_events(connection: Connection) -> Iterator[Record]:
    return _stream(connection, _with_events(_TRADE))


def transfer_events(connection: Connection) -> Iterator[Record]:
    return _stream(connection, _with_events(_TRANSFER, _TRANSFER.c.direction))


def trade_journals(connection: Connection) -> Iterator[Record]:
    """Every trade with each posting of each of its journals."""
    return _stream(connection, _posted(_TRADE))


def transfer_journals(connection: Connection) -> Iterator[Record]:
    return _stream(connection, _posted(_TRANSFER))


def _posted(table: Table) -> Select[Any]:
    return (
        select(
            table,
            _JOURNAL.c.kind.label("journal_kind"),
            *(
                _LEG.c[name].label(f"posting_{name}")
                for name in ("code", "asset", "debit", "atoms")
            ),
        )
        .select_from(table)
        .outerjoin(_JOURNAL, journal_of(table.c.id))
        .outerjoin(_LEG, _LEG.c.journal_id == _JOURNAL.c.id)
        .order_by(table.c.id, _JOURNAL.c.id)
    )


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


def event_numbers(connection: Connection) -> Iterator[Record]:
    """The number of each event, its organisation, and its number there."""
    columns = (_EVENT.c.seq, _EVENT.c.organisation_id, _EVENT.c.number)
    return _stream(connection, select(*columns).order_by(_EVENT.c.seq))


def audit_outside_its_account(connection: Connection) -> Iterator[Record]:
    """Audit rows whose trading account differs from that of their record."""
    audit = Tables.audit
    for records, account in (
        (Tables.trading_account, Tables.trading_account.c.id),
        (Tables.quote, Tables.quote.c.trading_account_id),
        (Tables.trade, Tables.trade.c.trading_account_id),
        (Tables.transfer, Tables.transfer.c.trading_account_id),
        (WalletTables.blockchain_account, WalletTables.blockchain_account.c.trading_account_id),
    ):
        yield from _stream(
            connection,
            select(audit.c.seq)
            .join(records, records.c.id == audit.c.object)
            .where(
                audit.c.outcome == "done",
                account.is_not(None),
                audit.c.trading_account_id.is_distinct_from(account),
            )
            .order_by(audit.c.seq),
        )


def ends_of_epochs(connection: Connection) -> Iterator[int]:
    """The number of the last event of each epoch but the current one."""
    audit = Tables.audit
    accepted = (audit.c.action == ACCEPTED) & (audit.c.outcome == "done")
    for row in _stream(connection, select(audit.c.inputs).where(accepted).order_by(audit.c.seq)):
        yield int(parse_json(row.inputs)["afterEvent"])


def entries_of_clock(connection: Connection) -> Iterator[Record]:
    """Audit entries that begin or end a doubt or begin an epoch, oldest first."""
    audit = Tables.audit
    actions = (ACCEPTED, "clock_uncertain", "clock_certain")
    return _stream(
        connection,
        select(audit.c.action, audit.c.at)
        .where(audit.c.action.in_(actions), audit.c.outcome == "done")
        .order_by(audit.c.seq),
    )


def spans_of_events(connection: Connection) -> dict[str, tuple[int, int]]:
    """The numbers of the first and the last event of every record."""
    first, last = func.min(_EVENT.c.seq), func.max(_EVENT.c.seq)
    found = connection.execute(select(_EVENT.c.resource, first, last).group_by(_EVENT.c.resource))
    return {str(record): (int(begun), int(ended)) for record, begun, ended in found}


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
    """Whose logs have entries, here or in an archive."""
    here = select(Tables.entry.c.organisation_id).distinct()
    archived = select(Tables.archived_leaves.c.organisation_id).distinct()
    return sorted({*connection.scalars(here), *connection.scalars(archived)})


def entries(
    connection: Connection, organisation_id: str
) -> Iterator[tuple[int, str, bytes, bytes]]:
    """Number, id, leaf hash and body of every entry of a log in its order. A hash or a body that
    can't be read is empty."""
    names = ["leaf", "body"]
    if connection.dialect.name == "sqlite":  # which may hold a text in any column
        names = [f"iif(typeof({name}) = 'blob', {name}, x'')" for name in names]
    query = (
        f"SELECT number, id, {', '.join(names)} FROM entry "  # noqa: S608 - our own words
        "WHERE organisation_id = :organisation ORDER BY number"
    )
    for number, entry_id, leaf, body in _raw(connection, query, {"organisation": organisation_id}):
        yield number, entry_id, leaf, packing.body(body, entry_id, organisation_id).encode()


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
