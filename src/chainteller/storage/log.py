"""The log: what each transaction decided and wrote, as leaves of one Merkle tree per organisation.

An entry's body is two lines of canonical JSON. The first one is shown to whoever asks for a proof,
and the leaf hash is that of RFC 6962 over its bytes:

    {"v": 3, "id": ..., "log": organisation, "at": microseconds, "by": actor, "key": API key id,
     "rule": version of the settings,
     "acts": [{"op", "object", "account", "outcome", "error", "n": its number}, ...],
     "inner": SHA-256 of the second line}

``n`` is the number that the organisation is shown; an act without one has none yet. The second line
stays inside, because keys of rows and numbers of the deployment tell how much others do:

    {"numbers": of the audit rows of the acts,
     "rows": [[table, key, seal], [table, key, seal, {column: value}],
              [table, key, seal, {column: value}, seal before], ...],
     "salt": random, where no seal among them is keyed with a secret salt}

A seal of null says that the row was removed. The seal before is that of the row as the write found
it, "" if it had none; a row without one was not there. How a body is stored: ``packing``.

Entries are numbered under the lock of the head row, on SQLite within the write and on PostgreSQL
by the sequencer (``numbering``).
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from itertools import chain, zip_longest
from secrets import token_hex, token_urlsafe
from types import MappingProxyType
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from chainteller.domain import merkle
from chainteller.domain.audit_chain import canonical
from chainteller.domain.json_depth import parse_json
from chainteller.domain.merkle import Tree
from chainteller.domain.rules import Rule
from chainteller.storage import checkpoints, packing, sealing
from chainteller.storage.rows import DEPLOYMENT, Seal, Seals, Writer
from chainteller.storage.tables import Tables

VERSION = 3
_SALT_BYTES = 12
_MOST_TOGETHER = 500
"""Acts or rows in one entry; a larger transaction has several."""
_E, _L = Tables.entry, Tables.log
_STATE = select(_L.c.size, _L.c.peaks).where(_L.c.organisation_id == bindparam("b_organisation"))
_STATES = select(_L.c.organisation_id, _L.c.size, _L.c.peaks).where(
    _L.c.organisation_id.in_(bindparam("b_organisations", expanding=True))
)
_INSERT = insert(_E)
_BEGIN = {
    dialect.name: statement.on_conflict_do_update(
        index_elements=[_L.c.organisation_id],
        set_={name: statement.excluded[name] for name in ("size", "peaks", "root")},
    )
    for dialect, statement in (
        (sqlite.dialect, sqlite.insert(_L)),
        (postgresql.dialect, postgresql.insert(_L)),
    )
}
"""A log may be there before its first entry, for its organisation's own numbers."""
_GROW = (
    update(_L)
    .where(_L.c.organisation_id == bindparam("b_organisation"))
    .values(size=bindparam("v_size"), peaks=bindparam("v_peaks"), root=bindparam("v_root"))
)
_ENTRIES = select(_E.c.number, _E.c.id, _E.c.leaf, _E.c.body).order_by(_E.c.number)
_ID = select(_E.c.id).where(
    _E.c.organisation_id == bindparam("b_organisation"), _E.c.number == bindparam("b_number")
)
_HEADS = select(_L.c.organisation_id, _L.c.size, _L.c.root).order_by(_L.c.organisation_id)

Act = Mapping[str, Any]
"""What was done. ``seq`` is the deployment's number of its audit row, ``n`` its organisation's."""
Body = tuple[str, str]
"""An entry's id and its body."""


class Stamp(NamedTuple):
    """Who wrote a transaction's entries, for whom, when, and under which settings."""

    organisation_id: str
    at: int
    actor: str
    key_id: str = ""
    rule: Rule | None = None


class Head(NamedTuple):
    """The head of an organisation's log; ``root`` has 32 bytes."""

    organisation_id: str
    size: int
    root: bytes


class Entry(NamedTuple):
    """``number`` counts from 1; the leaf's index in the tree is one less. ``leaf`` is hex."""

    number: int
    id: str
    leaf: str
    body: str


# Writing


def append(rows: Writer, stamp: Stamp, acts: Sequence[Act] = ()) -> None:
    """Write the entries of a transaction: its acts, and the seals of everything it wrote.

    The caller holds the head row's lock.
    """
    store_rule(rows, stamp)
    put_all(rows.connection, bodies(stamp, acts, rows.take()))


def store_rule(rows: Writer, stamp: Stamp) -> None:
    """Store the version of the settings that decided, if it's new."""
    rule = stamp.rule
    if rule is not None:
        rows.insert_if_new(Tables.rule, {"id": rule.id, "body": rule.body, "since": stamp.at})


