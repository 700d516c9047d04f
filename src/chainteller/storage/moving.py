"""Write an organisation into another database, SQLite or PostgreSQL, in one transaction there.

Most rows are copied as they are, with their salts. Those that a deployment numbers for everybody
(events, audit rows, postings to the bank's own accounts) get the next numbers there; what the
organisation was shown of these numbers stays. The entries of its log are copied to the byte, and
each row is compared with its seal in them. What has another number, and what only the deployment's
log had sealed, is sealed in the entries that follow.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Table, func, insert, select, text
from sqlalchemy.exc import IntegrityError

from chainteller.domain.ledger import CUSTOMER_PREFIX, DUE_EITHER_WAY
from chainteller.domain.merkle import Tree
from chainteller.service.errors import ServiceUnavailable
from chainteller.storage import (
    chain,
    inspection,
    jobs,
    ledger,
    log,
    numbering,
    own_numbers,
    owners,
    packing,
    removals,
    residence,
    schema,
    sealing,
    tallies,
)
from chainteller.storage.columns import SALT, Record
from chainteller.storage.faults import unavailable
from chainteller.storage.log import Head, Stamp
from chainteller.storage.numbering import OnRecord
from chainteller.storage.owners import Moves, rows_of
from chainteller.storage.rows import OF_DEPLOYMENT, Seal, Writer
from chainteller.storage.tables import Tables

HOLDS = "HOLDS_ORGANISATION"
"""Why a database can't take an organisation: it has one of that name."""
RECEIVED = "receive_organisation"
"""The audit action with which an organisation begins in another database."""
_BATCH = 2_000
_LOOKED_UP = 500
_O, _P, _L = Tables.organisation, Tables.posting, Tables.ledger_account
_NUMBERED = frozenset(
    table.name for table, found in owners.OWNERS.items() if found and found.moves is Moves.NUMBERED
)
_SHARED_ACCOUNTS = (_L.name, _P.name)
_OTHERS = frozenset(table.name for table in OF_DEPLOYMENT)

Row = dict[str, Any]


class Moved(NamedTuple):
    """How many rows were written, and the head with which the organisation came."""

    rows: int
    head: Head


def has_others_number(table: str, key: str) -> bool:
    """Whether a row has a number that its deployment gave it, or is none of an organisation's: in
    another deployment, that key is another row's."""
    if table in _SHARED_ACCOUNTS:
        return not key.startswith(CUSTOMER_PREFIX)
    return table in _NUMBERED or table in _OTHERS


def without_others_numbers(found: Mapping[str, Any]) -> dict[str, Any]:
    """What an entry from another deployment says, without that one's numbers."""
    rows = [row for row in found["rows"] if not has_others_number(row[0], row[1])]
    return {**found, "rows": rows, "numbers": [], "after": 0}


# What must be true before anything is changed


def require_movable(connection: Connection, organisation_id: str) -> None:
    """Check that an organisation can leave.

    Raises:
        ServiceUnavailable: NO_ORGANISATION, ARCHIVED_ENTRIES, CLOCK_WAS_SET, UNSEALED_ROWS.
    """
    if connection.execute(select(_O.c.id).where(_O.c.id == organisation_id)).first() is None:
        raise unavailable(
            "NO_ORGANISATION",
            f"There is no organisation {organisation_id}.",
            "chainteller keys list shows the organisations that have keys.",
        )
    archived = (removals.ENTRIES, removals.OWN_AUDITS)
    if any(removals.newest(connection, organisation_id, each).upto for each in archived):
        raise unmovable(
            "ARCHIVED_ENTRIES", f"Entries of {organisation_id} are in an archive.", "Leave it here."
        )
    _require_one_epoch(connection, organisation_id)
    head = chain.head(connection)
    is_behind = (head.event_seq, head.audit_seq) != (head.events_owned, head.audits_owned)
    if is_behind or any(_has_unsealed(connection, organisation_id)):
        raise unmovable(
            "UNSEALED_ROWS",
            f"A server of release 0.1.0 wrote rows of {organisation_id} that have no seal.",
            "Stop it, then run: chainteller db upgrade.",
        )


def _require_one_epoch(connection: Connection, organisation_id: str) -> None:
    ended = max(inspection.ends_of_epochs(connection), default=0)
    event = Tables.event
    mine = event.c.organisation_id == organisation_id
    first = connection.execute(select(func.min(event.c.seq)).where(mine)).scalar()
    is_older = first is not None and first <= ended
    removed = removals.newest(connection, organisation_id, removals.OWN_EVENTS).upto
    if ended and (is_older or removed):
        raise unmovable(
            "CLOCK_WAS_SET",
            f"{organisation_id} has records from before the clock was accepted.",
            "Leave it here: times of several epochs can't be compared elsewhere.",
        )


