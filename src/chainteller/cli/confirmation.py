"""Questions before money moves. They are put on a terminal only; elsewhere ``--yes`` answers."""

import sys

import click

from chainteller.cli.error_output import Usage, say


def confirm(question: str, *, yes: bool) -> None:
    """Go on, or raise.

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
    """Raises Usage where nobody can be asked."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise Usage(
            "This moves money and there is no terminal to ask on.",
            "Add --yes to go on without a question.",
        )