def bodies(stamp: Stamp, acts: Sequence[Act], seals: Seals) -> dict[str, list[Body]]:
    """The entries of a transaction by their logs: what it did, and the seals of what it wrote.

    Rows of another organisation than the stamp's, and what belongs to none, are sealed in their
    own logs.
    """
    own: list[Seal] = []
    others: dict[str, list[Seal]] = {}
    for name, found in seals.items():
        if name is None or name == stamp.organisation_id:
            own += found.values()
        else:
            others[name] = list(found.values())
    entries = {}
    if own or acts:
        entries[stamp.organisation_id] = _bodies(stamp, acts, own)
    for name in sorted(others):
        entries[name] = _bodies(stamp._replace(organisation_id=name), (), others[name])
    return entries


def _bodies(stamp: Stamp, acts: Sequence[Act], seals: Sequence[Seal]) -> list[Body]:
    parts = zip_longest(_parts(acts), _parts(seals), fillvalue=())
    return [_body(stamp, part_acts, part_seals) for part_acts, part_seals in parts]


def _parts(found: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(found), _MOST_TOGETHER):
        yield found[start : start + _MOST_TOGETHER]


def _body(stamp: Stamp, acts: Sequence[Act], seals: Sequence[Seal]) -> Body:
    inner: dict[str, Any] = {
        "numbers": [act["seq"] for act in acts if "seq" in act],
        "rows": [
            each if each.before is not None else each[:4] if each.values else each[:3]
            for each in seals
        ],
    }
    if not any(each.seal and sealing.is_secret(each.table) for each in seals):
        inner["salt"] = token_urlsafe(_SALT_BYTES)
    kept = canonical(inner)
    entry_id = new_id(stamp.at)
    shown: dict[str, Any] = {
        "v": VERSION,
        "id": entry_id,
        "log": stamp.organisation_id,
        "at": stamp.at,
        "by": stamp.actor,
        "acts": [{name: act[name] for name in act if name != "seq"} for act in acts],
        "inner": sha256(kept.encode()).hexdigest(),
    }
    if stamp.key_id:
        shown["key"] = stamp.key_id
    if stamp.rule is not None:
        shown["rule"] = stamp.rule.id
    return entry_id, f"{canonical(shown)}\n{kept}"


def put_acts(connection: Connection, stamp: Stamp, acts: Sequence[Act]) -> None:
    """Write an entry that only says what was done. The caller holds the head row's lock."""
    put(connection, stamp.organisation_id, _bodies(stamp, acts, ()))


def new_id(at: int) -> str:
    """An id ordered by time: the instant in 14 hexadecimal digits, and 48 random bits in 12."""
    return f"{at:014x}{token_hex(6)}"


def put(connection: Connection, organisation_id: str, bodies: Iterable[Body]) -> None:
    """Number entries and put them at the end of a log."""
    put_all(connection, {organisation_id: list(bodies)})


def put_all(
    connection: Connection,
    bodies: Mapping[str, Sequence[Body]],
    known: Mapping[str, Tree] = MappingProxyType({}),
) -> None:
    """Number entries and put them at the ends of their logs.

    The caller holds the head row's lock.

    Args:
        connection: in a write transaction.
        bodies: new entries by log, in their order.
        known: trees of logs that were read under the lock.
    """
    entries: list[dict[str, Any]] = []
    grown: list[dict[str, Any]] = []
    begun: list[dict[str, Any]] = []
    for name, tree in _trees(connection, bodies, known).items():
        leaves = [leaf_of(body.encode()) for _, body in bodies[name]]
        if not leaves:
            continue
        numbered = enumerate(zip(bodies[name], leaves, strict=True), start=tree.size + 1)
        entries += (
            {
                "organisation_id": name,
                "id": entry_id,
                "number": number,
                "leaf": leaf,
                "body": packing.pack(body, entry_id, name),
            }
            for number, ((entry_id, body), leaf) in numbered
        )
        after = tree.append(leaves)
        state = {"size": after.size, "peaks": after.packed(), "root": after.root.hex()}
        if tree.size:
            grown.append({"b_organisation": name} | {f"v_{key}": state[key] for key in state})
        else:
            begun.append({"organisation_id": name, **state})
    begin = _BEGIN[connection.dialect.name]
    for statement, values in ((_INSERT, entries), (_GROW, grown), (begin, begun)):
        if values:
            connection.execute(statement, values if len(values) > 1 else values[0])


def _trees(
    connection: Connection, names: Iterable[str], known: Mapping[str, Tree]
) -> dict[str, Tree]:
    missing = [name for name in names if name not in known]
    found = {name: known.get(name, Tree()) for name in names}
    if missing:
        for row in connection.execute(_STATES, {"b_organisations": missing}):
            found[row.organisation_id] = Tree.unpacked(row.size, row.peaks)
    return found


def _tree(connection: Connection, organisation_id: str) -> Tree:
    row = connection.execute(_STATE, {"b_organisation": organisation_id}).first()
    return Tree() if row is None else Tree.unpacked(row.size, row.peaks)


# Reading


def shown(body: bytes) -> bytes:
    """What is shown of an entry's body, and hashed as its leaf."""
    return body.partition(b"\n")[0]


def leaf_of(body: bytes) -> bytes:
    """The leaf hash of an entry with this body."""
    return merkle.leaf_hash(shown(body))


