"""When work is due, for whoever does it only then."""

from chainteller.engine.core import timekeeping
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.unit_of_work import now
from chainteller.storage.queries import jobs


def is_due(context: EngineContext) -> bool:
    """Whether there is anything to do now; a read, so that an idle worker writes nothing."""
    with context.database.read() as connection:
        first = jobs.next_due(connection)
        return first is not None and first <= now(context, connection)


def is_idle(context: EngineContext) -> bool:
    """Whether nothing is due, and it's certain what time it is."""
    with context.database.read() as connection:
        first = jobs.next_due(connection)
        reading = timekeeping.read(context.time, connection)
        return reading.doubt is None and (first is None or first > reading.now)


def next_at(context: EngineContext) -> int | None:
    """When the next work is due; None when there is none."""
    with context.database.read() as connection:
        return jobs.next_due(connection)
