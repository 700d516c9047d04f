"""Banks with many records, written by a few statements of SQL, for the benchmarks of lists.

The same rows on SQLite and PostgreSQL. Two organisations: ``default`` is busy, ``quiet`` has a
handful of each. The rows are not sealed: nothing here reads seals.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from sqlalchemy import text
from tests.world import core
from tests.world.engines import START, World, make_world

from chainteller.domain.randomness import SeededRandomness
from chainteller.storage.db import records
from chainteller.storage.db.query import Query, Session, built
from chainteller.storage.db.sources import insert
from chainteller.storage.lists import search, tallies
from chainteller.storage.log import append, entry, views
from chainteller.storage.log.entry import Act, Stamp, Told
from chainteller.storage.schema.wallet_tables import Tables

core.install()
BUSY, QUIET = "default", "quiet"
FEW = 20
"""How many records of each kind the quiet organisation has."""
_GIVEN = (
    "Ada Agnes Bruno Cécile Clara David Edith Émile Farid Fiona Georg Grace Hanna Håkon Ines "
    "Jack Jürgen Kofi Lena Louis Magda Maria Noor Oskar Paula Priya Quentin Rosa Søren Tomás "
    "Ursula Viktor Wanda Xavier Yara Zoë"
)
_FIRST = "Al Bar Cart Den El Fair Gold Har Iv Jan Kel Lind Mor Nor O' Pen Quin Ros Sto Tan Ull Whit"
_LAST = "berg combe dale ett feld grove hurst inger lock man nolds ohring rose strom ton wick worth"
_STEP = 1_000_000
_ENTRY = insert(records.Entry)


def name_of(number: int) -> str:
    """The name of a customer: some three hundred thousand different ones."""
    names, firsts, lasts = _GIVEN.split(), _FIRST.split(), _LAST.split()
    given, rest = number % len(names), number // len(names)
    first, rest = rest % len(firsts), rest // len(firsts)
    last, rest = rest % len(lasts), rest // len(lasts)
    middle = f"{names[(rest * 7 + 3) % len(names)]} " if rest else ""
    return f"{names[given]} {middle}{firsts[first]}{lasts[last]}"


def crowded(place: str, size: int) -> World:
    """``size`` customers, accounts, quotes, trades, transfers and entries."""
    world = make_world(place, customers=())
    with world.database.write() as connection:
        fill(connection, size)
        connection.commit()
    world.clock.advance(size * 2 * _STEP + 3_600 * _STEP)
    _tally(world)
    analyse(world)
    return world


def _tally(world: World) -> None:
    """Count what a worker has had time to count."""
    now = world.clock.now()
    with world.database.write() as connection:
        for table, organisation in list(tallies.behind(connection, now)):
            while tallies.fold(connection, table, organisation, now):
                pass
        connection.commit()


def analyse(world: World) -> None:
    """Leave the database as a worker that has had time leaves it."""
    with world.database.look() as connection:
        connection.driver.execute("VACUUM ANALYZE" if world.database.is_postgres else "ANALYZE")


def fill(connection: Session, size: int) -> None:
    """Write the rows of both organisations; the caller commits."""
    connection.execute(
        text(
            "INSERT INTO organisation (id, name, fee_flat_cents, fee_bps, fee_minimum_cents, "
            "created) VALUES ('quiet', 'Quiet', 0, 50, 1, 0)"
        )
    )
    if connection.dialect.name == "postgresql":
        connection.execute(text("SET LOCAL statement_timeout = 0"))
    for organisation, count, offset in ((QUIET, FEW, 0), (BUSY, size, FEW)):
        _add_customers(connection, organisation, count, offset)
        for statement in _STATEMENTS:
            values = {"size": count, "offset": offset, "organisation": organisation}
            values |= {"start": START, "step": _STEP}
            connection.execute(text(_spelled(statement, connection)), values)
    for table in search.KEYED:
        rows = connection.execute(built(f"SELECT * FROM {table.name}", table.record))
        search.note(connection, table, [row._asdict() for row in rows])
    for organisation, count, offset in ((QUIET, FEW, 0), (BUSY, size, FEW)):
        _add_entries(connection, organisation, count, offset)


def _add_entries(connection: Session, organisation: str, count: int, offset: int) -> None:
    """One entry with an event for each trade; their marks don't hold."""
    size = views.head(connection, organisation).size
    for batch in _batches(_entries(organisation, count, offset, size)):
        for row in batch:
            connection.later(_ENTRY, row)
    values = {"size": size + count, "last_at": START + (offset + count) * _STEP}
    log = Tables.log
    here = log.c.organisation_id == organisation
    if not connection.execute(log.update().where(here).values(values)).rowcount:
        append.begin(connection, organisation)
        connection.execute(log.update().where(here).values(values))


def _entries(organisation: str, count: int, offset: int, size: int) -> Iterator[dict[str, Any]]:
    randomness = SeededRandomness(organisation)
    for place in range(1, count + 1):
        number = f"{offset + place:022d}"
        at, trade, account = START + (offset + place) * _STEP, f"TXN_{number}", f"TDA_{number}"
        told = (Told("trade.settled", trade, {}),)
        act = Act("execute_quote", "someone", trade, account, events=told)
        body = entry.body(organisation, at, act, Stamp(), randomness)
        yield {
            "organisation_id": organisation,
            "number": size + place,
            "at": at,
            "action": act.action,
            "object": trade,
            "trading_account_id": account,
            "leaf": entry.leaf_of(body),
            "mark": b"",
            "body": entry.pack(body),
            "case_id": f"INC-{place % 50}" if place % 4 == 0 else None,
        }


