"""Quotes: their price, their window, their single use."""

from pathlib import Path

import pytest
from sqlalchemy import text
from tests.refusals import details, refusal
from tests.world.customers import CustomerSeed
from tests.world.engines import START, FixedPrices, World, make_world
from tests.world.files import sealed
from tests.world.told import statements

from chainteller.domain.actors import Actor
from chainteller.domain.clock import SECOND, format_instant, from_datetime
from chainteller.domain.options import EngineOptions
from chainteller.domain.quoting import FeeSchedule
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.quotes import ExecuteRequest
from chainteller.storage.queries import markets, organisations


@pytest.fixture
def fixed(tmp_path: Path) -> World:
    """Mid 200.00 in every market, one account with 5,000.00."""
    world = make_world(tmp_path / "fixed.db", feed=FixedPrices())
    world.open()
    world.deposit("5000.00")
    return world


def test_a_buy_quote_as_the_specification_shows_it(fixed: World) -> None:
    quote = fixed.quote("1000.00", "buy")
    assert quote.price == "201.30"
    assert quote.asset_sold.model_dump() == {
        "symbol": "USD",
        "network": "fiat",
        "amount": "1000.00",
    }
    assert quote.asset_bought.model_dump() == {
        "symbol": "SOL",
        "network": "solana",
        "amount": "4.942871336",
    }
    assert (quote.fees.flat, quote.fees.bps, quote.fees.total) == ("0.00", 50, "5.00")
    assert from_datetime(quote.expires) - from_datetime(quote.created) == 300 * SECOND
    assert quote.status == "open"


def test_a_sell_quote_is_asked_in_the_asset(fixed: World) -> None:
    quote = fixed.quote("2", "sell")
    assert quote.asset_sold.amount == "2.00"
    assert (quote.price, quote.asset_bought.amount) == ("198.70", "395.41")
    assert quote.fees.total == "1.99"


def test_the_amount_may_be_that_of_what_is_bought(fixed: World) -> None:
    quote = fixed.quote("2.5", "buy", amount_of="bought")
    assert quote.asset_bought.amount.startswith("2.50")
    sell = fixed.quote("100.00", "sell", amount_of="bought")
    assert sell.asset_bought.amount == "100.00"


@pytest.mark.parametrize(
    ("amount", "code"),
    [("0.99", "AMOUNT_BELOW_MINIMUM"), ("1.00", ""), ("100000.00", ""), ("100000.01", "LIMIT")],
)
def test_order_sizes_are_bounded_with_the_bounds_allowed(
    fixed: World, amount: str, code: str
) -> None:
    if not code:
        assert fixed.quote(amount).asset_sold.amount == amount
        return
    error = refusal(fixed.quote, amount)
    assert error.code.startswith(code)
    if code == "LIMIT":
        assert details(error) == {
            "ruleId": "order:sol-usd",
            "scope": "order",
            "destinationClass": None,
            "period": 0,
            "limit": "100000.00",
            "used": "0.00",
            "requested": "100000.01",
            "remaining": "100000.00",
            "resetsAt": None,
        }
    else:
        assert details(error) == {"minimum": "1.00", "amount": "0.99", "currency": "USD"}


def test_a_sell_worth_next_to_nothing_is_too_small(fixed: World) -> None:
    assert refusal(fixed.quote, "0.000000001", "sell").code == "AMOUNT_BELOW_MINIMUM"


@pytest.mark.parametrize(("late", "executes"), [(-1, True), (0, True), (1, False)])
def test_a_quote_lives_to_its_last_microsecond(world: World, late: int, executes: bool) -> None:
    quote = world.quote()
    world.clock.set(from_datetime(quote.expires) + late)
    assert (world.engine.quote(quote.id).status == "open") == executes
    if executes:
        assert world.execute(quote).status == "processing"
        return
    error = refusal(world.execute, quote)
    assert error.code == "QUOTE_EXPIRED"
    assert details(error) == {
        "quoteId": quote.id,
        "expiredAt": format_instant(from_datetime(quote.expires)),
    }
    assert "new quote" in error.suggestion
    assert world.balances() == {"BUSD1@bank": ("5000.00", "0.00", "0.00")}


