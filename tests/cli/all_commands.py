"""Every command of the program, for what compares or describes them all."""

from collections.abc import Mapping

import click

from chainteller.cli.main import program
from chainteller.cli.options import TellerCommand
from chainteller.service import operations as op
from chainteller.service.operations import Endpoint


def loaded_program() -> click.Group:
    """The program with every command."""
    context = click.Context(program)
    for name in program.list_commands(context):
        program.get_command(context, name)
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
    named = group.commands.items() if group else sorted(loaded_program().commands.items())
    for name, each in named:
        if isinstance(each, click.Group):
            found |= commands(each, f"{path} {name}")
        elif isinstance(each, TellerCommand):
            found[f"{path} {name}"] = each
    return found
