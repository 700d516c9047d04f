"""Operations on the configured database itself: ``db``, ``keys`` and ``serve``."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from chainteller.bootstrap import database_url, deployment, load_samples, open_engine, operator
from chainteller.cli.error_output import Usage
from chainteller.cli.options import options
from chainteller.service.errors import ValidationFailed
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


def verify() -> tuple[list[str], list[str]]:
    """Every invariant that is violated, in words, and the likely causes."""
    from chainteller.engine.checks.breaches import causes
    from chainteller.engine.verification import verify as verified

    with engine() as found:
        breaches = verified(found.context.database)
    return [str(each) for each in breaches], causes(breaches)


def verify_chain() -> ChainReport:
    """Check the audit chain of the configured database."""
    from chainteller.engine.verification import verify_chain as verified

    with engine() as found:
        return verified(found.context.database)


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
    from chainteller.storage import maintenance

    kept = maintenance.restore(file, _address())
    return {"database": without_password(_address()), "kept": str(kept) if kept else None}


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
