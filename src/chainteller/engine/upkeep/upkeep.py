"""What keeps a bank's database small and its lists quick, in steps that no writer notices.

Each step is one short transaction: some old idempotency keys or expired quotes, a part of
a list's count, the statistics of one table. What is removed is on record: each row in its
organisation's log, and an entry with table, range, count and hash in the deployment's log.
"""

import hashlib
import logging
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from chainteller.domain.actors import WORKER
from chainteller.domain.clock import DAY
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.pacing import Pace
from chainteller.engine.core.unit_of_work import UnitOfWork, now, work_unit
from chainteller.engine.upkeep import archiving
from chainteller.service.errors import ServiceUnavailable
from chainteller.storage.lists import tallies
from chainteller.storage.queries import idempotency, organisations, quotes
from chainteller.storage.upkeep import archives, maintenance

KEYS_KEPT = DAY
"""How long a write can be repeated under its idempotency key; natural keys go on protecting."""
QUOTES_KEPT = 30 * DAY
"""How long an expired quote without a trade is kept."""
AT_ONCE = 200
"""Rows that one step removes at most."""
REMOVED = "remove_old_rows"
"""The act of a removal in the deployment's log."""
_log = logging.getLogger(__name__)


def round_of_steps(context: EngineContext) -> Iterator[str]:
    """Everything that is to be done now, one step at a time. Raises ServiceUnavailable.

    Yields:
        What a step did, in a word.
    """
    for step in (forget_keys, remove_quotes):
        pace = Pace(AT_ONCE)
        while pace.timed(lambda: step(context, pace.rows)):  # noqa: B023 - called at once
            maintenance.flush(context.database)
            yield step.__name__
    for part in (_archive, _count_lists, _analyse):
        for _ in part(context):
            maintenance.flush(context.database)
            yield part.__name__.strip("_")


def forget_keys(context: EngineContext, most: int = AT_ONCE) -> bool:
    """Forget some idempotency keys after their lifetime; False if there was none."""

    def work(tx: UnitOfWork) -> bool:
        before = tx.now - KEYS_KEPT
        return _note(tx, "idempotency", sorted(idempotency.purge(tx.rows, before, most)))

    return work_unit(context, WORKER, work)


def remove_quotes(context: EngineContext, most: int = AT_ONCE) -> bool:
    """Remove some quotes that expired long ago without a trade; False if there was none."""

    def work(tx: UnitOfWork) -> bool:
        before = tx.now - QUOTES_KEPT
        for organisation_id in organisations.everything(tx.connection):
            removed = quotes.remove_expired(tx.rows, organisation_id, before, most)
            if _note(tx, "quote", sorted(removed)):
                return True
        return False

    return work_unit(context, WORKER, work)


def _analyse(context: EngineContext) -> Iterator[None]:
    return maintenance.analyse(context.database)


def _archive(context: EngineContext) -> Iterator[None]:
    """Move old audit entries into the configured archive. One that can't be used is logged; nothing
    is lost by that."""
    options = context.options
    if not options.archive:
        return
    try:
        for _ in archiving.archive(context, Path(options.archive), options.archive_after_days):
            yield
    except ServiceUnavailable as error:
        if not str(error.details.get("reason")).startswith(archives.REASONS):
            raise
        _log.warning("nothing is archived: %s", error.message)


def _note(tx: UnitOfWork, table: str, keys: Sequence[str]) -> bool:
    """Put a removal on record, given the keys in their order."""
    if not keys:
        return False
    told = hashlib.sha256("\n".join(keys).encode()).hexdigest()
    fields = {"from": keys[0], "to": keys[-1], "rows": len(keys), "hash": told}
    tx.note(REMOVED, table=table, **fields)
    return True


def _count_lists(context: EngineContext) -> Iterator[None]:
    """Move the tallies of lists on, so that a page counts the newest rows alone."""
    with context.database.read() as connection:
        at = now(context, connection)
        lists = list(tallies.behind(connection, at))
    for table, organisation_id in lists:
        while _once(context, lambda tx: tallies.fold(tx.connection, table, organisation_id, at)):  # noqa: B023 - called at once
            yield


def _once(context: EngineContext, step: Callable[[UnitOfWork], bool]) -> bool:
    """Run and commit a step; whether there is more."""
    more: list[bool] = []

    def work(tx: UnitOfWork) -> bool:
        more[:] = [step(tx)]
        return True

    work_unit(context, WORKER, work)
    return more[0]
