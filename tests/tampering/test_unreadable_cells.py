"""Whatever stands in a cell, verification ends with findings and not with a fault of its own."""

import sys
from collections.abc import Iterator

import pytest
from sqlalchemy import Table, select, update
from tests.tampering.altering import SAVED, UNDONE, unguarded
from tests.world.engines import World

from chainteller.engine.verification.full_pass import breaches
from chainteller.storage.schema.wallet_tables import declared

VALUES = ("[" * 3_000, "[1]", "null", "1", "{}", "[]", "x", "\ud7ff\x00", '{"a":{"a":[]}}')
"""Of JSON: nested deeper than the parser goes, and of other kinds than any build writes."""
OCTETS = (b"", b"\x01", b"\x01x", b"\x02", b"\xff" * 64, "", "x", 1)
"""Of packed bodies: cut, of another form, and no octets, which SQLite keeps in any column."""


@pytest.fixture(autouse=True)
def usual_recursion_limit() -> Iterator[None]:
    """A library that other tests import raises it."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(1_000)
    yield
    sys.setrecursionlimit(before)


@pytest.mark.parametrize("table", declared(), ids=lambda each: each.name)
@pytest.mark.parametrize(
    "every", [False, pytest.param(True, marks=pytest.mark.thorough)], ids=["JSON", "text"]
)
def test_a_cell_that_cannot_be_read_is_found_and_ends_nothing(
    bank: World, table: Table, every: bool
) -> None:
    with unguarded(bank) as connection:
        row = connection.execute(select(table).order_by(*table.primary_key)).mappings().first()
        for column in table.columns if row is not None else ():
            assert row is not None
            text = row[column.name]
            values: tuple[object, ...] = VALUES if every else VALUES[:4]
            if isinstance(text, bytes):
                values = OCTETS
            elif not isinstance(text, str) or not (every or text[:1] in {*"{["}):
                continue
            where = [each == row[each.name] for each in table.primary_key]
            for value in values:
                connection.execute(SAVED)
                statement = update(table).where(*where).values({column.name: value})
                assert connection.execute(statement).rowcount == 1
                assert breaches(connection), f"{column}: {str(value)[:20]}"
                connection.execute(UNDONE)
