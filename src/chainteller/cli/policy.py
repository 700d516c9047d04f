"""The bank's policy: which withdrawals wait for a person."""

from pathlib import Path

import click

from chainteller.cli.lists import Output, output_options
from chainteller.cli.options import TellerGroup, example
from chainteller.domain.decisions import ReviewLine
from chainteller.domain.money import format_cents
from chainteller.records.fields import TEXT, Field, FieldList
from chainteller.service.models.base import WireModel
from chainteller.settings.policy import read_policy


class PolicyLine(WireModel):
    """A withdrawal over an amount of USD that fits the condition waits for a person."""

    condition: str
    over_usd: str
    within_seconds: int
    then: str


def _model(line: ReviewLine) -> PolicyLine:
    return PolicyLine(
        condition=line.condition,
        over_usd=format_cents(line.over_cents),
        within_seconds=line.within_s,
        then=line.then,
    )


LINE: FieldList[PolicyLine] = FieldList(
    "policy line",
    "",
    [
        Field("condition", "condition", TEXT, lambda each: each.condition),
        Field("over_usd", "over", TEXT, lambda each: each.over_usd),
        Field("within_seconds", "within", TEXT, lambda each: str(each.within_seconds)),
        Field("then", "then", TEXT, lambda each: each.then),
    ],
    table=("condition", "over_usd", "within_seconds", "then"),
)


@click.group("policy", cls=TellerGroup)
def policy() -> None:
    """Which withdrawals wait for a person."""


@policy.command("check", changes=False, epilog=example("chainteller policy check policy.toml"))
@click.argument("policy_file", metavar="FILE", type=click.Path(path_type=Path))
@output_options(LINE)
def check(policy_file: Path, output: Output[PolicyLine]) -> None:
    """Check a policy file, and show its lines in the order in which they count."""
    lines = tuple(_model(each) for each in read_policy(str(policy_file)))
    output.write(list(lines), lines, nothing="nothing waits for a person")


COMMANDS = (policy,)
