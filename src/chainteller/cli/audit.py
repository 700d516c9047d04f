"""The audit trail: list, verify, export."""

import json
from pathlib import Path

import click

from chainteller.cli import audit_following, audit_heads
from chainteller.cli.administration import existing
from chainteller.cli.error_output import Exit, Usage, say
from chainteller.cli.lists import (
    Output,
    columns_of,
    write_new_file,
)
from chainteller.cli.open_services import opened, service
from chainteller.cli.options import FILE, group, options
from chainteller.cli.output import answer, document, pairs
from chainteller.cli.single_calls import add_list
from chainteller.records.audit import AUDIT_ROW
from chainteller.service import operations as op
from chainteller.service.models.pages import ListQuery
from chainteller.service.paging import every


@group("audit")
def audit() -> None:
    """The audit trail: every write and every refusal, from a log that only grows."""


add_list(
    audit,
    op.AUDIT,
    AUDIT_ROW,
    "List audit rows, newest first: all of them, or those of an account or a record.",
    example="audit list --object TXN_...",
    nothing="no audit rows",
)


@audit.command(
    "verify", changes=False, example=("audit verify", "audit verify --head 2026-11-20.checkpoint")
)
@click.option(
    "--head", "file", type=FILE, metavar="FILE", help="Compare the log with this checkpoint, too."
)
def verify(file: Path | None) -> int:
    """Check the audit log; ends with 1 at the first broken row.

    With --head the log must also continue the checkpoint in FILE. That is checked of a remote
    deployment as well, by the proofs that it gives.
    """
    compared = audit_heads.verify_head(file) if file is not None else {}
    if file is not None and options().configured.place().remote:
        _tell(compared)
        return Exit.DONE
    from chainteller.engine.verification.full_pass import verify_chain

    with existing() as found:
        report = verify_chain(found.context.database)
    if options().json:
        document({**json.loads(report.to_json()), **({"checkpoint": compared} if compared else {})})
    else:
        pairs([("rows of all logs", report.rows), ("head", report.head), ("intact", report.intact)])
        if compared:
            _tell(compared)
    if report.intact:
        return Exit.DONE
    say(
        f"AUDIT_BROKEN: row {report.first_broken} isn't what was written: {report.problem}",
        "Next: keep the file as it is and compare it with the last exported head.",
    )
    return Exit.REFUSED


@audit.command(
    "export",
    calls=[op.AUDIT],
    example=(
        "audit export audit.jsonl",
        "audit export audit.csv",
        "audit export /var/log/chainteller/audit.jsonl --follow",
    ),
)
@click.argument("file", type=FILE)
@click.option(
    "--format",
    "form",
    type=click.Choice(["jsonl", "csv"]),
    help="Without it, csv for a FILE named .csv, else jsonl.",
)
@click.option(
    "--follow",
    is_flag=True,
    help="Go on with rows as they are written, in a new FILE or after the last row of one.",
)
def export(file: Path, form: str | None, *, follow: bool) -> None:
    """Write every row to a new FILE, oldest first: one JSON object a line, or CSV.

    Only the JSON lines have all that the hashes cover. With --follow, FILE grows until ctrl-c, for
    a SIEM to read, and the same command goes on where it ended.
    """
    if follow:
        if form == "csv":
            raise Usage("--follow writes JSON lines.", "Leave --format csv out.")
        interval_s = options().configured.settings.desk.poll_interval_s or 1
        with opened() as found:
            audit_following.follow(found, file, interval_s)
        return
    with service() as bank:
        rows = list(every(bank.audit, ListQuery()))
    if (form or file.suffix.lower().lstrip(".")) == "csv":
        Output("csv", columns_of(AUDIT_ROW), file).write(None, rows[::-1], nothing="")
    else:
        write_new_file(file, "".join(row.to_json() + "\n" for row in reversed(rows)))
    head = rows[0].hash if rows else ""
    answer(
        {"file": str(file), "rows": len(rows), "head": head},
        f"{len(rows)} rows written to {file}; head {head or '-'}",
    )


def _tell(compared: dict[str, object]) -> None:
    """What the comparison with a checkpoint found."""
    if options().json:
        document(compared)
        return
    pairs(
        [
            ("checkpoint", f"{compared['size']} {compared['rootHash']}"),
            ("log", f"{compared['logSize']} {compared['logRootHash']}"),
            ("signed by", compared["trusted"]),
            ("continues it", True),
        ]
    )
    if since := compared["retiredKey"]:
        say(f"note: the checkpoint is signed by a key that was retired at {since}")


for command in audit_heads.COMMANDS:
    audit.add_command(command)
COMMANDS = (audit,)