def test_a_quote_is_used_once(world: World) -> None:
    quote = world.quote()
    trade = world.execute(quote)
    error = refusal(world.execute, quote)
    assert error.code == "QUOTE_ALREADY_USED"
    assert details(error) == {
        "quoteId": quote.id,
        "tradeId": trade.id,
        "executedAt": format_instant(START),
    }
    assert world.engine.quote(quote.id).trade_id == trade.id


def test_used_is_said_before_expired(world: World) -> None:
    quote = world.quote()
    world.execute(quote)
    world.clock.advance(3600 * SECOND)
    assert refusal(world.execute, quote).code == "QUOTE_ALREADY_USED"


def test_a_cancelled_trade_does_not_free_its_quote(world: World) -> None:
    quote = world.quote()
    world.engine.cancel_trade(world.account, world.execute(quote).id)
    assert refusal(world.execute, quote).code == "QUOTE_ALREADY_USED"


def test_a_bound_quote_executes_in_its_account_only(tmp_path: Path) -> None:
    world = make_world(
        tmp_path / "two.db", customers=(CustomerSeed("DDA-1"), CustomerSeed("DDA-2"))
    )
    first, second = world.open("DDA-1"), world.open("DDA-2")
    world.deposit("100.00", account=second)
    quote = world.quote("50.00", trading_account_id=first)
    error = refusal(world.execute, quote, second)
    assert error.code == "QUOTE_ACCOUNT_MISMATCH"
    assert details(error) == {"quoteId": quote.id, "tradingAccountId": first}


def test_foreign_quotes_and_accounts_do_not_exist(tmp_path: Path) -> None:
    world = make_world(tmp_path / "bank.db")
    world.open()
    with sealed(world.database) as rows:
        organisations.create(rows, "other", world.clock.now())
    stranger = world.engine.acting_as(Actor("other", "stranger"))
    quote = world.quote()
    request = ExecuteRequest(trading_account_id=world.account)
    assert refusal(stranger.quote, quote.id).code == "NOT_FOUND"
    assert refusal(stranger.execute_quote, quote.id, request).code == "NOT_FOUND"
    assert refusal(stranger.trading_account, world.account).code == "NOT_FOUND"
    assert stranger.trading_accounts().pagination.total == 0


def test_an_account_holds_ten_open_quotes(world: World) -> None:
    for _ in range(10):
        world.quote(trading_account_id=world.account)
    error = refusal(world.quote, trading_account_id=world.account)
    assert error.code == "RATE_LIMITED"
    assert details(error) == {
        "policy": "open-quotes",
        "limit": 10,
        "windowSeconds": 300,
        "retryAfterSeconds": 300,
    }
    assert world.quote().status == "open", "a quote of no account is not counted"
    world.clock.advance(300 * SECOND + 1)
    assert world.quote(trading_account_id=world.account).status == "open"


def test_the_cap_on_open_quotes_goes_with_the_rate_limits(tmp_path: Path) -> None:
    world = make_world(tmp_path / "bank.db", options=EngineOptions(rate_limits=False))
    world.open()
    for _ in range(11):
        world.quote(trading_account_id=world.account)


def test_the_fee_is_that_of_the_quote_even_when_the_schedule_changes(world: World) -> None:
    quote = world.quote("1000.00")
    with world.database.write() as connection:
        connection.execute(text("UPDATE organisation SET fee_bps = 300"))
        connection.commit()
    assert FeeSchedule().bps == 50
    trade = world.execute(quote)
    assert trade.fees is not None
    assert (trade.fees.bps, trade.fees.total) == (50, "5.00")
    assert world.quote("1000.00").fees.bps == 300


