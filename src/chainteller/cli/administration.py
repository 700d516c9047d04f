"""Operations on the configured database itself: ``db``, ``keys``, ``clock`` and ``serve``."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from chainteller.bootstrap import database_url, deployment, load_samples, open_engine, operator
from chainteller.cli.error_output import Usage, say
from chainteller.cli.options import options
from chainteller.domain.clock import format_instant
from chainteller.service.errors import ServiceUnavailable, ValidationFailed
from chainteller.service.models.databases import DatabaseReport
from chainteller.service.models.records import ChainReport
from chainteller.settings.values import database, without_password

if TYPE_CHECKING:
    from chainteller.engine.engine import Engine
    from chainteller.engine.keys import ApiKeys

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


def _address() -> str:
    configured = options().configured
    return database_url(configured.settings, configured.database())


@contextmanager
def api_keys() -> Iterator["ApiKeys"]:
    from chainteller.engine.keys import ApiKeys

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
    from chainteller.storage import maintenance

    created = maintenance.init(_address())
    return {"database": without_password(_address()), "created": created}


def upgrade() -> Outcome:
    """Upgrade the schema and seal what has no seal; returns the revisions before and after, and
    the breaches that were found, if any."""
    from chainteller.engine.catching_up import seal_as_found
    from chainteller.storage import maintenance

    before, after = maintenance.upgrade(_address())
    with engine() as found:
        breaches = seal_as_found(found.context)
    outcome: Outcome = {"database": without_password(_address()), "from": before, "to": after}
    return outcome | {"breaches": [str(each) for each in breaches]} if breaches else outcome


def fill() -> Outcome:
    """Load the sample data; ``loaded`` is False where it had been loaded before."""
    with engine() as found:
        loaded = load_samples(found, options().configured.settings.engine.seed)
    return {"database": without_password(_address()), "loaded": loaded}


def check() -> DatabaseReport:
    from chainteller.storage import maintenance

    return maintenance.check(_address())


def verify() -> tuple[list[str], Outcome]:
    """Every invariant that is violated, in words, and what checking the claims took."""
    from chainteller.engine.verification import verify_books, verify_claims

    with engine() as found:
        books = verify_books(found.context.database)
        claims = verify_claims(found.context.database)
    report: Outcome = {
        "checked": claims.checked,
        "contradictions": len(claims.breaches),
        "seconds": round(claims.seconds, 3),
    }
    return [str(each) for each in books + claims.breaches], report


def recheck(claim_id: str | None) -> list[Outcome]:
    """What checking a claim again shows, or every claim.

    Raises:
        NotFound: there is no such claim.
    """
    from chainteller.engine.claim_proofs import recheck as rechecked

    with engine() as found, found.context.database.read(patient=True) as connection:
        return [each.to_wire() for each in rechecked(connection, claim_id)]


def verify_chain() -> ChainReport:
    """Check the audit chain of the configured database."""
    from chainteller.engine.verification import verify_chain as verified

    with engine() as found:
        return verified(found.context.database)


def show_clock() -> Outcome:
    """What time it is at the bank, and what the clocks show."""
    from chainteller.domain.timekeeping import MEANINGS
    from chainteller.engine import epochs, timekeeping

    with engine() as found:
        context = found.context
        with context.database.read() as connection:
            reading = timekeeping.read(context.time, connection)
    known = reading.known
    newest = known.last_at if known else 0
    return {
        "certain": reading.doubt is None,
        "reason": None if reading.doubt is None else reading.doubt.value,
        "meaning": None if reading.doubt is None else MEANINGS[reading.doubt],
        "bankTime": format_instant(reading.now),
        "clock": format_instant(reading.clock),
        "clockOf": "database" if context.database.is_postgres else "machine",
        "machineClock": format_instant(reading.wall),
        "difference": epochs.describe_difference(reading.ahead) if reading.ahead else None,
        "newestRecord": format_instant(newest) if newest else None,
        "epoch": known.epoch if known else 0,
        "epochBegan": format_instant(reading.began_at) if reading.began_at else None,
    }


def accept_clock() -> Outcome:
    """Begin a new epoch with the time that the clock shows, unless time is certain."""
    from chainteller.engine import epochs

    with engine() as found:
        begun = epochs.accept(found.context, operator(options().configured.settings))
    if begun is None:
        return {"accepted": False}
    return {
        "accepted": True,
        "epoch": begun.number,
        "oldTime": format_instant(begun.before),
        "newTime": format_instant(begun.began_at),
        "entriesBetween": begun.stamped.entries,
        "firstEntry": begun.stamped.first or None,
        "lastEntry": begun.stamped.last or None,
        "recordsPutRight": begun.changed,
    }


def backup(file: Path) -> Outcome:
    from chainteller.storage import maintenance
    from chainteller.storage.database import open_database

    database = open_database(_address())
    try:
        maintenance.backup(database, file)
    finally:
        database.close()
    return {"database": without_password(_address()), "backup": str(file)}


def restore(file: Path) -> Outcome:
    """Replace the database by a backup; a refusal because it is open is put into its own trail.

    Raises:
        ServiceUnavailable: nothing was restored.
    """
    from chainteller.storage import maintenance

    unseen = maintenance.holders(_address()).unseen
    try:
        kept = maintenance.restore(file, _address())
    except ServiceUnavailable as error:
        if error.details["reason"] == maintenance.DATABASE_OPEN:
            _record_refused_restore(file, error)
        raise
    found: Outcome = {"database": without_password(_address()), "kept": str(kept) if kept else None}
    return found | ({"note": unseen} if unseen else {})


def _record_refused_restore(file: Path, error: ServiceUnavailable) -> None:
    from chainteller.engine.unit_of_work import act

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


def copy(to_url: str) -> tuple[Outcome, list[str]]:
    """Copy a sound database and verify the copy; returns the outcome and every violation found."""
    from chainteller.engine.verification import verify as verified
    from chainteller.storage.copying import copy as copied
    from chainteller.storage.database import open_database

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
    target = open_database(to_url)
    try:
        breaches = verified(target)
    finally:
        target.close()
    outcome |= {"rows": done.rows, "head": done.head}
    return outcome, [str(each) for each in breaches]


def serve(host: str, port: int, workers: int, *, sample: bool, log: Path | None) -> int:
    """Serve until a signal; returns the exit code."""
    from chainteller.api.server import serve as run

    configured = options().configured
    found = open_engine(configured.settings, configured.database())
    if sample:
        load_samples(found, configured.settings.engine.seed)
    return run(deployment(found, configured.settings), host, port, workers, log)
