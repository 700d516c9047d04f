"""What the core bank or a network reports of a transfer, recorded at the database."""

import click

from chainteller.bootstrap import operator
from chainteller.cli.administration import existing, judged
from chainteller.cli.options import command, options
from chainteller.cli.output import record
from chainteller.domain.transfers import REPORTED
from chainteller.records.transfers import transfer_fields


@command(
    "report",
    changes=True,
    example="db report TXN_... --status returned --reason 'Account closed at the bank.'",
)
@click.argument("transfer_id", metavar="TXN")
@click.option(
    "--status", required=True, type=click.Choice([*map(str, REPORTED)]), help="How it ended."
)
@click.option("--reason", required=True, metavar="R", help="Why, in words for the customer.")
def report(transfer_id: str, status: str, reason: str) -> None:
    """Record that a deposit or a withdrawal failed or was returned.

    For whoever has the database and heard it from the core bank or a network. A deposit that is
    returned freezes its account until a person lifts that.
    """
    from chainteller.engine.operations.transfer_reports import Report
    from chainteller.engine.operations.transfer_reports import record as reported

    with existing() as found, judged():
        actor = operator(options().configured.settings)
        ended = reported(found.context, actor, Report(transfer_id, status, reason))
    record(ended, transfer_fields(ended))
