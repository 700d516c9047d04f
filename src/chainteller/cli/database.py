"""The engine's database: init, upgrade, check, verify, dispute, report, backup, copy and others."""

from collections.abc import Callable, Sequence
from pathlib import Path

import click

from chainteller.cli import administration
from chainteller.cli.disputes import dispute
from chainteller.cli.error_output import Exit, report_error, say
from chainteller.cli.open_services import workspace
from chainteller.cli.options import FILE, group, options
from chainteller.cli.output import Column, answer, document, line, pairs, table
from chainteller.cli.transfer_reports import report
from chainteller.service.errors import ServiceUnavailable
from chainteller.service.models.databases import UpgradeStep

_STEP: tuple[Column[UpgradeStep], ...] = (
    ("step", lambda step: step.step),
    ("rows>", lambda step: f"{step.rows:,}"),
    ("about>", lambda step: f"{step.seconds:,} s"),
    ("indexes", lambda step: " ".join(step.indexes)),
    ("does", lambda step: step.does),
)


@group("db")
def database() -> None:
    """The database of the embedded engine."""


def _tell(outcome: dict[str, object]) -> None:
    answer(outcome, list(outcome.items()))


def _refusable(work: Callable[[], None]) -> int:
    """Report a problem with a database as a refusal, not as an unreachable service."""
    try:
        work()
    except ServiceUnavailable as error:
        return _refused(error)
    return Exit.DONE


def _refused(error: ServiceUnavailable) -> int:
    if options().json:
        document(error.to_wire())
    code = report_error(error)
    return Exit.REFUSED if code is Exit.UNREACHABLE else code


@database.command("init", changes=True, example="db init")
def init() -> None:
    """Create the schema and the organisation `default`; a current database stays as it is."""
    _tell(administration.init())


@database.command(
    "upgrade", changes=True, unless=("plan", "check"), example=("db upgrade", "db upgrade --plan")
)
@click.option("--check", is_flag=True, help="Only say whether one is needed: exit code 1 if so.")
@click.option("--plan", is_flag=True, help="Show the steps and change nothing.")
@click.option("--compact", is_flag=True, help="Then free the space that nothing uses.")
@click.option(
    "--within",
    type=click.IntRange(1),
    metavar="SECONDS",
    help="Refuse, before anything is changed, if it takes longer by the plan.",
)
def upgrade(*, check: bool, plan: bool, compact: bool, within: int | None) -> int:
    """Bring the schema of an older version up to this one."""
    if check:
        return _check_revision()
    if plan:
        return _refusable(lambda: _show_plan(within))
    return _refusable(lambda: _tell(administration.upgrade(compact=compact, within_s=within)))


def _check_revision() -> int:
    before, after = administration.revisions()
    _tell({"from": before or "a new database", "to": after})
    return Exit.DONE if before == after else Exit.REFUSED


def _show_plan(within: int | None) -> None:
    found = administration.plan_upgrade(within)
    if options().json:
        document(found)
        return
    if found.before == found.after:
        line(f"The schema is current ({found.after}); an upgrade only verifies.")
    table(found.steps, _STEP)
    line()
    pairs(
        [
            ("from", found.before or "a new database"),
            ("to", found.after),
            ("time", f"about {found.seconds:,} s"),
            ("size", f"{found.size_bytes:,} bytes"),
            *([] if found.free_bytes is None else [("free", f"{found.free_bytes:,} bytes")]),
        ]
    )


@database.command("sample", changes=True, example="db sample")
def sample() -> None:
    """Load the sample data into the organisation `default`; a second time changes nothing."""
    outcome = administration.fill()
    _tell(outcome)
    if not outcome["loaded"]:
        say(
            "Nothing was loaded: this database already has the sample data.",
            "Next: chainteller accounts list shows it; --database sqlite:///FILE makes another.",
        )


@database.command("check", changes=False, example="db check")
def check() -> int:
    """Integrity of the file, journal mode and schema version."""
    report = administration.check()
    answer(
        report,
        [
            ("database", report.location),
            ("healthy", report.healthy),
            ("schema", f"{report.schema_state} {report.schema_version}"),
            ("journal mode", report.journal_mode),
            (report.kind, report.driver_version),
        ],
    )
    say(*(f"problem: {each}" for each in report.problems))
    say(*(f"note: {each}" for each in report.notes))
    return Exit.DONE if report.healthy else Exit.REFUSED


@database.command(
    "verify", changes=False, example=("db verify", "db verify --archive audit-2026.archive")
)
@click.option(
    "--archive",
    "files",
    type=FILE,
    multiple=True,
    help="An archive to verify with the database; name all of them.",
)
def verify(files: tuple[Path, ...]) -> int:
    """Every invariant of the books, the audit log, its heads and every ownership claim; ends with
    1 at the first breach.
    """
    try:
        breaches, causes, claims, notes = administration.verify(files)
    except ServiceUnavailable as error:
        if not files:
            raise
        return _refused(error)
    if options().json:
        found = {"ok": not breaches, "breaches": breaches, "claims": claims}
        document(found | ({"notes": notes} if notes else {}))
        return _judged(breaches)
    if not breaches:
        line("every invariant holds")
        say(f"{claims['checked']} ownership claims checked again in {claims['seconds']} s")
    say(*(f"note: {each}" for each in notes))
    return _judged(breaches, causes)


def _judged(breaches: list[str], causes: Sequence[str] = ()) -> int:
    if not breaches:
        return Exit.DONE
    say(
        f"BREACH: {breaches[0]}",
        *(f"  {each}" for each in breaches[1:]),
        *causes,
        "Next: stop writing to this database, keep it as it is and compare it with a backup.",
    )
    return Exit.REFUSED


@database.command("archive", changes=True, example="db archive audit-2026.archive --keep-days 400")
@click.argument("file", type=FILE)
@click.option(
    "--keep-days",
    type=click.IntRange(1),
    metavar="N",
    help="Days of entries that stay; default: audit.archive_after_days.",
)
def archive(file: Path, keep_days: int | None) -> int:
    """Move old audit entries into FILE, which is made or goes on, while the database is in use."""
    return _refusable(lambda: _tell(administration.archive(file, keep_days)))


@database.command("backup", changes=False, example="db backup bank-2026-11-20.db")
@click.argument("file", type=FILE)
def backup(file: Path) -> int:
    """Write a consistent copy to FILE while the database is in use."""
    return _refusable(lambda: _back_up(file))


def _back_up(file: Path) -> None:
    outcome = administration.backup(file)
    with workspace() as own:
        own.note_file("backup", file)
    _tell(outcome)


@database.command("restore", changes=True, example="db restore bank-2026-11-20.db")
@click.argument("file", type=FILE)
def restore(file: Path) -> int:
    """Put the database back to what FILE holds; the former one is kept beside it."""
    return _refusable(lambda: _tell(administration.restore(file)))


@database.command("copy", changes=True, example="db copy postgresql://bank@db/teller")
@click.argument("to_url", metavar="TO_URL")
def copy(to_url: str) -> int:
    """Copy everything into another, empty database and verify both; stop the servers before."""
    try:
        outcome, breaches = administration.copy(to_url)
    except ServiceUnavailable as error:
        return _refused(error)
    _tell(outcome)
    return _judged(breaches)


database.add_command(dispute)
database.add_command(report)
COMMANDS = (database,)
