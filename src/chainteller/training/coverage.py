"""What the scenarios practise: errors of the desk's operations, states of records, daily tasks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from chainteller.domain.trades import TradeStatus
from chainteller.domain.transfers import DEPOSIT_TRANSITIONS, WITHDRAWAL_TRANSITIONS
from chainteller.service.operations import BY_NAME
from chainteller.training.scenarios import Scenario
from chainteller.training.timeline import OBSERVED

TASKS = (
    "sale",
    "lost transfer",
    "receipt",
    "identification",
    "social engineering",
    "missing terms",
    "stopped withdrawal",
    "pasted secret",
    "contract wallet",
    "small transfer",
    "handover between two agents",
    "approving a withdrawal",
    "refusing a withdrawal",
    "asking the customer for more",
    "freezing an account",
    "second person",
    "a caller who urges",
)
NOT_IN_TRAINING: Mapping[str, str] = {
    "ARRIVALS_UNWATCHED": "training simulates what arrives",
    "EVIDENCE_EXPIRED": "a session is shorter than a verification",
    "CHAIN_UNAVAILABLE": "training reaches no network",
    "BOOKS_DISPUTED": "needs records that somebody has altered",
    "CLAIM_UNVERIFIABLE": "needs records that somebody has altered",
    "QUOTE_ACCOUNT_MISMATCH": "the console sends nothing for another account's quote",
    "QUOTA_EXCEEDED": "a session is shorter than a quota is large",
    "DECISION_REQUIRED": "only a gateway refuses links",
    "deposit accepted": "only a gateway has a provider",
    "deposit unknown": "only a gateway has a provider",
    "withdrawal accepted": "only a gateway has a provider",
    "withdrawal unknown": "only a gateway has a provider",
    "deposit processing": "deposits arrive at once in training",
    "deposit failed": "deposits arrive at once in training",
}
"""What can't happen in a session, and why."""
OPERATION_ERRORS = frozenset(error.code for name in OBSERVED for error in BY_NAME[name].errors)
"""From the declarations of the operations that count as actions."""
_UNANSWERED = ("OUTCOME_UNKNOWN", "UNREACHABLE")


@dataclass(frozen=True, slots=True)
class Line:
    """Something to practise, and the names of the scenarios in which it is."""

    kind: str
    name: str
    scenarios: tuple[str, ...]


def coverage(scenarios: Iterable[Scenario]) -> tuple[Line, ...]:
    """One line per error, state and task, in this order."""
    found: dict[str, list[str]] = {}
    for scenario in scenarios:
        for name in scenario.covers:
            found.setdefault(name, []).append(scenario.name)
    return tuple(
        Line(kind, name, tuple(found.get(name, ())))
        for kind, names in (("error", errors()), ("state", states()), ("task", tasks()))
        for name in names
        if name not in NOT_IN_TRAINING
    )


def errors() -> tuple[str, ...]:
    """Codes that an agent's actions can be refused with, and those of a missing answer."""
    return (*sorted(OPERATION_ERRORS), *_UNANSWERED)


def states() -> tuple[str, ...]:
    return (
        *(f"trade {status}" for status in TradeStatus),
        *(f"deposit {status}" for status in DEPOSIT_TRANSITIONS),
        *(f"withdrawal {status}" for status in WITHDRAWAL_TRANSITIONS),
    )


def tasks() -> tuple[str, ...]:
    return tuple(f"task: {task}" for task in TASKS)
