"""Move old entries and audit rows into an archive, in steps that no writer notices.

Each step writes some rows to the file and then removes them from the database, in a short
transaction that puts it on record. So a step that is interrupted leaves rows in both, never in
neither, and the next one goes on with them.
"""

from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, delete, select

from chainteller.domain.actors import WORKER
from chainteller.domain.clock import DAY
from chainteller.domain.merkle import Tree
from chainteller.engine.context import EngineContext
from chainteller.engine.pacing import Pace
from chainteller.engine.unit_of_work import UnitOfWork, now, work_unit
from chainteller.storage import (
    archives,
    checkpoints,
    own_numbers,
    removals,
    sequencer,
    tallies,
)
from chainteller.storage.archives import PINNED, Archive, Place
from chainteller.storage.checkpoints import derived_deployment
from chainteller.storage.columns import Record
from chainteller.storage.removals import AUDITS, ENTRIES, OWN_AUDITS, Removed
from chainteller.storage.rows import DEPLOYMENT
from chainteller.storage.tables import Tables

AT_ONCE = 200
"""Rows that one step moves at most."""
ARCHIVED = "archive_rows"
"""The act of a step in the deployment's log."""
_RANDOM_DIGITS = 12
"""Digits of an entry's id after its instant."""
_A, _E, _L = Tables.audit, Tables.entry, Tables.archived_leaves


def archive(context: EngineContext, path: Path, keep_days: int) -> Generator[int]:
    """Move what is older than so many days into an archive, which is made if there is none.

    Yields:
        After each step, how many rows it moved.

    Raises:
        ServiceUnavailable: an archive that can't be used (``archives.open_to_write``), or another
            one than the database's; the rows of finished steps stay archived.
    """
    sequencer.catch_up(context.database)
    with context.database.read() as connection:
        at = now(context, connection)
        age = _Age(at - keep_days * DAY, at)
        deployment = derived_deployment(connection)
        logs = checkpoints.organisations(connection)
    archive = archives.open_to_write(path, context.database, deployment)
    try:
        for place in (*((name, ENTRIES) for name in logs), (DEPLOYMENT, AUDITS)):
            pace = Pace(AT_ONCE)
            while moved := _step(context, archive, place, age, pace):
                yield moved
        archive.keep_checkpoints(context.database)
    finally:
        archive.close()


class _Age(NamedTuple):
    """What is old: from before an instant, as seen now."""

    before: int
    now: int


def _step(context: EngineContext, archive: Archive, place: Place, age: _Age, pace: Pace) -> int:
    with context.database.read() as connection:
        after = removals.newest(connection, *place)
        rows, at = _oldest(connection, place, after.upto, age, pace.rows)
    if not rows:
        return 0
    then = Removed(_number(rows[-1]), max(at, after.at), _found(after, rows), archive.name)
    archive.add(place, after, rows, then)

    def work(tx: UnitOfWork) -> bool:
        removals.take_turn(tx.rows)
        if removals.newest(tx.connection, *place) != after:
            return False  # another process has archived meanwhile
        _take(tx, place, rows, then)
        numbers = {"from": _number(rows[0]), "to": then.upto, "rows": len(rows)}
        table = (_E if place[1] == ENTRIES else _A).name
        told = {"log": place[0], "table": table, "archive": archive.name}
        tx.note(ARCHIVED, **told, **numbers, hash=_root(place, then))
        return True

    pace.timed(lambda: work_unit(context, WORKER, work))
    return len(rows)


def _number(row: Record) -> int:
    return int(row.seq if "seq" in row._fields else row.number)


def _oldest(
    connection: Connection, place: Place, after: int, age: _Age, most: int
) -> tuple[list[Record], int]:
    """The rows after a number that are older than an instant, and the newest instant of them."""
    rows = list(connection.execute(_rows_after(place, after).limit(most)))
    instants = [_instant(row) for row in rows]

    def following() -> int | None:
        later = _rows_after(place, _number(rows[-1]))
        is_past = _A.c.at <= age.now if place[1] == AUDITS else _E.c.id <= f"{age.now:014x}g"
        row = connection.execute(later.where(is_past).limit(1)).first()
        return None if row is None else _instant(row)

    count = removals.count_old(instants, age.before, age.now, following)
    return rows[:count], max(instants[:count], default=0)


def _rows_after(place: Place, after: int) -> Select[Any]:
    if place[1] == ENTRIES:
        mine = (_E.c.organisation_id == place[0], _E.c.number > after)
        return select(_E).where(*mine).order_by(_E.c.number)
    return select(_A).where(_A.c.seq > after).order_by(_A.c.seq)


def _instant(row: Record) -> int:
    """When an audit row or an entry was written, the latter by its id."""
    return int(row.at if "seq" in row._fields else int(row.id[:-_RANDOM_DIGITS], 16))


def _found(after: Removed, rows: Sequence[Record]) -> str:
    """The chain after the last row, or the tree."""
    if "seq" in rows[0]._fields:
        return str(rows[-1].hash)
    tree = Tree.unpacked(after.upto, after.found)
    return tree.append(row.leaf for row in rows).packed()


def _root(place: Place, then: Removed) -> str:
    """What a signed head, or the head row, says of the rows up to the last one that went."""
    is_log = place[1] == ENTRIES
    return Tree.unpacked(then.upto, then.found).root.hex() if is_log else then.found


def _take(tx: UnitOfWork, place: Place, rows: Sequence[Record], then: Removed) -> None:
    """Remove the rows that the archive has."""
    connection = tx.connection
    removals.move(tx.rows, *place, then)
    if place[1] == ENTRIES:
        leaves = b"".join(row.leaf for row in rows)
        row = {"organisation_id": place[0], "first": rows[0].number, "leaves": leaves}
        tx.rows.insert(_L, [row])
        old = (_E.c.organisation_id == place[0], _E.c.number <= then.upto)
        connection.execute(delete(_E).where(*old))
        return
    last: dict[str, Record] = {row.organisation_id: row for row in rows}
    for name in sorted(last):
        number, own_hash = own_numbers.own_link(last[name]._asdict())
        own = Removed(number, then.at, own_hash, then.archive)
        removals.move(tx.rows, name, OWN_AUDITS, own)
        gone = [r.number for r in rows if r.organisation_id == name and r.action not in PINNED]
        tallies.removed(connection, _A, name, gone)
    unpinned = _A.c.action.not_in(PINNED)
    connection.execute(delete(_A).where(_A.c.seq <= then.upto, unpinned))
