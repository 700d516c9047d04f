"""The bank's policy: what waits for a person, who may do what, cases, and second persons."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from chainteller.cli.administration import engine
from chainteller.cli.options import FILE, group, options
from chainteller.cli.output import document, line
from chainteller.domain.clock import format_instant
from chainteller.domain.decisions import ReviewLine, is_by_person
from chainteller.domain.money import format_cents
from chainteller.domain.policy import CaseWanted, Policy
from chainteller.settings.policy import read_policy

if TYPE_CHECKING:
    from chainteller.engine.operations.policy_trials import Change


_VERDICTS = {
    "counts": "counts",
    "fitsToo": "fits, but an earlier line counts",
    "tooSmall": "the amount is too small",
    "notMet": "isn't the case",
}
"""What a line says of a withdrawal (``policy_trials.Verdict``), in words."""


@group("policy")
def policy() -> None:
    """What waits for a person, who may do what, and what needs two."""


@policy.command("check", changes=False, example="policy check policy.toml")
@click.argument("file", type=FILE)
def check(file: Path) -> None:
    """Check a policy file, and show its lines in the order in which they count."""
    found = read_policy(str(file))
    if options().json:
        shown = [_line(each) for each in found.review]
        document({**found.body, "review": shown})
        return
    for each in found.review:
        line(f"{each.condition}: {_terms(each)}")
    if not found.review:
        line("no withdrawal waits for a person")
    for told in _told(found):
        line(told)


@policy.command("explain", changes=False, example="policy explain TXN_...")
@click.argument("identifier", metavar="ID")
def explain(identifier: str) -> None:
    """Say why a withdrawal waited: which line of its policy counts, and what the others say.

    ID is that of a withdrawal or of its decision. It works on the database.
    """
    from chainteller.engine.operations import policy_trials

    with engine() as found:
        shown = policy_trials.explain(found.context, identifier)
    withdrawal = shown.withdrawal
    if options().json:
        lines = [{**_line(each), "verdict": verdict} for each, verdict in shown.lines]
        document(
            {
                "withdrawal": withdrawal.id,
                "tradingAccountId": withdrawal.trading_account_id,
                "worthUsd": format_cents(withdrawal.notional_cents),
                "ruleId": withdrawal.rule_id,
                "reason": shown.reason,
                "needsTwo": shown.needs_two,
                "review": lines,
            }
        )
        return
    worth, at = format_cents(withdrawal.notional_cents), format_instant(withdrawal.created)
    line(f"{withdrawal.id}: worth {worth} USD, requested {at} under {withdrawal.rule_id}")
    for each, verdict in shown.lines:
        line(f"{each.condition}: {_VERDICTS[verdict]} ({_terms(each)})")
    if shown.needs_two:
        line("second person: withdrawals of this worth need two")
    if not is_by_person(shown.reason or ""):
        line(f"no person was needed: {shown.reason or 'it went on at once'}")


@policy.command("try", changes=False, example="policy try stricter.toml --days 30")
@click.argument("file", type=FILE)
@click.option("--days", type=click.IntRange(1, 366), default=30, help="How far back; default: 30.")
def try_(file: Path, days: int) -> None:
    """Say which withdrawals of the last days would have waited under a policy file, and which not.

    It works on the database, and changes nothing.
    """
    from chainteller.engine.operations import policy_trials

    tried = read_policy(str(file))
    with engine() as found:
        trial = policy_trials.tried(found.context, tried, days)
    more = [_change(each) for each in trial.changes if each.after]
    fewer = [_change(each) for each in trial.changes if each.before]
    if options().json:
        counts = {
            "days": days,
            "withdrawals": trial.withdrawals,
            "waited": trial.waited,
            "wouldWait": trial.would_wait,
        }
        document({**counts, "more": more, "fewer": fewer})
        return
    line(f"{trial.withdrawals} withdrawals in {days} days: {trial.waited} waited for a person")
    line(f"under {file}: {trial.would_wait} would have waited")
    for word, changes in (("waits", more), ("waits no longer", fewer)):
        for each in changes:
            who = f"{each['customer']} ({each['reference']})"
            line(f"{word}: {each['withdrawal']} {each['worthUsd']} USD, {who}, {each['reason']}")


def _change(change: "Change") -> dict[str, str]:
    found = change.withdrawal
    return {
        "withdrawal": found.id,
        "tradingAccountId": found.trading_account_id,
        "customer": found.customer_name,
        "reference": found.customer_reference,
        "worthUsd": format_cents(found.notional_cents),
        "requested": format_instant(found.created),
        "reason": change.after or change.before,
    }


def _line(line_: ReviewLine) -> dict[str, object]:
    return {
        "condition": line_.condition,
        "overUsd": format_cents(line_.over_cents),
        "withinSeconds": line_.within_s,
        "then": line_.then,
        **({"to": line_.to} if line_.to else {}),
    }


def _terms(line_: ReviewLine) -> str:
    """``over 0.00 USD a person decides within 120 minutes, then refuse``."""
    over, within = format_cents(line_.over_cents), f"within {line_.within_s // 60} minutes"
    then = f"{line_.then} to {line_.to}" if line_.to else line_.then
    return f"over {over} USD a person decides {within}, then {then}"


def _told(found: Policy) -> Iterator[str]:
    """What a policy says beside its reviews, line by line."""
    for role, may in found.roles:
        yield f"role {role}: {', '.join(may) or 'nothing'}"
    for named, role in found.sign_in:
        yield f"whoever signs in with the group {named} is {role}"
    if found.case.wanted is not CaseWanted.OFF:
        form = f" of the form {found.case.pattern}" if found.case.pattern else ""
        yield f"a case{form} is {found.case.wanted}"
    if found.two.withdrawal_over_cents is not None:
        yield f"withdrawals over {format_cents(found.two.withdrawal_over_cents)} USD need two"
    for each in sorted(found.two.always):
        yield f"{each} needs two"


COMMANDS = (policy,)
