"""Disputes of the books, at the database: list and clear."""

import click

from chainteller.bootstrap import operator
from chainteller.cli.administration import existing, judged
from chainteller.cli.lists import Output, output_options
from chainteller.cli.options import group, options
from chainteller.cli.output import answer
from chainteller.records.fields import IDENTIFIER, MOMENT, TEXT, Field, FieldList
from chainteller.service.models.books import Dispute
from chainteller.service.models.pages import Page

DISPUTE: FieldList[Dispute] = FieldList(
    "dispute",
    "",
    [
        Field("id", "dispute", IDENTIFIER),
        Field("organisation", "organisation", TEXT),
        Field("found", "found", MOMENT),
        Field("cleared", "cleared", MOMENT),
        Field("cleared_by", "by", TEXT),
        Field("reason", "reason", TEXT),
        Field("where", "where", TEXT),
        Field("what", "what", TEXT),
    ],
    table=("id", "organisation", "found", "cleared", "where", "what"),
)


@group("dispute")
def dispute() -> None:
    """What verification found wrong in the books; payouts wait until it's cleared."""


@dispute.command("list", changes=False, example="db dispute list")
@output_options(DISPUTE)
def list_disputes(output: Output[Dispute]) -> None:
    """List disputes, the newest first; `*` is the catalogue or the deployment's log."""
    from chainteller.storage.queries.disputes import listed

    with existing() as found, found.context.database.read() as connection:
        disputes = Page[Dispute].whole(listed(connection))
    output.write(disputes, disputes.data, nothing="no disputes")


@dispute.command(
    "clear", changes=True, example="db dispute clear DSP_... --reason 'put back from the backup'"
)
@click.argument("dispute_id", metavar="ID")
@click.option("--reason", required=True, metavar="R", help="Why the books may be trusted again.")
def clear(dispute_id: str, reason: str) -> None:
    """Let payouts go on; the dispute returns if the rows still differ at the next verification."""
    from chainteller.engine.operations.disputes import clear_any

    with existing() as found, judged():
        actor = operator(options().configured.settings)
        cleared = clear_any(found.context, actor, dispute_id, reason)
    answer(cleared, f"dispute {cleared.id} is cleared")
