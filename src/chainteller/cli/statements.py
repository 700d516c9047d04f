"""Statements of trading accounts."""

from datetime import date
from pathlib import Path

import click

from chainteller.cli.documents import output_file, write_document
from chainteller.cli.error_output import Usage
from chainteller.cli.lists import DAY
from chainteller.cli.open_services import service
from chainteller.cli.options import command, options
from chainteller.service import operations as op
from chainteller.workspace.forms import FORMS
from chainteller.workspace.statements import render, statement_of


@command(
    "statement",
    calls=[op.STATEMENT],
    example=(
        "statement TDA_... --from 2026-11-01 --to 2026-11-30",
        "statement TDA_... --from 2026-11-01 --format pdf --output november.pdf",
    ),
)
@click.argument("account_id", metavar="ACCOUNT")
@click.option(
    "--from", "first", type=DAY, metavar="DAY", help="First day, in UTC. Default: the beginning."
)
@click.option("--to", "last", type=DAY, metavar="DAY", help="Last day, in UTC. Default: now.")
@click.option("--format", "form", type=click.Choice(tuple(FORMS)), help="text is the default.")
@output_file
def statement(
    account_id: str, first: date | None, last: date | None, form: str | None, file: Path | None
) -> None:
    """Write an account's statement: balances, every movement, fees and totals of a period.

    It is checked against the ledger when it is made, and not written if the two don't agree.
    """
    if first and last and first > last:
        raise Usage(f"--from {first} is after --to {last}.", "Give the earlier day first.")
    if options().json and form not in {None, "json"}:
        raise Usage(f"--json and --format {form} exclude each other.", "Leave one of them out.")
    chosen = "json" if options().json else form or "text"
    from_time = first.isoformat() if first else None
    to_time = last.isoformat() if last else None
    with service() as bank:
        found = statement_of(bank, account_id, from_time, to_time)
    write_document(render(found, chosen), file)


COMMANDS = (statement,)
