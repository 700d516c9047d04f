"""The console's commands: desk, demo, train, scenarios. What they start is in ``cli.desk``."""

from pathlib import Path

import click

from chainteller.cli import desk
from chainteller.cli.options import FILE, command, group, options, refuse_a_place, wants_read_only


def open_desk(*, plain: bool) -> int:
    """Open the console on the configured place."""
    configured = options().configured
    if plain:
        from chainteller.cli.plain import run_plain

        return run_plain(configured)
    return desk.open_console(configured)


@command("desk", changes=False, example="desk --profile branch")
@click.option("--plain", is_flag=True, help="Line by line, for a screen reader.")
def desk_command(*, plain: bool) -> int:
    """Open the console."""
    return open_desk(plain=plain)


@command("demo", changes=False, example="demo --seed 42")
@click.option("--seed", default=desk.DEMO_SEED, show_default=True, help="Other sample data.")
@click.option("--tour", is_flag=True, help="Take the guided tour.")
def demo(seed: str, *, tour: bool) -> int:
    """Open the console on a temporary database with sample data."""
    refuse_a_place("the demo runs")
    return desk.open_demo(seed, tour=tour, read_only=wants_read_only())


@command(
    "train",
    changes=False,
    example=("train --list", "train 1 --report mine.json", "train 1 --steps run.txt"),
)
@click.argument("scenario", required=False)
@click.option("--list", "lists", is_flag=True, help="List the scenarios.")
@click.option("--seed", default=desk.DEMO_SEED, show_default=True, help="Other people and amounts.")
@click.option("--report", type=FILE, help="Write the score as JSON.")
@click.option(
    "--steps",
    type=FILE,
    help="Play written steps instead of the console; - reads stdin.",
)
def train(
    scenario: str | None, *, lists: bool, seed: str, report: Path | None, steps: Path | None
) -> int:
    """Train on a scenario, without any network and with nothing at stake.

    Without a scenario, the scenarios are listed. Training always runs on a temporary bank.
    """
    from chainteller.cli import training

    refuse_a_place("training runs")
    if lists or scenario is None:
        return training.show_list()
    if steps is not None:
        return training.play(scenario, steps, seed=seed, report=report)
    return training.run(scenario, seed=seed, report=report)


@group("scenarios")
def scenarios() -> None:
    """Training scenarios."""


@scenarios.command("validate", changes=False, example="scenarios validate my-scenario.toml")
@click.argument("file", type=FILE)
def validate(file: Path) -> int:
    """Check a scenario file; ends with 1 and names every problem."""
    from chainteller.cli import training

    return training.validate(file)


@scenarios.command("coverage", changes=False, example="scenarios coverage --json")
def coverage() -> int:
    """Show which scenarios practise each error, state and daily task; 1 if one has none."""
    from chainteller.cli import training

    return training.show_coverage()


COMMANDS = (desk_command, demo, train, scenarios)
