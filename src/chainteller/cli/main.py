"""The command tree."""

import io
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module

import click

from chainteller import __version__, garbage
from chainteller.cli.command_index import read_index
from chainteller.cli.options import TellerCommand, TellerGroup, epilog
from chainteller.cli.runner import run_program
from chainteller.service import operations as op
from chainteller.service.operations import Endpoint

_PARTS = (
    "console",
    "serving",
    "keys",
    "agents",
    "sign_in",
    "webhooks",
    "database",
    "drill",
    "customers",
    "accounts",
    "statements",
    "finding",
    "transfers",
    "transfer_records",
    "markets",
    "quotes",
    "trades",
    "wallets",
    "decisions",
    "notes",
    "policy",
    "events",
    "audit",
    "clock",
    "check",
    "configuration",
)
"""The modules with commands, each in its ``COMMANDS``."""


class Program(TellerGroup):
    """The group of all commands. A command's module is imported when the command is looked up."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.commands:
            self._load(read_index().get(cmd_name, {}).get("module"))
        return super().get_command(ctx, cmd_name)

    def list_commands(self, ctx: click.Context) -> list[str]:
        self.load()
        return super().list_commands(ctx)

    def load(self) -> None:
        """Import every module with commands."""
        for part in _PARTS:
            self._load(f"{__package__}.{part}")

    @garbage.loading()
    def _load(self, module: str | None) -> None:
        if module is None:
            self.load()
            return
        commands: tuple[click.Command, ...] = import_module(module).COMMANDS
        for each in commands:
            self.add_command(each)


@click.group(
    "chainteller",
    cls=Program,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=epilog(("demo", "trade buy sol-usd --spend 1000 --account TDA_... --fund --yes --wait")),
)
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.pass_context
def program(context: click.Context) -> None:
    """The console with which a bank's agents serve customers who trade crypto assets.

    Without a command it opens the console, as `chainteller desk` does.
    """
    if context.invoked_subcommand is None:
        from chainteller.cli.console import open_desk

        open_desk(plain=False)


def loaded_program() -> click.Group:
    """The program with every command."""
    if isinstance(program, Program):
        program.load()
    return program


WITHOUT_COMMAND: Mapping[Endpoint, str] = {
    op.SHOW_MARKET: "`chainteller markets NAME` shows the same market",
    op.AUDIT_CONSISTENCY: "`chainteller audit verify --head FILE` checks the proof",
    op.DISPUTES: "`chainteller db dispute list` shows those of all organisations",
    op.CLEAR_DISPUTE: "`chainteller db dispute clear` clears one at the database",
    op.EVENT_STREAM: "`chainteller events --follow` prints the same events",
}
"""Why an endpoint has no command of its own; every other operation is in a command's ``calls``."""


def commands(
    group: click.Group | None = None, path: str = "chainteller"
) -> dict[str, TellerCommand]:
    """Every command by its path, such as ``chainteller trades list``."""
    found: dict[str, TellerCommand] = {}
    for name, each in (group or loaded_program()).commands.items():
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
