"""Quoting: prices against the taker, fees rounded up, no gain out of nothing (10 and 11)."""

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from chainteller.domain.assets import MARKETS, MARKETS_BY_NAME, Market
from chainteller.domain.clock import SECOND
from chainteller.domain.quoting import (
    FeeSchedule,
    Side,
    Terms,
    price_order,
    price_order_bought,
)

SOL = MARKETS_BY_NAME["sol-usd"]
markets = st.sampled_from(MARKETS)
fees = st.builds(
    FeeSchedule,
    flat_cents=st.integers(0, 500),
    bps=st.integers(0, 300),
    minimum_cents=st.integers(1, 200),
)
terms = st.builds(
    Terms,
    mid_micros=st.integers(10_000, 200_000_000_000),
    half_spread_bps=st.integers(1, 200),
    hold_premium_bps_per_minute=st.integers(0, 20),
    window=st.integers(1, 900).map(lambda seconds: seconds * SECOND),
    fees=fees,
)
cents = st.integers(1, 10_000_000)


def usual() -> Terms:
    return Terms(200_000_000, 40, 5, 300 * SECOND, FeeSchedule())


def test_a_buy_as_it_is_documented() -> None:
    """Mid 200.00, half-spread 40 bps and 25 bps for five minutes: 201.30; fee 50 bps of 1,000."""
    priced = price_order(SOL, Side.BUY, 100_000, usual())
    assert (priced.price_cents, priced.fee_cents) == (20_130, 500)
    assert priced.bought == (100_000 - 500) * 10**9 // 20_130
    assert priced.base_atoms == priced.bought


def test_a_sell_as_it_is_documented() -> None:
    priced = price_order(SOL, Side.SELL, 10**9, usual())
    assert (priced.price_cents, priced.usd_leg, priced.fee_cents) == (19_870, 19_870, 100)
    assert priced.bought == 19_770
    assert priced.base_atoms == 10**9


def test_the_fee_has_a_minimum_and_is_rounded_up() -> None:
    schedule = FeeSchedule(flat_cents=0, bps=50, minimum_cents=1)
    assert [schedule.fee_cents(base) for base in (1, 200, 201, 10_000)] == [1, 1, 2, 50]
    assert FeeSchedule(25, 50, 1).fee_cents(201) == 27


def test_a_fee_unless_a_bank_says_otherwise_is_half_a_percent_and_at_least_a_cent() -> None:
    assert [FeeSchedule().fee_cents(base) for base in (0, 10**12)] == [1, 5 * 10**9]


def test_large_amounts_are_priced_to_the_cent() -> None:
    """A hundred million dollars a coin, sold and bought with neither spread nor premium."""
    exact = Terms(10**14, 0, 0, 300 * SECOND, FeeSchedule(0, 0, 0))
    assert [exact.price_cents(side) for side in Side] == [10**10, 10**10]
    assert price_order(SOL, Side.SELL, 10**9, exact).bought == 10**10
    assert price_order(SOL, Side.BUY, 10**10, exact).bought == 10**9


def test_nothing_is_bought_where_the_fee_takes_everything() -> None:
    dear = Terms(200_000_000, 40, 5, 300 * SECOND, FeeSchedule(flat_cents=500))
    assert price_order(SOL, Side.BUY, 500, dear).bought == 0
    assert price_order(SOL, Side.SELL, 10_000_000, dear).bought == 0
    assert FeeSchedule(0, 0, 7).fee_cents(10**9) == 7


