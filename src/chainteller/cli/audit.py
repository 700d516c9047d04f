"""The audit trail: list, verify, export."""

from pathlib import Path

import click

from chainteller.cli.administration import verify_chain
from chainteller.cli.error_output import Exit, say
from chainteller.cli.lists import Selection, every, list_options, write_new_file
from chainteller.cli.open_services import service
from chainteller.cli.options import FILE, TellerGroup, example, options
from chainteller.cli.output import document, line, pairs
from chainteller.records.audit import AUDIT_ROW
from chainteller.service import operations as op
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.records import AuditRow


@click.group("audit", cls=TellerGroup)
def audit() -> None:
    """The audit trail: every write and every refusal, hash-chained."""


@audit.command("list", calls=[op.AUDIT], epilog=example("chainteller audit list --object TXN_..."))
@list_options(op.AUDIT, AUDIT_ROW)
def list_rows(selection: Selection[AuditRow]) -> None:
    """List audit rows, newest first: all of them, or those of an account or a record."""
    with service() as bank:
        selection.show(bank, bank.audit, nothing="no audit rows")


@audit.command("verify", changes=False, epilog=example("chainteller audit verify"))
def verify() -> int:
    """Check the chain; ends with 1 at the first broken row."""
    report = verify_chain()
    if options().json:
        document(report)
    else:
        pairs([("rows", report.rows), ("head", report.head), ("intact", report.intact)])
    if report.intact:
        return Exit.DONE
    say(
        f"AUDIT_BROKEN: row {report.first_broken} does not fit the chain: {report.problem}",
        "Next: keep the file as it is and compare it with the last exported head.",
    )
    return Exit.REFUSED


@audit.command("export", calls=[op.AUDIT], epilog=example("chainteller audit export audit.jsonl"))
@click.argument("file", type=FILE)
def export(file: Path) -> None:
    """Write every row to a new FILE, one JSON object a line, oldest first."""
    with service() as bank:
        rows = list(every(bank.audit, ListQuery()))
    write_new_file(file, "".join(row.to_json() + "\n" for row in reversed(rows)))
    head = rows[0].hash if rows else ""
    if options().json:
        document({"file": str(file), "rows": len(rows), "head": head})
    else:
        line(f"{len(rows)} rows written to {file}; head {head or '-'}")


COMMANDS = (audit,)
