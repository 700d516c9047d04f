"""Numbering: what a transaction put on record gets its numbers, hashes and place in the logs.

On SQLite, where one transaction writes at a time, this is part of each write.

On PostgreSQL a write inserts one row into ``unnumbered`` and touches no row that a write for
another account touches. The sequencer (``sequencer``) numbers what is committed, under the lock of
the head row. It also posts the bank's side of the journals, whose balances all writes share.

Rows are numbered in the order of their positions, which come from a sequence and are drawn when
everything that the write changes is locked. A write that saw another one's effect, or waited for
it, therefore has the larger position, and whoever sees it committed sees the other one too. So no
transaction that is still open has to be waited for: nothing that is numbered depends on it.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    Connection,
    String,
    Table,
    bindparam,
    cast,
    delete,
    func,
    insert,
    literal_column,
    select,
    update,
)

from chainteller.domain.audit_chain import canonical
from chainteller.domain.merkle import Tree
from chainteller.domain.rules import Rule
from chainteller.storage import chain, ledger, log, own_numbers, schema
from chainteller.storage.db.query import later
from chainteller.storage.log import Stamp
from chainteller.storage.own_numbers import OwnEnds
from chainteller.storage.rows import Seal, Seals, Writer, insert_all
from chainteller.storage.tables import HEAD, Tables

TOGETHER = 250
"""Transactions that are numbered in one transaction."""
GATE = 0x43544C47
"""The advisory lock that a write shares from its last statement to its end. Whoever holds it alone
sees every transaction that is on record, and none follows meanwhile."""
_TURN = 0x43544C54
"""The advisory lock of the process that numbers."""
_U, _H, _L = Tables.unnumbered, Tables.head, Tables.log
_OF_LOG = _L.c.organisation_id == bindparam("b_organisation")
_RULES = select(Tables.rule.c.id).where(Tables.rule.c.id == bindparam("b_rule"))
_HEAD = select(_H).where(_H.c.name == HEAD)
_FLOOR: Any = literal_column("(SELECT version_num FROM alembic_version)", String).label("floor")
"""The oldest revision that a build may know and still write: an upgrade may have raised it."""
_HEAD_AND_LOG = _HEAD.add_columns(
    _RULES.scalar_subquery().label("known_rule"),
    *(
        select(_L.c[name]).where(_OF_LOG).scalar_subquery().label(f"log_{name}")
        for name in ("size", "peaks", "event_number", "audit_number", "audit_hash")
    ),
    _FLOOR,
)
"""On SQLite, where nobody else writes meanwhile, one statement for all that numbering needs."""
_LOCKED_HEAD = _HEAD.add_columns(
    select(func.array_agg(Tables.rule.c.id)).scalar_subquery().label("known_rules")
).with_for_update(of=_H)
_ADVANCE = (
    update(_H)
    .where(_H.c.name == HEAD)
    .values(
        event_seq=bindparam("new_event_seq"),
        audit_seq=bindparam("new_audit_seq"),
        audit_hash=bindparam("new_audit_hash"),
        last_at=bindparam("new_last_at"),
    )
)
_SERVER_CLOCK: Any = literal_column(
    "CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)", BigInteger
)
_STAGE = (
    insert(_U)
    .values(
        organisation_id=bindparam("v_organisation"), written=_SERVER_CLOCK, body=bindparam("v_body")
    )
    .returning(func.pg_advisory_xact_lock_shared(GATE).label("gate"))
)
_STANDING = select(cast(func.pg_current_xact_id(), String), _FLOOR)
_WAITING = select(_U.c.position, _U.c.body).order_by(_U.c.position).limit(TOGETHER)
_TAKE = (
    delete(_U).where(_U.c.position.in_(bindparam("b_positions", expanding=True)))
    .returning(_U.c.position)
)  # fmt: skip
_TRY_TURN = select(func.pg_try_advisory_xact_lock(_TURN))
_AWAIT_TURN = select(func.pg_advisory_xact_lock(_TURN))

Row = Mapping[str, Any]


class OnRecord(NamedTuple):
    """What one transaction puts on record.

    ``notes`` are acts for the deployment's log. ``postings`` are those of the bank's own accounts
    that are not in the ledger yet: code, asset, journal_id, debit and atoms.
    """

    stamp: Stamp
    audit: Sequence[Row] = ()
    events: Sequence[Row] = ()
    notes: Sequence[Row] = ()
    postings: Sequence[Row] = ()


@dataclass(slots=True)
class Ends:
    """Where numbers, the chain and the logs end, while the head row is locked."""

    event_seq: int
    audit_seq: int
    audit_hash: str
    last_at: int
    rules: set[str]
    own: OwnEnds
    trees: dict[str, Tree] = field(default_factory=dict)

    @classmethod
    def of_head(cls, row: Any, rules: set[str]) -> "Ends":
        """Where they end by the head row, before anything is read of a log."""
        return cls(row.event_seq, row.audit_seq, row.audit_hash, row.last_at, rules, OwnEnds())


def append(rows: Writer, record: OnRecord) -> str | None:
    """Put on record what a transaction did, and seal all that it wrote, as its last statements.

    Returns:
        PostgreSQL's transaction number; None on SQLite.

    Raises:
        ServiceUnavailable: NEWER_SCHEMA, the database was upgraded meanwhile so that this build
            mustn't write to it any more.
    """
    connection = rows.connection
    if connection.dialect.name == "postgresql":
        return _stage(rows, record)
    stamp = record.stamp
    rule = stamp.rule.id if stamp.rule is not None else ""
    values = {"b_organisation": stamp.organisation_id, "b_rule": rule}
    row = connection.execute(_HEAD_AND_LOG, values).one()
    schema.require_known(row.floor)
    tree = Tree() if row.log_size is None else Tree.unpacked(row.log_size, row.log_peaks)
    known = {row.known_rule} if row.known_rule is not None else set()
    ends = Ends.of_head(row, known)
    ends.trees[stamp.organisation_id] = tree
    own = row.log_event_number, row.log_audit_number, row.log_audit_hash
    own_numbers.begin(ends.own, stamp.organisation_id, own)
    batch = _Batch(connection, ends)
    batch.prepare([record])
    batch.add(record, rows.take())
    batch.write()
    return None


def lock_head(connection: Connection) -> Ends:
    """Lock the head row; whatever this transaction can see then has its number.

    For the few writes that need to know where the records end. What this transaction itself puts
    on record is numbered at the next call, or later by the sequencer.
    """
    if connection.dialect.name != "postgresql":
        return Ends.of_head(chain.head(connection), set())
    ends = _locked_ends(connection)
    while _number_waiting(connection, ends) == TOGETHER:
        pass  # while writes go on, there may always be some that follow
    return ends


def number_next(connection: Connection, *, wait: bool) -> int | None:
    """Number the oldest transactions that wait for it; the caller commits.

    Args:
        connection: in a write transaction on PostgreSQL.
        wait: for another process that is doing so.

    Returns:
        How many there were; None if another process is numbering.
    """
    turn = connection.execute(_AWAIT_TURN if wait else _TRY_TURN).scalar()
    if not wait and not turn:
        return None
    return _number_waiting(connection, None)


def _stage(rows: Writer, record: OnRecord) -> str:
    stamp = record.stamp
    values = {"b_organisation": stamp.organisation_id}
    found = rows.connection.execute(_STANDING, values).one()  # and all seals are known
    number, floor = found
    schema.require_known(floor)
    body = {
        "stamp": {name: value for name, value in stamp._asdict().items() if name != "rule"},
        "rule": stamp.rule,
        "audit": record.audit,
        "events": record.events,
        "notes": record.notes,
        "postings": record.postings,
        "seals": [(name, list(found.values())) for name, found in rows.take().items()],
    }
    values = {"v_organisation": stamp.organisation_id, "v_body": canonical(body)}
    later(rows.connection, _STAGE, values)  # sent with the commit
    return str(number)


def _read(body: str) -> tuple[OnRecord, Seals]:
    """What ``_stage`` wrote."""
    found = json.loads(body)
    rule = found["rule"]
    stamp = Stamp(**found["stamp"], rule=None if rule is None else Rule(*rule))
    seals: Seals = {}
    for name, kept in found["seals"]:
        seals[name] = {(each[0], each[1]): Seal(*each) for each in kept}
    parts = (found[name] for name in ("audit", "events", "notes", "postings"))
    return OnRecord(stamp, *parts), seals


def _locked_ends(connection: Connection) -> Ends:
    row = connection.execute(_LOCKED_HEAD).one()
    return Ends.of_head(row, set(row.known_rules or ()))


def _number_waiting(connection: Connection, ends: Ends | None) -> int:
    """Number what waits; ``ends`` where the head row is locked.

    The ledger's rows are locked before the head row.
    """
    waiting = connection.execute(_WAITING).all()
    if not waiting:
        return 0
    found = {row.position: _read(row.body) for row in waiting}
    balances = ledger.lock(connection, _places(record for record, _ in found.values()))
    ends = _locked_ends(connection) if ends is None else ends
    taken = connection.execute(_TAKE, {"b_positions": list(found)}).scalars().all()
    if taken:
        mine = _Batch(connection, ends, balances)
        mine.prepare(found[position][0] for position in taken)
        for position in sorted(taken):
            mine.add(*found[position])
        mine.write()
    return len(waiting)


def _places(records: Iterable[OnRecord]) -> set[ledger.Key]:
    return {(each["code"], each["asset"]) for record in records for each in record.postings}


class _Batch:
    """Transactions that are numbered together, in their order.

    ``balances`` are those of the bank's accounts that they post to, locked.
    """

    def __init__(
        self, connection: Connection, ends: Ends, balances: ledger.Balances | None = None
    ) -> None:
        self._connection = connection
        self._ends = ends
        self._balances = dict(balances or {})
        self._before = dict(self._balances)
        self._rows: dict[Table, list[Row]] = {
            table: [] for table in (Tables.audit, Tables.event, Tables.posting)
        }
        self._bodies: dict[str, list[log.Body]] = {}

    def prepare(self, records: Iterable[OnRecord]) -> None:
        """Read where the own numbers end of the organisations of what is to be added."""
        names = {row["organisation_id"] for each in records for row in (*each.audit, *each.events)}
        own_numbers.load(self._connection, self._ends.own, names)

    def add(self, record: OnRecord, seals: Seals) -> None:
        """Number what one transaction put on record, and seal it beside what it wrote."""
        ends, stamp = self._ends, record.stamp
        writer = Writer(self._connection)
        writer.seals = seals
        if stamp.rule is not None and stamp.rule.id not in ends.rules:
            log.store_rule(writer, stamp)
            ends.rules.add(stamp.rule.id)
        links = [self._link(row) for row in record.audit]
        new: dict[Table, Sequence[Row]] = {
            Tables.audit: links,
            Tables.event: [self._numbered(row) for row in record.events],
            Tables.posting: self._posted(writer, record),
        }
        for table, rows in new.items():
            self._rows[table] += writer.seal_new(table, rows)
        ends.last_at = max(stamp.at, ends.last_at)
        acts = [_act(link) for link in links]
        self._keep(log.bodies(stamp, acts, writer.seals))
        if record.notes:
            of_deployment = stamp._replace(organisation_id=log.DEPLOYMENT)
            self._keep(log.bodies(of_deployment, record.notes, {}))

    def _posted(self, writer: Writer, record: OnRecord) -> list[Row]:
        absent = _places([record]) - self._balances.keys()
        if absent:
            opened = ledger.open_balances(writer, absent)
            self._balances |= opened
            self._before |= opened
        return [ledger.moved(self._balances, row) for row in record.postings]

    def _keep(self, bodies: dict[str, list[log.Body]]) -> None:
        for name, entries in bodies.items():
            self._bodies.setdefault(name, []).extend(entries)

    def write(self) -> None:
        """Store everything, and where it ends."""
        connection, ends = self._connection, self._ends
        for table, rows in self._rows.items():
            if rows:
                insert_all(connection, table, rows)
        changed = {
            place: (balance, self._before[place][1], version)
            for place, (balance, version) in self._balances.items()
            if version != self._before[place][1]
        }
        ledger.update_balances(connection, changed)
        log.put_all(connection, self._bodies, ends.trees)
        own_numbers.store(connection, ends.own, ends.own.changed(), self._bodies)
        ends.trees.clear()
        connection.execute(
            _ADVANCE,
            {
                "new_event_seq": ends.event_seq,
                "new_audit_seq": ends.audit_seq,
                "new_audit_hash": ends.audit_hash,
                "new_last_at": ends.last_at,
            },
        )

    def _link(self, row: Row) -> dict[str, Any]:
        """An audit row as the next link of the chain, and of its organisation's own one."""
        ends = self._ends
        ends.audit_seq += 1
        link = {**row, "seq": ends.audit_seq, "previous_hash": ends.audit_hash}
        link["hash"] = ends.audit_hash = chain.link_hash(link)
        return own_numbers.number_audit(ends.own, link)

    def _numbered(self, row: Row) -> dict[str, Any]:
        ends = self._ends
        ends.event_seq += 1
        return own_numbers.number_event(ends.own, {**row, "seq": ends.event_seq})


def _act(link: Row) -> dict[str, Any]:
    """What an entry says of an audit row: everything but what the row's own hash covers alone."""
    act = {
        "op": link["action"],
        "object": link["object"],
        "outcome": link["outcome"],
        "seq": link["seq"],
        "n": link["number"],
    }
    for name, column in (("account", "trading_account_id"), ("error", "error")):
        if link[column] is not None:
            act[name] = link[column]
    return act
