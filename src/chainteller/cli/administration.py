"""What is done to a database rather than asked of a service: ``db``, ``keys``, ``serve``."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from chainteller.bootstrap import database_url, load_samples, open_engine, operator
from chainteller.cli.complaints import Usage
from chainteller.cli.options import options
from chainteller.service.errors import ValidationFailed
from chainteller.settings.values import without_password

if TYPE_CHECKING:
    from chainteller.engine.engine import Engine
    from chainteller.engine.keys import ApiKeys
    from chainteller.service.models.databases import DatabaseReport
    from chainteller.service.models.records import ChainReport

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
    """What is wrong with an option of a command on the database is a matter of usage."""
    try:
        yield
    except ValidationFailed as error:
        found = error.details["errors"]
        said = "; ".join(f"--{each['field']}: {each['message']}" for each in found)
        raise Usage(said) from None


def init() -> Outcome:
    """``created`` is False where the database was there and is current."""
    from chainteller.storage import maintenance

    created = maintenance.init(_address())
    return {"database": without_password(_address()), "created": created}


def upgrade() -> Outcome:
    """The revisions before and after."""
    from chainteller.storage import maintenance

    before, after = maintenance.upgrade(_address())
    return {"database": without_password(_address()), "from": before, "to": after}


def fill() -> Outcome:
    """Load the sample data; ``loaded`` is False where it was there already."""
    with engine() as found:
        loaded = load_samples(found, options().configured.settings.engine.seed)
    return {"database": without_password(_address()), "loaded": loaded}


def check() -> "DatabaseReport":
    from chainteller.storage import maintenance

    return maintenance.check(_address())


def verify() -> list[str]:
    """Every breach of the books, in words."""
    from chainteller.engine.verification import verify as verified

    with engine() as found:
        breaches = verified(found.context.database, found.context.options.limits)
    return [str(each) for each in breaches]


def verify_chain() -> "ChainReport":
    """The audit chain of the place."""
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
    """Copy what is sound and look at the copy; what was done, and every breach of either side."""
    from chainteller.engine.verification import verify as verified
    from chainteller.settings.values import database
    from chainteller.storage.copying import copy as copied
    from chainteller.storage.database import open_database

    try:
        database(to_url)
    except ValueError as error:
        raise Usage(f"TO_URL {error}.") from None
    outcome: Outcome = {"from": without_password(_address()), "to": without_password(to_url)}
    with engine() as found:
        limits = found.context.options.limits
        breaches = verified(found.context.database, limits)
        if breaches:
            return outcome, [str(each) for each in breaches]
        done = copied(found.context.database, to_url)
    target = open_database(to_url)
    try:
        breaches = verified(target, limits)
    finally:
        target.close()
    outcome |= {"rows": done.rows, "head": done.head}
    return outcome, [str(each) for each in breaches]


def serve(host: str, port: int, workers: int, *, sample: bool, log: Path | None) -> int:
    """Serve until a signal; answers the exit code."""
    from chainteller.api.server import serve as run
    from chainteller.bootstrap import deployment

    configured = options().configured
    found = open_engine(configured.settings, configured.database())
    if sample:
        load_samples(found, configured.settings.engine.seed)
    return run(deployment(found, configured.settings), host, port, workers, log)
