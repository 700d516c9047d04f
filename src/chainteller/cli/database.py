"""The engine's database: init, upgrade, check, verify, dispute, report, backup, copy and others."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from chainteller.bootstrap import load_samples, open_engine, operator
from chainteller.cli.administration import (
    Outcome,
    address,
    engine,
    existing,
    keys_of_place,
    signing_problem,
)
from chainteller.cli.disputes import dispute
from chainteller.cli.error_output import Exit, Usage, report_error, say
from chainteller.cli.open_services import workspace
from chainteller.cli.options import FILE, group, options
from chainteller.cli.output import Column, answer, document, line, pairs, table
from chainteller.cli.transfer_reports import report
from chainteller.service.errors import ServiceUnavailable
from chainteller.service.models.databases import UpgradeStep
from chainteller.settings.place import sqlite_url
from chainteller.settings.values import database as database_of
from chainteller.settings.values import without_password

if TYPE_CHECKING:
    from chainteller.engine.verification.full_pass import ClaimsReport
    from chainteller.witnessing.checkpoints import Head

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
    from chainteller.storage.upkeep import maintenance

    created = maintenance.init(address(), keys_of_place())
    _tell({"database": without_password(address()), "created": created})


@database.command(
    "upgrade", changes=True, unless=("plan", "check"), example=("db upgrade", "db upgrade --plan")
)
@click.option("--check", is_flag=True, help="Only say whether one is needed: exit code 1 if so.")
@click.option("--plan", is_flag=True, help="Show the steps and change nothing.")
@click.option("--compact", is_flag=True, help="Then free the space that nothing uses.")
def upgrade(*, check: bool, plan: bool, compact: bool) -> int:
    """Bring the schema of an older version up to this one."""
    if check:
        return _check_revision()
    return _refusable(_show_plan if plan else lambda: _upgrade(compact=compact))


def _check_revision() -> int:
    from chainteller.storage.upkeep.upgrade import revisions

    before, after = revisions(address())
    _tell({"from": before or "a new database", "to": after})
    return Exit.DONE if before == after else Exit.REFUSED


def _upgrade(*, compact: bool) -> None:
    """Upgrade and verify everything; tells how often it tried to have every table for itself."""
    from chainteller.engine.verification.full_pass import verify as breaches_of
    from chainteller.storage.upkeep import maintenance
    from chainteller.storage.upkeep import upgrade as upgrades

    done = upgrades.upgrade(address(), keys_of_place(), say)
    with engine() as found:
        breaches = breaches_of(found.context.database)
    outcome: Outcome = {"database": without_password(address())}
    outcome |= {"from": done.before, "to": done.after, "tries": done.tries}
    if breaches:
        outcome["breaches"] = [str(each) for each in breaches]
    if compact:
        outcome["bytes_before"], outcome["bytes_after"] = maintenance.compact(address())
    _tell(outcome)


def _show_plan() -> None:
    from chainteller.storage.upkeep.upgrade import plan

    found = plan(address())
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
    with engine() as found:
        loaded = load_samples(found, options().configured.settings.engine.seed)
    _tell({"database": without_password(address()), "loaded": loaded})
    if not loaded:
        say(
            "Nothing was loaded: this database already has the sample data.",
            "Next: chainteller accounts list shows it; --database sqlite:///FILE makes another.",
        )


@database.command("check", changes=False, example="db check")
def check() -> int:
    """Integrity of the file, journal mode and schema version."""
    from chainteller.storage.upkeep import maintenance

    report = maintenance.check(address())
    note = signing_problem() if report.schema_state == "current" else ""
    if note:
        report = report.model_copy(update={"notes": (*report.notes, note)})
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
        breaches, causes, claims, notes = _verified(files)
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


def _verified(files: Sequence[Path]) -> tuple[list[str], list[str], Outcome, list[str]]:
    """What is violated and the likely causes, in words; what checking the claims took; and what is
    worth knowing besides.

    Raises:
        ServiceUnavailable: there is no database; an archive can't be used, or isn't the database's.
    """
    from chainteller.engine.core.breaches import causes
    from chainteller.engine.heads.signed_heads import judge_heads
    from chainteller.engine.verification.full_pass import (
        ClaimsReport,
        verify_books,
        verify_claims,
        verify_heads,
        verify_structure,
    )
    from chainteller.storage.log.marks import derived_deployment
    from chainteller.storage.upkeep import archives

    with existing() as found:
        database = found.context.database
        unreadable = verify_structure(database)
        if unreadable:
            return [*map(str, unreadable)], [*causes(unreadable)], _told(ClaimsReport()), []
        with database.read() as connection:
            deployment, archived = derived_deployment(connection), archives.names(connection)
        with archives.opened(database, files, deployment) as past:
            books = verify_books(database, past)
        claims = verify_claims(database)
        heads = judge_heads(found.context)
        breaches = (*books, *verify_heads(found.context.kept, database), *claims.breaches)
    told = [*(str(each) for each in breaches), *heads.breaches]
    why = [*causes(breaches), *heads.causes]
    notes = [*heads.notes] if heads.judgements else []
    if archived and not files:
        named = " ".join(f"--archive {name}" for name in archived)
        notes = [*notes, f"what was archived was checked by its hashes alone; add {named}"]
    return told, why, _told(claims), notes


def _told(claims: "ClaimsReport") -> Outcome:
    return {
        "checked": claims.checked,
        "contradictions": len(claims.breaches),
        "seconds": round(claims.seconds, 3),
    }


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
    keep_days = keep_days or options().configured.settings.audit.archive_after_days
    return _refusable(lambda: _archive(file, keep_days))


def _archive(file: Path, keep_days: int) -> None:
    from chainteller.engine.core import pacing
    from chainteller.engine.upkeep import archiving

    rows = 0
    with existing() as found:
        for moved in archiving.archive(found.context, file, keep_days):
            rows += moved
            time.sleep(pacing.BREATH_S)
    _tell({"database": without_password(address()), "archive": str(file), "rows": rows})


@database.command("backup", changes=False, example="db backup bank-2026-11-20.db")
@click.argument("file", type=FILE)
def backup(file: Path) -> int:
    """Write a consistent copy to FILE while the database is in use."""
    return _refusable(lambda: _back_up(file))


def _back_up(file: Path) -> None:
    from chainteller.storage.database import open_database
    from chainteller.storage.upkeep import maintenance

    maintenance.require_database(address())
    with closing(open_database(address())) as found:
        maintenance.backup(found, file)
    _note_file("backup", file)
    note = "the writer's key isn't in it: back that up by itself, apart from the database"
    _tell({"database": without_password(address()), "backup": str(file), "note": note})


def _note_file(kind: str, file: Path | None) -> None:
    """Remember a file with customers' data, which erasing a customer names."""
    if file is not None:
        with workspace() as own:
            own.note_file(kind, file)


