"""Whatever is altered in a sealed table is named with its table and its row.

The exempt columns are those that the schema itself declares, with a reason each; they are few, and
the slow form checks every other cell of three rows of every table on both databases.
"""

import pytest
from sqlalchemy import Connection, Table, text
from tests.tampering.altering import (
    Alteration,
    require_noticed,
    require_noticed_everywhere,
    unguarded,
)
from tests.tampering.bank import LEAST, counts
from tests.world.engines import World

from chainteller.engine.checks import seals
from chainteller.engine.verification import breaches, verify
from chainteller.storage.sealing import exemptions, own_tables, sealed_tables
from chainteller.storage.tables import Tables

_EXEMPT = {
    ("head", "*"),
    ("entry", "*"),
    ("unnumbered", "*"),
    ("log", "*"),
    ("checkpoint", "*"),
    ("search_key", "*"),
    ("search_name", "*"),
    ("search_word", "*"),
    ("server_lease", "*"),
    ("tally", "*"),
    ("archived_leaves", "*"),
    ("ledger_account", "balance"),
    ("ledger_account", "version"),
    ("job", "run_at"),
    ("audit", "number"),
    ("audit", "follows"),
    ("event", "number"),
    ("api_key", "last_used_at"),
    ("clock", "boot"),
    ("clock", "anchor_at"),
    ("clock", "anchor_elapsed"),
    ("clock", "seen_at"),
}


def test_the_bank_has_enough_rows_and_nothing_is_wrong(bank: World) -> None:
    assert verify(bank.database) == ()
    found = counts(bank)
    few = {table.name for table in sealed_tables() if found[table.name] < LEAST}
    assert few == {"clock"}  # which has one row in every database


def test_what_is_not_sealed_is_declared_with_its_reason() -> None:
    declared = list(exemptions())
    assert {(table, column) for table, column, _ in declared} == _EXEMPT
    assert all(len(reason) > 10 for _, _, reason in declared)


def is_named(connection: Connection, altered: Alteration) -> bool:
    named = {breach.where for breach in seals.check(connection)}
    return f"{altered.table.name} {altered.row}" in named


@pytest.mark.forms(1)
@pytest.mark.parametrize("table", ["api_key", "claim_evidence", "counterparty", "transfer"])
def test_an_altered_cell_or_row_is_named(bank: World, table: str) -> None:
    """The quick form: one row of a few tables."""
    chosen = [each for each in sealed_tables() if each.name == table]
    assert require_noticed(bank, is_named, chosen, rows=1) > 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_every_cell_and_every_row_of_every_table(
    kind: str, bank: World, request: pytest.FixtureRequest
) -> None:
    require_noticed_everywhere(kind, bank, request, is_named)


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
        ("UPDATE entry SET id = '0' || id WHERE number = 20", "entry 20 of default"),
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
        ("UPDATE log SET root = peaks WHERE organisation_id = 'default'", "log default"),
        ("UPDATE log SET peaks = root WHERE organisation_id = 'default'", "log default"),
        ("UPDATE log SET audit_hash = root WHERE organisation_id = 'default'", "head"),
        ("UPDATE log SET audit_hash = root WHERE organisation_id = '*'", "head"),
        ("INSERT INTO log VALUES ('new', 0, '', '', NULL, NULL, NULL, NULL)", "log new"),
        ("UPDATE head SET audit_seq = audit_seq + 1", "audit"),
        ("UPDATE head SET event_seq = event_seq + 1", "head"),
        ("UPDATE head SET last_at = last_at + 1", "head"),
        ("DELETE FROM head", "head bank"),
        (
            "INSERT INTO head SELECT 'branch', event_seq, audit_seq, audit_hash, last_at FROM head",
            "head branch",
        ),
        ("DELETE FROM ledger_account WHERE balance = '0'", "ledger_account"),
        ("UPDATE ledger_account SET balance = balance + 1 WHERE code = 'core'", "core USD@fiat"),
        ("UPDATE ledger_account SET version = version + 1 WHERE code = 'core'", "core USD@fiat"),
    ],
)
def test_what_is_recomputed_is_named_too(bank: World, statement: str, where: str) -> None:
    assert any(where in found for _, found, _ in damaged(bank, statement))


@pytest.mark.parametrize("table", own_tables(), ids=lambda each: each.name)
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
        found = [each for each in seals.check(connection) if each.invariant == 20]
    assert len([each for each in found if each.where.startswith("customer ")]) == min(most, 3)
    assert [each.what for each in found if each.where == "rows"] == more