def test_no_last_look_the_quoted_price_is_the_trades(tmp_path: Path) -> None:
    feed = FixedPrices()
    world = make_world(tmp_path / "bank.db", feed=feed)
    world.open()
    world.deposit("1000.00")
    quote = world.quote("500.00")
    feed.mid_micros *= 3
    trade = world.execute(quote)
    assert (trade.price, trade.asset_bought) == (quote.price, quote.asset_bought)
    world.settle()
    assert world.engine.trade(world.account, trade.id).status == "settled"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"mid_micros": 0}, "PROVIDER_DOWN"),
        ({"checks_staleness": True, "age": 60 * SECOND + 1}, "PRICE_STALE"),
        ({"checks_staleness": True, "before_micros": 180_000_000}, "VOLATILITY_HALT"),
    ],
)
def test_a_bad_price_closes_the_market(tmp_path: Path, change: dict[str, int], reason: str) -> None:
    feed = FixedPrices()
    world = make_world(tmp_path / "bank.db", feed=feed)
    world.open()
    world.deposit("1000.00")
    quote = world.quote()
    for name, value in change.items():
        setattr(feed, name, value)
    for act in (world.quote, lambda: world.execute(quote)):
        error = refusal(act)
        assert error.code == "MARKET_UNAVAILABLE"
        assert details(error) == {
            "market": "sol-usd",
            "reason": reason,
            "estimatedResolution": format_instant(START + 60 * SECOND),
        }


@pytest.mark.parametrize(
    "change",
    [
        {"checks_staleness": True, "age": 60 * SECOND},
        {"checks_staleness": True, "before_micros": 181_818_182},
        {"age": 3_600 * SECOND},
    ],
)
def test_a_price_at_the_edge_still_deals(tmp_path: Path, change: dict[str, int]) -> None:
    feed = FixedPrices()
    world = make_world(tmp_path / "bank.db", feed=feed)
    for name, value in change.items():
        setattr(feed, name, value)
    assert world.quote().status == "open"


def test_maintenance_refuses_quotes_and_executions_and_still_lists(tmp_path: Path) -> None:
    world = make_world(tmp_path / "bank.db", options=EngineOptions(maintenance=("sol-usd",)))
    world.open()
    error = refusal(world.quote)
    assert (error.code, error.details["reason"]) == ("MARKET_UNAVAILABLE", "MAINTENANCE")
    shown = {market.market_name: market for market in world.engine.markets().data}
    assert shown["sol-usd"].status == "MAINTENANCE"
    assert shown["sol-usd"].estimated_resolution is None, "nobody knows its end"
    assert shown["sol-usd"].current_price
    assert shown["btc-usd"].status == "open"
    assert world.quote(market="btc-usd").status == "open"


def test_an_operators_closure_ends_at_its_instant(world: World) -> None:
    until = START + 60 * SECOND
    with sealed(world.database) as rows:
        markets.close(rows, "sol-usd", "HALTED", until)
    error = refusal(world.quote)
    assert error.details["reason"] == "HALTED"
    assert error.details["estimatedResolution"] == format_instant(until)
    listed = world.engine.market("sol-usd").estimated_resolution
    assert listed is not None
    assert from_datetime(listed) == until
    world.clock.set(until)
    assert world.quote().status == "open"


def test_quotes_are_listed_by_what_they_are_now(world: World) -> None:
    world.execute(world.quote())
    world.quote()
    world.clock.advance(301 * SECOND)
    world.quote()
    totals = {
        status: world.engine.quotes(ListQuery(status=status)).pagination.total
        for status in ("open", "executed", "expired")
    }
    assert totals == {"open": 1, "executed": 1, "expired": 1}
    newest = world.engine.quotes().data[0]
    assert newest.status == "open"


def test_an_execute_takes_fourteen_statements(world: World) -> None:
    """Four reads, and one statement for each row that it writes, its key included."""
    request = ExecuteRequest(trading_account_id=world.account)
    world.execute(world.quote())  # keeps the version of the settings
    quote = world.quote()
    with statements(world.database) as told:
        world.engine.execute_quote(quote.id, request, idempotency_key=quote.id)
    assert len(told) == 14, [sql[:80] for sql, _ in told]