def _has_unsealed(connection: Connection, organisation_id: str) -> Iterator[bool]:
    for table in sealing.sealed_tables():
        if owners.OWNERS[table] is not None:
            mine = select(table).where(table.c[SALT].is_(None), rows_of(table, organisation_id))
            yield bool(connection.execute(select(mine.exists())).scalar())


def unmovable(reason: str, message: str, suggestion: str) -> ServiceUnavailable:
    """The refusal of a move before anything is changed."""
    return unavailable(reason, f"{message} Nothing was changed.", suggestion)


def require_room(source: Connection, target: Connection, organisation_id: str) -> None:
    """Check that a database can take an organisation.

    Raises:
        ServiceUnavailable: HOLDS_ORGANISATION, IDS_COLLIDE, BELOW_ZERO.
    """
    require_absent(target, organisation_id)
    for table in sealing.own_tables():
        found = owners.OWNERS[table]
        if found == owners.Owner() and len(table.primary_key) == 1:
            _require_new_ids(source, target, table, organisation_id)
    for key, sum_ in _bank_sums(source, organisation_id).items():
        balance, _ = ledger.balances(target, [key]).get(key, (0, 0))
        if balance + sum_ < 0 and key[0] not in DUE_EITHER_WAY:
            raise unmovable(
                "BELOW_ZERO",
                f"{' '.join(key)} of the destination would be {balance + sum_}.",
                "Move the organisations that its funds came from first.",
            )


def require_absent(target: Connection, organisation_id: str) -> None:
    """Raises ServiceUnavailable: HOLDS_ORGANISATION."""
    has = target.execute(select(_O.c.id).where(_O.c.id == organisation_id)).first()
    if has is not None or log.head(target, organisation_id).size:
        raise _holds(organisation_id)


def _holds(organisation_id: str) -> ServiceUnavailable:
    return unmovable(
        HOLDS,
        f"The destination has an organisation {organisation_id} already.",
        "Name another database.",
    )


def _require_new_ids(
    source: Connection, target: Connection, table: Table, organisation_id: str
) -> None:
    (key,) = table.primary_key
    mine = select(key).where(rows_of(table, organisation_id))
    found = source.execute(mine, execution_options={"yield_per": _LOOKED_UP}).scalars()
    for part in found.partitions():
        taken = target.execute(select(key).where(key.in_(part)).limit(1)).scalar()
        if taken is not None:
            raise unmovable(
                "IDS_COLLIDE",
                f"The destination has another {table.name} {taken}.",
                "Name another database.",
            )


def _bank_sums(source: Connection, organisation_id: str) -> dict[ledger.Key, int]:
    """What an organisation's journals moved on each of the bank's own accounts, in atoms."""
    sums: ledger.Balances = defaultdict(lambda: (0, 0))
    for row in _rows(source, _P, organisation_id, owners.is_the_banks(_P.c.code)):
        ledger.moved(sums, row)
    return {key: balance for key, (balance, _) in sums.items()}


def require_numbered(connection: Connection, organisation_id: str) -> None:
    """Raises ServiceUnavailable: STORAGE_LOCKED, a closed organisation's records wait for their
    numbers."""
    waiting = Tables.unnumbered
    mine = select(waiting.c.position).where(waiting.c.organisation_id == organisation_id)
    if connection.execute(mine.limit(1)).first() is not None:
        raise unavailable(
            "STORAGE_LOCKED", "Another process is too slow in numbering.", "Run it again."
        )


# Writing


def take_place(connection: Connection, row: Record) -> Writer:
    """Write the organisation's own row, as the first of the transaction: others who do so wait.

    Raises:
        ServiceUnavailable: HOLDS_ORGANISATION.
    """
    if connection.dialect.name == "postgresql":
        for name in ("statement_timeout", "idle_in_transaction_session_timeout"):
            connection.execute(text(f"SET LOCAL {name} = 0"))
        connection.execute(text("SET LOCAL lock_timeout = '30s'"))
    schema.require_current(schema.state(connection))
    require_absent(connection, row.id)
    rows = Writer(connection)
    try:
        rows.insert(_O, [{k: v for k, v in row._asdict().items() if k != SALT}])
    except IntegrityError:
        raise _holds(row.id) from None
    return rows


def receive(reading: Connection, rows: Writer, stamp: Stamp, origin: str) -> Moved:
    """Write an organisation; the caller commits.

    Args:
        reading: a snapshot of its database, where it is closed.
        rows: from ``take_place``.
        stamp: who moves which organisation, and when.
        origin: the deployment that it comes from.

    Raises:
        ServiceUnavailable: ROWS_DIFFER, something isn't as it was sealed.
    """
    return _Copy(reading, rows, stamp, origin).run()


_MISSING = object()


