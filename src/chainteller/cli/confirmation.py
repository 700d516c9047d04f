"""Confirmation before money moves: asked on a terminal only; elsewhere ``--yes`` is required."""

import sys

import click

from chainteller.cli.error_output import Usage, say


def confirm(question: str, *, yes: bool) -> None:
    """Return once the operator has agreed.

    Raises:
        Usage: there is no terminal to ask on and ``--yes`` was not given.
        click.Abort: the answer was no.
    """
    if yes:
        return
    require_terminal()
    say(question)
    click.echo("Go on? Type y and enter: ", nl=False, err=True)
    if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
        raise click.Abort


def require_terminal() -> None:
    """Raise Usage where there is no terminal to ask on."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise Usage(
            "This moves money and there is no terminal to ask on.",
            "Add --yes to go on without a question.",
        )
