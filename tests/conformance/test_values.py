"""Predicates accept everything that the specification leaves open, and nothing else."""

import json
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainteller.conformance.checks import Check, State, adds_up, envelope, judge, paging
from chainteller.conformance.exchanges import Blocked, Exchange, segment
from chainteller.conformance.probes import Probe
from chainteller.conformance.values import Test, decimal, integer, market_name, prefixed, timestamp
from chainteller.remote.transport import Reply


def _replied(body: object, sent: object = None) -> Exchange:
    return Exchange("GET", "/x", sent, Reply(200, {}, json.dumps(body).encode()))


@pytest.mark.parametrize(
    ("test", "right", "wrong"),
    [
        (
            decimal,
            ["0", "1.00", "-3.5", "007", "0.000000000000000001", "9" * 40],
            [
                1,
                1.5,
                Decimal("1.5"),
                True,
                None,
                "",
                "1e3",
                "1,000.00",
                "1.",
                ".5",
                "+1",
                " 1",
                "٣",
            ],
        ),
        (integer, [0, 50, -1, 10**30], [True, "50", 50.0, Decimal("50.0"), None]),
        (
            timestamp,
            [
                "2026-11-22T07:23:06Z",
                "2026-11-22T07:23:06.173958Z",
                "2026-11-22T07:23:06.123456789Z",
                "2026-11-22T07:23:06+00:00",
                "20261122T072306Z",
                "2026-11-22T07:23Z",
            ],
            [
                1_763_000_000,
                "2026-11-22",
                "2026-11-22T07:23:06",
                "2026-11-22T09:23:06+02:00",
                "2026-13-22T07:23:06Z",
                "22 Nov 2026 07:23:06 GMT",
                "",
                None,
            ],
        ),
        (market_name, ["btc-usd", "xyz1-usd"], ["BTC-USD", "btc", "btc_usd", "btc-eur", 1, None]),
        (prefixed("TDA_"), ["TDA_1", "TDA_a-b"], ["TDA_", "tda_1", "1", 5, None]),
    ],
)
def test_values(test: Test, right: list[object], wrong: list[object]) -> None:
    assert [each for each in right if test(each)] == []
    assert [each for each in wrong if not test(each)] == []


_PLACES = st.integers(2, 9)


@given(
    cents=st.integers(10_000, 10**9),
    price_cents=st.integers(100, 10**8),
    bps=st.integers(0, 500),
    flat_cents=st.integers(0, 2_000),
    places=_PLACES,
    is_buy=st.booleans(),
    inside=st.booleans(),
    planted=st.sampled_from([Fraction(0), Fraction(1, 5), Fraction(-1, 5)]),
)
def test_a_fee_inside_the_amounts_or_on_top_adds_up_and_another_does_not(
    cents: int,
    price_cents: int,
    bps: int,
    flat_cents: int,
    places: int,
    is_buy: bool,
    inside: bool,
    planted: Fraction,
) -> None:
    usd = Fraction(cents, 100) * (1 + planted)
    fee = (Fraction(flat_cents, 100) + Fraction(cents, 100) * bps / 10_000) if inside else 0
    worth = Fraction(cents, 100) - fee if is_buy else Fraction(cents, 100) + fee
    unit = 10**places
    units = worth / Fraction(price_cents, 100) * unit
    dollars, coins = _text(usd * 100 // 1, 2), _text(units // 1, places)
    if is_buy:
        legs = {"assetSold": {"amount": dollars}, "assetBought": {"amount": coins}}
    else:
        legs = {"assetBought": {"amount": dollars}, "assetSold": {"amount": coins}}
    quote = {
        **legs,
        "price": _text(price_cents, 2),
        "fees": {"flat": _text(flat_cents, 2), "bps": bps},
    }
    exchange = _replied({"data": [quote]}, {"side": "buy" if is_buy else "sell"})
    step_usd = Fraction(price_cents, 100) / unit
    if planted and step_usd < Fraction(cents, 100) / 20:
        assert list(adds_up(exchange))
    elif not planted:
        assert list(adds_up(exchange)) == []


def _text(atoms: int, places: int) -> str:
    return f"{atoms // 10**places}.{atoms % 10**places:0{places}}"


@pytest.mark.parametrize(
    ("count", "total", "page", "limit", "is_right"),
    [
        (0, 0, 1, 20, True),
        (3, 3, 1, 20, True),
        (3, 3, 0, 20, True),
        (20, 45, 1, 20, True),
        (5, 45, 3, 20, True),
        (19, 45, 1, 20, True),
        (3, 4, 1, 20, False),
        (3, 2, 1, 20, False),
        (21, 45, 1, 20, False),
        (3, 3, 2, 20, False),
    ],
)
def test_paging(count: int, total: int, page: int, limit: int, is_right: bool) -> None:
    pages = {"total": total, "page": page, "limit": limit}
    found = list(paging(_replied({"data": [{}] * count, "pagination": pages})))
    assert (found == []) is is_right


@pytest.mark.parametrize("body", [[], None, 1, {}, {"data": {}}, {"data": [], "pagination": []}])
def test_other_shapes_are_no_envelope(body: object) -> None:
    assert list(envelope(_replied(body)))


@pytest.mark.parametrize("value", ["..", ".", "", "a/b", "a?b", "a b", "é", "a\x00", "a" * 201, 5])
def test_ids_that_could_lead_astray_are_not_followed(value: object) -> None:
    with pytest.raises(Blocked):
        segment(value)


def test_a_check_without_its_request_says_why() -> None:
    check = Check("a.b", "1", "A sentence.", envelope, (Probe.MARKETS,))
    finding = judge(check, {}, {Probe.MARKETS: "needs --write"})
    assert (finding.state, finding.notes) == (State.NOT_CHECKED, ("needs --write",))
