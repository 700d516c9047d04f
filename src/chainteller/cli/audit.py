"""The audit trail: list, verify, export."""

from itertools import count
from pathlib import Path

import click

from chainteller.cli.administration import verify_chain
from chainteller.cli.error_output import Exit, Usage, say
from chainteller.cli.open_services import service
from chainteller.cli.options import TellerGroup, example, listed, options
from chainteller.cli.output import document, line, listing, pairs
from chainteller.records.audit import AUDIT_ROW
from chainteller.service.models.pages import MAXIMUM_LIMIT, ListQuery
from chainteller.service.models.records import AuditRow


@click.group("audit", cls=TellerGroup)
def audit() -> None:
    """The audit trail: every write and every refusal, hash-chained."""


@audit.command("list", epilog=example("chainteller audit list --object TXN_..."))
@click.option("--object", "identifier", metavar="ID", help="Of one object.")
@click.option("--account", metavar="ID", help="All that was done to one trading account.")
@listed
def list_rows(identifier: str | None, account: str | None, page: int, limit: int) -> None:
    """List audit rows, newest first."""
    with service() as bank:
        found = bank.audit(
            ListQuery(text=identifier, trading_account_id=account, page=page, limit=limit)
        )
    listing(found, AUDIT_ROW, nothing="no audit rows")


@audit.command("verify", epilog=example("chainteller audit verify"))
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


@audit.command("export", epilog=example("chainteller audit export audit.jsonl"))
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
def export(file: Path) -> None:
    """Write every row to a new FILE, one JSON object a line, oldest first."""
    rows = _all_rows()
    try:
        with file.open("x", encoding="utf-8") as out:
            out.writelines(row.to_json() + "\n" for row in reversed(rows))
    except OSError as error:
        raise Usage(
            f"{file}: {error.strerror}.", "Name a new file in a folder that exists."
        ) from None
    head = rows[0].hash if rows else ""
    if options().json:
        document({"file": str(file), "rows": len(rows), "head": head})
    else:
        line(f"{len(rows)} rows written to {file}; head {head or '-'}")


def _all_rows() -> list[AuditRow]:
    """Every row, newest first; rows that are added meanwhile are left out."""
    rows: list[AuditRow] = []
    with service() as bank:
        for page in count(1):
            found = bank.audit(ListQuery(page=page, limit=MAXIMUM_LIMIT)).data
            rows += [row for row in found if not rows or row.seq < rows[-1].seq]
            if len(found) < MAXIMUM_LIMIT:
                break
    return rows


COMMANDS = (audit,)
