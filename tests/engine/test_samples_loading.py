"""Loading the sample data: once, whole or not at all, and the same each time."""

from pathlib import Path

import pytest
from tests.world.logs import entries
from tests.world.samples import FOLDER, MIDNIGHT, NOW, dump, head, load, rows

from chainteller.adapters.prices_simulated import SimulatedPrices
from chainteller.domain.clock import ManualClock
from chainteller.domain.prices import PricePoint
from chainteller.engine.core.context import EngineContext
from chainteller.engine.engine import Engine
from chainteller.engine.samples.loading import is_loaded, load_past, load_samples
from chainteller.engine.verification.full_pass import verify
from chainteller.service.models.funding import Currency, DepositRequest
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest

pytestmark = pytest.mark.thorough


def test_the_same_seed_and_moment_give_the_same_world(
    loaded: EngineContext, empty: EngineContext
) -> None:
    assert load(empty)
    assert head(empty) == head(loaded)
    assert dump(empty) == dump(loaded)


def test_a_past_loaded_earlier_that_day_gives_the_same_world(
    loaded: EngineContext, empty: EngineContext
) -> None:
    assert isinstance(empty.clock, ManualClock)
    empty.clock.set(MIDNIGHT + 5)
    assert load_past(empty, FOLDER, SimulatedPrices("42"), "42")
    assert not load_past(empty, FOLDER, SimulatedPrices("42"), "42")
    assert not rows(empty, "SELECT * FROM job")
    told = [each for each in entries(empty.database) if each.events]
    assert max(each.when for each in told) < MIDNIGHT
    empty.clock.set(NOW)
    assert load(empty)
    assert head(empty) == head(loaded)
    assert dump(empty) == dump(loaded)
    assert not load(empty)


def test_another_seed_gives_another_world(loaded: EngineContext, empty: EngineContext) -> None:
    assert load(empty, "43")
    assert head(empty) != head(loaded)


def test_a_second_load_changes_nothing(empty: EngineContext) -> None:
    assert load(empty)
    before = dump(empty)
    assert not load(empty)
    assert not load(empty, "another seed")
    assert dump(empty) == before


def test_a_load_after_a_customer_traded_changes_nothing(empty: EngineContext) -> None:
    assert load(empty)
    engine = Engine(empty)
    account = engine.trading_accounts(ListQuery(sort="-lastActivity")).data[0]
    dpt = Currency(type="deposit-token-currency", id="DPT_USD")
    engine.deposit(account.id, DepositRequest(amount="1000", currency=dpt))
    quote = engine.create_quote("sol-usd", QuoteRequest(amount="900.00", side="buy")).value
    engine.execute_quote(quote.id, ExecuteRequest(trading_account_id=account.id))
    before = dump(empty)
    assert not load(empty)
    assert dump(empty) == before
    assert verify(empty.database) == ()


class StopsAfter:
    """A feed that breaks in the middle of a load."""

    checks_staleness = False

    def __init__(self, prices: int) -> None:
        self.left = prices

    def answers_at_once(self) -> bool:
        return True

    def price(self, market: str, at: int) -> PricePoint:
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return SimulatedPrices("42").price(market, at)

    def samples(self, market: str, start: int, end: int, step: int) -> tuple[PricePoint, ...]:
        raise NotImplementedError


def test_an_interrupted_load_leaves_nothing(empty: EngineContext) -> None:
    before = dump(empty)
    with pytest.raises(KeyboardInterrupt):
        load_samples(empty, FOLDER, StopsAfter(300))
    assert dump(empty) == before
    with empty.database.read() as connection:
        assert not is_loaded(connection)
    assert load(empty)


def test_a_broken_folder_is_refused_by_name(empty: EngineContext, tmp_path: Path) -> None:
    (tmp_path / "bank.toml").write_text("customer = [", encoding="utf-8")
    (tmp_path / "names.toml").write_text("", encoding="utf-8")
    with pytest.raises(ValueError, match=r"bank\.toml"):
        load_samples(empty, tmp_path, SimulatedPrices("42"))
    (tmp_path / "bank.toml").write_text("", encoding="utf-8")
    with pytest.raises(ValueError, match="lacks 'customer'"):
        load_samples(empty, tmp_path, SimulatedPrices("42"))