@given(terms, st.sampled_from(Side))
def test_a_price_is_rounded_against_the_taker(what: Terms, side: Side) -> None:
    moved = Fraction(what.half_spread_bps) + Fraction(
        what.hold_premium_bps_per_minute * (what.window // SECOND), 60
    )
    sign = 1 if side is Side.BUY else -1
    exact = Fraction(what.mid_micros, 10_000) * (1 + sign * moved / 10_000)
    price = what.price_cents(side)
    if side is Side.BUY:
        assert exact <= price < exact + 1
    else:
        assert exact - 1 < price <= exact


@given(markets, cents, terms)
def test_a_buy_leaves_less_than_an_atom_unbought(market: Market, sold: int, what: Terms) -> None:
    """Invariant 10: 0 <= (sold - fee) - bought x price < price x one atom."""
    priced = price_order(market, Side.BUY, sold, what)
    assume(sold >= priced.fee_cents)
    atom = Fraction(1, 10**market.base.decimals)
    left = sold - priced.fee_cents - priced.bought * atom * priced.price_cents
    assert 0 <= left < priced.price_cents * atom


@given(markets, st.integers(1, 10**21), terms)
def test_a_sell_pays_the_exact_floor(market: Market, sold: int, what: Terms) -> None:
    """Invariant 10, the other side: floor2(quantity x price) - fee."""
    priced = price_order(market, Side.SELL, sold, what)
    gross = Fraction(sold, 10**market.base.decimals) * priced.price_cents
    assert priced.usd_leg <= gross < priced.usd_leg + 1
    assert priced.bought == max(0, priced.usd_leg - priced.fee_cents)


@given(markets, cents, terms)
def test_no_round_trip_gains_at_a_constant_mid(market: Market, sold: int, what: Terms) -> None:
    """Invariant 11."""
    bought = price_order(market, Side.BUY, sold, what).bought
    back = price_order(market, Side.SELL, bought, what).bought if bought else 0
    assert back < sold


@given(markets, st.integers(1, 10**20), terms)
def test_no_round_trip_from_the_asset_gains(market: Market, sold: int, what: Terms) -> None:
    proceeds = price_order(market, Side.SELL, sold, what).bought
    back = price_order(market, Side.BUY, proceeds, what).bought if proceeds else 0
    assert back < sold


@given(markets, st.lists(cents, min_size=2, max_size=6), terms)
def test_splitting_a_buy_never_gains(market: Market, parts: list[int], what: Terms) -> None:
    whole = price_order(market, Side.BUY, sum(parts), what).bought
    split = sum(price_order(market, Side.BUY, part, what).bought for part in parts)
    # What a part whose fee exceeds it loses is more than what any other part could save.
    assert split <= whole


@given(markets, st.lists(st.integers(1, 10**19), min_size=2, max_size=6), terms)
def test_splitting_a_sell_never_gains(market: Market, parts: list[int], what: Terms) -> None:
    whole = price_order(market, Side.SELL, sum(parts), what).bought
    split = sum(price_order(market, Side.SELL, part, what).bought for part in parts)
    assert split <= whole


@given(markets, st.sampled_from(Side), st.integers(1, 10**7), terms)
def test_asking_for_what_is_bought_gives_the_smallest_such_order(
    market: Market, side: Side, bought: int, what: Terms
) -> None:
    assume(what.price_cents(side) > 0)
    priced = price_order_bought(market, side, bought, what)
    assert priced.bought >= bought
    if priced.sold > 1:
        assert price_order(market, side, priced.sold - 1, what).bought < bought


def test_the_smallest_order_may_be_a_single_cent_or_two() -> None:
    free = Terms(200_000_000, 0, 0, 0, FeeSchedule(0, 0, 0))
    one = price_order(SOL, Side.BUY, 1, free).bought
    two = price_order(SOL, Side.BUY, 2, free).bought
    three = price_order(SOL, Side.BUY, 3, free).bought
    wanted = [(one, 1), (one + 1, 2), (two, 2), (two + 1, 3), (three, 3), (three + 1, 4)]
    assert [price_order_bought(SOL, Side.BUY, each, free).sold for each, _ in wanted] == [
        sold for _, sold in wanted
    ]


def test_an_order_that_nothing_can_bring_is_answered_too() -> None:
    """A cent a unit, sold below that: no quantity brings anything."""
    worthless = Terms(10_000, 40, 5, 300 * SECOND, FeeSchedule())
    assert price_order_bought(SOL, Side.SELL, 100, worthless).bought == 0


@pytest.mark.parametrize("side", Side)
def test_a_wider_window_costs_more(side: Side) -> None:
    short = Terms(200_000_000, 40, 5, 60 * SECOND, FeeSchedule())
    long = Terms(200_000_000, 40, 5, 900 * SECOND, FeeSchedule())
    difference = long.price_cents(side) - short.price_cents(side)
    assert (difference > 0) == (side is Side.BUY)
