"""Withdrawal limits: rolling windows per destination class, in whole cents of USD notional."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from chainteller.domain.clock import DAY, HOUR
from chainteller.domain.evidence import EvidenceLevel


class DestinationClass(StrEnum):
    OWN_BANK = "own-bank-account"
    UNVERIFIED = "unverified-counterparty"
    VERIFIED = "VerifiedCounterparty1P"


class LimitRule(NamedTuple):
    """One withdrawal limit. ``period`` is in microseconds; 0 limits a single withdrawal.

    With a ``level``, it is about withdrawals to verified wallets of that level of evidence, and
    holds besides the limits of their class.
    """

    rule_id: str
    destination: DestinationClass
    period: int
    limit_cents: int
    level: EvidenceLevel | None = None


PERIODS: Mapping[str, int] = {"per-transaction": 0, "24h": DAY, "30d": 30 * DAY}
UNVERIFIED_HOLD = 24 * HOUR
"""Time after registration during which an unverified wallet can't receive anything."""

DEFAULT_LIMITS: Mapping[DestinationClass, tuple[int, int, int]] = {
    DestinationClass.OWN_BANK: (2_500_000, 10_000_000, 50_000_000),
    DestinationClass.UNVERIFIED: (100_000, 250_000, 1_000_000),
    DestinationClass.VERIFIED: (5_000_000, 20_000_000, 100_000_000),
}
LevelLimits = Mapping[EvidenceLevel, tuple[int, int, int]]
DEFAULT_LEVEL_LIMITS: LevelLimits = {EvidenceLevel.MEDIUM: (1_000_000, 2_500_000, 10_000_000)}
"""Levels that have limits of their own. Nothing is verified by evidence of the lowest level alone:
a statement waits for a person."""
NO_LEVEL_LIMITS: LevelLimits = {}


def rules(
    limits: Mapping[DestinationClass, tuple[int, int, int]] = DEFAULT_LIMITS,
    level_limits: LevelLimits = NO_LEVEL_LIMITS,
) -> tuple[LimitRule, ...]:
    of_classes = (
        LimitRule(f"{destination}:{name}", destination, period, cents)
        for destination, amounts in limits.items()
        for (name, period), cents in zip(PERIODS.items(), amounts, strict=True)
    )
    of_levels = (
        LimitRule(
            f"{DestinationClass.VERIFIED}:{level}:{name}",
            DestinationClass.VERIFIED,
            period,
            cents,
            level,
        )
        for level, amounts in level_limits.items()
        for (name, period), cents in zip(PERIODS.items(), amounts, strict=True)
    )
    return (*of_classes, *of_levels)


@dataclass(frozen=True, slots=True)
class Spent:
    """A withdrawal that counts against a limit: its notional and when it was requested.

    In a history, a withdrawal on a level with limits of its own is listed twice: without its level,
    for the limits of its class, and with it.
    """

    destination: DestinationClass
    notional_cents: int
    at: int
    level: EvidenceLevel | None = None


class Usage(NamedTuple):
    """The usage of a rule. ``resets_at`` is when its oldest withdrawal leaves the window."""

    rule: LimitRule
    used_cents: int
    resets_at: int | None

    @property
    def remaining_cents(self) -> int:
        return max(0, self.rule.limit_cents - self.used_cents)


def usage(rule: LimitRule, history: Iterable[Spent], now: int) -> Usage:
    """The usage of ``rule`` at ``now``; a withdrawal exactly one period old doesn't count."""
    if rule.period == 0:
        return Usage(rule, 0, None)
    counted = [
        spent
        for spent in history
        if (spent.destination, spent.level) == (rule.destination, rule.level)
        and spent.at > now - rule.period
    ]
    oldest = min((spent.at for spent in counted), default=None)
    return Usage(
        rule,
        sum(spent.notional_cents for spent in counted),
        None if oldest is None else oldest + rule.period,
    )


def tightest_exceeded(
    all_rules: Iterable[LimitRule],
    history: tuple[Spent, ...],
    requested: Spent,
) -> Usage | None:
    """Of the rules that the requested withdrawal would exceed, the one that leaves the least, and
    among equals the one that does for the longest; None if it would exceed none."""
    exceeded = []
    for rule in all_rules:
        if rule.destination is not requested.destination:
            continue
        if rule.level not in (None, requested.level):
            continue
        used = usage(rule, history, requested.at)
        if used.used_cents + requested.notional_cents > rule.limit_cents:
            exceeded.append(used)
    return min(exceeded, key=_tightness, default=None)


def _tightness(used: Usage) -> tuple[int, bool, int]:
    """The tightest first; a rule that nothing resets stays for the longest."""
    resets_at = used.resets_at
    return used.remaining_cents, resets_at is not None, -(resets_at or 0)
