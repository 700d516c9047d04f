"""Withdrawal limits: rolling windows with exact edges."""

import pytest

from chainteller.domain.clock import DAY, HOUR
from chainteller.domain.evidence import EvidenceLevel
from chainteller.domain.limits import (
    DestinationClass,
    LimitRule,
    Spent,
    rules,
    tightest_exceeded,
    usage,
)

OWN = DestinationClass.OWN_BANK
NOW = 1_763_700_000_000_000
DAILY = LimitRule("daily", OWN, DAY, 1_000)


@pytest.mark.parametrize(
    ("age", "used"), [(0, 100), (DAY - 1, 100), (DAY, 0), (DAY + 1, 0), (HOUR, 100)]
)
def test_a_withdrawal_counts_until_it_is_exactly_one_period_old(age: int, used: int) -> None:
    assert usage(DAILY, [Spent(OWN, 100, NOW - age)], NOW).used_cents == used


def test_the_window_resets_when_its_oldest_withdrawal_leaves_it() -> None:
    history = [Spent(OWN, 100, NOW - HOUR), Spent(OWN, 200, NOW - 2 * HOUR)]
    found = usage(DAILY, history, NOW)
    assert (found.used_cents, found.remaining_cents) == (300, 700)
    assert found.resets_at == NOW - 2 * HOUR + DAY


def test_an_unused_window_has_nothing_to_reset() -> None:
    assert usage(DAILY, [], NOW).resets_at is None


def test_other_classes_do_not_count() -> None:
    assert usage(DAILY, [Spent(DestinationClass.VERIFIED, 900, NOW)], NOW).used_cents == 0


@pytest.mark.parametrize(("cents", "refused"), [(699, False), (700, False), (701, True)])
def test_the_limit_itself_is_allowed(cents: int, refused: bool) -> None:
    history = (Spent(OWN, 300, NOW - HOUR),)
    exceeded = tightest_exceeded([DAILY], history, Spent(OWN, cents, NOW))
    assert (exceeded is not None) == refused


@pytest.mark.parametrize(
    ("ages", "named"),
    [
        ((), "once"),
        ((HOUR,), "daily"),
        ((2 * DAY, HOUR), "monthly"),
        ((2 * DAY, 2 * HOUR, HOUR), "monthly"),
    ],
)
def test_of_several_rules_the_tightest_is_named(ages: tuple[int, ...], named: str) -> None:
    """Among equals, the one that is for the longest."""
    all_rules = [
        LimitRule("once", OWN, 0, 500),
        LimitRule("daily", OWN, DAY, 800),
        LimitRule("monthly", OWN, 30 * DAY, 1_100),
    ]
    history = tuple(Spent(OWN, 400, NOW - age) for age in ages)
    exceeded = tightest_exceeded(all_rules, history, Spent(OWN, 1_201, NOW))
    assert exceeded is not None
    assert exceeded.rule.rule_id == named


@pytest.mark.parametrize("at", [NOW - 1, NOW, NOW + 1])
def test_a_limit_for_each_transaction_is_never_used_up(at: int) -> None:
    """Not even by a withdrawal that was stamped before the clock was set back."""
    found = usage(LimitRule("once", OWN, 0, 500), [Spent(OWN, 100, at)], NOW)
    assert (found.used_cents, found.resets_at) == (0, None)


def test_remaining_is_never_negative() -> None:
    assert usage(DAILY, [Spent(OWN, 5_000, NOW)], NOW).remaining_cents == 0


def test_the_verified_class_allows_the_most() -> None:
    by_class = {rule.rule_id: rule.limit_cents for rule in rules()}
    for period in ("per-transaction", "24h", "30d"):
        assert by_class[f"VerifiedCounterparty1P:{period}"] == max(
            limit for rule_id, limit in by_class.items() if rule_id.endswith(period)
        )


def test_the_limits_of_each_class_unless_a_bank_says_otherwise() -> None:
    found = [(each.rule_id, each.period // HOUR, each.limit_cents // 100) for each in rules()]
    assert found == [
        ("own-bank-account:per-transaction", 0, 25_000),
        ("own-bank-account:24h", 24, 100_000),
        ("own-bank-account:30d", 720, 500_000),
        ("unverified-counterparty:per-transaction", 0, 1_000),
        ("unverified-counterparty:24h", 24, 2_500),
        ("unverified-counterparty:30d", 720, 10_000),
        ("VerifiedCounterparty1P:per-transaction", 0, 50_000),
        ("VerifiedCounterparty1P:24h", 24, 200_000),
        ("VerifiedCounterparty1P:30d", 720, 1_000_000),
    ]
    assert all(each.limit_cents % 100 == each.period % HOUR == 0 for each in rules())


def test_limits_of_a_level_are_about_verified_wallets_and_name_it() -> None:
    cents = {EvidenceLevel.MEDIUM: (100, 200, 300)}
    found = rules({}, cents)
    verified = DestinationClass.VERIFIED
    assert found == (
        LimitRule(f"{verified}:medium:per-transaction", verified, 0, 100, EvidenceLevel.MEDIUM),
        LimitRule(f"{verified}:medium:24h", verified, DAY, 200, EvidenceLevel.MEDIUM),
        LimitRule(f"{verified}:medium:30d", verified, 30 * DAY, 300, EvidenceLevel.MEDIUM),
    )
