"""Two servers on one PostgreSQL: every race has one winner, and a kill loses nothing."""

import threading
from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy import func, select
from tests.postgres import PostgresServer
from tests.servers.program import ServeProgram
from tests.servers.storm import TOKEN, Storm
from tests.world.bank import World, build

from chainteller.domain.clock import SystemClock
from chainteller.engine.verification.full_pass import verify
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.funding import DepositRequest
from chainteller.storage.schema.wallet_tables import Tables

pytestmark = pytest.mark.thorough

ACCOUNTS = 3
SETTINGS = {
    "service__rate_limits": "off",
    "service__limits__own_bank_24h": "600.00",
    "engine__fill_delay_s": "0.2",
    "engine__settle_delay_s": "0.2",
    "engine__withdrawal_delay_s": "0.3",
}


def opened(world: World) -> list[str]:
    found = []
    for number in range(ACCOUNTS):
        request = OpenTradingAccount(
            bank_account_id=f"DDA-{2 * number + 1}", bank_account_type="checking"
        )
        account = world.engine.open_trading_account(request).value
        deposit = DepositRequest(amount="1000.00", currency=TOKEN)
        world.engine.deposit(account.id, deposit)
        found.append(account.id)
    return found


def held_by_the_database(world: World) -> Counter[str]:
    trade, transfer, quote = Tables.trade, Tables.transfer, Tables.quote
    with world.context.database.read() as connection:
        rows = connection.execute(
            select(transfer.c.direction, func.count()).group_by(transfer.c.direction)
        )
        by_direction: dict[str, int] = {row[0]: row[1] for row in rows}
        trades = connection.execute(select(func.count()).select_from(trade)).scalar_one()
        quotes = connection.execute(select(func.count()).select_from(quote)).scalar_one()
    return Counter(
        {
            "deposit": by_direction.get("deposit", 0) - ACCOUNTS,
            "withdraw": by_direction.get("withdrawal", 0),
            "execute": trades,
            "quote": quotes,
        }
    )


def raced(url: str, home: Path, steps: int) -> Storm:
    """Run the storm with a kill in its middle, and check all that must hold after it."""
    world = build(url, clock=SystemClock())
    try:
        return checked(world, url, home, steps)
    finally:
        world.engine.close()


def checked(world: World, url: str, home: Path, steps: int) -> Storm:
    accounts, api_key = opened(world), world.key()
    one, two = (ServeProgram(url, home, **SETTINGS) for _ in range(2))
    storm = Storm((one.address, two.address), api_key, accounts)
    calm = threading.Event()

    def kill_one_of_them() -> None:
        while sum(storm.effects.values()) < 2 * steps and not calm.wait(0.02):
            pass
        two.kill()
        two.start_again()

    storm.rage(16, steps, kill_one_of_them)
    assert (one.stop(), two.stop()) == (0, 0)
    assert storm.faults == []
    counted = {kind: storm.effects[kind] for kind in ("deposit", "withdraw", "execute", "quote")}
    assert held_by_the_database(world) == Counter(counted)
    assert verify(world.context.database) == ()
    return storm


def test_two_servers_race_and_one_is_killed(own_postgres_bank: str, home: Path) -> None:
    storm = raced(own_postgres_bank, home, steps=12)
    assert {"deposit", "quote", "execute", "withdraw"} <= storm.effects.keys()
    assert storm.refusals["QUOTE_ALREADY_USED"] > 0


@pytest.mark.slow
def test_two_servers_race_for_long(
    postgres_server: PostgresServer, own_postgres_bank: str, home: Path
) -> None:
    storm = raced(own_postgres_bank, home, steps=150)
    wanted = {"INSUFFICIENT_FUNDS", "QUOTE_ALREADY_USED", "TRADE_NOT_CANCELLABLE"}
    wanted |= {"LIMIT_EXCEEDED", "WITHDRAWAL_NOT_CANCELLABLE"}
    assert wanted <= storm.refusals.keys()
    name = own_postgres_bank.partition("?")[0].rpartition("/")[2]
    found = postgres_server.say(
        "SELECT deadlocks, xact_commit FROM pg_stat_database WHERE datname = :name", name=name
    )
    assert found[0].deadlocks == 0, "the lock order leaves no deadlock even to be retried"
