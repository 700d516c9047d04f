"""Ledger rows that do not exist yet: whoever posts first opens them, and no write gets stuck."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from tests.world.customers import CustomerSeed
from tests.world.engines import World, make_world
from tests.world.files import sealed

from chainteller.domain.clock import MINUTE
from chainteller.engine.verification import verify
from chainteller.storage import ledger
from chainteller.storage.database import Database
from chainteller.storage.faults import LOCK_TIMED_OUT, sqlstate
from chainteller.storage.rows import Writer
from chainteller.storage.tables import Tables

CUSTOMERS = 6
LATE, EARLY = ("income:fee", "USD@fiat"), ("custody", "DOGE@dogecoin")
"""Two of the bank's ledger accounts, later and earlier in the order of locks."""


@pytest.fixture(params=["sqlite", "postgres"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    """Customers with money and with no row that no journal has touched."""
    on_postgres = request.param == "postgres"
    place = request.getfixturevalue("postgres_bank") if on_postgres else tmp_path / "bank.db"
    seeds = [CustomerSeed(f"DDA-{number}") for number in range(CUSTOMERS)]
    made = make_world(place, customers=seeds)
    for seed in seeds:
        made.deposit("1000.00", account=made.open(seed.bank_account_id))
    with sealed(made.database) as rows:
        rows.delete(Tables.ledger_account, Tables.ledger_account.c.version == 0)
    yield made
    made.close()


def row_count(database: Database, asset: str) -> int:
    with database.read() as connection:
        found = connection.execute(
            text("SELECT count(*) FROM ledger_account WHERE asset = :asset"), {"asset": asset}
        )
        return int(found.scalar_one())


def test_a_missing_row_is_a_balance_of_zero(world: World) -> None:
    assert row_count(world.database, "SOL@solana") == 0
    shown = world.engine.token_balances(world.account, include_zero=True).data
    assert [each.total for each in shown if each.token.symbol == "SOL"] == ["0.00"]
    trade = world.buy("100.00")
    world.settle()
    assert world.balances()["SOL@solana"][0] == world.engine.trade(world.account, trade.id).amount
    assert verify(world.database) == ()


def test_first_purchases_at_once_are_all_filled(world: World) -> None:
    """Twice in every account: in one account they wait in turn, between accounts nobody does."""
    quotes = [(account, world.quote("100.00")) for account in world.accounts * 2]
    together = threading.Barrier(len(quotes))

    def execute(number: int) -> str:
        account, quote = quotes[number]
        together.wait()
        return world.execute(quote, account).id

    def work(_number: int) -> None:
        together.wait()
        world.engine.run_due()

    with ThreadPoolExecutor(len(quotes)) as pool:
        trades = list(pool.map(execute, range(len(quotes))))
        for _ in ("filled", "settled"):
            world.clock.advance(MINUTE)
            list(pool.map(work, range(len(quotes))))
    world.settle()
    for (account, _), trade in zip(quotes, trades, strict=True):
        assert world.engine.trade(account, trade).status == "settled"
    assert (
        row_count(world.database, "SOL@solana") == len(["custody", "lp.receivable"]) + 2 * CUSTOMERS
    )
    assert verify(world.database) == ()


def test_opening_a_row_never_waits_for_one_that_another_write_holds(world: World) -> None:
    """A write that holds LATE and finds EARLY opened and locked meanwhile must start again: to
    wait would be a deadlock, because the other write goes on to LATE.
    """
    if not world.database.is_postgres:
        pytest.skip("a SQLite file has one writer")
    world.buy("100.00")
    world.settle()
    database = world.database
    with database.write() as opening:
        ledger.open_balances(Writer(opening), [EARLY])
        with database.write() as first:
            assert set(ledger.lock(first, [LATE, EARLY])) == {LATE}
            opening.commit()
            with database.write() as second, ThreadPoolExecutor(1) as pool:
                assert set(ledger.lock(second, [EARLY])) == {EARLY}
                later = pool.submit(ledger.lock, second, [LATE])
                with pytest.raises(DBAPIError) as refused:
                    ledger.open_balances(Writer(first), [EARLY])
                assert sqlstate(refused.value) == LOCK_TIMED_OUT
                first.rollback()
                assert set(later.result()) == {LATE}
