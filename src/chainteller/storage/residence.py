"""Which organisations are closed here: one that moves to another deployment, or has moved there.

A write looks for a row of ``departure`` when it puts itself on record, on PostgreSQL with a lock of
its organisation that it shares with other writes; whoever closes one takes that lock alone. So
after an organisation is closed, nothing follows.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from sqlalchemy import ColumnElement, Connection, String, bindparam, func, select

from chainteller.service.errors import ServiceUnavailable
from chainteller.storage.columns import Record
from chainteller.storage.faults import unavailable
from chainteller.storage.plain import later
from chainteller.storage.rows import DEPLOYMENT, Writer
from chainteller.storage.tables import Tables

LEAVING, LEFT = "ORGANISATION_LEAVING", "ORGANISATION_LEFT"
_LOCK = 0x43544C4D
_LEAVING_SIZE = -1
_T = Tables.departure
_OF: Any = bindparam("b_organisation", type_=String)
_PLACE: Any = _T.c.place.type
_FIND = select(_T).where(_T.c.organisation_id == _OF)


def departed_of(organisation_id: ColumnElement[str]) -> ColumnElement[Any]:
    """For ``require_open``, as a column ``departed`` of a statement."""
    found = select(func.coalesce(_T.c.size, _LEAVING_SIZE)).where(
        _T.c.organisation_id == organisation_id
    )
    return found.scalar_subquery().label("departed")


DEPARTED = departed_of(_OF)
"""Of the organisation that is the parameter ``b_organisation``."""
_STATE = select(DEPARTED)
_NUMBER = func.hashtext(_OF)
_SHARE = select(func.pg_advisory_xact_lock_shared(_LOCK, _NUMBER))
_ALONE = select(func.pg_advisory_xact_lock(_LOCK, _NUMBER))
_A = Tables.arrival
_ARRIVAL = select(_A).where(_A.c.organisation_id == _OF)


def find(connection: Connection, organisation_id: str) -> Record | None:
    """The row of an organisation that is leaving or has left."""
    return connection.execute(_FIND, {"b_organisation": organisation_id}).first()


def closed(connection: Connection) -> frozenset[str]:
    """The organisations that are leaving or have left."""
    return frozenset(connection.execute(select(_T.c.organisation_id)).scalars())


def described(connection: Connection) -> Iterator[str]:
    """Which organisations are closed, and where they go, in words."""
    for row in connection.execute(select(_T).order_by(_T.c.organisation_id)):
        if row.size is None:
            yield f"{row.organisation_id} is closed and moves to {row.place}: chainteller db move"
        else:
            yield f"{row.organisation_id} has moved to {row.place}; its rows here are closed"


def require_readable(departed: int | None) -> None:
    """Raises ServiceUnavailable: ORGANISATION_LEFT."""
    if departed != _LEAVING_SIZE:
        require_open(departed)


def share(connection: Connection, organisation_id: str) -> None:
    """Keep an organisation from being closed until this transaction ends; what is read of
    ``DEPARTED`` from now on holds."""
    if connection.dialect.name == "postgresql":
        later(connection, _SHARE, {"b_organisation": organisation_id})


def require_open(departed: int | None) -> None:
    """Raises ServiceUnavailable: ORGANISATION_LEAVING, ORGANISATION_LEFT."""
    if departed == _LEAVING_SIZE:
        raise _leaving()
    if departed is not None:
        raise unavailable(
            LEFT,
            "This organisation has moved to another database. Nothing was changed.",
            "Ask the operator for its address; keys are the same there.",
        )


def _leaving() -> ServiceUnavailable:
    return unavailable(
        LEAVING,
        "This organisation is moving to another database. Nothing was changed.",
        "Send the same request again later, to the address that the operator gives.",
    )


def require_none_leaving(connection: Connection, organisations: Iterable[str | None]) -> None:
    """For a write that seals rows of other organisations than its own.

    Raises:
        ServiceUnavailable: ORGANISATION_LEAVING, one of them is being copied.
    """
    for name in sorted({each for each in organisations if each} - {DEPLOYMENT}):
        share(connection, name)
        if connection.execute(_STATE, {"b_organisation": name}).scalar() == _LEAVING_SIZE:
            raise _leaving()


def hold(connection: Connection, organisation_id: str) -> None:
    """Let no write of an organisation end until this transaction does, as its first statement."""
    if connection.dialect.name == "postgresql":
        connection.execute(_ALONE, {"b_organisation": organisation_id})


def close(rows: Writer, organisation_id: str, target: str, place: str, at: int) -> None:
    """Close an organisation, of which this transaction has got ``hold``, for all writes but this
    one.

    Raises:
        ServiceUnavailable: ORGANISATION_LEAVING, another process has closed it.
    """
    if find(rows.connection, organisation_id) is not None:
        raise _leaving()
    rows.closing = organisation_id
    named = {"organisation_id": organisation_id, "target": target, "at": at}
    shown = {"place": place[: _PLACE.length], "size": None, "root": None}
    rows.insert(_T, [named | shown])


def leave(rows: Writer, organisation_id: str, size: int, root: bytes) -> None:
    """Note that an organisation is in the other deployment, and the head with which it left."""
    key = {"organisation_id": organisation_id}
    rows.update(_T, key, {"size": size, "root": root.hex()})


def reopen(rows: Writer, organisation_id: str) -> None:
    """Take back ``close``."""
    rows.closing = organisation_id
    rows.delete(_T, _T.c.organisation_id == _OF, {"b_organisation": organisation_id})


def arrival(connection: Connection, organisation_id: str) -> Record | None:
    """The row of an organisation that came from another deployment."""
    return connection.execute(_ARRIVAL, {"b_organisation": organisation_id}).first()


def arrivals(connection: Connection) -> dict[str, Record]:
    """The rows of all organisations that came from another deployment."""
    return {row.organisation_id: row for row in connection.execute(select(_A))}
