"""Each organisation's own numbers of its events and audit rows, and its own audit chain.

The deployment numbers all events and all audit rows (``seq``), and chains the latter. These
numbers would tell an organisation how much the others do, so it's shown its own: they count its
rows without gaps, and the hashes that it's shown link its rows alone, by the same rule.

What was numbered before revision 0009 keeps its number. Own numbers continue above ``own_base``,
which lies far above the last of these: a cursor up to ``events_shared`` is one of the deployment's
numbers, one from ``own_base`` on is the organisation's own, and none is in between.

The released build, which may write beside this one, gives ``seq`` alone. Rows up to
``events_owned`` and ``audits_owned`` have their own numbers; later ones get them with the next
write of this build, in the order of ``seq`` (``catch_up``). Until then they are shown with the
numbers that they will get.

An event's ``number`` is NULL if it's older than 0009. An audit row's ``number`` and ``follows``,
the hash before it, are NULL where they are ``seq`` and ``previous_hash``.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, Connection, Select, bindparam, select, update
from sqlalchemy.dialects import postgresql, sqlite

from chainteller.domain import merkle
from chainteller.domain.audit_chain import COVERED, digest
from chainteller.storage import removals
from chainteller.storage.columns import Record
from chainteller.storage.plain import later
from chainteller.storage.tables import HEAD, Tables

GENESIS_HASH = "0" * 64
_NONE_YET = (None, None, None)
STEP = 1_000
"""Rows of the released build that one write numbers."""
_A, _E, _H, _L = Tables.audit, Tables.event, Tables.head, Tables.log
_OF: Any = bindparam("b_organisation")
_AFTER = bindparam("b_after", type_=BigInteger)
_UPTO = bindparam("b_upto", type_=BigInteger)
_LIMIT = bindparam("b_limit", type_=BigInteger)
_ENDS = (_L.c.organisation_id, _L.c.event_number, _L.c.audit_number, _L.c.audit_hash)
_STORED = select(*_ENDS).where(_L.c.organisation_id.in_(bindparam("b_some", expanding=True)))
_STORE = (
    update(_L)
    .where(_L.c.organisation_id == _OF)
    .values(
        event_number=bindparam("v_event"),
        audit_number=bindparam("v_audit"),
        audit_hash=bindparam("v_hash"),
    )
)
_LAST_SHARED = (
    select(_A.c.hash)
    .where(_A.c.organisation_id == _OF, _A.c.seq > _AFTER, _A.c.seq <= _UPTO)
    .order_by(_A.c.seq.desc())
    .limit(1)
)
_EVENTS_BESIDE = (
    select(_E.c.seq, _E.c.organisation_id).where(_E.c.seq > _AFTER).order_by(_E.c.seq).limit(_LIMIT)
)
_AUDITS_BESIDE = select(_A).where(_A.c.seq > _AFTER).order_by(_A.c.seq).limit(_LIMIT)
_NUMBER_EVENT = (
    update(_E).where(_E.c.seq == bindparam("b_seq")).values(number=bindparam("v_number"))
)
_NUMBER_AUDIT = (
    update(_A)
    .where(_A.c.seq == bindparam("b_seq"))
    .values(number=bindparam("v_number"), follows=bindparam("v_follows"))
)
_STANDING = select(
    _H.c.event_seq, _H.c.own_base, _H.c.events_owned, _H.c.audits_owned, _H.c.events_shared,
    *(select(_L.c[name]).where(_L.c.organisation_id == _OF).scalar_subquery().label(name)
      for name in ("event_number", "audit_number", "audit_hash")),
    removals.EVENTS_REMOVED, removals.OWN_EVENTS_REMOVED,
).where(_H.c.name == HEAD)  # fmt: skip
_MINE = select(_E).where(_E.c.organisation_id == _OF)
_SHARED_EVENTS = (
    _MINE.where(_E.c.number.is_(None), _E.c.seq > _AFTER, _E.c.seq <= _UPTO)
    .order_by(_E.c.number, _E.c.seq)
    .limit(_LIMIT)
)
_OWN_EVENTS = (
    _MINE.where(_E.c.number > _AFTER, _E.c.seq > bindparam("b_seq_after", type_=BigInteger))
    .order_by(_E.c.number)
    .limit(_LIMIT)
)
_LATER_EVENTS = _MINE.where(_E.c.number.is_(None), _E.c.seq > _AFTER).order_by(
    _E.c.number, _E.c.seq
)
_LATER_AUDITS = select(_A).where(_A.c.organisation_id == _OF, _A.c.seq > _AFTER).order_by(_A.c.seq)
_AUDIT_FROM_END = (
    select(_A.c.seq, _A.c.number)
    .where(_A.c.organisation_id == _OF, _A.c.seq <= _UPTO)
    .order_by(_A.c.seq.desc())
    .limit(1)
    .offset(_LIMIT)
)
_AUDIT_BY_SEQ = select(_A.c.seq).where(
    _A.c.organisation_id == _OF, _A.c.seq == _AFTER, _A.c.seq <= _UPTO, _A.c.number.is_(None)
)
OWNED_AUDITS = (
    select(_H.c.audits_owned).where(_H.c.name == HEAD).scalar_subquery().label("audits_owned")
)

Row = Mapping[str, Any]


@dataclass(slots=True)
class Own:
    """Where an organisation's own numbers and its own chain end."""

    event: int
    audit: int
    audit_hash: str
    is_stored: bool = True


