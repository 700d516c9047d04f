"""Operations on the configured database itself: ``db``, ``audit verify`` and ``serve``; and the
engine on it, for other commands."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from chainteller.bootstrap import (
    database_url,
    deployment,
    gateway,
    issuer_of,
    load_samples,
    open_engine,
    operator,
    writer_keys,
)
from chainteller.cli.error_output import Usage, say
from chainteller.cli.options import options
from chainteller.service.errors import ServiceUnavailable, TellerError, ValidationFailed
from chainteller.service.models.databases import DatabaseReport, UpgradePlan
from chainteller.service.models.records import ChainReport
from chainteller.settings.place import sqlite_path, sqlite_url
from chainteller.settings.values import database, without_password

if TYPE_CHECKING:
    from chainteller.api.server import Serving
    from chainteller.engine.engine import Engine
    from chainteller.engine.operations.keys import ApiKeys
    from chainteller.engine.verification.full_pass import ClaimsReport
    from chainteller.storage.log.writer_keys import WriterKeys
    from chainteller.witnessing.checkpoints import Head

Outcome = dict[str, object]


@contextmanager
def engine() -> Iterator["Engine"]:
    """The engine on the configured database, without its due work applied."""
    configured = options().configured
    found = open_engine(configured.settings, configured.database())
    try:
        yield found
    finally:
        found.close()


@contextmanager
def _existing() -> Iterator["Engine"]:
    """As ``engine``, without making a SQLite file that isn't there.

    Raises:
        ServiceUnavailable: NO_DATABASE, or as opening it does.
    """
    from chainteller.storage.upkeep import maintenance

    if _address().startswith("sqlite:///"):
        maintenance.require_file(sqlite_path(_address()))
    with engine() as found:
        yield found


def _address() -> str:
    configured = options().configured
    return database_url(configured.settings, configured.database())


def _keys() -> "WriterKeys":
    return writer_keys(options().configured.settings)


@contextmanager
def api_keys() -> Iterator["ApiKeys"]:
    from chainteller.engine.operations.keys import ApiKeys

    with engine() as found:
        yield ApiKeys(found.context, operator(options().configured.settings))


@contextmanager
def judged() -> Iterator[None]:
    """Report an invalid option of a database command as a usage error."""
    try:
        yield
    except ValidationFailed as error:
        found = error.details["errors"]
        said = "; ".join(f"--{each['field']}: {each['message']}" for each in found)
        raise Usage(said) from None


def init() -> Outcome:
    """Create the schema; ``created`` is False where the database exists and is current."""
    from chainteller.storage.upkeep import maintenance

    created = maintenance.init(_address(), _keys())
    return {"database": without_password(_address()), "created": created}


def plan_upgrade(within_s: int | None) -> UpgradePlan:
    """What ``upgrade`` would do; changes nothing.

    Raises:
        ServiceUnavailable: UPGRADE_TOO_LONG, or as ``upgrade``.
    """
    from chainteller.storage.upkeep.upgrade import plan, require_time

    planned = plan(_address())
    if within_s is not None:
        require_time(planned, within_s)
    return planned


def revisions() -> tuple[str, str]:
    """The revision of the database, empty for a new one, and the one of this build."""
    from chainteller.storage.upkeep import upgrade as upgrades

    return upgrades.revisions(_address())


def upgrade(*, compact: bool, within_s: int | None) -> Outcome:
    """Upgrade the schema and verify everything; returns the revisions before and after, how often
    the upgrade tried to have every table for itself, the breaches that were found, if any, and the
    sizes in bytes where it was compacted."""
    from chainteller.engine.verification.full_pass import verify
    from chainteller.storage.upkeep import maintenance
    from chainteller.storage.upkeep import upgrade as upgrades

    if within_s is not None:
        plan_upgrade(within_s)
    done = upgrades.upgrade(_address(), _keys(), say)
    with engine() as found:
        breaches = verify(found.context.database)
    outcome: Outcome = {"database": without_password(_address())}
    outcome |= {"from": done.before, "to": done.after, "tries": done.tries}
    if breaches:
        outcome["breaches"] = [str(each) for each in breaches]
    if compact:
        outcome["bytes_before"], outcome["bytes_after"] = maintenance.compact(_address())
    return outcome


def fill() -> Outcome:
    """Load the sample data; ``loaded`` is False where it had been loaded before."""
    with engine() as found:
        loaded = load_samples(found, options().configured.settings.engine.seed)
    return {"database": without_password(_address()), "loaded": loaded}


def check() -> DatabaseReport:
    """The state of the file; a note says where no key signs heads of its audit log."""
    from chainteller.storage.upkeep import maintenance

    report = maintenance.check(_address())
    if report.schema_state != "current":
        return report
    note = signing_problem()
    return report.model_copy(update={"notes": (*report.notes, note)}) if note else report


class Verified(NamedTuple):
    """What ``db verify`` found: what is violated and the likely causes, in words; what checking
    the claims took; and what is worth knowing besides."""

    breaches: list[str]
    causes: list[str]
    claims: Outcome
    notes: list[str]


def archive(file: Path, keep_days: int | None) -> Outcome:
    """Move old audit entries into an archive; returns how many rows it got.

    Raises:
        ServiceUnavailable: the archive can't be used; nothing was changed.
    """
    from chainteller.engine.core import pacing
    from chainteller.engine.upkeep import archiving

    if keep_days is None:
        keep_days = options().configured.settings.audit.archive_after_days
    rows = 0
    with engine() as found:
        for moved in archiving.archive(found.context, file, keep_days):
            rows += moved
            time.sleep(pacing.BREATH_S)
    return {"database": without_password(_address()), "archive": str(file), "rows": rows}


def erase_in_archive(file: Path, customer_id: str) -> int:
    """Erase the inputs of a forgotten customer's entries in an archive; returns of how many.

    Raises:
        ServiceUnavailable: the archive can't be used, or isn't the database's.
    """
    from chainteller.engine.upkeep import archiving

    with engine() as found:
        organisation = operator(options().configured.settings).organisation
        return archiving.erase(found.context, file, organisation, customer_id)


def verify(files: Sequence[Path] = ()) -> Verified:
    """Check every invariant, every claim and every known head, and what these archives have.

    Raises:
        ServiceUnavailable: an archive can't be used, or isn't the database's.
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

    with engine() as found:
        database = found.context.database
        unreadable = verify_structure(database)
        if unreadable:
            return Verified(
                [*map(str, unreadable)], [*causes(unreadable)], _told(ClaimsReport()), []
            )
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
    return Verified(told, why, _told(claims), notes)


