"""The bank's policy: what waits for a person, who may do what, cases, and second persons."""

from collections.abc import Iterator
from pathlib import Path

import click

from chainteller.cli.options import TellerGroup, example, options
from chainteller.cli.output import document, line
from chainteller.domain.money import format_cents
from chainteller.domain.policy import CaseWanted, Policy
from chainteller.settings.policy import read_policy


@click.group("policy", cls=TellerGroup)
def policy() -> None:
    """What waits for a person, who may do what, and what needs two."""


@policy.command("check", changes=False, epilog=example("chainteller policy check policy.toml"))
@click.argument("file", type=click.Path(path_type=Path))
def check(file: Path) -> None:
    """Check a policy file, and show its lines in the order in which they count."""
    found = read_policy(str(file))
    if options().json:
        shown = [
            {
                "condition": each.condition,
                "overUsd": format_cents(each.over_cents),
                "withinSeconds": each.within_s,
                "then": each.then,
                **({"to": each.to} if each.to else {}),
            }
            for each in found.review
        ]
        document({**found.body, "review": shown})
        return
    for each in found.review:
        over = format_cents(each.over_cents)
        within = f"within {each.within_s // 60} minutes"
        then = f"{each.then} to {each.to}" if each.to else each.then
        line(f"{each.condition}: over {over} USD a person decides {within}, then {then}")
    if not found.review:
        line("no withdrawal waits for a person")
    for told in _told(found):
        line(told)


def _told(found: Policy) -> Iterator[str]:
    """What a policy says beside its reviews, line by line."""
    for role, may in found.roles:
        yield f"role {role}: {', '.join(may) or 'nothing'}"
    if found.case.wanted is not CaseWanted.OFF:
        form = f" of the form {found.case.pattern}" if found.case.pattern else ""
        yield f"a case{form} is {found.case.wanted}"
    if found.two.withdrawal_over_cents is not None:
        yield f"withdrawals over {format_cents(found.two.withdrawal_over_cents)} USD need two"
    for each in sorted(found.two.always):
        yield f"{each} needs two"


COMMANDS = (policy,)
