"""Whatever is altered in a sealed table is named with its table and its row.

The exempt columns are those that the schema itself declares, with a reason each; they are few, and
the slow form checks every other cell of three rows of every table on both databases.
"""

from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Table, text
from tests.tampering.altering import (
    Alteration,
    found_in_log,
    require_noticed,
    require_noticed_everywhere,
    unguarded,
)
from tests.tampering.bank import LEAST, OF_GATEWAYS, archive_all, busy_bank, counts, gateway
from tests.world.declared import exemptions, sealed_tables
from tests.world.engines import World

from chainteller.engine.verification import seals
from chainteller.engine.verification.full_pass import breaches, verify, verify_all
from chainteller.storage.db.query import Session
from chainteller.storage.schema import guards
from chainteller.storage.schema.wallet_tables import Tables, declared

_EXEMPT = {
    ("entry", "*"),
    ("log", "*"),
    ("journal", "*"),
    ("ledger_account", "*"),
    ("archive", "*"),
    ("checkpoint", "*"),
    ("search_key", "*"),
    ("search_name", "*"),
    ("search_word", "*"),
    ("server_lease", "*"),
    ("tally", "*"),
    ("verification", "*"),
    ("job", "run_at"),
    ("api_key", "last_used_at"),
    ("clock", "boot"),
    ("clock", "anchor_at"),
    ("clock", "anchor_elapsed"),
    ("clock", "seen_at"),
    *(
        ("webhook", name)
        for name in (
            *("sent_upto", "ahead", "delivered_at", "answer", "failing_since", "attempts"),
            *("next_at", "held_by", "held_until"),
        )
    ),
}


def test_the_bank_has_enough_rows_and_nothing_is_wrong(bank: World) -> None:
    assert verify(bank.database) == ()
    found = counts(bank)
    few = {table.name for table in sealed_tables() if found[table.name] < LEAST}
    # The clock has one row in every database; disputes are altered in engine/test_disputes.
    assert few == {"clock", "dispute", *(each.name for each in OF_GATEWAYS)}


def test_what_is_not_sealed_is_declared_with_its_reason() -> None:
    declared = list(exemptions())
    assert {(table, column) for table, column, _ in declared} == _EXEMPT
    assert all(len(reason) > 10 for _, _, reason in declared)


def test_what_is_not_sealed_is_explained() -> None:
    page = Path(__file__).parents[2] / "docs" / "explanation" / "sealed_books.md"
    explained = page.read_text(encoding="utf-8")
    assert [each for each, _ in _EXEMPT if f"`{each}`" not in explained] == []


def is_named(connection: Session, altered: Alteration) -> bool:
    named = {breach.where for breach in found_in_log(connection)}
    return f"{altered.table.name} {altered.row}" in named


