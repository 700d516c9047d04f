"""PostgreSQL's clock, which is the authority, and machines whose clocks differ from it.

The database answers with a ``clock_timestamp()`` of its own, so that its clock can be set; the
servers' elapsed time is real.
"""

import time
from collections.abc import Callable, Iterator

import pytest
from sqlalchemy import create_engine, text
from tests.world.bank import World, build
from tests.world.engines import DPT

from chainteller.domain.clock import SECOND, SystemClock
from chainteller.domain.options import EngineOptions
from chainteller.engine.core import timekeeping
from chainteller.engine.deployment import EmbeddedDeployment
from chainteller.engine.upkeep import epochs
from chainteller.engine.verification.full_pass import verify
from chainteller.service.deployment import DeploymentOptions
from chainteller.service.errors import ClockUncertain, QuoteExpired
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.funding import DepositRequest
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest

_OWN_CLOCK = (
    "CREATE TABLE skew AS SELECT interval '0' AS by",
    "CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS "
    "'SELECT pg_catalog.clock_timestamp() + by FROM skew'",
    "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = public, pg_catalog', "
    "current_database()); END $$",
)
OPTIONS = EngineOptions(rate_limits=False, quote_window_s=1, fill_delay_s=0, settle_delay_s=0)


class Skewed(SystemClock):
    """A machine whose wall clock is 30 s ahead."""

    def now(self) -> int:
        return super().now() + 30 * SECOND


@pytest.fixture
def step(postgres_url: str) -> Iterator[Callable[[int], None]]:
    """Sets the database's clock ahead by so many seconds of the real one."""
    url = postgres_url.replace("postgresql://", "postgresql+psycopg://", 1)
    engine = create_engine(url, isolation_level="AUTOCOMMIT")

    def by(seconds: int) -> None:
        with engine.connect() as connection:
            connection.execute(
                text("UPDATE skew SET by = make_interval(secs => :s)"), {"s": seconds}
            )

    with engine.connect() as connection:
        for statement in _OWN_CLOCK:
            connection.execute(text(statement))
    engine.dispose()
    yield by
    engine.dispose()


def opened(url: str, clock: SystemClock | None = None) -> World:
    world = build(url, clock=clock or SystemClock(), options=OPTIONS)
    epochs.tick(world.context)
    return world


def account_of(world: World) -> str:
    asked = OpenTradingAccount(bank_account_id="DDA-1", bank_account_type="checking")
    account = world.engine.open_trading_account(asked).value.id
    world.engine.deposit(account, DepositRequest(amount="900.00", currency=DPT))
    return account


def quote(world: World) -> str:
    asked = QuoteRequest(amount="10.00", side="buy")
    return world.engine.create_quote("sol-usd", asked).value.id


def execute(world: World, quote_id: str, account: str) -> str:
    asked = ExecuteRequest(trading_account_id=account)
    return world.engine.execute_quote(quote_id, asked).value.id


def test_a_server_whose_clock_is_off_uses_the_database_s_and_says_so(postgres_url: str) -> None:
    right, off = opened(postgres_url), opened(postgres_url, Skewed())
    account = account_of(off)
    assert execute(right, quote(off), account)
    assert execute(off, quote(right), account)
    late = quote(off)
    time.sleep(1.01)
    for each in (right, off):
        with pytest.raises(QuoteExpired):
            execute(each, late, account)
    assert abs(off.engine.now() - right.engine.now()) < SECOND
    health = EmbeddedDeployment(off.engine, DeploymentOptions("0.0.test")).health()
    assert health.ready
    assert health.checks["clock"] == "this machine's clock is 30 s ahead of the database's"
    reading = epochs.tick(off.context)
    assert "whose time is used" in epochs.describe(reading)
    assert epochs.describe(epochs.tick(right.context)) == ""
    off_clock = timekeeping.KeptClock(off.context.clock, off.context.keeper)
    assert abs(off_clock.now() - right.engine.now()) < SECOND, "prices are stamped otherwise"
    for each in (right, off):
        each.engine.close()


def test_a_database_s_clock_that_is_set_back_is_doubted_by_every_server(
    postgres_url: str, step: Callable[[int], None]
) -> None:
    one, two = opened(postgres_url), opened(postgres_url)
    account = account_of(one)
    traded, late = execute(one, quote(one), account), quote(two)
    step(-60)
    for each in (one, two):
        with pytest.raises(ClockUncertain) as refused:
            quote(each)
        assert refused.value.details["reason"] == "CLOCK_BEHIND"
        assert epochs.tick(each.context).doubt is not None
    three = opened(postgres_url)
    with pytest.raises(ClockUncertain):
        quote(three)
    assert epochs.accept(three.context, three.engine.actor) is not None
    for each in (one, two, three):
        assert epochs.tick(each.context).doubt is None
        with pytest.raises(QuoteExpired):
            execute(each, late, account)
    while one.engine.run_due():
        pass
    assert one.engine.trade(account, traded).status == "settled"
    assert execute(two, quote(one), account)
    breaches = verify(one.context.database)
    assert [each for each in breaches if each.where != "catalogue"] == []
    assert breaches, "the clock that this test puts in is itself a change of the catalogue"
    step(-3)
    assert epochs.tick(one.context).doubt is None, "a database's clock is followed ahead"
    for each in (one, two, three):
        each.engine.close()


def test_a_small_step_back_of_the_database_s_clock_does_not_stop_time(
    postgres_url: str, step: Callable[[int], None]
) -> None:
    world = opened(postgres_url)
    account = account_of(world)
    late = quote(world)
    step(-4)
    time.sleep(1.02)
    with pytest.raises(QuoteExpired):
        execute(world, late, account)
    world.engine.close()