@database.command("restore", changes=True, example="db restore bank-2026-11-20.db")
@click.argument("file", type=FILE)
def restore(file: Path) -> int:
    """Put the database back to what FILE holds; the former one is kept beside it."""
    return _refusable(lambda: _tell(_restored(file)))


def _restored(file: Path) -> Outcome:
    """Replace the database by a backup, with an entry in each of its logs that it was restored.

    A refusal because it is open is put into its own trail.

    Raises:
        ServiceUnavailable: nothing was restored.
    """
    from chainteller.storage.upkeep import maintenance

    unseen = maintenance.holders(address()).unseen
    outcome: Outcome = {"database": without_password(address()), "restored": str(file)}
    old = _heads_now()

    def record(draft: Path) -> None:
        url = sqlite_url(draft)
        state = maintenance.check(url).schema_state
        if state != "current":
            outcome["entry"] = f"none: the schema is {state}"
            return
        from chainteller.engine.heads.signed_heads import LeftBehind, heads_of, record_restore

        left = {name: LeftBehind(head) for name, head in (old or {}).items()}
        configured = options().configured
        restored = open_engine(configured.settings, replace(configured.database(), address=url))
        with closing(restored.context.database):  # its heads are kept once it's in its place
            told = {"backup": file.name}
            outcome["entries"] = _entries(heads_of(restored.context))
            outcome["entriesBefore"] = None if old is None else _entries(old)
            record_restore(restored.context, operator(configured.settings), told, left)

    try:
        kept = maintenance.restore(file, address(), record)
        if "entry" not in outcome:
            with engine() as found:
                found.context.accept_logs()
    except ServiceUnavailable as error:
        if error.details["reason"] == maintenance.DATABASE_OPEN:
            _record_refused_restore(file, error)
        raise
    outcome["kept"] = str(kept) if kept else None
    _note_file("former database", kept)
    return outcome | ({"note": unseen} if unseen else {})


def _entries(heads: "Mapping[str, Head]") -> int:
    """Of all logs together."""
    return sum(head.size for head in heads.values())


def _record_refused_restore(file: Path, error: ServiceUnavailable) -> None:
    from chainteller.engine.core.unit_of_work import act

    inputs = {"backup": file.name, "pids": error.details["pids"]}
    reason = str(error.details["reason"])
    try:
        with engine() as found:
            actor = operator(options().configured.settings)
            act(
                found.context,
                actor,
                lambda tx: tx.audit("restore_database", "", inputs, error=reason),
            )
    except ServiceUnavailable as fault:
        say(f"note: the audit trail doesn't have this refusal: {fault.message}")


def _heads_now() -> "dict[str, Head] | None":
    """The heads of the database that is going to be replaced; None where it can't be read."""
    from chainteller.engine.heads.signed_heads import heads_of

    if not address().startswith("sqlite:///"):
        return None
    try:
        with existing() as found:
            return heads_of(found.context)
    except (ServiceUnavailable, ValueError):  # a damaged one is restored, too
        return None


@database.command("copy", changes=True, example="db copy postgresql://bank@db/teller")
@click.argument("to_url", metavar="TO_URL")
def copy(to_url: str) -> int:
    """Copy everything into another, empty database and verify both; stop the servers before."""
    try:
        outcome, breaches = _copied(to_url)
    except ServiceUnavailable as error:
        return _refused(error)
    _tell(outcome)
    return _judged(breaches)


def _copied(to_url: str) -> tuple[Outcome, list[str]]:
    """Copy a sound database; returns the outcome, and what is violated in either of the two."""
    from chainteller.engine.verification.full_pass import verify as breaches_of
    from chainteller.storage.database import open_database, sqlite_path
    from chainteller.storage.upkeep.copying import copy as copy_all

    try:
        database_of(to_url)
    except ValueError as error:
        raise Usage(f"TO_URL {error}.") from None
    outcome: Outcome = {"from": without_password(address()), "to": without_password(to_url)}
    with existing() as found:
        breaches = breaches_of(found.context.database)
        if breaches:
            return outcome, [str(each) for each in breaches]
        done = copy_all(found.context.database, to_url)
    _note_file("copy", sqlite_path(to_url))
    with closing(open_database(to_url, keys_of_place())) as target:
        breaches = breaches_of(target)
    return outcome | {"rows": done.rows, "head": done.head}, [str(each) for each in breaches]


database.add_command(dispute)
database.add_command(report)
COMMANDS = (database,)