def read(body: bytes) -> dict[str, Any]:
    """What an entry says: both lines of its body as one object.

    ``numbers`` are the deployment's numbers of the audit rows of its acts.

    Raises:
        ValueError: it has a form that no build writes, or its second line isn't the one that the
            first one names. Other fields are as they were found.
    """
    first, _, second = body.partition(b"\n")
    found: Any = parse_json(first)
    if not isinstance(found, dict) or found.get("v") != VERSION:
        raise ValueError("no entry of this version")
    if sha256(second).hexdigest() != found.get("inner"):
        raise ValueError("another second line")
    inner: dict[str, Any] = parse_json(second)
    return inner | found


def heads(connection: Connection) -> list[Head]:
    """The head of every log, ``DEPLOYMENT`` included."""
    return [Head(row[0], row[1], bytes.fromhex(row[2])) for row in connection.execute(_HEADS)]


def head(connection: Connection, organisation_id: str) -> Head:
    """The head of one log; that of the empty tree if there is none."""
    tree = _tree(connection, organisation_id)
    return Head(organisation_id, tree.size, tree.root)


def leaves(connection: Connection, organisation_id: str, size: int | None = None) -> list[bytes]:
    """The leaf hashes of the first ``size`` entries, by default of all."""
    size = head(connection, organisation_id).size if size is None else size
    return list(checkpoints.leaves(connection, organisation_id, 0, size))


def entries(
    connection: Connection, organisation_id: str, after: int = 0, limit: int | None = None
) -> Iterator[Entry]:
    """Entries in their order, after a number; those that aren't archived."""
    statement = _ENTRIES.where(_E.c.organisation_id == organisation_id, _E.c.number > after)
    rows = connection.execute(statement.limit(limit), execution_options={"yield_per": 2_000})
    yield from (_entry(row, organisation_id) for row in rows)


def _entry(row: Any, organisation_id: str) -> Entry:
    body = packing.body(row.body, row.id, organisation_id)
    return Entry(row.number, row.id, row.leaf.hex(), body)


def inclusion(
    connection: Connection, organisation_id: str, number: int, size: int | None = None
) -> list[bytes]:
    """Prove that an entry is in the tree of the first ``size``; see ``merkle.verify_inclusion``.

    Raises:
        ValueError: there is no such entry or tree.
    """
    found = leaves(connection, organisation_id, size)
    return merkle.inclusion_proof(found, number - 1, size)


def consistency(
    connection: Connection, organisation_id: str, old: int, size: int | None = None
) -> list[bytes]:
    """Prove that a head of size ``old`` grew into one of ``size``.

    Raises:
        ValueError: there are no such trees.
    """
    return merkle.consistency_proof(leaves(connection, organisation_id, size), old, size)


def entries_about(
    connection: Connection, organisation_id: str, seq: int, number: int
) -> Iterator[tuple[int, str]]:
    """Numbers and bodies of the entries that may name or seal an audit row, in their order.

    A large write is spread over several entries, so the one that says what was done needn't be the
    one with the row's seal. Entries of the row's instant come first; then the log is read from its
    beginning: for proofs, which are asked for seldom.

    Args:
        connection: in a read transaction.
        organisation_id: whose log.
        seq: the row's number in the deployment.
        number: its public number.
    """
    audit = Tables.audit
    stored = select(audit).where(audit.c.organisation_id == organisation_id, audit.c.seq == seq)
    row = connection.execute(stored).first()
    if row is None:
        return
    parts = f'["audit","{seq}",', f'"n":{number},', f'"n":{number}}}'
    close = list(_entries_at(connection, organisation_id, row.at))
    known = {entry.number for entry in close}
    others = (each for each in entries(connection, organisation_id) if each.number not in known)
    for entry in chain(close, others):
        if any(part in entry.body for part in parts):
            yield entry.number, entry.body


def _entries_at(connection: Connection, organisation_id: str, at: int) -> Iterator[Entry]:
    """The entries of an instant, found by halving the log: within an epoch, ids grow with numbers.

    Where a clock went backwards, some or all of them may be missing.
    """
    numbers = range(1, _tree(connection, organisation_id).size + 1)
    id_of = partial(_id_of, connection, organisation_id)
    begin = f"{at:014x}"
    first, last = (bisect_left(numbers, each, key=id_of) for each in (begin, f"{begin}g"))
    between = (_E.c.organisation_id == organisation_id, _E.c.number > first)
    for row in connection.execute(_ENTRIES.where(*between, _E.c.number <= last)):
        yield _entry(row, organisation_id)


def _id_of(connection: Connection, organisation_id: str, number: int) -> str:
    """The id of an entry; empty if there is none."""
    values = {"b_organisation": organisation_id, "b_number": number}
    return str(connection.execute(_ID, values).scalar() or "")


__all__ = [
    "DEPLOYMENT",
    "Entry",
    "Head",
    "Stamp",
    "append",
    "consistency",
    "entries",
    "head",
    "heads",
    "inclusion",
    "leaf_of",
    "leaves",
    "new_id",
    "put",
    "put_acts",
    "read",
    "shown",
]
