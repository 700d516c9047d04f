"""The bank's policy: which withdrawals wait for a person."""

from pathlib import Path

import click

from chainteller.cli.options import TellerGroup, example, options
from chainteller.cli.output import document, line
from chainteller.domain.money import format_cents
from chainteller.settings.policy import read_policy


@click.group("policy", cls=TellerGroup)
def policy() -> None:
    """Which withdrawals wait for a person."""


@policy.command("check", changes=False, epilog=example("chainteller policy check policy.toml"))
@click.argument("file", type=click.Path(path_type=Path))
def check(file: Path) -> None:
    """Check a policy file, and show its lines in the order in which they count."""
    lines = read_policy(str(file))
    if options().json:
        shown = [
            {
                "condition": each.condition,
                "overUsd": format_cents(each.over_cents),
                "withinSeconds": each.within_s,
                "then": each.then,
            }
            for each in lines
        ]
        document({"review": shown})
        return
    for each in lines:
        over = format_cents(each.over_cents)
        within = f"within {each.within_s // 60} minutes"
        line(f"{each.condition}: over {over} USD a person decides {within}, then {each.then}")
    if not lines:
        line("no withdrawal waits for a person")


COMMANDS = (policy,)
