"""The settings that decide, as a version that is named after its contents."""

from collections.abc import Mapping
from hashlib import sha256
from typing import NamedTuple

from chainteller.domain.audit_chain import canonical
from chainteller.domain.evidence import EvidenceLevel
from chainteller.domain.limits import DestinationClass, LevelLimits
from chainteller.domain.options import EngineOptions

Limits = Mapping[DestinationClass, tuple[int, int, int]]
_NAME_LENGTH = 24


class Rule(NamedTuple):
    """``body`` is canonical JSON. Equal settings have one id in every deployment."""

    id: str
    body: str


def rule_of(options: EngineOptions) -> Rule:
    """The version that these options are. Delays decide nothing and are left out."""
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
        }
    )
    return Rule(f"RUL_{sha256(body.encode()).hexdigest()[:_NAME_LENGTH]}", body)


def limits_of(body: Mapping[str, object]) -> Limits:
    """The withdrawal limits of a version.

    Raises:
        KeyError, TypeError, ValueError: the body isn't one that ``rule_of`` wrote.
    """
    stored = body["limits"]
    if not isinstance(stored, dict):
        raise TypeError("limits are given by destination class")
    found: dict[DestinationClass, tuple[int, int, int]] = {}
    for name, amounts in stored.items():
        once, daily, monthly = (int(amount) for amount in amounts)
        found[DestinationClass(name)] = (once, daily, monthly)
    return found


def level_limits_of(body: Mapping[str, object]) -> LevelLimits:
    """The limits of levels of evidence; earlier versions had none. Raises as ``limits_of``."""
    stored = body.get("levelLimits", {})
    if not isinstance(stored, dict):
        raise TypeError("limits are given by level")
    found: dict[EvidenceLevel, tuple[int, int, int]] = {}
    for name, amounts in stored.items():
        once, daily, monthly = (int(amount) for amount in amounts)
        found[EvidenceLevel(name)] = (once, daily, monthly)
    return found