@dataclass
class _Copy:
    reading: Connection
    rows: Writer
    stamp: Stamp
    origin: str
    count: int = 0
    seals: dict[str, dict[str, str | None]] = field(default_factory=lambda: defaultdict(dict))
    """The last seal of each row by the organisation's own log, of those not yet met."""
    rules: set[str] = field(default_factory=set)
    """The versions of settings that its entries name."""

    def run(self) -> Moved:
        name, writing = self.stamp.organisation_id, self.rows.connection
        source = own_numbers.OwnEnds.of_head(chain.head(self.reading))
        own_numbers.load(self.reading, source, [name])
        own = source.of[name]
        came = residence.arrival(self.reading, name)
        base = source.base if came is None else came.base
        head = self._log(own, 0 if came is None else came.size)
        for table in sealing.own_tables():
            found = owners.OWNERS[table]
            if found is not None and found.moves in (Moves.AS_THEY_ARE, Moves.LEDGER):
                self._as_they_are(table)
        self._settings()
        keys = self._bank_accounts()
        numbering.take_turn(writing)
        ledger.lock(writing, keys)
        ends = numbering.lock_ends(writing)
        numbering.catch_up(writing, ends)
        self._postings(keys)
        self._events(ends)
        self._audits(ends, own)
        self._require_all_met()
        customers = Tables.customer
        mine = select(func.count()).where(rows_of(customers, name))
        tallies.added(writing, customers, name, writing.execute(mine).scalar_one())
        self._arrive(ends, head, base)
        return Moved(self.count, head)

    def _arrive(self, ends: numbering.Ends, head: Head, base: int) -> None:
        stamp = self.stamp._replace(at=max(self.stamp.at, ends.last_at), after=ends.audit_seq)
        name, told = stamp.organisation_id, {"size": head.size, "root": head.root.hex()}
        row = {"organisation_id": name, "origin": self.origin, "at": stamp.at, **told}
        numbers = {"event_seq": ends.event_seq, "audit_seq": ends.audit_seq}
        self.rows.insert(Tables.arrival, [{**row, "base": base, **numbers}])
        told = {"from": self.origin, **told}
        audit = chain.audit_row(RECEIVED, name, told) | {
            "at": stamp.at,
            "organisation_id": name,
            "actor": stamp.actor,
            "trading_account_id": None,
        }
        note = {"op": RECEIVED, "object": name, **told}
        numbering.append_now(self.rows, ends, OnRecord(stamp, [audit], notes=[note]))

    # The log

    def _log(self, own: own_numbers.Own, others: int) -> Head:
        """Copy the log, and take in its seals; ``others`` are the entries of other deployments."""
        name, table = self.stamp.organisation_id, Tables.entry
        tree = Tree()
        for batch in _batches(self.reading, table, name):
            leaves = []
            for number, row in enumerate(batch, start=tree.size + 1):
                body = packing.body(row["body"], row["packed"], row["id"], name).encode()
                leaves.append(log.leaf_of(body))
                if row["number"] != number or leaves[-1] != packing.leaf(
                    row["leaf"], row["digest"]
                ):
                    raise _differs(f"entry {row['number']} of {name}")
                self._take(body, is_others=number <= others)
            tree = tree.append(leaves)
            self._insert(table, batch)
        head = log.head(self.reading, name)
        if (tree.size, tree.root) != (head.size, head.root):
            raise _differs(f"log {name}")
        ends = {"event_number": own.event, "audit_number": own.audit}
        state = {"size": tree.size, "peaks": tree.packed(), "root": tree.root.hex()}
        row = {"organisation_id": name, **state, **ends, "audit_hash": own.audit_hash}
        self._insert(Tables.log, [row])
        return head

    def _take(self, body: bytes, *, is_others: bool) -> None:
        if body[:1] != b"{":
            return
        found = log.read(body)
        self.rules.update({found["rule"]} if "rule" in found else ())
        for row in found["rows"]:
            if not (is_others and has_others_number(row[0], row[1])):
                self.seals[row[0]][row[1]] = row[2]

    # Rows

    def _as_they_are(self, table: Table) -> None:
        only = [~owners.is_the_banks(_P.c.code)] if table is _P else []
        for batch in _batches(self.reading, table, self.stamp.organisation_id, *only):
            self._met(table, batch)
            if table is Tables.job:
                batch = [jobs.as_planned(row) for row in batch]  # noqa: PLW2901 - as it's written
            self._insert(table, batch)

    def _met(self, table: Table, batch: list[Row]) -> None:
        """Compare rows with their seals, and seal those that only the deployment's log knows."""
        if SALT not in table.columns:
            return
        for row in batch:
            made, is_known = self._compare(table, row)
            if not is_known:
                self._keep(table, row, made)

    def _compare(self, table: Table, row: Row) -> tuple[str, bool]:
        form = sealing.form(table)
        key, made = form.key(row), sealing.seal(row[SALT], form.text(row))
        known: Any = self.seals[table.name].pop(key, _MISSING)
        if known is not _MISSING and not sealing.same(known, made):
            raise _differs(f"{table.name} {key}")
        return made, known is not _MISSING

    def _keep(self, table: Table, row: Row, made: str) -> None:
        form = sealing.form(table)
        seal = Seal(table.name, form.key(row), made, form.values(row))
        self.rows.keep(table, self.stamp.organisation_id, seal)

    def _renumbered(self, table: Table, row: Row) -> Row:
        """Seal a row that has another number now."""
        form = sealing.form(table)
        self._keep(table, row, sealing.seal(row[SALT], form.text(row)))
        return row

    def _insert(self, table: Table, batch: list[Row]) -> None:
        if batch:
            self.rows.connection.execute(insert(table), batch)
            self.count += len(batch)

    def _settings(self) -> None:
        rule = Tables.rule
        decided = select(Tables.transfer.c.rule_id).where(
            rows_of(Tables.transfer, self.stamp.organisation_id)
        )
        self.rules.update(each for each in self.reading.execute(decided).scalars() if each)
        for row in self.reading.execute(select(rule.c.id, rule.c.body, rule.c.since)):
            if row.id in self.rules:
                self.rows.insert_if_new(rule, row._asdict())

    # Rows with numbers of the deployment

    def _bank_accounts(self) -> list[ledger.Key]:
        name = self.stamp.organisation_id
        mine = (rows_of(_P, name), owners.is_the_banks(_P.c.code))
        found = self.reading.execute(select(_P.c.code, _P.c.asset).where(*mine).distinct())
        return sorted((row.code, row.asset) for row in found)

    def _postings(self, keys: list[ledger.Key]) -> None:
        writing, name = self.rows.connection, self.stamp.organisation_id
        found = ledger.lock(writing, keys)
        found |= ledger.open_balances(self.rows, set(keys) - found.keys())
        before = dict(found)
        for batch in _batches(self.reading, _P, name, owners.is_the_banks(_P.c.code)):
            for row in batch:
                self._compare(_P, row)
            new = [self._renumbered(_P, ledger.moved(found, row)) for row in batch]
            self._insert(_P, new)
        changed = {
            key: (balance, before[key][1], version) for key, (balance, version) in found.items()
        }
        ledger.update_balances(writing, changed)

    def _events(self, ends: numbering.Ends) -> None:
        table = Tables.event
        for batch in _batches(self.reading, table, self.stamp.organisation_id):
            new = []
            for row in batch:
                self._compare(table, row)
                ends.event_seq += 1
                number = row["seq"] if row["number"] is None else row["number"]
                numbers = {"seq": ends.event_seq, "number": number}
                new.append(self._renumbered(table, {**row, **numbers}))
            self._insert(table, new)
        ends.own.events = ends.event_seq

    def _audits(self, ends: numbering.Ends, own: own_numbers.Own) -> None:
        table, last = Tables.audit, own.audit_hash
        for batch in _batches(self.reading, table, self.stamp.organisation_id):
            new = []
            for row in batch:
                self._compare(table, row)
                link, last = own_numbers.moved(row, ends.audit_seq + 1, ends.audit_hash)
                ends.audit_seq, ends.audit_hash = link["seq"], link["hash"]
                new.append(self._renumbered(table, link))
            self._insert(table, new)
        ends.own.audits = ends.audit_seq
        if last != own.audit_hash:
            raise _differs(f"the audit chain of {self.stamp.organisation_id}")

    def _require_all_met(self) -> None:
        """Rows that the log has and the database hasn't."""
        for table, left in self.seals.items():
            for key, known in left.items():
                is_shared = table in _OTHERS or (table == _L.name and has_others_number(table, key))
                if known is not None and not is_shared:
                    raise _differs(f"{table} {key}")


def _batches(
    connection: Connection, table: Table, organisation_id: str, *only: ColumnElement[bool]
) -> Iterator[list[Row]]:
    mine = select(table).where(rows_of(table, organisation_id), *only)
    streamed = connection.execute(
        mine.order_by(*table.primary_key), execution_options={"yield_per": _BATCH}
    )
    for part in streamed.mappings().partitions():
        yield [dict(row) for row in part]


def _rows(
    connection: Connection, table: Table, organisation_id: str, *only: ColumnElement[bool]
) -> Iterator[Row]:
    for batch in _batches(connection, table, organisation_id, *only):
        yield from batch


def _differs(what: str) -> ServiceUnavailable:
    return unavailable(
        "ROWS_DIFFER",
        f"{what} is not as it was sealed. The organisation stays where it is.",
        "Find out what happened: chainteller db verify.",
    )
