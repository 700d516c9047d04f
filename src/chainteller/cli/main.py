"""The command tree."""

import io
import sys
from collections.abc import Sequence
from importlib import import_module

import click

from chainteller import __version__, garbage
from chainteller.cli.options import TellerGroup, epilog
from chainteller.cli.runner import run_program

_COMMANDS = {
    "accounts": "accounts",
    "agents": "agents",
    "audit": "audit",
    "check": "check",
    "clock": "clock",
    "configuration": "config themes",
    "console": "demo desk scenarios train",
    "customers": "customers",
    "database": "db",
    "decisions": "decisions",
    "drill": "drill",
    "events": "events",
    "finding": "find",
    "information": "info",
    "keys": "keys",
    "markets": "markets prices quote",
    "notes": "notes",
    "policy": "policy",
    "quotes": "quotes",
    "serving": "serve",
    "sign_in": "sign-in sign-out whoami",
    "statements": "statement",
    "trades": "execute trade trades",
    "transfer_records": "deposits transactions withdrawals",
    "transfers": "deposit withdraw",
    "wallets": "blockchain-accounts counterparties wallets",
    "webhooks": "webhooks",
}
"""What each module of commands has in its ``COMMANDS``."""
_MODULES = {name: module for module, names in _COMMANDS.items() for name in names.split()}


class Program(TellerGroup):
    """The group of all commands. A command's module is imported when the command is looked up."""

    @garbage.loading()
    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in _MODULES and cmd_name not in self.commands:
            for each in import_module(f"{__package__}.{_MODULES[cmd_name]}").COMMANDS:
                self.add_command(each)
        return super().get_command(ctx, cmd_name)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's interface
        return sorted(_MODULES)


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


def run(arguments: Sequence[str]) -> int:
    """Run one command line; returns the exit code and never raises."""
    if sys.stdin is None:  # it was closed
        sys.stdin = io.StringIO()
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # a byte that is no text ends no session
    return run_program(program, arguments)