@dataclass(slots=True)
class OwnEnds:
    """The head row's part of it, and that of organisations, while the head row is locked.

    Up to ``events`` and ``audits``, numbers of the deployment, rows have their own numbers.
    """

    base: int
    events: int
    audits: int
    shared: int
    of: dict[str, Own] = field(default_factory=dict)

    @classmethod
    def of_head(cls, head: Any) -> "OwnEnds":
        """From the columns of the head row."""
        return cls(head.own_base, head.events_owned, head.audits_owned, head.events_shared)

    def changed(self) -> list[str]:
        """The organisations whose numbers end elsewhere than was stored."""
        return [name for name, own in self.of.items() if not own.is_stored]

    def values(self) -> dict[str, int]:
        """The columns of the head row, as parameters of an update."""
        return {
            "new_events_owned": self.events,
            "new_audits_owned": self.audits,
            "new_events_shared": self.shared,
        }


def own_hash(row: Row, number: int, follows: str) -> str:
    """The hash of an audit row in its organisation's own chain."""
    told = {**row, "seq": number, "previous_hash": follows}
    return digest([told[name] for name in COVERED])


# Writing


def begin(
    connection: Connection, ends: OwnEnds, organisation_id: str, stored: Sequence[Any]
) -> None:
    """Take in where an organisation's numbers end: the columns of its log, None for none yet."""
    event, audit, found = stored
    if found is None:
        found = _first_follows(connection, ends, organisation_id)
    ends.of[organisation_id] = Own(
        ends.base if event is None else event, ends.base if audit is None else audit, found
    )


def _first_follows(connection: Connection, ends: OwnEnds, organisation_id: str) -> str:
    """What the first row of an organisation's own chain follows: its last row that is older."""
    if not ends.base:
        return GENESIS_HASH
    archived = removals.newest(connection, organisation_id, removals.OWN_AUDITS)
    values = {"b_organisation": organisation_id, "b_upto": ends.audits, "b_after": archived.upto}
    found = connection.execute(_LAST_SHARED, values).scalar()
    return str(found or archived.found or GENESIS_HASH)


def load(connection: Connection, ends: OwnEnds, names: Iterable[str]) -> None:
    """Read where the numbers of organisations end that aren't known yet."""
    missing = sorted({name for name in names if name not in ends.of})
    if missing:
        rows = connection.execute(_STORED, {"b_some": missing}).all()
        found = {row[0]: row[1:] for row in rows}
        for name in missing:
            begin(connection, ends, name, found.get(name, _NONE_YET))


