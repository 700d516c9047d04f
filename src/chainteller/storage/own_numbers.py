"""Each organisation's own numbers of its events and audit rows, and its own audit chain.

The deployment numbers all events and all audit rows (``seq``), and chains the latter. These
numbers would tell an organisation how much the others do, so it's shown its own: they count its
rows from 1 without gaps, and the hashes that it's shown link its rows alone, by the same rule.
``follows`` is the hash before a row in that chain.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import BigInteger, Connection, bindparam, select, update
from sqlalchemy.dialects import postgresql, sqlite

from chainteller.domain import merkle
from chainteller.domain.audit_chain import COVERED, digest
from chainteller.storage import removals
from chainteller.storage.columns import Record
from chainteller.storage.db.query import later
from chainteller.storage.tables import Tables

GENESIS_HASH = "0" * 64
_A, _E, _L = Tables.audit, Tables.event, Tables.log
_OF: Any = bindparam("b_organisation")
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
_NEWEST = select(_L.c.event_number, removals.OWN_EVENTS_REMOVED).where(_L.c.organisation_id == _OF)
_EVENTS = (
    select(_E)
    .where(_E.c.organisation_id == _OF, _E.c.number > bindparam("b_after", type_=BigInteger))
    .order_by(_E.c.number)
    .limit(bindparam("b_limit", type_=BigInteger))
)
_SEQ = select(_A.c.seq).where(
    _A.c.organisation_id == _OF, _A.c.number == bindparam("b_number", type_=BigInteger)
)

Row = Mapping[str, Any]


@dataclass(slots=True)
class Own:
    """Where an organisation's own numbers and its own chain end."""

    event: int = 0
    audit: int = 0
    audit_hash: str = GENESIS_HASH
    is_stored: bool = True


@dataclass(slots=True)
class OwnEnds:
    """Where the numbers of organisations end, while the head row is locked."""

    of: dict[str, Own] = field(default_factory=dict)

    def changed(self) -> list[str]:
        """The organisations whose numbers end elsewhere than was stored."""
        return [name for name, own in self.of.items() if not own.is_stored]


def _own_hash(row: Row, number: int, follows: str) -> str:
    """The hash of an audit row in its organisation's own chain."""
    told = {**row, "seq": number, "previous_hash": follows}
    return digest([told[name] for name in COVERED])


# Writing


def begin(ends: OwnEnds, organisation_id: str, stored: Sequence[Any]) -> None:
    """Take in where an organisation's numbers end: the columns of its log, None for none yet."""
    ends.of[organisation_id] = Own() if stored[0] is None else Own(*stored)


def load(connection: Connection, ends: OwnEnds, names: Iterable[str]) -> None:
    """Read where the numbers of organisations end that aren't known yet."""
    missing = sorted({name for name in names if name not in ends.of})
    if missing:
        found = {row[0]: row[1:] for row in connection.execute(_STORED, {"b_some": missing})}
        for name in missing:
            begin(ends, name, found.get(name, (None,)))


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
    follows, own.audit_hash = own.audit_hash, _own_hash(link, own.audit, own.audit_hash)
    return {**link, "number": own.audit, "follows": follows}


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


def events_after(
    connection: Connection, organisation_id: str, after: int, limit: int
) -> tuple[list[Record], int, bool]:
    """An organisation's events after a cursor, the number of its newest event, and whether the
    cursor is ahead of its log, or events after it aren't kept any more."""
    row = connection.execute(_NEWEST, {"b_organisation": organisation_id}).first()
    newest, removed = (row[0] or 0, row[1] or 0) if row is not None else (0, 0)
    if after < 0 or after > newest:
        return [], newest, after >= 0
    values = {"b_organisation": organisation_id, "b_after": after, "b_limit": limit}
    return list(connection.execute(_EVENTS, values)), newest, after < removed


def own_link(row: Row) -> tuple[int, str]:
    """The number and the hash of an audit row in its organisation's own chain."""
    return row["number"], _own_hash(row, row["number"], row["follows"])


def shown(row: Row) -> dict[str, Any]:
    """An audit row with the number and the hashes that its organisation is shown."""
    number, found = own_link(row)
    return {**row, "seq": number, "previous_hash": row["follows"], "hash": found}


def seq_of_audit(connection: Connection, organisation_id: str, number: int) -> int | None:
    """The deployment's number of an audit row, which its organisation names by its own."""
    found: int | None = connection.execute(
        _SEQ, {"b_organisation": organisation_id, "b_number": number}
    ).scalar()
    return found


# Verifying


class Counted:
    """Counts every organisation's rows again, and says what isn't as it should be.

    Rows are given in the order of ``seq``, from the first one that is kept or archived.
    """

    def __init__(self, connection: Connection, *, knows_archived: bool = False) -> None:
        self._connection = connection
        self._ends = OwnEnds()
        for name, events in removals.by_organisation(connection, removals.OWN_EVENTS).items():
            self._own(name).event = events.upto
        if not knows_archived:
            for name, audits in removals.by_organisation(connection, removals.OWN_AUDITS).items():
                own = self._own(name)
                own.audit, own.audit_hash = audits.upto, audits.found

    def event(self, organisation_id: str, number: int | None) -> str:
        """What is wrong with an event's number; empty if nothing is."""
        own = self._own(organisation_id)
        own.event += 1
        if number == own.event:
            return ""
        return f"its organisation's number is {number}, not {own.event}"

    def audit(self, row: Row) -> str:
        """What is wrong with an audit row's place in its organisation's chain."""
        self._own(row["organisation_id"])
        expected = number_audit(self._ends, row)
        if all(row[name] == expected[name] for name in ("number", "follows")):
            return ""
        return "it isn't the next link of its organisation's own chain"

    def ends(self) -> Iterator[str]:
        """Which organisations' numbers end elsewhere than their logs say."""
        stored = {row[0]: tuple(row[1:]) for row in self._connection.execute(select(*_ENDS))}
        for name in sorted(self._ends.of.keys() | stored.keys()):
            own = self._own(name)
            expected = (own.event, own.audit, own.audit_hash)
            if stored.get(name, (None,) * 3) not in (expected, _unused(own)):
                yield f"the numbers of {name} end elsewhere than its log says"

    def _own(self, name: str) -> Own:
        return self._ends.of.setdefault(name, Own())


def _unused(own: Own) -> tuple[object, ...] | None:
    """What the log of an organisation without events and audit rows says."""
    return (None, None, None) if own.event == own.audit == 0 else None
