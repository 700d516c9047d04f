"""Every list that an operation declares reads its pages from an index, in each order and under each
filter: no table is read as a whole and nothing is sorted, on either database.

Which lists, filters and orders there are follows from the operations: a new filter without an index
fails here.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
from benchmarks import crowded
from sqlalchemy import text
from tests.world.customers import CustomerSeed
from tests.world.engines import World, make_world
from tests.world.told import statements

from chainteller.engine.engine import load
from chainteller.service.models.pages import ListQuery
from chainteller.service.operations import OPERATIONS, TRANSACTION_TYPES, Call, Operation
from chainteller.storage.db import records
from chainteller.storage.db.query import Session, built
from chainteller.storage.db.sources import insert
from chainteller.storage.db.sqlite import _text_if_large
from chainteller.storage.db.table import SALT
from chainteller.storage.lists.pages import Listing
from chainteller.storage.log import last_writes, views
from chainteller.storage.log.last_writes import Kept, Trail

SIZE = 300
_NUMBER = f"{crowded.FEW + 1:022d}"
IDS = {"tradingAccountId": f"TDA_{_NUMBER}", "blockchainAccountId": f"BCA_{_NUMBER}"}
VALUES: dict[str, tuple[str, ...]] = {
    "bank_account_id": (f"DDA-{_NUMBER}",),
    "trading_account_id": (f"TDA_{_NUMBER}",),
    "status": ("processing", "open", "expired", "executed"),
    "case_id": ("INC-1",),
    "subject": ("TDA_1",),
    "side": ("buy",),
    "market": ("sol-usd",),
    "type": TRANSACTION_TYPES,
    "text": (f"DDA-{_NUMBER}", crowded.name_of(crowded.FEW + 1), f"TXN_{_NUMBER}", "25.20"),
    "created_gte": ("2025-11-21T05:00:00Z",),
    "created_lt": ("2025-11-21T05:00:00Z",),
}
"""Values of every filter; a filter that isn't here fails."""
SORTING = re.compile(r"\s*(->\s+)?(Incremental )?Sort  ")
"""PostgreSQL's plans; a merge of sorted parts has a sort key, too."""
OF_A_QUERY = (
    "SCAN CONSTANT",
    "SCAN anon",
    "SCAN (subquery",
    "SCAN counted",
    "SCAN part",
    "SCAN json_each",
)
"""What SQLite calls reading what an inner query found, or a list that was given."""
OF_ORGANISATIONS = re.compile(r"(SCAN|Seq Scan on) log\b")
"""The ends of all logs: one row per organisation."""
FOUND = ("IN (", "= ANY(")
"""A list of the ids that a search found is short; it may be sorted."""
OF_FEW = ("shared_wallets",)
"""Lists that are made by comparing all links: there are few."""
MERGED = "UNION ALL"
"""The parts of a list, each limited to what the page needs, are merged."""
OF_ONE = "bank_account_id = "
"""A bank account has one trading account at most."""


@dataclass(frozen=True, slots=True)
class Case:
    """A list as it's asked for."""

    operation: Operation[Any]
    query: ListQuery

    def __str__(self) -> str:
        asked = self.query.model_dump(exclude_defaults=True)
        return f"{self.operation.name} {asked}"


def cases() -> Iterator[Case]:
    for operation in OPERATIONS:
        if operation.query is None or operation.query.model is not ListQuery:
            continue
        if operation.name in OF_FEW:
            continue
        fields = {each.field: each for each in operation.parameters}
        orders = fields["sort"].schema["enum"]
        names = [name for name in fields if name not in {"page", "limit", "sort"}]
        asked: list[dict[str, Any]] = [{}, {"page": 9}]
        asked += [
            {name: value}
            for name in names
            for value in VALUES[name]
            if value in fields[name].schema.get("enum", (value,))
        ]
        for sort in orders:
            yield from (Case(operation, ListQuery(sort=sort, limit=10, **each)) for each in asked)


@contextmanager
def selects(world: World) -> Iterator[list[tuple[str, Any]]]:
    """What is read from the database meanwhile."""
    found: list[tuple[str, Any]] = []
    with statements(world.database) as told:
        yield found
    found += [each for each in told if each[0].startswith("SELECT")]


def plan(connection: Session, statement: str, values: Any) -> str:
    if connection.dialect.name == "sqlite":
        given = [_text_if_large(each) for each in values]
        found = connection.driver.execute(f"EXPLAIN QUERY PLAN {statement}", given)
        return "\n".join(row[3] for row in found)
    for way in ("seqscan", "bitmapscan", "sort"):
        connection.execute(text(f"SET LOCAL enable_{way} = off"))
    found = connection.driver.execute(f"EXPLAIN {statement}", values)
    return "\n".join(row[0] for row in found)