def number_event(ends: OwnEnds, row: Row) -> dict[str, Any]:
    """An event with the next number of its organisation."""
    own = ends.of[row["organisation_id"]]
    own.event += 1
    own.is_stored = False
    return {**row, "number": own.event}


def number_audit(ends: OwnEnds, link: Row) -> dict[str, Any]:
    """A link of the deployment's chain as the next one of its organisation's."""
    own = ends.of[link["organisation_id"]]
    own.audit += 1
    own.is_stored = False
    number, follows = own.audit, own.audit_hash
    is_same = number == link["seq"] and follows == link["previous_hash"]
    own.audit_hash = link["hash"] if is_same else own_hash(link, number, follows)
    return {
        **link,
        "number": None if number == link["seq"] else number,
        "follows": None if follows == link["previous_hash"] else follows,
    }


def catch_up(connection: Connection, ends: OwnEnds, event_seq: int, audit_seq: int) -> None:
    """Number what the released build has written beside this one, at most ``STEP`` rows of each
    kind.

    Args:
        connection: in a write transaction that has locked the head row.
        ends: where own numbers end; ``store`` stores what this changes.
        event_seq: the number of the deployment's last event.
        audit_seq: that of its last audit row.
    """
    if ends.events < event_seq:
        rows = _beside(connection, ends, _EVENTS_BESIDE, ends.events)
        for row in [number_event(ends, each) for each in rows]:
            values = {"b_seq": row["seq"], "v_number": row["number"]}
            later(connection, _NUMBER_EVENT, values)
        ends.events = ends.shared = rows[-1]["seq"] if len(rows) == STEP else event_seq
    if ends.audits < audit_seq:
        rows = _beside(connection, ends, _AUDITS_BESIDE, ends.audits)
        for row in [number_audit(ends, each) for each in rows]:
            found = {f"v_{name}": row[name] for name in ("number", "follows")}
            later(connection, _NUMBER_AUDIT, {"b_seq": row["seq"], **found})
        ends.audits = rows[-1]["seq"] if len(rows) == STEP else audit_seq


def _beside(
    connection: Connection, ends: OwnEnds, statement: Select[Any], after: int
) -> list[dict[str, Any]]:
    found = connection.execute(statement, {"b_after": after, "b_limit": STEP}).all()
    rows = [row._asdict() for row in found]
    load(connection, ends, (row["organisation_id"] for row in rows))
    return rows


def store(
    connection: Connection, ends: OwnEnds, names: Iterable[str], have_log: Container[str]
) -> None:
    """Store where the numbers of organisations end, beside their logs.

    Args:
        connection: in a write transaction that has locked the head row.
        ends: where they end.
        names: the organisations.
        have_log: those that have a log; another one gets an empty log.
    """
    for name in sorted(names):
        own = ends.of[name]
        if name not in have_log:
            _begin_log(connection, name)
        values = {"v_event": own.event, "v_audit": own.audit, "v_hash": own.audit_hash}
        later(connection, _STORE, {"b_organisation": name, **values})
        own.is_stored = True


def _begin_log(connection: Connection, organisation_id: str) -> None:
    dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
    tree = merkle.Tree()
    row = {"size": tree.size, "peaks": tree.packed(), "root": tree.root.hex()}
    statement = dialect.insert(_L).values(organisation_id=organisation_id, **row)
    connection.execute(statement.on_conflict_do_nothing())


# Reading


class _Standing(NamedTuple):
    """Where everything ends, as an organisation sees it. ``unnumbered`` are its events that have
    no number yet, with those that they will get. ``removed`` is the deployment's number of the last
    event that isn't kept any more, ``own_removed`` the organisation's own of its last one."""

    base: int
    owned: int
    shared: int
    newest: int
    unnumbered: Sequence[tuple[int, Record]]
    removed: int
    own_removed: int

    def misses(self, after: int) -> bool:
        """Whether events after a cursor aren't kept any more."""
        is_shared = after < self.base
        return self.own_removed > 0 and after < (self.removed if is_shared else self.own_removed)