def _told(claims: "ClaimsReport") -> Outcome:
    return {
        "checked": claims.checked,
        "contradictions": len(claims.breaches),
        "seconds": round(claims.seconds, 3),
    }


def recheck(claim_id: str | None) -> list[Outcome]:
    """What checking a claim again shows, or every claim.

    Raises:
        NotFound: there is no such claim.
    """
    from chainteller.engine.operations.claim_proofs import recheck as rechecked

    with engine() as found, found.context.database.read(patient=True) as connection:
        return [each.to_wire() for each in rechecked(connection, claim_id)]


def writer_key() -> Outcome:
    """Where the writer's key is, and what names it; nothing where there is no database."""
    from chainteller.engine.heads.writer_key import described

    try:
        with _existing() as found:
            return dict(described(found.context))
    except TellerError as error:
        return {"writer key": error.message}


def provider() -> Outcome:
    """The provider that the database is in front of; nothing for a bank's own, or without one."""
    try:
        with _existing() as found:
            named = found.context.provider
    except TellerError:
        return {}
    return {} if named is None else {"gateway in front of": named.address}


def books() -> Outcome:
    """When the books were verified, and what is in dispute; nothing where there's no database."""
    from chainteller.engine.operations.disputes import standing

    try:
        with _existing() as found, found.context.database.read() as connection:
            known = standing(connection)
    except TellerError as error:
        return {"books": error.message}
    disputed = "; ".join(known.disputes)
    return {
        "books verified": known.verified_at,
        "books verified as a whole": known.wholly_verified_at,
        "books in dispute": f"{disputed}: payouts wait" if disputed else None,
    }


def signing_problem() -> str:
    """Why no heads of the audit log are signed; empty if they are. Never raises TellerError."""
    try:
        with _existing() as found, found.context.database.read() as connection:
            return found.context.signers.standing(connection).problem
    except TellerError as error:
        return error.message


def verify_chain() -> ChainReport:
    """Check the audit log of the configured database."""
    from chainteller.engine.verification.full_pass import verify_chain as verified

    with engine() as found:
        return verified(found.context.database)


def backup(file: Path) -> Outcome:
    from chainteller.storage.database import open_database
    from chainteller.storage.upkeep import maintenance

    database = open_database(_address())
    try:
        maintenance.backup(database, file)
    finally:
        database.close()
    note = "the writer's key isn't in it: back that up by itself, apart from the database"
    return {"database": without_password(_address()), "backup": str(file), "note": note}


