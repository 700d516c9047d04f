"""Move the bodies of old entries into an archive, in steps that no writer notices.

Each step writes some entries to the file and then removes their bodies from the database, in a
short transaction that puts it on record. So a step that is interrupted leaves bodies in both, never
in neither, and the next one goes on with them.
"""

from collections.abc import Generator
from contextlib import closing
from pathlib import Path

from chainteller.domain.actors import WORKER
from chainteller.domain.clock import DAY
from chainteller.domain.limits import PERIODS
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.pacing import Pace
from chainteller.engine.core.unit_of_work import UnitOfWork, now, work_unit
from chainteller.storage.db import records
from chainteller.storage.db.query import Record, Session
from chainteller.storage.db.sources import Source
from chainteller.storage.log import append, checkpoints, erasing, moved, views
from chainteller.storage.log.marks import derived_deployment
from chainteller.storage.log.views import Age
from chainteller.storage.upkeep import archives, standing
from chainteller.storage.upkeep.archives import Archive

AT_ONCE = 200
"""Entries that one step moves at most."""
_NEXT = Source(records.Entry).where(
    "organisation_id = :organisation AND number > :after ORDER BY number LIMIT :most"
)


def archive(context: EngineContext, path: Path, keep_days: int) -> Generator[int]:
    """Move what is older than so many days into an archive, which is made if there is none.

    Yields:
        After each step, how many entries it moved.

    Raises:
        ServiceUnavailable: an archive that can't be used (``archives.open_to_write``), or another
            one than the database's; the entries of finished steps stay archived.
    """
    with context.database.read() as connection:
        present = now(context, connection)
        deployment = derived_deployment(connection)
        logs = checkpoints.organisations(connection)
    age = Age(present - keep_days * DAY, present)
    with closing(archives.open_to_write(path, context.database, deployment)) as archive:
        for organisation in logs:
            pace = Pace(AT_ONCE)
            while moved := _step(context, archive, organisation, age, pace):
                yield moved
        archive.keep_checkpoints(context.database)


def erase(context: EngineContext, path: Path, organisation_id: str, customer_id: str) -> int:
    """Erase the inputs of a forgotten customer's entries in an archive; returns of how many. Raises
    ServiceUnavailable: an archive that can't be used (``archives.open_archive``)."""
    with context.database.read() as connection:
        deployment = derived_deployment(connection)
        numbers = erasing.archived(connection, organisation_id, customer_id)
    with closing(archives.open_archive(path, deployment)) as found:
        return found.erase_inputs(organisation_id, numbers)


def _step(context: EngineContext, archive: Archive, organisation: str, age: Age, pace: Pace) -> int:
    with context.database.read() as connection:
        after = views.head(connection, organisation).archived
        rows = _oldest(connection, organisation, after, age, pace.rows)
    if not rows:
        return 0
    part = archive.add(organisation, rows)

    def work(tx: UnitOfWork) -> bool:
        append.lock(tx.connection, organisation)
        head = views.head(tx.connection, organisation)
        if head.archived != after:
            return False  # another process has archived meanwhile
        since = age.now - max(PERIODS.values())
        stay = standing.among(tx.connection, rows, since)
        archives.give_away(tx.connection, organisation, part, archive.name, stay)
        told: dict[str, object] = {"log": organisation, "from": part.first, "to": part.upto}
        told["archive"] = archive.name
        told |= {"size": head.size, "hash": rows[-1].leaf.hex()}
        tx.note(moved.ARCHIVED, moved.DATABASE, **told)
        return True

    pace.timed(lambda: work_unit(context, WORKER, work))
    return len(rows)


def _oldest(
    connection: Session, organisation: str, after: int, age: Age, most: int
) -> list[Record]:
    """The entries after a number that are old, up to the first one that isn't."""
    found = _NEXT.rows(connection, organisation, after, most)
    if not found or views.is_old(connection, organisation, found[-1].number, age):
        return list(found)
    count = next((n for n, row in enumerate(found) if age.before <= row.at <= age.now), len(found))
    while count and found[count - 1].at > age.now:
        count -= 1
    return list(found[:count])