def events_after(
    connection: Connection, organisation_id: str, after: int, limit: int
) -> tuple[list[tuple[int, Record]], int, bool]:
    """An organisation's events after a cursor with their numbers, the number of its newest event,
    and whether the cursor is none that it can have, or events after it aren't kept any more.

    One ahead of the log has no events after it; after one between the deployment's numbers and
    the organisation's own, all of the latter follow.
    """
    standing = _standing(connection, organisation_id)
    if after < 0 or after > standing.newest:
        return [], standing.newest, after >= 0
    is_between = standing.shared < after < standing.base
    is_reset = is_between or standing.misses(after)
    after = standing.base if is_between else after
    is_shared = after < standing.base
    values = {"b_organisation": organisation_id, "b_upto": standing.owned}
    found: list[tuple[int, Record]] = []
    if is_shared:
        rows = connection.execute(_SHARED_EVENTS, {**values, "b_after": after, "b_limit": limit})
        found = [(row.seq, row) for row in rows]
    if len(found) < limit:
        bounds = {
            "b_organisation": organisation_id,
            "b_after": max(after, standing.base),
            "b_seq_after": after if is_shared else 0,
            "b_limit": limit - len(found),
        }
        found += [(row.number, row) for row in connection.execute(_OWN_EVENTS, bounds)]
    found += [
        (number, row)
        for number, row in standing.unnumbered
        if (row.seq if is_shared else number) > after
    ]
    return found[:limit], standing.newest, is_reset


def _standing(connection: Connection, organisation_id: str) -> _Standing:
    head = connection.execute(_STANDING, {"b_organisation": organisation_id}).one()
    newest = head.own_base if head.event_number is None else head.event_number
    found: list[tuple[int, Record]] = []
    if head.event_seq > head.events_owned:
        values = {"b_organisation": organisation_id, "b_after": head.events_owned}
        rows = connection.execute(_LATER_EVENTS, values).all()
        found = list(enumerate(rows, start=newest + 1))
    newest += len(found)
    removed = head.events_removed or 0, head.own_events_removed or 0
    return _Standing(head.own_base, head.events_owned, head.events_shared, newest, found, *removed)


def shown_audits(
    connection: Connection, organisation_id: str, rows: Sequence[Record]
) -> Iterator[dict[str, Any]]:
    """Audit rows of an organisation with the numbers and hashes of its own chain.

    Args:
        connection: reads.
        organisation_id: whose rows these are.
        rows: all columns, and ``OWNED_AUDITS``.
    """
    unnumbered: dict[int, dict[str, Any]] = {}
    if any(row.seq > row.audits_owned for row in rows):
        unnumbered = {row["seq"]: row for row in _later_audits(connection, organisation_id)}
    for row in rows:
        yield _shown(unnumbered.get(row.seq) or row._asdict())


def _shown(row: Row) -> dict[str, Any]:
    number, follows = row["number"] or row["seq"], row["follows"] or row["previous_hash"]
    is_same = row["number"] is None and row["follows"] is None
    found = row["hash"] if is_same else own_hash(row, number, follows)
    return {**row, "seq": number, "previous_hash": follows, "hash": found}


def own_link(row: Record) -> tuple[int, str]:
    """The number and the hash of an audit row in its organisation's own chain."""
    shown = _shown(row._asdict())
    return shown["seq"], shown["hash"]


def _later_audits(connection: Connection, organisation_id: str) -> Iterator[dict[str, Any]]:
    """Audit rows that have no own number yet, with those that they will get."""
    head = connection.execute(_STANDING, {"b_organisation": organisation_id}).one()
    ends = OwnEnds.of_head(head)
    stored = head.event_number, head.audit_number, head.audit_hash
    begin(connection, ends, organisation_id, stored)
    values = {"b_organisation": organisation_id, "b_after": head.audits_owned}
    for row in connection.execute(_LATER_AUDITS, values).all():
        yield number_audit(ends, row._asdict())


