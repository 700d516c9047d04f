"""The settings that decide, as a version that is named after its contents."""

from collections.abc import Mapping
from hashlib import sha256
from typing import NamedTuple

from chainteller.domain.canonical import canonical
from chainteller.domain.clock import SECOND
from chainteller.domain.decisions import AtDeadline, ReviewCondition, ReviewLine
from chainteller.domain.evidence import EvidenceLevel
from chainteller.domain.limits import DestinationClass, LevelLimits
from chainteller.domain.options import EngineOptions
from chainteller.domain.policy import Policy, TwoPersons

Limits = Mapping[DestinationClass, tuple[int, int, int]]
_NAME_LENGTH = 24
DELAYS = ("deposit", "fill", "settle", "withdrawal")
"""Steps that wait for a delay of the settings, by whose names the options are called. A review has
its own end on the withdrawal."""


class Rule(NamedTuple):
    """``body`` is canonical JSON. Equal settings have one id in every deployment."""

    id: str
    body: str


def rule_of(options: EngineOptions) -> Rule:
    """The version that these options are."""
    body = canonical(
        {
            "limits": {str(name): list(amounts) for name, amounts in options.limits.items()},
            "levelLimits": {
                str(name): list(amounts) for name, amounts in options.level_limits.items()
            },
            "quoteWindowSeconds": options.quote_window_s,
            "holdPremiumBpsPerMinute": options.hold_premium_bps_per_minute,
            "openQuotesPerAccount": options.open_quotes_per_account,
            "challengeSeconds": options.challenge_ttl_s,
            "maintenance": list(options.maintenance),
            **options.policy.body,
            "delaySeconds": {name: float(getattr(options, f"{name}_delay_s")) for name in DELAYS},
        }
    )
    return Rule(f"RUL_{sha256(body.encode()).hexdigest()[:_NAME_LENGTH]}", body)


def limits_of(body: Mapping[str, object]) -> Limits:
    """The withdrawal limits of a version. Raises KeyError, TypeError, ValueError: the body isn't
    one that ``rule_of`` wrote."""
    stored = body["limits"]
    if not isinstance(stored, dict):
        raise TypeError("limits are given by destination class")
    found: dict[DestinationClass, tuple[int, int, int]] = {}
    for name, amounts in stored.items():
        once, daily, monthly = (int(amount) for amount in amounts)
        found[DestinationClass(name)] = (once, daily, monthly)
    return found


def level_limits_of(body: Mapping[str, object]) -> LevelLimits:
    """The limits of levels of evidence. Raises as ``limits_of``."""
    stored = body["levelLimits"]
    if not isinstance(stored, dict):
        raise TypeError("limits are given by level")
    found: dict[EvidenceLevel, tuple[int, int, int]] = {}
    for name, amounts in stored.items():
        once, daily, monthly = (int(amount) for amount in amounts)
        found[EvidenceLevel(name)] = (once, daily, monthly)
    return found


def policy_of(body: Mapping[str, object]) -> Policy:
    """What a version says waits for a person, and which withdrawals need two. Raises as
    ``limits_of``."""
    stored, two = body.get("review", []), body.get("two", [None])
    if not isinstance(stored, list) or not isinstance(two, list):
        raise TypeError("lines are given in their order")
    lines = tuple(
        ReviewLine(
            ReviewCondition(each[0]), int(each[1]), int(each[2]), AtDeadline(each[3]), *each[4:]
        )
        for each in stored
    )
    return Policy(lines, two=TwoPersons(None if two[0] is None else int(two[0])))


def delays_of(body: Mapping[str, object]) -> Mapping[str, int]:
    """The delays of a version by ``DELAYS``, in microseconds. Raises as ``limits_of``, and
    OverflowError."""
    stored = body["delaySeconds"]
    if not isinstance(stored, dict):
        raise TypeError("delays are given by step")
    return {name: round(float(stored[name]) * SECOND) for name in DELAYS}
