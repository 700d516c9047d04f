"""Whatever is altered in a sealed table is named with its table and its row.

The exempt columns are those that the schema itself declares, with a reason each; they are few, and
the slow form checks every other cell of three rows of every table on both databases.
"""

import pytest
from sqlalchemy import Connection, text
from tests.tampering.altering import Alteration, alterations, unguarded
from tests.tampering.bank import LEAST, busy_bank, counts
from tests.world.engines import World

from chainteller.engine.checks import seals
from chainteller.engine.verification import breaches, verify
from chainteller.storage.sealing import exemptions, sealed_tables
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
    ("ledger_account", "owner"),
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
    # The clock has one row in every database.
    assert few == {"clock"}


def test_what_is_not_sealed_is_declared_with_its_reason() -> None:
    declared = list(exemptions())
    assert {(table, column) for table, column, _ in declared} == _EXEMPT
    assert all(len(reason) > 10 for _, _, reason in declared)


UNCOUNTED = -1
"""What PostgreSQL's driver says of an insert."""


def unnoticed(connection: Connection, found: list[Alteration]) -> list[str]:
    """The alterations that no finding names, each made alone."""
    missed = []
    for each in found:
        nested = connection.begin_nested()
        assert connection.execute(each.statement).rowcount in (1, UNCOUNTED), each
        named = {breach.where for breach in seals.check(connection)}
        nested.rollback()
        if f"{each.table.name} {each.row}" not in named:
            missed.append(f"{each.table.name} {each.row}: {each.what}")
    return missed


@pytest.mark.parametrize("table", ["api_key", "counterparty", "transfer"])
def test_an_altered_cell_or_row_is_named(bank: World, table: str) -> None:
    """The quick form: one row of a few tables."""
    (chosen,) = [each for each in sealed_tables() if each.name == table]
    with unguarded(bank) as connection:
        found = list(alterations(connection, chosen, rows=1))
        assert len(found) > len(chosen.columns)
        assert unnoticed(connection, found) == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_every_cell_and_every_row_of_every_table(
    kind: str, bank: World, request: pytest.FixtureRequest
) -> None:
    world = busy_bank(request.getfixturevalue("postgres_url")) if kind == "postgres" else bank
    total = 0
    with unguarded(world) as connection:
        for table in sealed_tables():
            found = list(alterations(connection, table))
            total += len(found)
            assert unnoticed(connection, found) == []
    assert total > 500
    if kind == "postgres":
        world.close()


def damaged(bank: World, statement: str) -> list[tuple[int, str, str]]:
    """What is found after a statement: invariant, where and what."""
    with unguarded(bank) as connection:
        assert connection.execute(text(statement)).rowcount > 0
        return [(each.invariant, each.where, each.what) for each in breaches(connection)]


@pytest.mark.parametrize(
    ("statement", "where"),
    [
        ("UPDATE entry SET body = body || ' ' WHERE number = 20", "entry 20 of default"),
        ("UPDATE entry SET leaf = upper(leaf) WHERE number = 20", "entry 20 of default"),
        ("DELETE FROM clock", "clock bank"),
        ("UPDATE entry SET id = '0' || id WHERE number = 20", "entry 20 of default"),
        ("UPDATE entry SET number = 1000 WHERE number = 20", "entry 20 of default"),
        ("UPDATE entry SET number = NULL WHERE number = 20", "entry 20 of default"),
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
        ("INSERT INTO log VALUES ('new', 0, '', '', NULL, NULL, NULL)", "log new"),
        ("UPDATE head SET audit_seq = audit_seq + 1", "audit"),
        ("UPDATE head SET event_seq = event_seq + 1", "head"),
        ("UPDATE head SET last_at = last_at + 1", "head"),
        ("DELETE FROM ledger_account WHERE balance = '0' AND version = 0", "ledger_account"),
        ("UPDATE ledger_account SET balance = balance + 1 WHERE code = 'core'", "core USD@fiat"),
        ("UPDATE ledger_account SET version = version + 1 WHERE code = 'core'", "core USD@fiat"),
        ("UPDATE ledger_account SET owner = 'TDA_1' WHERE code = 'core'", "core USD@fiat"),
    ],
)
def test_what_is_recomputed_is_named_too(bank: World, statement: str, where: str) -> None:
    assert any(where in found for _, found, _ in damaged(bank, statement))


def test_a_change_names_its_column_its_last_writer_and_its_time(bank: World) -> None:
    with bank.database.read() as connection:
        trade = connection.execute(Tables.trade.select()).first()
    assert trade is not None
    found = damaged(bank, f"UPDATE trade SET price_cents = 1 WHERE id = '{trade.id}'")  # noqa: S608 - our own id
    (what,) = [what for number, where, what in found if number == 20]
    assert f"price_cents was {trade.price_cents}, is 1" in what
    assert "last written by worker at 2025-11-21T04:" in what
    assert "of default)" in what
