import itertools

from hypothesis import given
from hypothesis import strategies as st

from chainteller.adapters.prices_simulated import SimulatedPrices
from chainteller.domain.assets import MARKETS
from chainteller.domain.clock import DAY, MINUTE, SECOND, parse_instant
from chainteller.domain.prices import HALT_MOVE_PERCENT
from chainteller.engine.core.ports import PriceFeed

NOW = parse_instant("2026-11-20T12:04:31Z")
DOLLAR = 1_000_000
USUAL = {"btc-usd": 100_000 * DOLLAR, "eth-usd": 3_400 * DOLLAR, "sol-usd": 200 * DOLLAR}

seeds = st.text(max_size=8)
markets = st.sampled_from(sorted(USUAL))
instants = st.integers(min_value=0, max_value=4 * NOW)


def test_is_a_price_feed_that_never_halts_a_market() -> None:
    feed: PriceFeed = SimulatedPrices("42")
    assert feed.checks_staleness is False


@given(seeds, markets, instants, st.lists(instants, max_size=5))
def test_a_price_depends_on_seed_market_and_time_only(
    seed: str, market: str, at: int, asked_before: list[int]
) -> None:
    well_used = SimulatedPrices(seed)
    for other in asked_before:
        well_used.price(market, other)
    assert well_used.price(market, at) == SimulatedPrices(seed).price(market, at)


def test_a_price_is_the_same_on_every_machine() -> None:
    feed = SimulatedPrices("42")
    assert [feed.price(market.name, NOW).mid_micros for market in MARKETS] == EXPECTED_MIDS


EXPECTED_MIDS = [191_720_000, 93_303_890_000, 3_348_060_000]


def test_another_seed_or_market_gives_another_price() -> None:
    assert SimulatedPrices("1").price("sol-usd", NOW) != SimulatedPrices("2").price("sol-usd", NOW)
    feed = SimulatedPrices("1")
    assert feed.price("btc-usd", NOW).mid_micros != feed.price("eth-usd", NOW).mid_micros


@given(seeds, markets, instants)
def test_a_price_stays_near_its_usual_level(seed: str, market: str, at: int) -> None:
    mid = SimulatedPrices(seed).price(market, at).mid_micros
    assert USUAL[market] // 3 < mid < USUAL[market] * 3


@given(seeds, markets, instants, st.integers(min_value=0, max_value=MINUTE))
def test_a_minute_never_moves_a_price_enough_to_halt(
    seed: str, market: str, at: int, later: int
) -> None:
    feed = SimulatedPrices(seed)
    before, after = feed.price(market, at).mid_micros, feed.price(market, at + later).mid_micros
    assert abs(after - before) * 100 < before * (HALT_MOVE_PERCENT // 5)


@given(seeds, markets, instants)
def test_a_price_was_observed_within_the_last_second(seed: str, market: str, at: int) -> None:
    assert 0 <= at - SimulatedPrices(seed).price(market, at).at < SECOND


@given(seeds, markets, instants)
def test_a_price_is_in_whole_cents(seed: str, market: str, at: int) -> None:
    assert SimulatedPrices(seed).price(market, at).mid_micros % 10_000 == 0


def test_a_live_screen_sees_every_market_move_every_two_seconds() -> None:
    feed = SimulatedPrices("42")
    for market in USUAL:
        every_two = [feed.price(market, NOW + second * SECOND) for second in range(0, 2000, 2)]
        still = sum(
            before.mid_micros == after.mid_micros for before, after in itertools.pairwise(every_two)
        )
        assert still < len(every_two) // 10


def test_a_day_moves_a_price_by_two_to_four_percent() -> None:
    feed = SimulatedPrices("42")
    for market in USUAL:
        moves = []
        for day in range(400):
            before = feed.price(market, NOW - (day + 1) * DAY).mid_micros
            moves.append(abs(feed.price(market, NOW - day * DAY).mid_micros - before) / before)
        mean_percent = 100 * sum(moves) / len(moves)
        assert 1 < mean_percent < 4


def test_yesterdays_price_exists_at_once() -> None:
    for market in USUAL:
        assert SimulatedPrices("never asked").price(market, NOW - DAY).mid_micros > 0


def test_samples_are_the_prices_at_each_step() -> None:
    feed = SimulatedPrices("42")
    samples = feed.samples("sol-usd", NOW - 5 * MINUTE, NOW, MINUTE)
    assert samples == tuple(feed.price("sol-usd", NOW - m * MINUTE) for m in range(5, -1, -1))


def test_a_market_that_is_not_ours_has_a_price_too() -> None:
    assert SimulatedPrices("42").price("doge-usd", NOW).mid_micros > 0


def test_a_price_is_the_same_after_many_others_were_asked_for() -> None:
    feed = SimulatedPrices("42")
    first = feed.price("sol-usd", NOW)
    for number in range(1000):
        feed.price("sol-usd", NOW - number * 97 * DAY)
    assert feed.price("sol-usd", NOW) == first
