"""Writing entries: number, instant, mark and place in the log, as a write's last statements.

The ends of the logs are locked after everything else that a write locks; the bank's own balances,
which all writes of an organisation share, follow. On PostgreSQL one round trip locks the end, and
the next one writes the entries and commits.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from chainteller.domain.actors import DEFAULT_ORGANISATION
from chainteller.domain.ledger import CUSTOMER_PREFIX
from chainteller.storage.db import records
from chainteller.storage.db.faults import require_known
from chainteller.storage.db.query import POSTGRESQL, Query, Session, row_of
from chainteller.storage.db.session import NUMBER
from chainteller.storage.db.sources import insert
from chainteller.storage.log import entry, ledger, marks
from chainteller.storage.log.entry import Act, Stamp
from chainteller.storage.log.rows import DEPLOYMENT, Writer

_NAMES = ("size", "last_at", "mark", "marked_with", "floor", "provider")
_COLUMNS = (
    "size, last_at, mark, marked_with, (SELECT version_num FROM alembic_version) AS floor, "
    f"(SELECT address FROM provider WHERE organisation_id = '{DEFAULT_ORGANISATION}') AS provider"
)
"""The floor is the oldest revision that a build may know and still write: an upgrade may have
raised it. The provider is there in a gateway's database alone."""
_END = Query(f"SELECT {_COLUMNS} FROM log WHERE organisation_id = :organisation", row_of(*_NAMES))
_END_LOCKED = Query(
    f"SELECT {_COLUMNS}, {NUMBER} AS transaction_number FROM log "
    "WHERE organisation_id = :organisation FOR UPDATE OF log",
    row_of(*_NAMES, "transaction_number"),
    only=POSTGRESQL,
)
_GROW = Query(
    "UPDATE log SET size = :size, last_at = :last_at, mark = :mark, marked_with = :key "
    "WHERE organisation_id = :organisation"
)
GOES_BACK = frozenset({"accept_clock"})
"""Actions whose entries may have an earlier instant than the entry before them."""
_INSERT, _INSERT_JOURNAL, _BEGIN = map(insert, (records.Entry, records.Journal, records.Log))


class End(NamedTuple):
    """Where a log ends, locked until the transaction does; ``transaction`` is the ``NUMBER`` of
    that, None on SQLite. ``provider`` is the address of the deployment that the database is in
    front of, empty in a bank's own."""

    size: int
    last_at: int
    mark: bytes
    marked_with: str
    provider: str = ""
    transaction: str | None = None


def begin(connection: Session, organisation_id: str) -> None:
    """Begin the log of a new organisation, which has no entry yet."""
    connection.later(
        _BEGIN,
        {
            "organisation_id": organisation_id,
            "size": 0,
            "last_at": 0,
            "mark": b"",
            "marked_with": "",
            "archived": 0,
            "moved": 0,
        },
    )


def lock(connection: Session, organisation_id: str) -> End:
    """Lock the end of a log; everything that the write sent before has run. A log that isn't there
    is begun: a row that was altered names an organisation that nobody created.

    Raises:
        ServiceUnavailable: NEWER_SCHEMA, the database was upgraded meanwhile so that this build
            mustn't write to it any more.
        WriterKeyMissing: the key can't be read, or isn't the one that marked the logs.
    """
    is_postgres = connection.dialect.name == POSTGRESQL
    statement = _END_LOCKED if is_postgres else _END
    named = {"organisation": organisation_id}
    end = connection.last(organisation_id, statement, named)
    if end is None:
        begin(connection, organisation_id)
        end = connection.last(organisation_id, statement, named)
    if isinstance(end, End):
        return end
    require_known(end.floor)
    number = end.transaction_number if is_postgres else None
    return End(end.size, end.last_at, end.mark, end.marked_with, end.provider or "", number)


def append(
    rows: Writer,
    ends: Mapping[str, End],
    acts: Mapping[str, Sequence[Act]],
    at: int,
    stamp: Stamp,
) -> dict[str, int]:
    """Put acts on record, and post what they post to the bank's own accounts; returns the number of
    the last entry of each log.

    ``ends`` are of the logs that are locked already. Within a log, time never goes back: an entry
    has the instant of the one before it if that is later, unless it says that a person accepted an
    earlier time.

    Raises:
        ServiceUnavailable, WriterKeyMissing: as ``lock``.
    """
    connection = rows.connection
    marker = marks.of(connection)
    sizes: dict[str, int] = {}
    names = sorted(acts.keys() - {DEPLOYMENT})  # as logs are locked
    names += acts.keys() & {DEPLOYMENT}
    for name in names:
        end = ends.get(name) or lock(connection, name)
        size, mark, last_at = end.size, end.mark, end.last_at
        if size or name != DEPLOYMENT:
            marker.require(connection, end.marked_with)
        for act in acts[name]:
            size += 1
            last_at = at if act.action in GOES_BACK else max(at, last_at)
            body = entry.body(name, last_at, act, stamp, rows.randomness)
            leaf = entry.leaf_of(body)
            if size == 1 and name == DEPLOYMENT:
                marker.begin(leaf)
            mark = marker.mark(name, size, leaf, mark)
            values = {
                "organisation_id": name,
                "number": size,
                "at": last_at,
                "action": act.action,
                "object": act.object,
                "trading_account_id": act.account,
                "leaf": leaf,
                "mark": mark,
                "body": entry.pack(body),
                "case_id": stamp.case_id or None,
            }
            connection.later(_INSERT, values)
            place = {"organisation_id": name, "number": size}
            for posted in act.journals:
                journal = {**place, "record": posted.record, "kind": posted.kind}
                connection.later(_INSERT_JOURNAL, journal)
        grown = {"size": size, "last_at": last_at, "mark": mark, "key": marker.name}
        connection.later(_GROW, {"organisation": name} | grown)
        left = End(size, last_at, mark, marker.name, end.provider, end.transaction)
        connection.leave(name, left)
        sizes[name] = size
    for name in names:
        ledger.move_bank(connection, name, _of_bank(acts[name]))
    return sizes


def create(rows: Writer, act: Act) -> None:
    """Write the first entry of a new database, which names the deployment, and make its key. Raises
    WriterKeyMissing: the key can't be written or read."""
    end = lock(rows.connection, DEPLOYMENT)
    append(rows, {DEPLOYMENT: end}, {DEPLOYMENT: [act]}, 0, Stamp())


def _of_bank(acts: Iterable[Act]) -> dict[ledger.Key, tuple[int, int]]:
    """By how much the bank's accounts change, and by how many postings."""
    found: dict[ledger.Key, tuple[int, int]] = {}
    for act in acts:
        for posted in act.journals:
            for leg in posted.legs:
                if not leg.code.startswith(CUSTOMER_PREFIX):
                    change, count = found.get(leg[:2], (0, 0))
                    found[leg[:2]] = change + leg.change, count + 1
    return found
