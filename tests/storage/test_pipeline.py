"""Statements that are sent to PostgreSQL together: their values, their errors, and what a session
keeps of them."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache

import psycopg
import pytest
from psycopg import sql
from tests.cutting import CuttingProxy
from tests.world.bank import World, build

from chainteller.storage.database import Database, connect
from chainteller.storage.db import query, records
from chainteller.storage.db.pipeline import Pipeline, Step
from chainteller.storage.db.query import Value, built
from chainteller.storage.db.sources import insert

NAMES = "SELECT name FROM pg_prepared_statements"


@pytest.fixture
def database(postgres_bank: str) -> Iterator[Database]:
    with closing(connect(postgres_bank)) as opened:
        yield opened


@pytest.fixture
def pipeline(database: Database) -> Iterator[Pipeline]:
    with closing(database.sessions.connect()) as driver:
        yield Pipeline(driver)


def given(value: object, kind: str = "text") -> Step:
    """A statement that gives its value back."""
    row = row_of("v", "rest")
    form = built(f"SELECT CAST(:v AS {kind}) AS v, 100 % 7 AS rest", row).postgresql
    return Step(form, [value])


row_of = cache(query.row_of)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("Zoë 'quoted' 100% $1 :v \\", "text"),
        ("", "text"),
        (None, "text"),
        (-(2**63), "bigint"),
        (True, "boolean"),
        (False, "boolean"),
        (b"\x00\xff\\x", "bytea"),
        (10**38 - 1, "numeric(38, 0)"),
        (-(10**37), "numeric(38, 0)"),
    ],
)
def test_a_value_comes_back_as_it_was_sent(pipeline: Pipeline, value: object, kind: str) -> None:
    for _ in range(2):  # prepared, and prepared before
        (found,) = pipeline.run([given(value, kind)])
        ((back, rest),) = found.rows
        assert (back, type(back), rest) == (value, type(value), 2)


@pytest.mark.parametrize("value", ["a\0b", 1.5, object()])
def test_what_the_database_cannot_hold_is_refused_before_anything_is_sent(
    pipeline: Pipeline, value: object
) -> None:
    with pytest.raises(psycopg.DataError):
        pipeline.run([Step("BEGIN"), given(value)])
    assert not pipeline.is_in_transaction
    assert pipeline.run([given("well")])[0].rows[0][0] == "well"


def test_a_number_with_a_fraction_is_never_cut(pipeline: Pipeline) -> None:
    fraction = built("SELECT 1.5 AS value", Value).postgresql
    with pytest.raises(ValueError, match=r"1\.5"):
        pipeline.run([Step(fraction)])


def test_nothing_after_a_failed_statement_runs_or_counts_as_prepared(pipeline: Pipeline) -> None:
    fees = dict.fromkeys(("fee_flat_cents", "fee_bps", "fee_minimum_cents"), 0)
    new = {"id": "one", "name": "One", "created": 1, "salt": None, **fees}
    make = insert(records.Organisation).postgresql
    steps = [Step(make, [new[name] for name in make.names]), Step("SELECT 1 / 0"), given("after")]
    with pytest.raises(psycopg.errors.DivisionByZero):
        pipeline.run([Step("BEGIN"), *steps])
    assert pipeline.is_in_transaction
    pipeline.run([Step("ROLLBACK")])
    count = built("SELECT id AS value FROM organisation", Value).postgresql
    assert ("one",) not in pipeline.run([Step(count)])[0].rows
    assert pipeline.run([steps[2], steps[2]])[1].rows[0][0] == "after"


def test_one_statement_several_times_is_prepared_once(pipeline: Pipeline) -> None:
    steps = [given(each) for each in "abc"]
    found = pipeline.run(steps)
    assert [each.rows[0][0] for each in found] == ["a", "b", "c"]
    names = [name for (name,) in pipeline.driver.execute(NAMES).fetchall()]
    assert len(names) == 1
    assert names[0].startswith("ct_")


def test_many_results_and_many_statements_do_not_block_each_other(pipeline: Pipeline) -> None:
    """More of both than fits into the sockets' buffers."""
    wide = "x" * 200_000
    found = pipeline.run([given(wide) for _ in range(40)])
    assert all(each.rows[0][0] == wide for each in found)


def test_a_session_of_somebody_else_s_is_noticed(postgres_url: str) -> None:
    """As behind a pooler: another process answers than the one that was told."""
    proxy = CuttingProxy(postgres_url, other_process=True)
    with closing(proxy), closing(connect(proxy.url)) as database:
        with closing(database.sessions.connect()) as driver:
            Pipeline(driver).run([given("a"), given("b")])
            assert driver.execute(NAMES).fetchall() == []
        world = build(proxy.url)
        assert len(world.engine.markets().data) == 3
        world.engine.close()


@pytest.fixture
def world(postgres_bank: str) -> Iterator[World]:
    made = build(postgres_bank)
    yield made
    made.engine.close()


def test_a_statement_that_is_gone_from_a_session_is_asked_again(world: World) -> None:
    """A pooler that hides itself; from then on nothing is prepared."""
    for _ in range(3):
        world.engine.markets()
    with world.context.database.look() as session:
        assert session.driver.execute(NAMES).fetchall()
        session.driver.execute("DEALLOCATE ALL")
    assert len(world.engine.markets().data) == 3
    world.engine.markets()
    with world.context.database.look() as session:
        assert session.driver.execute(NAMES).fetchall() == []


TYPE_OF_A_REASON = """
    SELECT format_type(atttypid, atttypmod) FROM pg_attribute
    WHERE attrelid = 'market_control'::regclass AND attname = 'reason'
"""


@contextmanager
def other_type_of_a_column(url: str) -> Iterator[None]:
    """Gives a column another type and, since tests share the database, its own again."""

    def alter(driver: psycopg.Connection, kind: str) -> None:
        statement = sql.SQL("ALTER TABLE market_control ALTER COLUMN reason TYPE {}")
        driver.execute(statement.format(sql.SQL(kind)))

    with psycopg.connect(url, autocommit=True) as driver:
        (own,) = driver.execute(TYPE_OF_A_REASON).fetchone() or ("",)
        alter(driver, "varchar(99)")
        try:
            yield
        finally:
            alter(driver, own)


def test_a_column_that_was_altered_is_read_again_and_statements_stay_prepared(
    world: World,
) -> None:
    for _ in range(3):
        world.engine.markets()
    with other_type_of_a_column(world.context.database.url):
        for _ in range(4):
            assert len(world.engine.markets().data) == 3
        with world.context.database.look() as session:
            assert session.driver.execute(NAMES).fetchall()