def _add_customers(connection: Session, organisation: str, count: int, offset: int) -> None:
    rows = (
        {
            "id": f"CUS_{number:022d}",
            "organisation": organisation,
            "name": (name := name_of(number)),
            "search_name": name.casefold(),
            "reference": f"CU-{number:08d}",
        }
        for number in range(offset + 1, offset + count + 1)
    )
    statement = Query(
        "INSERT INTO customer (id, organisation_id, name, search_name, reference, kyc_level, "
        "terms_version) VALUES (:id, :organisation, :name, :search_name, :reference, 'enhanced', "
        "'2026-01')"
    )
    for batch in _batches(rows):
        for row in batch:
            connection.later(statement, row)


def _batches(rows: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    while batch := list(islice(rows, 5_000)):
        yield batch


def _spelled(statement: str, connection: Session) -> str:
    """A statement with ``#22``, the row's number in 22 digits, and ``#trader``, that of the account
    that has its trade, as each database writes them: every twentieth account has twenty trades."""
    padded = (
        "lpad({0}::text, 22, '0')"
        if connection.dialect.name == "postgresql"
        else "printf('%022d', {0})"
    )
    statement = statement.replace("#22", padded.format("i"))
    statement = statement.replace("#trader", padded.format("(i - (i - 1) % 20)"))
    return (
        statement.replace(
            "FROM n",
            "FROM (WITH RECURSIVE n(i) AS (SELECT :offset + 1 UNION ALL SELECT i + 1 FROM n "
            "WHERE i < :offset + :size) SELECT i FROM n) AS numbers",
        )
        .replace("@market", "CASE i % 3 WHEN 0 THEN 'btc-usd' WHEN 1 THEN 'eth-usd' "
                 "ELSE 'sol-usd' END")
        .replace("@side", "CASE i % 2 WHEN 0 THEN 'buy' ELSE 'sell' END")
        .replace("@at", "(CAST(:start AS BIGINT) + CAST(:step AS BIGINT) * i)")
    )  # fmt: skip


_STATEMENTS = (
    """INSERT INTO bank_account (organisation_id, id, customer_id, type, balance,
         trading_account_id)
       SELECT CAST(:organisation AS VARCHAR(64)), 'DDA-' || #22, 'CUS_' || #22, 'checking',
         100000000, 'TDA_' || #22 FROM n""",
    """INSERT INTO trading_account (id, organisation_id, bank_account_id, bank_account_type,
         customer_id, created, version, trade_count, deposit_count, withdrawal_count,
         transaction_count, last_activity, last_activity_type)
       SELECT 'TDA_' || #22, CAST(:organisation AS VARCHAR(64)), 'DDA-' || #22, 'checking',
         'CUS_' || #22, @at, 0, CASE (i - 1) % 20 WHEN 0 THEN 20 ELSE 0 END, 1, 0,
         CASE (i - 1) % 20 WHEN 0 THEN 21 ELSE 1 END, @at, 'opened' FROM n""",
    """INSERT INTO quote (id, organisation_id, trading_account_id, market, side, status,
         price_cents, sold, bought, fee_cents, usd_leg_cents, fee_flat_cents, fee_bps, mid_micros,
         half_spread_bps, hold_premium_bps, "window", created, expires, trade_id, executed_at)
       SELECT 'QTE_' || #22, CAST(:organisation AS VARCHAR(64)), 'TDA_' || #22, @market, @side,
         CASE i % 10 WHEN 0 THEN 'open' ELSE 'executed' END, 20000, 500, 25000000, 3, 500, 0, 50,
         200000000, 10, 1, 300000000, @at, @at + 300000000,
         CASE i % 10 WHEN 0 THEN NULL ELSE 'TXN_' || #22 END, @at FROM n""",
    """INSERT INTO trade (id, organisation_id, trading_account_id, ordinal, transaction_ordinal,
         quote_id, market, side, status, price_cents, amount, sold, bought, fee_cents,
         fee_flat_cents, fee_bps, provider_cents, hold, created, updated, version)
       SELECT 'TXN_' || #22, CAST(:organisation AS VARCHAR(64)), 'TDA_' || #trader,
         (i - 1) % 20 + 1, (i - 1) % 20 + 1, 'QTE_' || #22,
         @market, @side, CASE i % 1000 WHEN 0 THEN 'processing' ELSE 'settled' END, 20000, 25000000,
         500, 25000000, 3, 0, 50, 490, '[]', @at, @at, 3 FROM n""",
    """INSERT INTO transfer (id, organisation_id, trading_account_id, direction, ordinal,
         transaction_ordinal, status, amount, asset, currency_type, bank_account_id, fee,
         notional_cents, hold, created, updated, version)
       SELECT 'TXN_D' || #22, CAST(:organisation AS VARCHAR(64)), 'TDA_' || #22, 'deposit', 1,
         CASE (i - 1) % 20 WHEN 0 THEN 21 ELSE 1 END,
         CASE i % 1000 WHEN 0 THEN 'processing' ELSE 'completed' END, 1000 + i % 5000, 'USD@fiat',
         'deposit-token-currency', 'DDA-' || #22, 0, 1000, '[]', @at, @at, 1 FROM n""",
    """INSERT INTO blockchain_account (id, organisation_id, trading_account_id, customer_id,
         network, address, status, created)
       SELECT 'BCA_' || #22, CAST(:organisation AS VARCHAR(64)), 'TDA_' || #22, 'CUS_' || #22,
         'ethereum',
         '0x' || #22 || #22, 'active', @at FROM n""",
    """INSERT INTO counterparty (id, organisation_id, network, kind, address, canonical, created)
       SELECT 'CPT_' || #22, CAST(:organisation AS VARCHAR(64)), 'ethereum', 'evm',
         '0xc' || #22 || #22,          '0xc' || #22 || #22, @at FROM n""",
)
