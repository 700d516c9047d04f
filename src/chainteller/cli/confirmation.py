"""Confirmation before money moves: asked on a terminal only; elsewhere ``--yes`` is required."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import click

from chainteller.cli.error_output import Usage, say
from chainteller.service.errors import Forbidden, NotOffered
from chainteller.service.interface import Service

_in_session = ContextVar("in_session", default=False)


@contextmanager
def session() -> Iterator[None]:
    """Commands run in here are lines of ``desk --plain``."""
    token = _in_session.set(True)
    try:
        yield
    finally:
        _in_session.reset(token)


def confirm_in_session(question: str, *, yes: bool) -> None:
    """``confirm``, for a command that asks in ``desk --plain`` only. Raises as ``confirm``."""
    if _in_session.get():
        confirm(question, yes=yes)


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
    click.echo("Continue? Type y and press enter: ", nl=False, err=True)
    if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
        raise click.Abort


def account_of_customer(bank: Service, account_id: str) -> str:
    """The account with its customer's name, where the deployment tells it. Raises NotFound: there
    is no such account."""
    try:
        customer = bank.trading_account(account_id).customer_name
    except (NotOffered, Forbidden):
        customer = None
    return f"{account_id} of {customer}" if customer else account_id


def require_terminal() -> None:
    """Raise Usage where there is no terminal to ask on."""
    if not (sys.stdin.isatty() and sys.stderr and sys.stderr.isatty()):
        raise Usage(
            "This needs confirmation, and there is no terminal to ask on.",
            "Add --yes to confirm in advance.",
        )
