"""Withdrawal limits of an account, by destination class."""

from dataclasses import replace

from sqlalchemy import Connection

from chainteller.domain.clock import SECOND, format_instant
from chainteller.domain.limits import LimitRule, Spent, Usage, first_exceeded, rules, usage
from chainteller.domain.money import format_cents
from chainteller.domain.options import EngineOptions
from chainteller.domain.timekeeping import stamped
from chainteller.engine import accounts, timekeeping
from chainteller.engine.context import EngineContext
from chainteller.engine.table import reads_in_context
from chainteller.engine.unit_of_work import UnitOfWork
from chainteller.service import operations
from chainteller.service.errors import LimitExceeded
from chainteller.service.models.funding import LimitUsage
from chainteller.service.models.pages import Page
from chainteller.storage import transfers


def _longest(all_rules: tuple[LimitRule, ...]) -> int:
    return max(rule.period for rule in all_rules)


def load_spent(tx: UnitOfWork, account_id: str) -> tuple[Spent, ...]:
    """Withdrawals that count against the limits of an account whose row is locked, so that two
    servers cannot both pass.
    """
    return _spent(tx.context, tx.connection, account_id, tx.now, tx.time.began_at)


def _spent(
    context: EngineContext, connection: Connection, account_id: str, at: int, began_at: int
) -> tuple[Spent, ...]:
    longest = _longest(rules(context.options.limits))
    found = transfers.spent_since(connection, account_id, at - longest)
    return tuple(replace(spent, at=stamped(spent.at, at, began_at)) for spent in found)


def require_within(options: EngineOptions, spent: tuple[Spent, ...], requested: Spent) -> None:
    """Raises LimitExceeded for the first rule that the withdrawal would break."""
    exceeded = first_exceeded(rules(options.limits), spent, requested)
    if exceeded is not None:
        raise LimitExceeded(
            "The withdrawal limit would be exceeded.", _details(exceeded, requested)
        )


def _details(exceeded: Usage, requested: Spent) -> dict[str, object]:
    rule, remaining = exceeded.rule, format_cents(exceeded.remaining_cents)
    advice = f"Withdraw at most {remaining} USD now"
    if exceeded.resets_at is not None:
        advice += f"; more from {format_instant(exceeded.resets_at)}"
    return {
        "ruleId": rule.rule_id,
        "scope": "withdrawal",
        "destinationClass": rule.destination,
        "period": rule.period // SECOND,
        "limit": format_cents(rule.limit_cents),
        "used": format_cents(exceeded.used_cents),
        "requested": format_cents(requested.notional_cents),
        "remaining": remaining,
        "resetsAt": None if exceeded.resets_at is None else format_instant(exceeded.resets_at),
        "suggestion": f"{advice}.",
    }


@reads_in_context(operations.LIMITS)
def show(
    context: EngineContext, connection: Connection, organisation_id: str, account_id: str
) -> Page[LimitUsage]:
    account = accounts.find(connection, organisation_id, account_id)
    time, all_rules = timekeeping.read(context.time, connection), rules(context.options.limits)
    at = time.now
    history = _spent(context, connection, account.id, at, time.began_at)
    return Page[LimitUsage].whole(tuple(_model(usage(rule, history, at)) for rule in all_rules))


def _model(used: Usage) -> LimitUsage:
    return LimitUsage(
        rule_id=used.rule.rule_id,
        destination_class=used.rule.destination,
        period_seconds=used.rule.period // SECOND,
        limit=format_cents(used.rule.limit_cents),
        used=format_cents(used.used_cents),
        remaining=format_cents(used.remaining_cents),
        resets_at=used.resets_at,
    )
