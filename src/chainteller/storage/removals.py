"""Which numbered rows are no longer in their tables: old events, archived entries and audit rows.

What is numbered goes from its beginning only, so one number says what is left. The deployment's
numbers and those of each organisation are kept apart, as in ``own_numbers``.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from sqlalchemy import BigInteger, Connection, bindparam, func, select

from chainteller.domain.merkle import HASH_SIZE
from chainteller.storage.columns import Record
from chainteller.storage.rows import DEPLOYMENT, Writer
from chainteller.storage.tables import Tables

EVENTS = "event.seq"
"""Events by the deployment's numbers."""
OWN_EVENTS = "event.number"
"""Events of an organisation by the numbers that it's shown."""
AUDITS = "audit.seq"
"""Audit rows by the deployment's numbers. Some stay (``archives.PINNED``)."""
OWN_AUDITS = "audit.number"
"""Audit rows of an organisation by the numbers that it's shown."""
ENTRIES = "entry.number"
"""Entries of a log."""
_TURN = "turn"
"""A row that says nothing: whoever removes rows holds its lock."""
_T, _E, _L = Tables.removal, Tables.event, Tables.archived_leaves
_OF = (_T.c.organisation_id == bindparam("b_organisation"), _T.c.counted == bindparam("b_counted"))
_NEWEST = select(_T).where(*_OF).order_by(_T.c.first.desc()).limit(1)
_OLDEST_EVENTS = (
    select(_E.c.seq, _E.c.at, _E.c.organisation_id, _E.c.number)
    .order_by(_E.c.seq)
    .limit(bindparam("b_most", type_=BigInteger))
)
OWN_EVENTS_REMOVED = (
    select(func.max(_T.c.upto))
    .where(_T.c.organisation_id == bindparam("b_organisation"), _T.c.counted == OWN_EVENTS)
    .scalar_subquery()
    .label("own_events_removed")
)


class Removed(NamedTuple):
    """Up to which number rows are no longer there, the newest instant of them, what the chain or
    the tree was after the last one, and the archive that has the newest of them; empty if none."""

    upto: int = 0
    at: int = 0
    found: str = ""
    archive: str = ""


def newest(connection: Connection, organisation_id: str, counted: str) -> Removed:
    """What is no longer there of an organisation's rows, or of the deployment's."""
    values = {"b_organisation": organisation_id, "b_counted": counted}
    row = connection.execute(_NEWEST, values).first()
    return Removed() if row is None else _removed(row)


def by_organisation(connection: Connection, counted: str) -> dict[str, Removed]:
    """What is no longer there, by organisation."""
    rows = connection.execute(select(_T).where(_T.c.counted == counted).order_by(_T.c.first))
    return {row.organisation_id: _removed(row) for row in rows}


def _removed(row: Record) -> Removed:
    return Removed(row.upto, row.at, row.found or "", row.archive or "")


def archive_of(connection: Connection, organisation_id: str, counted: str, number: int) -> str:
    """The name of the archive that has a row; empty if it isn't archived."""
    here = (*_OF, _T.c.first <= number, _T.c.upto >= number)
    values = {"b_organisation": organisation_id, "b_counted": counted}
    return connection.execute(select(_T.c.archive).where(*here), values).scalar() or ""


def archives(connection: Connection) -> list[str]:
    """The names of all archives, the oldest first."""
    found = select(_T.c.archive).where(_T.c.archive.is_not(None)).order_by(_T.c.first)
    return list(dict.fromkeys(connection.execute(found).scalars()))


def archived_leaves(
    connection: Connection, organisation_id: str, after: int, upto: int
) -> Iterator[bytes]:
    """The leaf hashes of archived entries after a number, up to and with another."""
    rows = connection.execute(
        select(_L.c.first, _L.c.leaves)
        .where(_L.c.organisation_id == organisation_id, _L.c.first <= upto)
        .order_by(_L.c.first)
    )
    for first, leaves in rows:
        packed = bytes(leaves)
        for at in range(max(0, after + 1 - first), len(packed) // HASH_SIZE):
            if first + at <= upto:
                yield packed[at * HASH_SIZE : (at + 1) * HASH_SIZE]


# Writing


def take_turn(rows: Writer) -> None:
    """Let no other transaction remove numbered rows until this one ends."""
    first = {"organisation_id": DEPLOYMENT, "counted": _TURN, "first": 1}
    rows.insert_if_new(_T, first | {"upto": 0, "at": 0})
    values = {"b_organisation": DEPLOYMENT, "b_counted": _TURN}
    rows.connection.execute(_NEWEST.with_for_update(), values).one()


def move(rows: Writer, organisation_id: str, counted: str, to: Removed) -> None:
    """Say that rows up to a number aren't there any more; from then on they may be deleted."""
    key = {"organisation_id": organisation_id, "counted": counted}
    values = {"b_organisation": organisation_id, "b_counted": counted}
    row = rows.connection.execute(_NEWEST, values).first()
    told = {"upto": to.upto, "at": to.at, "found": to.found or None}
    archive = to.archive or None
    if row is None or row.archive != archive:
        first = 1 if row is None else row.upto + 1
        rows.insert(_T, [{**key, "first": first, **told, "archive": archive}])
        return
    told["at"] = max(to.at, row.at)
    rows.update(_T, {**key, "first": row.first}, told)


def remove_events(rows: Writer, before: int, now: int, most: int) -> Sequence[int]:
    """Remove at most ``most`` of the oldest events, where they are older than an instant; their
    numbers in the deployment."""
    if not _old(rows.connection, before, now, 1):
        return []
    take_turn(rows)
    old = _old(rows.connection, before, now, most)
    if not old:
        return []
    newest_at = max(row.at for row in old)
    own = {row.organisation_id: row for row in old}
    for name, last in sorted(own.items()):
        move(rows, name, OWN_EVENTS, Removed(last.number, newest_at))
    move(rows, DEPLOYMENT, EVENTS, Removed(old[-1].seq, newest_at))
    rows.delete(_E, _E.c.seq <= old[-1].seq)
    return [row.seq for row in old]


def _old(connection: Connection, before: int, now: int, most: int) -> Sequence[Record]:
    found: list[Record] = list(connection.execute(_OLDEST_EVENTS, {"b_most": most}))

    def following() -> int | None:
        later = select(_E.c.at).where(_E.c.seq > found[-1].seq, _E.c.at <= now)
        return connection.execute(later.order_by(_E.c.seq).limit(1)).scalar()

    return found[: count_old([row.at for row in found], before, now, following)]


def count_old(
    instants: Sequence[int], before: int, now: int, following: Callable[[], int | None]
) -> int:
    """How many of the first instants are before another one.

    Times that are still to come are those of an earlier epoch: such a row is as old as the next one
    that isn't. ``following`` is the instant of the next such row after all of these.
    """
    count = 0
    for number, at in enumerate(instants, start=1):
        if at < before:
            count = number
        elif at <= now:
            return count
    if count < len(instants):
        later = following()
        count = len(instants) if later is not None and later < before else count
    return count