@pytest.mark.forms(1)
@pytest.mark.parametrize("table", ["api_key", "claim_evidence", "counterparty", "transfer"])
def test_an_altered_cell_or_row_is_named(bank: World, table: str) -> None:
    """The quick form: one row of a few tables."""
    chosen = [each for each in sealed_tables() if each.name == table]
    assert require_noticed(bank, is_named, chosen, rows=1) > 1


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgres", marks=pytest.mark.thorough)])
def test_every_cell_and_every_row_of_what_only_gateways_have(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    place = (
        request.getfixturevalue("own_postgres_bank") if kind == "postgres" else tmp_path / "bank.db"
    )
    names = {each.name for each in OF_GATEWAYS}
    tables = [each for each in sealed_tables() if each.name in names]
    with closing(gateway(place)) as world:
        assert verify(world.database) == ()
        assert require_noticed(world, is_named, tables) > 100


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_every_cell_and_every_row_of_every_table(
    kind: str, bank: World, request: pytest.FixtureRequest
) -> None:
    require_noticed_everywhere(kind, bank, request, is_named)


_FROM_ENTRIES = [Tables.entry, Tables.log, Tables.journal, Tables.ledger_account]
_OF_ARCHIVES = [Tables.log, Tables.archive]


def is_found(connection: Session, altered: Alteration) -> bool:
    """Whether a finding names the row; of an entry in a log that isn't there, the log."""
    row = altered.before
    of = row["organisation_id"]
    is_copy = altered.what == "copied"
    where = {
        "entry": f"log {of}" if is_copy else f"entry {row.get('number')} of {of}",
        "log": f"log {of}",
        "journal": f"journal {row.get('record')}:{row.get('kind')}",
        "ledger_account": f"{row.get('code')} {row.get('asset')}",
        "archive": f"archive {of} {row.get('first')}",
    }[altered.table.name]
    return where in {breach.where for breach in breaches(connection)}


@pytest.mark.forms(1)
def test_an_altered_cell_of_what_is_recomputed_is_named(bank: World, archived: World) -> None:
    """The quick form: one row of each table."""
    assert require_noticed(bank, is_found, _FROM_ENTRIES, rows=1) > 25
    assert require_noticed(archived, is_found, _OF_ARCHIVES, rows=1) > 10


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_every_cell_of_what_is_recomputed_is_named(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    place = (
        request.getfixturevalue("own_postgres_bank") if kind == "postgres" else tmp_path / "bank.db"
    )
    world = busy_bank(place)
    assert require_noticed(world, is_found, _FROM_ENTRIES) > 75
    archive_all(world, tmp_path / "old.archive")
    assert require_noticed(world, is_found, _OF_ARCHIVES) > 30
    world.close()


def damaged(bank: World, statement: str) -> list[tuple[int, str, str]]:
    """What is found after a statement: invariant, where and what."""
    with unguarded(bank) as connection:
        assert connection.execute(text(statement)).rowcount > 0
        return [(each.invariant, each.where, each.what) for each in breaches(connection)]


@pytest.mark.parametrize(
    ("statement", "where"),
    [
        ("UPDATE entry SET body = ' ' WHERE number = 20", "entry 20 of default"),
        ("UPDATE entry SET leaf = hex(leaf) WHERE number = 20", "entry 20 of default"),
        ("UPDATE entry SET body = body || x'00' WHERE number = 20", "entry 20 of default"),
        ("UPDATE entry SET body = x'' WHERE number = 20", "entry 20 of default"),
        ("UPDATE entry SET leaf = zeroblob(32) WHERE number = 20", "entry 20 of default"),
        ("UPDATE entry SET leaf = 'x' WHERE number = 20", "entry 20 of default"),
        ("DELETE FROM clock", "clock bank"),
        ("UPDATE entry SET number = 1000 WHERE number = 20", "entry 20 of default"),
        ("UPDATE entry SET organisation_id = 'other' WHERE number = 20", "log other"),
        ("DELETE FROM entry WHERE number = 20", "entry 20 of default"),
        (
            "DELETE FROM entry WHERE organisation_id = 'default' AND number = "
            "(SELECT max(number) FROM entry WHERE organisation_id = 'default')",
            "log default",
        ),
        ("DELETE FROM log WHERE organisation_id = 'default'", "log default"),
        ("UPDATE log SET size = size + 1 WHERE organisation_id = 'default'", "log default"),
        ("UPDATE log SET last_at = last_at + 1 WHERE organisation_id = 'default'", "log default"),
        ("UPDATE log SET mark = zeroblob(32) WHERE organisation_id = '*'", "log *"),
        ("UPDATE log SET mark = 'x' WHERE organisation_id = '*'", "log *"),
        ("UPDATE log SET marked_with = 'x' WHERE organisation_id = 'default'", "log default"),
        ("UPDATE log SET archived = 20 WHERE organisation_id = 'default'", "log default"),
        ("UPDATE log SET moved = 1 WHERE organisation_id = 'default'", "log default"),
        ("INSERT INTO log VALUES ('new', 1, 0, x'', '', 0, 0)", "log new"),
        ("UPDATE entry SET mark = zeroblob(32) WHERE number = 20", "entry 20 of default"),
        ("UPDATE entry SET mark = 'x' WHERE number = 20", "entry 20 of default"),
        ("UPDATE entry SET at = at + 1 WHERE number = 20", "entry 20 of default"),
        ("UPDATE entry SET at = 'x' WHERE number = 20", "entry 20 of default"),
        ("UPDATE entry SET number = 'x' WHERE number = 20", "entry 20 of default"),
        ("UPDATE entry SET action = 'x' WHERE number = 20", "entry 20 of default"),
        ("UPDATE entry SET object = 'x' WHERE number = 20", "entry 20 of default"),
        ("UPDATE entry SET trading_account_id = 'x' WHERE number = 20", "entry 20 of default"),
        ("UPDATE entry SET body = NULL WHERE number = 20", "entry 20 of default"),
        ("UPDATE log SET last_at = 'x'", "log default"),
        ("INSERT INTO archive VALUES ('default', 1, 20, 'old.archive')", "archive default 1"),
        (
            "INSERT INTO entry SELECT organisation_id, -3, at, action, object, trading_account_id, "
            "leaf, mark, body, case_id FROM entry "
            "WHERE number = 20 AND organisation_id = 'default'",
            "entry 1 of default",
        ),
        ("DELETE FROM search_key WHERE form = 'r' AND kind = 'customer'", "customer "),
        ("UPDATE search_key SET key = key || 'x' WHERE kind = 'counterparty'", "counterparty CPT_"),
        ("UPDATE search_name SET word = word || 'x'", "customer "),
        ("DELETE FROM search_word", "search_word default"),
        ("INSERT INTO search_word VALUES ('default', 'another')", "search_word default"),
        ("DELETE FROM ledger_account WHERE balance = '0'", "held"),
        ("UPDATE ledger_account SET balance = balance + 1 WHERE code = 'core'", "core USD@fiat"),
        ("UPDATE ledger_account SET version = version + 1 WHERE code = 'core'", "core USD@fiat"),
    ],
)
def test_what_is_recomputed_is_named_too(bank: World, statement: str, where: str) -> None:
    assert any(where in found for _, found, _ in damaged(bank, statement))


@pytest.mark.parametrize("table", declared(), ids=lambda each: each.name)
def test_a_missing_table_and_a_missing_column_are_named(bank: World, table: Table) -> None:
    free = [each.name for each in table.columns if not each.primary_key and each.nullable]
    with unguarded(bank) as connection:
        if free:
            connection.execute(text(f"ALTER TABLE {table.name} RENAME {free[-1]} TO another"))
            (found,) = breaches(connection)
            assert (found.where, found.what) == (table.name, f"its column {free[-1]} is missing")
        connection.execute(text(f"ALTER TABLE {table.name} RENAME TO another"))
        (found,) = breaches(connection)
        assert (found.invariant, found.where, found.what) == (17, table.name, "it is missing")


def test_a_column_of_a_key_that_is_missing_is_named_by_a_whole_verification(bank: World) -> None:
    """Whose row it concerns can't be asked then."""
    with unguarded(bank) as connection:
        connection.execute(text("ALTER TABLE rule RENAME COLUMN id TO another"))
        guards.create(connection)
        connection.commit()
    try:
        assert [str(each) for each in verify_all(bank.database)] == [
            "invariant 17: its column id is missing (rule)"
        ]
    finally:
        with unguarded(bank) as connection:
            connection.execute(text("ALTER TABLE rule RENAME COLUMN another TO id"))
            guards.create(connection)
            connection.commit()
    assert verify_all(bank.database) == ()


def test_a_change_names_its_column_its_last_writer_and_its_time(bank: World) -> None:
    with bank.database.read() as connection:
        trade = connection.execute(Tables.trade.select()).first()
    assert trade is not None
    found = damaged(bank, f"UPDATE trade SET price_cents = 1 WHERE id = '{trade.id}'")  # noqa: S608 - our own id
    (what,) = [what for number, where, what in found if number == 20]
    assert f"price_cents was {trade.price_cents}, is 1" in what
    assert "last written by worker at 2025-11-21T04:" in what
    assert "of default)" in what


@pytest.mark.parametrize(("most", "more"), [(2, ["and 1 more rows"]), (3, []), (4, [])])
def test_rows_beyond_the_first_are_counted(
    bank: World, monkeypatch: pytest.MonkeyPatch, most: int, more: list[str]
) -> None:
    monkeypatch.setattr(seals, "_MOST", most)
    with unguarded(bank) as connection:
        connection.execute(text("UPDATE customer SET control = 'frozen'"))
        found = [each for each in found_in_log(connection) if each.invariant == 20]
    assert len([each for each in found if each.where.startswith("customer ")]) == min(most, 3)
    assert [each.what for each in found if each.where == "rows"] == more