def seq_of_audit(connection: Connection, organisation_id: str, number: int) -> int | None:
    """The deployment's number of an audit row, which its organisation names by its own."""
    head = connection.execute(_STANDING, {"b_organisation": organisation_id}).one()
    values = {"b_organisation": organisation_id, "b_upto": head.audits_owned}
    found = connection.execute(_AUDIT_BY_SEQ, {**values, "b_after": number}).scalar()
    if found is None and head.audit_number is not None and number <= head.audit_number:
        values["b_limit"] = head.audit_number - number
        row = connection.execute(_AUDIT_FROM_END, values).first()
        found = row.seq if row is not None and row.number == number else None
    return None if found is None else int(found)


# Verifying


class Counted:
    """Counts every organisation's rows again, and says what isn't as it should be.

    Rows are given in the order of ``seq``, from the first one that is kept or archived.
    """

    def __init__(self, connection: Connection, *, knows_archived: bool = False) -> None:
        self._connection = connection
        head = connection.execute(select(_H).where(_H.c.name == HEAD)).one()
        self._head, self._ends = head, OwnEnds.of_head(head)
        self._removed = removals.by_organisation(connection, removals.OWN_EVENTS)
        archived = removals.by_organisation(connection, removals.OWN_AUDITS)
        self._archived = {} if knows_archived else archived
        self._has_numbered_events = not head.own_base
        self._has_numbered_audits = not head.own_base or any(
            each.upto > head.own_base for each in self._archived.values()
        )

    def event(self, seq: int, organisation_id: str, number: int | None) -> str:
        """What is wrong with an event's number; empty if nothing is."""
        owned = self._head.events_owned
        if number is None and (seq > owned or not self._has_numbered_events):
            return ""
        self._has_numbered_events = True
        own = self._own(organisation_id)
        own.event += 1
        if number == own.event and seq <= owned:
            return ""
        return f"its organisation's number is {number}, not {own.event}"

    def audit(self, row: Row) -> str:
        """What is wrong with an audit row's place in its organisation's chain."""
        owned = self._head.audits_owned
        if row["number"] is None and row["follows"] is None:
            if row["seq"] > owned:
                return ""
            if not self._has_numbered_audits:
                self._own(row["organisation_id"]).audit_hash = row["hash"]
                return ""
        self._has_numbered_audits = True
        self._own(row["organisation_id"])
        expected = number_audit(self._ends, row)
        told, known = ((each["number"], each["follows"]) for each in (row, expected))
        if told == known and row["seq"] <= owned:
            return ""
        return "it isn't the next link of its organisation's own chain"

    def ends(self) -> Iterator[str]:
        """Which organisations' numbers end elsewhere than their logs say."""
        head = self._head
        if head.events_owned > head.event_seq or head.audits_owned > head.audit_seq:
            yield "the head names own numbers beyond the last row"
        stored = {row[0]: row[1:] for row in self._connection.execute(select(*_ENDS))}
        known = self._ends.of.keys() | self._removed.keys() | self._archived.keys()
        for name in sorted(known | stored.keys()):
            own = self._own(name)
            event, audit, found = stored.get(name, _NONE_YET)
            told = [head.own_base if each is None else each for each in (event, audit)]
            is_hash = found == (None if audit is None else own.audit_hash)
            is_first = audit is not None and own.audit == head.own_base
            if told != [own.event, own.audit] or not (is_hash or is_first):
                yield f"the numbers of {name} end elsewhere than its log says"

    def _own(self, name: str) -> Own:
        if name not in self._ends.of:
            events, audits = (
                some.get(name, removals.Removed()) for some in (self._removed, self._archived)
            )
            ends = max(self._ends.base, events.upto), max(self._ends.base, audits.upto)
            self._ends.of[name] = Own(*ends, audits.found or GENESIS_HASH)
        return self._ends.of[name]
