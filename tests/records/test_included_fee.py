"""The fee of a quote that tells only its flat part and its basis points."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainteller.domain.assets import MARKETS, USD
from chainteller.domain.money import format_atoms
from chainteller.domain.quoting import FeeSchedule, Priced, Side, Terms, price_order
from chainteller.records.trades import QUOTE, fee_of
from chainteller.service.models.quotes import AssetAmount, Fees, Quote

SOL = next(each for each in MARKETS if each.base.symbol == "SOL")
NOW = datetime(2026, 11, 20, tzinfo=UTC)


def _quote(side: str, price: str, sold: str, bought: str, fees: Fees) -> Quote:
    dollars, units = ("USD", "fiat"), ("SOL", "solana")
    (paid, got) = (dollars, units) if side == "buy" else (units, dollars)
    return Quote(
        id="QTE_1",
        market_name="sol-usd",
        side=side,
        price=price,
        asset_sold=AssetAmount(symbol=paid[0], network=paid[1], amount=sold),
        asset_bought=AssetAmount(symbol=got[0], network=got[1], amount=bought),
        created=NOW,
        expires=NOW,
        fees=fees,
    )


def _priced(side: Side, sold: int, fees: FeeSchedule) -> tuple[Priced, Quote]:
    terms = Terms(142_500_000, 10, 5, 300_000_000, fees)
    priced = price_order(SOL, side, sold, terms)
    paid, got = (USD, SOL.base) if side is Side.BUY else (SOL.base, USD)
    quote = _quote(
        side,
        f"{Decimal(priced.price_cents) / 100:.2f}",
        format_atoms(priced.sold, paid),
        format_atoms(priced.bought, got),
        Fees(flat=f"{Decimal(fees.flat_cents) / 100:.2f}", bps=fees.bps),
    )
    return priced, quote


@given(
    side=st.sampled_from(Side),
    sold=st.integers(10_000, 10**11),
    flat=st.integers(0, 5_000),
    bps=st.integers(0, 500),
)
def test_it_is_what_the_deployment_would_have_told(
    side: Side, sold: int, flat: int, bps: int
) -> None:
    unit = 1 if side is Side.BUY else 10**6
    priced, quote = _priced(side, sold * unit, FeeSchedule(flat, bps, 0))
    if priced.bought > 0:
        found = fee_of(quote)
        assert found is not None
        assert found.amount == f"{Decimal(priced.fee_cents) / 100:.2f}"


@pytest.mark.parametrize(
    ("side", "sold", "bought"),
    [("buy", "100.00", "1.000000000"), ("sell", "1.000000000", "100.00")],
)
def test_a_fee_that_the_amounts_do_not_contain_is_not_claimed(
    side: str, sold: str, bought: str
) -> None:
    """100.00 USD for 1 SOL at 100.00 leaves nothing for a fee, which may come on top."""
    quote = _quote(side, "100.00", sold, bought, Fees(flat="1.00", bps=50))
    assert fee_of(quote) is None
    assert "fee" not in QUOTE.spoken(quote)


def test_a_fee_that_is_told_is_shown_as_it_is_told() -> None:
    fees = Fees(flat="1.00", bps=50, total="7.00", currency="EUR")
    found = fee_of(_quote("buy", "100.00", "100.00", "1.000000000", fees))
    assert (found.amount, found.unit) == ("7.00", "EUR") if found else False