def faults(statement: str, how: str) -> Iterator[str]:
    """What is wrong with a plan."""
    for line in how.splitlines():
        is_scan = line.startswith("SCAN ") and not line.startswith(OF_A_QUERY)
        if (is_scan or "Seq Scan" in line) and not OF_ORGANISATIONS.search(line):
            yield f"reads a whole table: {line.strip()}"
        is_sorted = "TEMP B-TREE" in line or SORTING.match(line)
        if is_sorted and not any(few in statement for few in (*FOUND, OF_ONE, MERGED)):
            yield f"sorts: {line.strip()}"


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def world(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    if request.param == "sqlite":
        place = f"sqlite:///{tmp_path_factory.mktemp('plans') / 'bank.db'}"
    else:
        place = request.getfixturevalue("postgres_server").fresh()
    made = crowded.crowded(place, SIZE)
    yield made
    made.close()


def test_every_list_is_read_from_an_index(world: World) -> None:
    wrong = []
    for case in cases():
        ids = tuple(IDS[name] for name in case.operation.path_names)
        with selects(world) as told:
            world.engine.call(Call(case.operation, ids, query=case.query))
        assert told, case
        with world.database.read() as connection:
            for statement, values in told:
                how = plan(connection, statement, values)
                wrong += [f"{case}: {each}\n  {statement}" for each in faults(statement, how)]
    assert not wrong, "\n".join(wrong)


def test_a_row_of_a_list_has_what_is_in_its_columns(world: World) -> None:
    """A list's rows come as texts, whatever is in their columns."""
    words = "\"'\\ \t\u2028é💥{}[]\ud7ff"
    note: dict[str, object] = dict.fromkeys(records.Note._fields, words)
    note |= {"organisation_id": "default"}
    note |= {"trading_account_id": None, "erased_at": None, "created": 2**62, "salt": b"\xff"}
    compared: set[str] = set()
    load()
    with world.database.write() as connection:
        connection.execute(insert(records.Note), note)
        connection.execute(built("UPDATE transfer SET amount = :amount", None), {"amount": 10**37})
        for listing in Listing.declared:
            source = listing.source
            kinds = source.row.__annotations__
            shown = kinds.keys() - {SALT} - {name for name in kinds if kinds[name] is tuple}
            read = itemgetter(*shown)
            plain = connection.execute(built(f"{source.text} LIMIT 1", source.row)).rows
            listed = connection.execute(source.listed("LIMIT 1")).rows
            assert [read(row._asdict()) for row in listed] == [read(row._asdict()) for row in plain]
            compared |= {source.table} if listed else set()
    assert {"note", "transfer", "trade", "quote", "trading_account", "customer"} <= compared


def test_what_a_payout_compares_is_read_from_indexes(world: World) -> None:
    """Journals and the entries that posted them by their own keys; the entries that wrote a row by
    their account and their object."""
    ids = [f"TXN_{number:08d}{number:014d}" for number in range(2_000)]
    place = {"kind": "fill", "organisation_id": "default", "number": 1}
    with world.database.write() as connection:
        for each in ids:
            connection.execute(insert(records.Journal), {"record": each, **place})
        connection.execute(text("ANALYZE"))
        with selects(world) as told:
            views.journals_of(connection, f"TXN_{_NUMBER}")
            trail = Trail("default", f"TDA_{_NUMBER}", [f"TXN_{_NUMBER}"])
            kept = Kept(records.Tables.trade, f"TXN_{_NUMBER}")
            last_writes.contradicted(connection, trail, kept)
        how = {statement: plan(connection, statement, values) for statement, values in told}
    wrong = [fault for statement, found in how.items() for fault in faults(statement, found)]
    assert not wrong
    assert any("ix_entry_account" in each for each in how.values())
    assert any("ix_entry_object" in each for each in how.values())


def test_the_lists_are_those_that_the_operations_declare() -> None:
    names = {case.operation.name for case in cases()}
    assert {
        "trading_accounts",
        "customers",
        "all_trades",
        "all_transfers",
        "quotes",
        "audit",
    } < names


@pytest.mark.parametrize(
    ("operation", "query", "searched"),
    [
        ("customers", ListQuery(), "bank_account USING INDEX ix_bank_account_customer_id"),
        (
            "trading_accounts",
            ListQuery(text="Maria Alberg"),
            "trading_account USING INDEX ix_trading_account_customer_id",
        ),
        ("quotes", ListQuery(side="buy"), "quote USING INDEX sqlite_autoindex_quote_1 (id=?)"),
        ("all_trades", ListQuery(side="buy"), "trade USING INDEX sqlite_autoindex_trade_1 (id=?)"),
    ],
)
def test_a_bank_that_was_never_analysed_reads_the_rows_of_its_page_alone(
    tmp_path: Path, operation: str, query: ListQuery, searched: str
) -> None:
    world = make_world(tmp_path / "bank.db", customers=(CustomerSeed(name="Maria Alberg"),))
    world.open()
    world.deposit()
    world.execute(world.quote())
    with selects(world) as told:
        getattr(world.engine, operation)(query)
    with world.database.read() as connection:
        plans = [plan(connection, *each) for each in told]
    assert any(f"SEARCH {searched}" in each for each in plans)
    world.close()


def test_a_filter_without_an_index_is_reported(tmp_path: Path) -> None:
    made = crowded.crowded(f"sqlite:///{tmp_path / 'bank.db'}", 50)
    with made.database.write() as connection:
        connection.execute(text("DROP INDEX ix_quote_status"))
        connection.execute(text("DROP INDEX ix_quote_created"))
        statement = (
            "SELECT id FROM quote WHERE organisation_id = ? AND status = ? ORDER BY created, id"
        )
        how = plan(connection, statement, ("default", "open"))
        assert list(faults(statement, how))
    made.close()


@pytest.mark.parametrize("page", [1, 3, 15, 16])
def test_a_page_from_the_end_is_the_page_from_the_beginning(world: World, page: int) -> None:
    """Pages in the second half are read backwards; together all pages are the list."""
    for operation in ("trading_accounts", "all_trades", "quotes", "audit", "customers"):
        listed = getattr(world.engine, operation)
        whole = [row for n in (1, 2, 3, 4) for row in listed(ListQuery(page=n, limit=100)).data]
        assert len(whole) == SIZE
        found = listed(ListQuery(page=page, limit=20))
        assert list(found.data) == whole[(page - 1) * 20 : page * 20]
        assert found.pagination.total == SIZE
