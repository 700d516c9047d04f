"""The hash-chained audit trail, the event outbox, and the head row that counts both."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, func, select

from chainteller.domain.audit_chain import COVERED, canonical, digest
from chainteller.domain.ids import plausible
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.records import AuditRow, Event
from chainteller.storage.columns import SALT
from chainteller.storage.database import Record
from chainteller.storage.pages import Counted, Extra, Listing
from chainteller.storage.schema import HEAD
from chainteller.storage.tables import Tables

_ACTOR = "actor"
"""Where an event's stored data keeps who made it."""
_HEAD = select(Tables.head).where(Tables.head.c.name == HEAD)

_TRAIL = Listing(
    Tables.audit,
    "organisation_id",
    filters=("trading_account_id",),
    order=("seq",),
    key="seq",
    is_tallied=True,
)


def link_hash(row: Mapping[str, Any]) -> str:
    """The hash of an audit row: SHA-256 over the ``COVERED`` columns in canonical JSON."""
    return digest([row[name] for name in COVERED])


def head(connection: Connection) -> Record:
    return connection.execute(_HEAD).one()


def event_row(
    event_id: str, kind: str, resource: str, data: Mapping[str, Any], actor: str | None = None
) -> dict[str, Any]:
    """Build an unnumbered event; the caller adds ``at`` and ``organisation_id``.

    The actor is kept within the stored data, where a released build on the same database
    ignores it.
    """
    stored = data if actor is None else {**data, _ACTOR: actor}
    return {"id": event_id, "type": kind, "resource": resource, "data": canonical(stored)}


def audit_row(
    action: str, subject: str, inputs: Mapping[str, Any], error: str | None = None
) -> dict[str, Any]:
    """Build an unchained audit row; the caller adds instant, actor and account."""
    return {
        "action": action,
        "object": subject if plausible(subject) else "",
        "inputs": canonical(inputs),
        "outcome": "done" if error is None else "refused",
        "error": error,
    }


def events_after(
    connection: Connection, organisation_id: str, after: int, limit: int
) -> tuple[tuple[Event, ...], int]:
    """Events after a cursor, and the next cursor."""
    t = Tables.event
    if after < 0:
        newest = connection.execute(select(func.coalesce(func.max(t.c.seq), 0))).scalar_one()
        return (), int(newest)
    found = connection.execute(
        select(t)
        .where(t.c.seq > after, t.c.organisation_id == organisation_id)
        .order_by(t.c.seq)
        .limit(limit)
    ).all()
    events = tuple(event_model(row) for row in found)
    return events, events[-1].seq if events else after


def event_model(row: Record) -> Event:
    data = json.loads(row.data)
    actor = data.pop(_ACTOR, None)
    return Event(
        seq=row.seq,
        id=row.id,
        type=row.type,
        at=row.at,
        resource=row.resource,
        actor=actor,
        data=data,
    )


def audit_page(
    connection: Connection, organisation_id: str, query: ListQuery
) -> tuple[tuple[AuditRow, ...], Counted]:
    extras: tuple[Extra, ...] = ()
    if query.text:
        is_object = Tables.audit.c.object == bindparam("b_object")
        extras = (Extra("object", is_object, {"b_object": query.text}),)
    rows, total = _TRAIL.page(connection, (organisation_id,), query, *extras)
    return tuple(audit_model(row) for row in rows), total


def audit_model(row: Record) -> AuditRow:
    fields = row._asdict()
    organisation = fields.pop("organisation_id")
    del fields["trading_account_id"], fields[SALT]
    return AuditRow(**{**fields, "organisation": organisation, "inputs": json.loads(row.inputs)})


class Link(NamedTuple):
    """A row of the chain with the hash computed from its contents."""

    seq: int
    previous_hash: str
    hash: str
    computed_hash: str


def links(connection: Connection) -> Iterator[Link]:
    """Stream the whole chain, oldest first."""
    t = Tables.audit
    rows = connection.execute(
        select(*(t.c[name] for name in COVERED), t.c.hash).order_by(t.c.seq),
        execution_options={"yield_per": 5_000},
    )
    for row in rows:
        yield Link(row[9], row[8], row[10], digest(row[:10]))
