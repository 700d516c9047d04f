"""The hash-chained audit trail, the event outbox, and the head row that numbers both."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    Connection,
    String,
    bindparam,
    cast,
    func,
    null,
    select,
    update,
)

from chainteller.domain.audit_chain import COVERED, canonical, digest
from chainteller.domain.ids import plausible
from chainteller.domain.merkle import Tree
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.records import AuditRow, Event
from chainteller.storage import log
from chainteller.storage.columns import SALT
from chainteller.storage.database import Record
from chainteller.storage.log import Stamp
from chainteller.storage.pages import Counted, Extra, Listing
from chainteller.storage.rows import Writer
from chainteller.storage.schema import HEAD
from chainteller.storage.tables import Tables

_ACTOR = "actor"
"""Where an event's stored data keeps who made it."""
_HEAD = select(Tables.head).where(Tables.head.c.name == HEAD)
_LOG = Tables.log
_OF_LOG = _LOG.c.organisation_id == bindparam("b_organisation")
_KNOWN_RULE = (
    select(Tables.rule.c.id)
    .where(Tables.rule.c.id == bindparam("b_rule"))
    .scalar_subquery()
    .label("known_rule")
)
_HEAD_AND_LOG = _HEAD.add_columns(
    null().label("number"),
    _KNOWN_RULE,
    select(_LOG.c.size).where(_OF_LOG).scalar_subquery().label("log_size"),
    select(_LOG.c.peaks).where(_OF_LOG).scalar_subquery().label("log_peaks"),
)
"""On SQLite, where nobody else writes meanwhile, one statement for both."""
_LOCKED_HEAD_NUMBERED = _HEAD.add_columns(
    cast(func.pg_current_xact_id(), String).label("number"), _KNOWN_RULE
).with_for_update(of=Tables.head)
_ADVANCE = (
    update(Tables.head)
    .where(Tables.head.c.name == HEAD)
    .values(
        event_seq=bindparam("new_event_seq"),
        audit_seq=bindparam("new_audit_seq"),
        audit_hash=bindparam("new_audit_hash"),
        last_at=bindparam("new_last_at"),
    )
)

_NEWEST_EVENT = select(Tables.head.c.event_seq).where(Tables.head.c.name == HEAD)
_EVENTS_AFTER = (
    select(Tables.event)
    .where(
        Tables.event.c.organisation_id == bindparam("b_organisation"),
        Tables.event.c.seq > bindparam("b_after"),
    )
    .order_by(Tables.event.c.seq)
    .limit(bindparam("b_limit", type_=BigInteger))
)
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


def lock_head(
    connection: Connection, organisation_id: str = "", rule_id: str = ""
) -> tuple[Record, Tree | None]:
    """Lock and read the head; ``number`` is PostgreSQL's transaction number, else None, and
    ``known_rule`` is None if no such version of the settings is stored.

    Returns:
        On SQLite also the tree of an organisation's log; on PostgreSQL it can be read only once
        the lock is held.
    """
    if connection.dialect.name == "postgresql":
        return connection.execute(_LOCKED_HEAD_NUMBERED, {"b_rule": rule_id}).one(), None
    values = {"b_organisation": organisation_id, "b_rule": rule_id}
    top = connection.execute(_HEAD_AND_LOG, values).one()
    return top, Tree() if top.log_size is None else Tree.unpacked(top.log_size, top.log_peaks)


def append(
    rows: Writer,
    audit: Sequence[Mapping[str, Any]],
    events: Sequence[Mapping[str, Any]],
    stamp: Stamp,
    notes: Sequence[Mapping[str, Any]] = (),
) -> str | None:
    """Number, chain and store what is on record of one transaction, and seal all that it wrote,
    as the last statements before commit. ``notes`` are acts for the deployment's log.

    The head row is locked only here. Sequence numbers therefore have no gaps and follow the order
    of commits, and the lock is held as briefly as possible.

    Returns:
        PostgreSQL's transaction number; None on SQLite.
    """
    connection = rows.connection
    rule_id = stamp.rule.id if stamp.rule is not None else ""
    top, tree = lock_head(connection, stamp.organisation_id, rule_id)
    stamp = stamp._replace(rule_is_stored=top.known_rule is not None, after=top.audit_seq)
    audit_seq, event_seq, chained = top.audit_seq, top.event_seq, top.audit_hash
    links = []
    for entry in audit:
        audit_seq += 1
        row = {**entry, "seq": audit_seq, "previous_hash": chained}
        chained = link_hash(row)
        links.append({**row, "hash": chained})
    if links:
        rows.insert(Tables.audit, links)
    if events:
        numbered = [{**entry, "seq": event_seq + at} for at, entry in enumerate(events, start=1)]
        event_seq += len(numbered)
        rows.insert(Tables.event, numbered)
    log.append(rows, stamp, [_act(link) for link in links], tree)
    if notes:
        log.put_acts(connection, stamp._replace(organisation_id=log.DEPLOYMENT), notes)
    connection.execute(
        _ADVANCE,
        {
            "new_event_seq": event_seq,
            "new_audit_seq": audit_seq,
            "new_audit_hash": chained,
            "new_last_at": max(stamp.at, top.last_at),
        },
    )
    number: str | None = top.number
    return number


def _act(link: Mapping[str, Any]) -> dict[str, Any]:
    """What an entry says of an audit row: everything but what the row's own hash covers alone."""
    act = {
        "op": link["action"],
        "object": link["object"],
        "outcome": link["outcome"],
        "n": link["seq"],
    }
    for name, column in (("account", "trading_account_id"), ("error", "error")):
        if link[column] is not None:
            act[name] = link[column]
    return act


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


def newest_event(connection: Connection) -> int:
    """The number of the newest event of any organisation."""
    return int(connection.execute(_NEWEST_EVENT).scalar_one())


def events_after(
    connection: Connection, organisation_id: str, after: int, limit: int
) -> tuple[tuple[Event, ...], int, bool]:
    """Events after a cursor, the next cursor, and whether the cursor was ahead of the log.

    The next cursor passes what other organisations wrote meanwhile.
    """
    newest = newest_event(connection)
    if after < 0 or after > newest:
        return (), newest, after > newest
    values = {"b_organisation": organisation_id, "b_after": after, "b_limit": limit}
    found = connection.execute(_EVENTS_AFTER, values).all()
    events = tuple(event_model(row) for row in found)
    return events, events[-1].seq if len(events) == limit else newest, False


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
