"""Statements that are sent to PostgreSQL together: their values, their errors, and what a session
keeps of them."""

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import psycopg
import pytest
from sqlalchemy import (
    BigInteger,
    Boolean,
    Connection,
    LargeBinary,
    Text,
    bindparam,
    cast,
    insert,
    literal_column,
    select,
)
from tests.cutting import CuttingProxy
from tests.world.bank import World, build

from chainteller.storage.columns import Atoms
from chainteller.storage.compiled import Compiled, Step
from chainteller.storage.database import Database, connect
from chainteller.storage.plain import session_of
from chainteller.storage.tables import Tables

NAMES = "SELECT name FROM pg_prepared_statements"


@pytest.fixture
def database(postgres_bank: str) -> Iterator[Database]:
    with closing(connect(postgres_bank)) as opened:
        yield opened


@pytest.fixture
def inner(database: Database) -> Iterator[Connection]:
    with database.engine.connect().execution_options(plain=True) as connection:
        yield connection


def given(inner: Connection, value: object, kind: Any = Text) -> Step:
    """A statement that gives its value back."""
    asked = select(
        cast(bindparam("v", type_=kind), kind).label("v"), literal_column("100 % 7").label("rest")
    )
    compiled = Compiled(asked, inner.dialect)
    return Step(compiled, compiled.values({"v": value}))


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("Zoë 'quoted' 100% $1 :v \\", Text),
        ("", Text),
        (None, Text),
        (-(2**63), BigInteger),
        (True, Boolean),
        (False, Boolean),
        (b"\x00\xff\\x", LargeBinary),
        (10**38 - 1, Atoms),
        (-(10**37), Atoms),
    ],
)
def test_a_value_comes_back_as_it_was_sent(inner: Connection, value: object, kind: Any) -> None:
    for _ in range(2):  # prepared, and prepared before
        (found,) = session_of(inner).run([given(inner, value, kind)])
        ((back, rest),) = found.rows
        assert (back, type(back), rest) == (value, type(value), 2)


@pytest.mark.parametrize("value", ["a\0b", 1.5, object()])
def test_what_the_database_cannot_hold_is_refused_before_anything_is_sent(
    inner: Connection, value: object
) -> None:
    session = session_of(inner)
    with pytest.raises(psycopg.DataError):
        session.run([Step("BEGIN"), given(inner, value, Text)])
    assert not session.is_in_transaction
    assert session.run([given(inner, "well")])[0].rows[0][0] == "well"


def test_a_number_with_a_fraction_is_never_cut(inner: Connection) -> None:
    fraction = Compiled(select(literal_column("1.5").label("v")), inner.dialect)
    with pytest.raises(ValueError, match=r"1\.5"):
        session_of(inner).run([Step(fraction)])


def test_nothing_after_a_failed_statement_runs_or_counts_as_prepared(inner: Connection) -> None:
    session = session_of(inner)
    fees = dict.fromkeys(("fee_flat_cents", "fee_bps", "fee_minimum_cents"), 0)
    new = {"id": "one", "name": "One", "created": 1, "salt": None, **fees}
    make = Compiled(insert(Tables.organisation), inner.dialect, tuple(new))
    steps = [Step(make, make.values(new)), Step("SELECT 1 / 0"), given(inner, "after")]
    with pytest.raises(psycopg.errors.DivisionByZero):
        session.run([Step("BEGIN"), *steps])
    assert session.is_in_transaction
    session.run([Step("ROLLBACK")])
    count = Compiled(select(Tables.organisation.c.id), inner.dialect)
    assert ("one",) not in session.run([Step(count)])[0].rows
    assert session.run([steps[2], steps[2]])[1].rows[0][0] == "after"


def test_one_statement_several_times_is_prepared_once(inner: Connection) -> None:
    session, steps = session_of(inner), [given(inner, each) for each in "abc"]
    found = session.run(steps)
    assert [each.rows[0][0] for each in found] == ["a", "b", "c"]
    driver: Any = inner.connection.driver_connection
    names = [name for (name,) in driver.execute(NAMES).fetchall()]
    assert len(names) == 1
    assert names[0].startswith("ct_")


def test_many_results_and_many_statements_do_not_block_each_other(inner: Connection) -> None:
    """More of both than fits into the sockets' buffers."""
    wide = "x" * 200_000
    found = session_of(inner).run([given(inner, wide) for _ in range(40)])
    assert all(each.rows[0][0] == wide for each in found)


def test_a_session_of_somebody_else_s_is_noticed(postgres_url: str) -> None:
    """As behind a pooler: another process answers than the one that was told."""
    proxy = CuttingProxy(postgres_url, other_process=True)
    with closing(proxy), closing(connect(proxy.url)) as database:
        with database.engine.connect().execution_options(plain=True) as inner:
            session_of(inner).run([given(inner, "a"), given(inner, "b")])
            driver: Any = inner.connection.driver_connection
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
    engine = world.context.database.engine
    for _ in range(3):
        world.engine.markets()
    with engine.connect() as connection:
        driver: Any = connection.connection.driver_connection
        assert driver.execute(NAMES).fetchall()
        driver.execute("DEALLOCATE ALL")
    assert len(world.engine.markets().data) == 3
    world.engine.markets()
    with engine.connect() as connection:
        driver = connection.connection.driver_connection
        assert driver.execute(NAMES).fetchall() == []


def test_a_column_that_was_altered_is_read_again_and_statements_stay_prepared(
    world: World,
) -> None:
    engine = world.context.database.engine
    for _ in range(3):
        world.engine.markets()
    with psycopg.connect(
        engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
    ) as other:
        other.execute("ALTER TABLE market_control ALTER COLUMN reason TYPE varchar(99)")
    assert len(world.engine.markets().data) == 3
    for _ in range(3):
        world.engine.markets()
    with engine.connect() as connection:
        driver: Any = connection.connection.driver_connection
        assert driver.execute(NAMES).fetchall()
