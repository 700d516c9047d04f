"""Journals, leg by leg, and what is no journal."""

from collections.abc import Callable

import pytest

from chainteller.domain import ledger
from chainteller.domain.assets import ASSETS_BY_KEY, SOL, USD, USDC_SOLANA
from chainteller.domain.ledger import Fill, Journal, Leg, UnbalancedJournalError
from chainteller.domain.money import Amount

BUSD = ASSETS_BY_KEY["BUSD1@bank"]
FILL = Fill("A", "R", SOL, 5, 1_000, 30, 900)
SALE = Fill("A", "R", SOL, 5, 1_000, 30, 1_100)
PARTS = (Amount(300, BUSD), Amount(7_000_000, USDC_SOLANA), Amount(5, USD))
JOURNALS: list[tuple[Callable[[], Journal], str, str]] = [
    (
        lambda: ledger.deposit_completed("A", "R", USDC_SOLANA, 7, 0),
        "R:deposit",
        "core +7 USD@fiat, issuer:USDC@solana +7 USD@fiat, custody +70000 USDC@solana, "
        "customer:A:available +70000 USDC@solana",
    ),
    (
        lambda: ledger.deposit_returned("A", "R", USDC_SOLANA, 7, 3),
        "R:deposit-return",
        "customer:A:available -30000 USDC@solana, custody -30000 USDC@solana, "
        "issuer:USDC@solana -3 USD@fiat, customer:A:owed +4 USD@fiat, core -7 USD@fiat",
    ),
    (
        lambda: ledger.hold("A", "R", PARTS[:1]),
        "R:hold",
        "customer:A:available -300 BUSD1@bank, customer:A:held +300 BUSD1@bank",
    ),
    (
        lambda: ledger.release("A", "R", PARTS[:1]),
        "R:release",
        "customer:A:held -300 BUSD1@bank, customer:A:available +300 BUSD1@bank",
    ),
    (
        lambda: ledger.fill_buy(FILL, (Amount(1_000, BUSD),)),
        "R:fill",
        "customer:A:held -1000 BUSD1@bank, custody -1000 BUSD1@bank, "
        "issuer:BUSD1@bank -1000 USD@fiat, lp.payable +900 USD@fiat, income:fee +30 USD@fiat, "
        "income:spread +70 USD@fiat, lp.receivable +5 SOL@solana, "
        "customer:A:incoming +5 SOL@solana",
    ),
    (
        lambda: ledger.fill_sell(SALE),
        "R:fill",
        "customer:A:held -5 SOL@solana, lp.payable +5 SOL@solana, lp.receivable +1100 USD@fiat, "
        "customer:A:incoming +1000 USD@fiat, income:fee +30 USD@fiat, income:spread +70 USD@fiat",
    ),
    (
        lambda: ledger.settle_buy(FILL),
        "R:settle",
        "custody +5 SOL@solana, lp.receivable -5 SOL@solana, customer:A:incoming -5 SOL@solana, "
        "customer:A:available +5 SOL@solana, lp.payable -900 USD@fiat, core -900 USD@fiat",
    ),
    (
        lambda: ledger.settle_sell(SALE),
        "R:settle",
        "lp.payable -5 SOL@solana, custody -5 SOL@solana, core +1100 USD@fiat, "
        "lp.receivable -1100 USD@fiat, customer:A:incoming -1000 USD@fiat, "
        "customer:A:available +1000 USD@fiat",
    ),
    (
        lambda: ledger.bank_withdrawal_sent("A", "R", PARTS),
        "R:sent",
        "customer:A:held -300 BUSD1@bank, custody -300 BUSD1@bank, "
        "issuer:BUSD1@bank -300 USD@fiat, customer:A:held -7000000 USDC@solana, "
        "custody -7000000 USDC@solana, issuer:USDC@solana -700 USD@fiat, "
        "customer:A:held -5 USD@fiat, core -1005 USD@fiat",
    ),
    (
        lambda: ledger.bank_withdrawal_returned("A", "R", PARTS[:1]),
        "R:return",
        "customer:A:available +300 BUSD1@bank, custody +300 BUSD1@bank, "
        "issuer:BUSD1@bank +300 USD@fiat, core +300 USD@fiat",
    ),
    (
        lambda: ledger.wallet_withdrawal_sent("A", "R", Amount(5, SOL), 2),
        "R:sent",
        "customer:A:held -7 SOL@solana, transit +5 SOL@solana, income:withdrawal-fee +2 SOL@solana",
    ),
    (
        lambda: ledger.wallet_withdrawal_confirmed("R", Amount(5, SOL)),
        "R:confirmed",
        "transit -5 SOL@solana, custody -5 SOL@solana",
    ),
    (
        lambda: ledger.wallet_withdrawal_failed("A", "R", Amount(5, SOL)),
        "R:failed",
        "transit -5 SOL@solana, customer:A:available +5 SOL@solana",
    ),
]
"""A journal, its key, and how it changes each balance, on the account's normal side."""


@pytest.mark.parametrize(("make", "key", "changes"), JOURNALS)
def test_a_journal_changes_each_balance_as_it_should(
    make: Callable[[], Journal], key: str, changes: str
) -> None:
    journal = make()
    assert journal.key == key
    found = [f"{leg.account} {leg.change:+d} {leg.asset.key}" for leg in journal.legs]
    assert ", ".join(found) == changes


@pytest.mark.parametrize(
    ("atoms", "said"),
    [((0, 0), "k: a leg of 0"), ((-1, 1), "k: a leg of -1"), ((2, 1), "k: {.*: 1}"), ((), "k: {}")],
)
def test_what_is_no_journal_is_refused(atoms: tuple[int, ...], said: str) -> None:
    legs = tuple(Leg("core", USD, debit=place == 0, atoms=each) for place, each in enumerate(atoms))
    with pytest.raises(UnbalancedJournalError, match=f"^{said}$"):
        Journal("k", "r", legs)


def test_whole_cents_of_every_cash_equivalent_can_be_spent() -> None:
    assert ledger.buying_power({}) == 0
    assert ledger.buying_power({BUSD: 1, USDC_SOLANA: 19_999, USD: 4, SOL: 9}) == 6
    assert ledger.draw({BUSD: 1, USDC_SOLANA: 19_999, USD: 4}, 7) is None
    found = ledger.draw({BUSD: 1, USDC_SOLANA: 19_999, USD: 4}, 6)
    assert found is not None
    assert {(part.asset, part.atoms) for part in found} == {
        (BUSD, 1),
        (USDC_SOLANA, 10_000),
        (USD, 4),
    }
    assert ledger.draw({}, 0) == ()


def test_a_code_names_its_trading_account_or_none() -> None:
    assert ledger.owner("customer:A:held") == "A"
    assert [ledger.owner(each) for each in ("core", "customer:A:other", "customer::held")] == [
        ""
    ] * 3
