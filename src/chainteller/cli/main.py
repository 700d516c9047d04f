"""The command tree."""

import io
import sys
from collections.abc import Mapping, Sequence

import click

from chainteller import __version__
from chainteller.cli import (
    accounts,
    audit,
    check,
    clock,
    configuration,
    console,
    database,
    events,
    keys,
    markets,
    quotes,
    serving,
    trades,
    transfer_records,
    transfers,
    wallets,
)
from chainteller.cli.options import TellerCommand, TellerGroup, example
from chainteller.cli.runner import run_program
from chainteller.service import operations as op
from chainteller.service.operations import Endpoint

_PARTS = (
    console,
    serving,
    keys,
    database,
    accounts,
    transfers,
    transfer_records,
    markets,
    quotes,
    trades,
    wallets,
    events,
    audit,
    clock,
    check,
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
    """The console with which a bank's agents serve customers who trade crypto assets.

    Without a command it opens the console, as `chainteller desk` does.
    """
    if context.invoked_subcommand is None:
        console.open_desk(plain=False)


for part in _PARTS:
    for command in part.COMMANDS:
        program.add_command(command)


WITHOUT_COMMAND: Mapping[Endpoint, str] = {
    op.SHOW_MARKET: "`chainteller markets NAME` shows the same market",
    op.AUDIT_CONSISTENCY: "`chainteller audit verify --head FILE` checks the proof",
    op.EVENT_STREAM: "`chainteller events --follow` prints the same events",
}
"""Why an endpoint has no command of its own; every other operation is in a command's ``calls``."""


def commands(group: click.Group = program, path: str = "chainteller") -> dict[str, TellerCommand]:
    """Every command by its path, such as ``chainteller trades list``."""
    found: dict[str, TellerCommand] = {}
    for name, each in group.commands.items():
        if isinstance(each, click.Group):
            found |= commands(each, f"{path} {name}")
        elif isinstance(each, TellerCommand):
            found[f"{path} {name}"] = each
    return found


def run(arguments: Sequence[str]) -> int:
    """Run one command line; returns the exit code and never raises."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # a byte that is no text ends no session
    return run_program(program, arguments)
