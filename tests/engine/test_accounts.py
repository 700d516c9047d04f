"""Opening trading accounts: the preconditions in their order; one account, one currency record."""

from decimal import Decimal
from pathlib import Path

import pytest
from tests.refusals import details, refusal
from tests.world.customers import CustomerSeed
from tests.world.engines import FixedPrices, World, make_world

from chainteller.domain.clock import MINUTE, SECOND, to_datetime
from chainteller.service.models.pages import ListQuery


@pytest.mark.parametrize(
    ("seed", "kind", "code", "expected"),
    [
        (
            CustomerSeed(terms_version=None, kyc_level="none", control="FROZEN"),
            "savings",
            "UNSUPPORTED_ACCOUNT_TYPE",
            {"bankAccountId": "DDA-1", "requested": "savings", "actual": "checking"},
        ),
        (
            CustomerSeed(terms_version=None, kyc_level="none", control="FROZEN"),
            "checking",
            "TERMS_NOT_ACCEPTED",
            {"termsVersion": "2026-01", "acceptedVersion": None},
        ),
        (
            CustomerSeed(kyc_level="none", control="FROZEN"),
            "checking",
            "KYC_REQUIRED",
            {
                "requiredLevel": "enhanced",
                "currentLevel": "none",
                "missing": ["enhanced-due-diligence"],
            },
        ),
        (
            CustomerSeed(control="SELL_ONLY"),
            "checking",
            "ACCOUNT_RESTRICTED",
            {"control": "SELL_ONLY", "reasonCode": "UNSPECIFIED"},
        ),
    ],
)
def test_names_the_first_precondition_that_fails(
    tmp_path: Path, seed: CustomerSeed, kind: str, code: str, expected: dict[str, object]
) -> None:
    world = make_world(tmp_path / "bank.db", customers=(seed,))
    error = refusal(world.open, "DDA-1", kind)
    assert (error.code, details(error)) == (code, expected)
    assert world.engine.trading_accounts().pagination.total == 0


def test_a_bank_account_has_one_trading_account(empty_world: World) -> None:
    account = empty_world.open()
    error = refusal(empty_world.open)
    assert error.code == "CONFLICT"
    assert details(error) == {
        "resource": "trading account",
        "id": account,
        "reason": "ALREADY_OPEN",
        "currentVersion": None,
    }


def test_a_type_that_is_none_is_refused_before_anything(empty_world: World) -> None:
    error = refusal(empty_world.open, "DDA-NONE", "gold")
    assert (error.code, error.details["errors"][0]["field"]) == (
        "VALIDATION_ERROR",
        "bankAccountType",
    )


def test_a_new_account_is_empty_and_found(empty_world: World) -> None:
    account = empty_world.open()
    shown = empty_world.engine.trading_account(account)
    assert (shown.buying_power, shown.controls) == ("0.00", ())
    assert empty_world.balances() == {}
    assert len(empty_world.engine.token_balances(account, include_zero=True).data) == 7
    for text in (account[4:10], "DDA-1", "customer", "CU-1"):
        found = empty_world.engine.trading_accounts(ListQuery(text=text)).data
        assert [each.id for each in found] == [account]


def test_crypto_is_worth_what_its_balances_are_at_one_instant(world: World) -> None:
    """On hold and incoming included, each asset rounded by itself."""
    world.buy("100.00")
    world.settle()
    world.buy("33.33")
    world.clock.advance(15 * SECOND)
    world.engine.run_due()
    world.execute(world.quote("0.1", side="sell"))
    account = world.engine.trading_account(world.account)
    balances = [
        each for each in world.engine.token_balances(world.account).data
        if each.token.network == "solana"
    ]  # fmt: skip
    parts = [text for each in balances for text in (each.held, each.incoming)]
    assert all(text is not None and text.strip("0.") for text in parts)
    assert account.crypto_value_usd == str(sum(Decimal(each.value_usd or "") for each in balances))
    (listed,) = world.engine.trading_accounts(ListQuery()).data
    assert listed == account
    assert {each.valued_at for each in balances} == {account.valued_at}
    assert account.valued_at == to_datetime(world.clock.now() - world.clock.now() % MINUTE)


def test_every_account_of_a_long_page_has_its_own_figures(tmp_path: Path) -> None:
    prices, expected = FixedPrices(), []
    customers = [CustomerSeed(f"DDA-{number}") for number in range(21)]
    world = make_world(tmp_path / "bank.db", feed=prices, customers=customers)
    for number in range(21):
        account = world.open(f"DDA-{number}")
        world.deposit(f"{number + 200}.00", account=account)
        world.clock.advance(SECOND)
        expected.append((account, f"{number + 200}.00", "0.00"))
    world.buy("100.00")
    world.settle()
    for mid, worth in ((200, "98.85"), (300, "148.28")):
        prices.mid_micros = mid * 1_000_000
        expected[0] = (world.account, "100.00", worth)
        shown = world.engine.trading_accounts(ListQuery(sort="created", limit=100)).data
        assert [(each.id, each.buying_power, each.crypto_value_usd) for each in shown] == expected
    world.deposit("5.00", account=world.accounts[20])
    assert world.engine.trading_account(world.accounts[20]).buying_power == "225.00"
    world.close()
