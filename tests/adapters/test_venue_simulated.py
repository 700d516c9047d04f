import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainteller.adapters.venue_simulated import SimulatedVenue
from chainteller.engine.core.ports import ExecutionVenue


@given(st.text(), st.text())
def test_fills_every_order_unless_told_otherwise(seed: str, trade_id: str) -> None:
    venue: ExecutionVenue = SimulatedVenue(seed)
    assert venue.decide(trade_id) is None


@given(st.text(), st.text(), st.integers(min_value=0, max_value=1000))
def test_the_outcome_follows_from_seed_and_trade(seed: str, trade_id: str, rate: int) -> None:
    first = SimulatedVenue(seed, rejects_per_mille=rate).decide(trade_id)
    assert SimulatedVenue(seed, rejects_per_mille=rate).decide(trade_id) == first


def test_refuses_about_the_share_that_it_is_told_to() -> None:
    venue = SimulatedVenue("42", rejects_per_mille=100)
    outcomes = [venue.decide(f"TXN_{number}") for number in range(5000)]
    refused = [outcome for outcome in outcomes if outcome is not None]
    assert 400 < len(refused) < 600
    assert {refusal.code for refusal in refused} == {"PROVIDER_REJECTED", "NO_LIQUIDITY"}
    assert all(refusal.message for refusal in refused)


def test_can_refuse_everything() -> None:
    venue = SimulatedVenue(rejects_per_mille=1000)
    assert all(venue.decide(f"TXN_{n}") is not None for n in range(100))


@pytest.mark.parametrize("rate", [-1, 1001])
def test_refuses_a_rate_that_is_none(rate: int) -> None:
    with pytest.raises(ValueError, match="rejects_per_mille"):
        SimulatedVenue(rejects_per_mille=rate)
