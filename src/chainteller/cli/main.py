"""The command tree."""

import io
import sys
from collections.abc import Sequence

import click

from chainteller import __version__
from chainteller.cli import (
    accounts,
    audit,
    configuration,
    console,
    database,
    keys,
    markets,
    serving,
    trades,
    transfers,
    wallets,
)
from chainteller.cli.options import TellerGroup, example
from chainteller.cli.runner import run_program

_PARTS = (
    console,
    serving,
    keys,
    database,
    accounts,
    transfers,
    markets,
    trades,
    wallets,
    audit,
    configuration,
)


@click.group(
    "chainteller",
    cls=TellerGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=example(
        "chainteller demo",
        "chainteller trade buy sol-usd --spend 1000 --account TDA_... --fund --yes --wait",
    ),
)
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.pass_context
def program(context: click.Context) -> None:
    """The desk at which a bank's agents serve customers who trade crypto assets.

    Without a command it opens the console, as `chainteller desk` does.
    """
    if context.invoked_subcommand is None:
        console.open_desk(plain=False)


for part in _PARTS:
    for command in part.COMMANDS:
        program.add_command(command)


def run(arguments: Sequence[str]) -> int:
    """Run one command line; returns the exit code and never raises."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # a byte that is no text ends no session
    return run_program(program, arguments)
