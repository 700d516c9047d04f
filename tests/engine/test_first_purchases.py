"""Ledger rows that do not exist yet: whoever posts first opens them, and no write gets stuck.

The bank's own are opened under the lock of the log's end, a customer's under that of the account.
"""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.world.customers import CustomerSeed
from tests.world.engines import World, make_world
from tests.world.waiting import PATIENCE_S

from chainteller.domain.clock import MINUTE
from chainteller.engine.verification.full_pass import verify
from chainteller.storage.database import Database

CUSTOMERS = 6


@pytest.fixture(params=["sqlite", "postgres"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    """Customers with money and with no row that no journal has touched."""
    on_postgres = request.param == "postgres"
    place = request.getfixturevalue("postgres_bank") if on_postgres else tmp_path / "bank.db"
    seeds = [CustomerSeed(f"DDA-{number}") for number in range(CUSTOMERS)]
    made = make_world(place, customers=seeds)
    for seed in seeds:
        made.deposit("1000.00", account=made.open(seed.bank_account_id))
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
    together = threading.Barrier(len(quotes), timeout=PATIENCE_S)

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