def restore(file: Path) -> Outcome:
    """Replace the database by a backup, with an entry in each of its logs that it was restored.

    A refusal because it is open is put into its own trail.

    Raises:
        ServiceUnavailable: nothing was restored.
    """
    from chainteller.storage.upkeep import maintenance

    unseen = maintenance.holders(_address()).unseen
    outcome: Outcome = {"database": without_password(_address())}
    old = _heads_now()

    def record(draft: Path) -> None:
        url = sqlite_url(draft)
        state = maintenance.check(url).schema_state
        if state != "current":
            outcome["entry"] = f"none: the schema is {state}"
            return
        from chainteller.engine.heads.signed_heads import LeftBehind, record_restore

        left = {name: LeftBehind(head) for name, head in (old or {}).items()}
        configured = options().configured
        restored = open_engine(configured.settings, replace(configured.database(), address=url))
        try:
            told = {"backup": file.name}
            record_restore(restored.context, operator(configured.settings), told, left)
        finally:
            restored.context.database.close()  # its heads are kept once it's in its place

    try:
        kept = maintenance.restore(file, _address(), record)
        if "entry" not in outcome:
            with engine() as found:
                accept_heads(found)
    except ServiceUnavailable as error:
        if error.details["reason"] == maintenance.DATABASE_OPEN:
            _record_refused_restore(file, error)
        raise
    outcome["kept"] = str(kept) if kept else None
    return outcome | ({"note": unseen} if unseen else {})


def drill(place: Path) -> tuple[Outcome, list[str]]:
    """Restore the newest backup beside the database, verify it and compare it with the database.

    Returns:
        What would be lost, and how long it took; and why the backup isn't sound.

    Raises:
        ServiceUnavailable: the backup is another deployment's, or can't be restored.
    """
    from chainteller.engine.upkeep.drill import compare, require_same_deployment
    from chainteller.engine.verification.full_pass import verify as verified
    from chainteller.storage.database import open_database
    from chainteller.storage.upkeep import trial_restore
    from chainteller.storage.upkeep import upgrade as upgrades

    backup, began = trial_restore.newest_backup(place), time.monotonic()
    with engine() as found, trial_restore.restored_beside(backup, _address()) as url:
        restored = time.monotonic()
        upgrades.upgrade(url, _keys(), say)
        upgraded = time.monotonic()
        copy = open_database(url, _keys())
        try:
            require_same_deployment(found.context.database, copy)
            breaches = [str(each) for each in verified(copy)]
            done = time.monotonic()
            loss = compare(found.context, copy)
        finally:
            copy.close()
    outcome: Outcome = {
        "backup": str(backup),
        "backupAt": loss.backup_at,
        "databaseAt": loss.database_at,
        "lostEntries": loss.entries,
        "lostActs": loss.acts,
        "accounts": loss.accounts,
        "changedAccounts": loss.changed,
        "changedByAsset": loss.by_asset,
        "restoreSeconds": round(restored - began, 1),
        "upgradeSeconds": round(upgraded - restored, 1),
        "verifySeconds": round(done - upgraded, 1),
        "seconds": round(done - began, 1),
    }
    return outcome, [*breaches, *loss.breaches]


def accept_heads(found: "Engine") -> None:
    """Keep the heads of the log as they are now."""
    if found.context.kept is not None:
        found.context.kept.accept(found.context.database)


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

    if not _address().startswith("sqlite:///"):
        return None
    try:
        with _existing() as found:
            return heads_of(found.context)
    except (ServiceUnavailable, ValueError):  # a damaged one is restored, too
        return None


def copy(to_url: str) -> tuple[Outcome, list[str]]:
    """Copy a sound database and verify the copy; returns the outcome and every violation found."""
    from chainteller.engine.verification.full_pass import verify as verified
    from chainteller.storage.database import open_database
    from chainteller.storage.upkeep.copying import copy as copied

    try:
        database(to_url)
    except ValueError as error:
        raise Usage(f"TO_URL {error}.") from None
    outcome: Outcome = {"from": without_password(_address()), "to": without_password(to_url)}
    with engine() as found:
        breaches = verified(found.context.database)
        if breaches:
            return outcome, [str(each) for each in breaches]
        done = copied(found.context.database, to_url)
    target = open_database(to_url, _keys())
    try:
        breaches = verified(target)
    finally:
        target.close()
    outcome |= {"rows": done.rows, "head": done.head}
    return outcome, [str(each) for each in breaches]


def serve(serving: "Serving", *, sample: bool, provider: str | None = None) -> int:
    """Serve until a signal, as a gateway in front of a provider if one is named; returns the exit
    code."""
    from chainteller.api.server import serve as run

    configured = options().configured
    found = open_engine(configured.settings, configured.database())
    if provider is not None:
        found = gateway(found, configured.settings, provider)
    if sample:
        load_samples(found, configured.settings.engine.seed)
    if found.context.kept is not None:
        found_wrong = found.context.kept.follow(found.context.database)
        say(*(f"BREACH: log {name}: {what}" for name, what in found_wrong.items()))
    issuer = issuer_of(configured.settings, found.context.options.policy)
    return run(deployment(found, configured.settings, configured.database(), issuer), serving)
