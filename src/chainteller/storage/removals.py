"""Which numbered rows are no longer in their tables: old events.

What is numbered goes from its beginning only, so one number says what is left. The deployment's
numbers and those of each organisation are kept apart, as in ``own_numbers``.
"""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import BigInteger, Connection, bindparam, func, select

from chainteller.storage.columns import Record
from chainteller.storage.rows import DEPLOYMENT, Writer
from chainteller.storage.tables import HEAD, Tables

EVENTS = "event.seq"
"""Events by the deployment's numbers."""
OWN_EVENTS = "event.number"
"""Events of an organisation by the numbers that it's shown."""
_T, _E, _H = Tables.removal, Tables.event, Tables.head
_OF = (_T.c.organisation_id == bindparam("b_organisation"), _T.c.counted == bindparam("b_counted"))
_NEWEST = select(_T).where(*_OF).order_by(_T.c.first.desc()).limit(1)
_OLDEST_EVENTS = (
    select(_E.c.seq, _E.c.at, _E.c.organisation_id, _E.c.number)
    .where(_E.c.seq <= select(_H.c.events_owned).where(_H.c.name == HEAD).scalar_subquery())
    .order_by(_E.c.seq)
    .limit(bindparam("b_most", type_=BigInteger))
)
EVENTS_REMOVED = (
    select(func.max(_T.c.upto))
    .where(_T.c.organisation_id == DEPLOYMENT, _T.c.counted == EVENTS)
    .scalar_subquery()
    .label("events_removed")
)
OWN_EVENTS_REMOVED = (
    select(func.max(_T.c.upto))
    .where(_T.c.organisation_id == bindparam("b_organisation"), _T.c.counted == OWN_EVENTS)
    .scalar_subquery()
    .label("own_events_removed")
)


class Removed(NamedTuple):
    """Up to which number rows are no longer there, the newest instant of them, and what the chain
    or the tree was after the last one."""

    upto: int = 0
    at: int = 0
    found: str = ""


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
    return Removed(row.upto, row.at, row.found or "")


# Writing


def take_turn(rows: Writer, counted: str) -> None:
    """Let no other transaction remove rows of this kind until this one ends."""
    first = {"organisation_id": DEPLOYMENT, "counted": counted, "first": 1}
    rows.insert_if_new(_T, first | {"upto": 0, "at": 0})
    values = {"b_organisation": DEPLOYMENT, "b_counted": counted}
    rows.connection.execute(_NEWEST.with_for_update(), values).one()


def move(rows: Writer, organisation_id: str, counted: str, to: Removed) -> None:
    """Say that rows up to a number aren't there any more; from then on they may be deleted."""
    key = {"organisation_id": organisation_id, "counted": counted}
    values = {"b_organisation": organisation_id, "b_counted": counted}
    row = rows.connection.execute(_NEWEST, values).first()
    told = {"upto": to.upto, "at": to.at, "found": to.found or None}
    if row is None:
        rows.insert(_T, [{**key, "first": 1, **told, "archive": None}])
        return
    told["at"] = max(to.at, row.at)
    rows.update(_T, {**key, "first": row.first}, told)


def remove_events(rows: Writer, before: int, now: int, most: int) -> Sequence[int]:
    """Remove at most ``most`` of the oldest events, where they are older than an instant; their
    numbers in the deployment.

    Times that are still to come are those of an earlier epoch: such an event goes with an older
    one that follows.
    """
    if not _old(rows.connection, before, now, 1):
        return []
    take_turn(rows, EVENTS)
    old = _old(rows.connection, before, now, most)
    if not old:
        return []
    newest_at = max(row.at for row in old)
    own = {row.organisation_id: row for row in old}
    for name, last in sorted(own.items()):
        number = last.seq if last.number is None else last.number
        move(rows, name, OWN_EVENTS, Removed(number, newest_at))
    move(rows, DEPLOYMENT, EVENTS, Removed(old[-1].seq, newest_at))
    rows.delete(_E, _E.c.seq <= old[-1].seq)
    return [row.seq for row in old]


def _old(connection: Connection, before: int, now: int, most: int) -> Sequence[Record]:
    found: list[Record] = list(connection.execute(_OLDEST_EVENTS, {"b_most": most}))
    count = 0
    for at, row in enumerate(found, start=1):
        if row.at < before:
            count = at
        elif row.at <= now:
            break
    return found[:count]
