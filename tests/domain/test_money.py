"""Amounts: the grammar of the wire, exact both ways."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainteller.domain.assets import ASSETS, BTC, ETH, SOL, USD, USDC_SOLANA, Asset
from chainteller.domain.money import (
    MAX_ATOMS,
    Amount,
    AmountMalformed,
    AmountTooPrecise,
    asset_sold,
    atoms_of_cents,
    ceil_div,
    format_atoms,
    parse_atoms,
    parse_typed,
    whole_cents,
)

MALFORMED = [
    "-1.00",
    "+1.00",
    "-0",
    "0",
    "0.00",
    "0.000000000000000000",
    "1e3",
    "1E3",
    "1.0e-2",
    "NaN",
    "nan",
    "Infinity",
    "inf",
    "1" * 40,
    "9" * 39,
    "",
    " ",
    " 1.00",
    "1.00 ",
    "1 000.00",
    "1\t",
    "1.00\n",
    "1\u00a0000",
    "\u0661\u0662\u0663",  # Arabic-Indic digits
    "\u06f1.\u06f0\u06f0",  # Eastern Arabic-Indic digits
    "\uff11.\uff10\uff10",  # full-width digits
    "1\u066b50",  # Arabic decimal separator
    "1,00",
    "1,000.00",
    "1_000",
    "1.",
    ".50",
    "1.2.3",
    "$1.00",
    "1.00 USD",
    "0x10",
    "1/2",
    "\u00bd",
    "one",
    "1\x00",
    "--1",
    "\ud800",
]


WHY = [
    ("", "Enter an amount, for example 1500.00."),
    ("one", "Enter an amount, for example 1500.00."),
    (" 1.00", "Remove the spaces before and after the amount."),
    ("-1.00", "Enter the amount without a sign, for example 1500.00."),
    ("+1.00", "Enter the amount without a sign, for example 1500.00."),
    ("$1.00", "Use only digits and a decimal point, for example 1500.00."),
    ("1,000.00", "Leave out the commas, for example 1500.00."),
    (".50", "Put digits on both sides of one decimal point, for example 0.50."),
    ("1.", "Put digits on both sides of one decimal point, for example 0.50."),
    ("1.2.3", "Put digits on both sides of one decimal point, for example 0.50."),
    ("9" * 39, "Use at most 38 digits before the decimal point and 18 after it."),
    ("1." + "1" * 19, "Use at most 38 digits before the decimal point and 18 after it."),
    ("007", "Remove the leading zeros, for example 7.00 instead of 007."),
    ("0.00", "Enter an amount greater than zero."),
]
WHY_TYPED = [
    ("", "Enter an amount, for example 1500 or 1,500.00."),
    ("12,34", "Use commas only for groups of three (1,234.56) and a point for decimals."),
    ("-5", "Enter the amount without a sign, for example 1500 or 1,500.00."),
    ("5 USD", "Use only digits and a decimal point, for example 1500 or 1,500.00."),
    ("1,500.", "Put digits on both sides of one decimal point, for example 0.50."),
]


def test_why_a_text_is_no_amount_is_said() -> None:
    for text, why in WHY:
        with pytest.raises(AmountMalformed, match=f"^{re.escape(why)}$"):
            parse_atoms(text, ETH)
    for text, why in WHY_TYPED:
        with pytest.raises(AmountMalformed, match=f"^{re.escape(why)}$"):
            parse_typed(text, ETH)
    assert parse_atoms("9" * 38 + "." + "9" * 18, ETH) == 10**56 - 1


@pytest.mark.parametrize("text", MALFORMED)
@pytest.mark.parametrize("asset", [USD, ETH])
def test_refuses_what_is_no_positive_decimal_number(text: str, asset: Asset) -> None:
    with pytest.raises(AmountMalformed):
        parse_atoms(text, asset)


@pytest.mark.parametrize("value", [1, 1.0, True, None, [], {}, b"1.00"])
def test_refuses_what_is_no_text(value: object) -> None:
    with pytest.raises(AmountMalformed):
        parse_atoms(value, USD)


@pytest.mark.parametrize(
    ("text", "asset", "allowed"),
    [
        ("1.001", USD, 2),
        ("1.000", USD, 2),
        ("0.001", USD, 2),
        ("0.000000001", BTC, 8),
        ("1.0000000001", SOL, 9),
        ("1.0000001", USDC_SOLANA, 6),
    ],
)
def test_more_decimals_than_the_asset_has_are_never_rounded(
    text: str, asset: Asset, allowed: int
) -> None:
    with pytest.raises(AmountTooPrecise) as refused:
        parse_atoms(text, asset)
    assert refused.value.max_decimals == allowed


def test_nineteen_decimals_are_outside_the_grammar_even_for_wei() -> None:
    with pytest.raises(AmountMalformed):
        parse_atoms("0." + "0" * 18 + "1", ETH)
    assert parse_atoms("0." + "0" * 17 + "1", ETH) == 1


def test_money_to_a_bank_has_whole_cents() -> None:
    with pytest.raises(AmountTooPrecise):
        parse_atoms("1.001", USDC_SOLANA, max_decimals=2)
    assert parse_atoms("1.01", USDC_SOLANA, max_decimals=2) == 1_010_000


def test_zero_is_malformed_before_it_is_too_precise() -> None:
    with pytest.raises(AmountMalformed):
        parse_atoms("0.0000000000", USD)


@pytest.mark.parametrize(
    ("atoms", "asset", "text"),
    [
        (150_000_000, BTC, "1.50"),
        (1, ETH, "0.000000000000000001"),
        (1, USD, "0.01"),
        (100, USD, "1.00"),
        (0, SOL, "0.00"),
        (1_234_567_890, SOL, "1.23456789"),
        (-5, USD, "-0.05"),
        (10**38 - 1, USD, "9" * 36 + ".99"),
    ],
)
def test_writes_amounts_as_the_contract_says(atoms: int, asset: Asset, text: str) -> None:
    assert format_atoms(atoms, asset) == text


@given(st.integers(1, MAX_ATOMS), st.sampled_from(ASSETS))
def test_every_amount_reads_back_as_it_was_written(atoms: int, asset: Asset) -> None:
    text = format_atoms(atoms, asset)
    assert "e" not in text.lower()
    assert parse_atoms(text, asset) == atoms


def test_whatever_the_grammar_allows_is_read_however_wide() -> None:
    assert parse_atoms(format_atoms(MAX_ATOMS, USD), USD) == MAX_ATOMS
    assert parse_atoms("9" * 38, USD) == 10**40 - 100
    assert parse_atoms("9" * 38, ETH) == (10**38 - 1) * 10**18


@given(st.text())
def test_any_text_is_read_or_refused_by_name(text: str) -> None:
    try:
        assert parse_atoms(text, ETH) > 0
    except (AmountMalformed, AmountTooPrecise):
        return


def test_amounts_of_different_assets_do_not_add_up() -> None:
    with pytest.raises(ValueError, match="do not add up"):
        Amount(1, USD) + Amount(1, BTC)
    assert Amount(3, BTC) - Amount(1, BTC) == Amount(2, BTC)
    assert Amount(3, BTC) + Amount(1, BTC) == Amount(4, BTC)


def test_the_largest_amount_has_38_nines() -> None:
    assert str(MAX_ATOMS) == "9" * 38


def test_an_order_sells_dollars_or_the_asset_of_its_market() -> None:
    assert asset_sold("sol-usd", "buy") == USD
    assert asset_sold("btc-usd", "sell") == BTC
    assert asset_sold("sol-usd", "sell") == SOL
    unknown = asset_sold("doge-usd", "sell")
    assert (unknown.symbol, unknown.decimals) == ("DOGE", 18)


def test_atoms_are_never_floats() -> None:
    with pytest.raises(TypeError):
        Amount(1.0, USD)  # type: ignore[arg-type]  # the mistake under test
    with pytest.raises(TypeError):
        Amount(True, USD)


@given(st.integers(0, 10**30), st.sampled_from([USD, USDC_SOLANA]))
def test_whole_cents_never_exceed_what_is_there(atoms: int, asset: Asset) -> None:
    cents = whole_cents(atoms, asset)
    assert atoms_of_cents(cents, asset) <= atoms < atoms_of_cents(cents + 1, asset)


@given(st.integers(0, 10**40), st.integers(1, 10**20))
def test_ceil_div_rounds_up(numerator: int, denominator: int) -> None:
    result = ceil_div(numerator, denominator)
    assert (result - 1) * denominator < numerator <= result * denominator
