"""What the log says of single rows: the entry that wrote each of them last, and whether it's good.

An entry is good if its body has the hash that stands beside it, the columns that find it are what
it says, and its mark holds: then somebody with the writer's key wrote it in its place.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import merge
from typing import Any, NamedTuple

from chainteller.domain.clock import MINUTE
from chainteller.storage.db import records
from chainteller.storage.db.query import Query, Session, built, row_of
from chainteller.storage.db.records import Tables
from chainteller.storage.db.sources import Source
from chainteller.storage.db.table import SALT, Table
from chainteller.storage.log import entry, marks, moved, sealing, views
from chainteller.storage.log.entry import Entry
from chainteller.storage.log.rows import DEPLOYMENT

_TOGETHER = 50
FOLLOWED = 500
"""Entries of a trail that a row is followed back through before a payout."""
_ENTRIES = Source(records.Entry)
_BEFORE = "organisation_id = :organisation AND number < :before AND body IS NOT NULL"
_NEWEST_FIRST = f"ORDER BY number DESC LIMIT {_TOGETHER}"
_OF_WHOLE_LOG = _ENTRIES.where(f"{_BEFORE} {_NEWEST_FIRST}")
_OF_ACCOUNT = _ENTRIES.where(f"{_BEFORE} AND trading_account_id = :of {_NEWEST_FIRST}")
_OF_OBJECT = _ENTRIES.where(f"{_BEFORE} AND object = :of {_NEWEST_FIRST}")
_ONE = _ENTRIES.where("organisation_id = :organisation AND number = :number")
_SOME = _ENTRIES.where("organisation_id = :organisation AND number IN :numbers")
_NEWEST = 2**62
_STORED = row_of("salt", "text")
_KEYS, _KEY_MADE, _KEY_REVOKED = Tables.api_key.name, "create_api_key", "revoke_api_key"
"""The table of API keys, and the actions of ``engine.keys``."""
_BALANCE = Query(
    "SELECT balance, version FROM ledger_account "
    "WHERE code = :code AND asset = :asset AND organisation_id = :organisation",
    row_of("balance", "version"),
)
"""As they are stored: SQLite keeps a text in any column."""


class Kept(NamedTuple):
    """A row of a table, by its key."""

    table: Table
    key: str


class Trail(NamedTuple):
    """Where the entries about rows are: in the trail of an account, or about one of the objects.

    Only where a row is found in none of them, the whole log is searched, the newest entries first.
    """

    organisation_id: str
    account_id: str
    objects: Sequence[str]


def contradicted(connection: Session, trail: Trail, rows: Iterable[Kept]) -> str:
    """Which row isn't as the log says, in words; empty if every one is.

    A row is followed back through its writes: each must have found it as the one before left it,
    or it was altered in between and an honest write has sealed the alteration. The API keys under
    which it was written must have been in force then. The newest ``FOLLOWED`` entries of the trail
    are read for that; older alterations are found by verification, which reads everything once a
    day. Rows that were last written in archived entries aren't compared: verification with the
    archive does that.

    Raises:
        WriterKeyMissing: no mark can be checked.
    """
    followed = {(each.table.name, each.key): _Followed(each.table) for each in rows}
    said = _trail_contradicted(connection, trail, followed)
    if said:
        return said
    unseen = {place: each for place, each in followed.items() if not each.is_seen}
    for found in _of_log(connection, trail) if unseen else ():
        said = _follow(connection, found, unseen)
        unseen = {place: each for place, each in unseen.items() if not each.is_seen}
        if said or not unseen:
            return said
    if unseen and not _is_archived(connection, trail.organisation_id):
        name, key = next(iter(unseen))
        return f"no entry wrote {name} {key}"
    return ""


def _trail_contradicted(
    connection: Session, trail: Trail, followed: Mapping[tuple[str, str], "_Followed"]
) -> str:
    """Compare rows with the entries of a trail, and these with the API keys that wrote them."""
    uses: dict[str, Entry] = {}
    for found in _once(_of_trail(connection, trail), FOLLOWED):
        said = _follow(connection, found, followed)
        if said:
            return said
        if found.key_id and any((row[0], row[1]) in followed for row in found.rows):
            uses.setdefault(found.key_id, found)
    return next(filter(None, (_key_contradicted(connection, each) for each in uses.values())), "")


def _key_contradicted(connection: Session, use: Entry) -> str:
    """Why the API key that wrote an entry wasn't in force then, by the log; empty if it was.

    A minute passes at most between a key's check and what is written under it.
    """
    ends: list[int] = []
    is_made = False
    for row in _stream(connection, _OF_OBJECT, use.log, use.key_id, use.number):
        for found in _read(row):
            if not _is_good(connection, found):
                return f"entry {found.number} of {found.log} was altered"
            is_made = is_made or found.action == _KEY_MADE
            ends += [found.at] if found.action == _KEY_REVOKED else ()
            for name, key, _, *more in found.rows:
                if (name, key) == (_KEYS, use.key_id) and more:
                    told = (more[0].get("expires"), more[0].get("revoked_at"))
                    ends += [each for each in told if each is not None]
    if ends and min(ends) + MINUTE < use.at:
        return f"API key {use.key_id} had ended before entry {use.number} was written under it"
    if is_made or _is_archived(connection, use.log):
        return ""
    return f"no entry made API key {use.key_id}"


def seal_contradicted(connection: Session, trail: Trail, row: Kept, seal: str, size: int) -> str:
    """Why a row with this seal isn't what its log's first ``size`` entries left, in words; empty if
    it is. Only entries about the trail's objects are read, and one after each: a write that is
    about several objects names its rows in its last entry.

    Raises:
        WriterKeyMissing: no mark can be checked.
    """
    of = trail.organisation_id
    parts = [_stream(connection, _OF_OBJECT, of, each, size + 1) for each in trail.objects]
    for about in _once(merge(*parts, key=lambda row: -row.number)):
        following = _at(connection, of, about.number + 1) if about.number < size else ()
        for found in (*following, about):
            made = [told[2] for told in found.rows if told[:2] == [row.table.name, row.key]]
            if not made:
                continue
            if not _is_good(connection, found):
                return f"entry {found.number} of {found.log} was altered"
            return "" if made == [seal] else f"{row.key} isn't as entry {found.number} says"
    if _is_archived(connection, of):
        return ""
    return f"no entry wrote {row.table.name} {row.key}"


class _Followed:
    """How far a row was followed back."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.is_seen = False
        self.is_whole = False
        """Whether the write that made it was reached."""
        self.left: str | None = None
        """The seal that the next older write must have left."""
        self.number = _NEWEST
        """Of the oldest entry that was followed."""

    def take(self, number: int, before: Sequence[Any]) -> None:
        """An entry wrote it, over what it says of the row ``before``."""
        self.is_seen, self.number = True, number
        self.left = before[1] if len(before) > 1 else None
        self.is_whole = self.left is None


def _follow(
    connection: Session, found: Entry, followed: Mapping[tuple[str, str], _Followed]
) -> str:
    """Compare what an entry wrote with what is known of younger writes; what is wrong, in words."""
    for name, key, made, *more in found.rows:
        row = followed.get((name, key))
        if row is None or row.is_whole:
            continue
        if not _is_good(connection, found):
            return f"entry {found.number} of {found.log} was altered"
        if not row.is_seen:
            if made != seal_of(connection, row.table, key):
                return f"{name} {key} isn't as entry {found.number} says"
        elif made != row.left:
            _follow_to(connection, found, row, (name, key))
            if made != row.left:
                return f"{name} {key} was altered after entry {found.number} and written again"
        row.take(found.number, more)
    return ""


def _follow_to(connection: Session, older: Entry, row: "_Followed", place: tuple[str, str]) -> None:
    """Follow a row back to an entry through those that aren't of its trail: what is put right in
    many rows at once, as after a clock was accepted, is about none of them.
    """
    for each in _stream(connection, _OF_WHOLE_LOG, older.log, "", row.number):
        if each.number <= older.number:
            return
        for found in _read(each):
            for name, key, made, *more in found.rows:
                if (name, key) != place:
                    continue
                if made != row.left or not _is_good(connection, found):
                    return
                row.take(found.number, more)


def _is_archived(connection: Session, organisation_id: str) -> bool:
    """Whether a good entry of the deployment's log says that an archive has entries of a log."""
    for row in _stream(connection, _OF_OBJECT, DEPLOYMENT, moved.DATABASE):
        for found in _read(row):
            told = moved.told_by(found)
            if told is not None and told[0] == organisation_id and _is_good(connection, found):
                return True
    return False


def seal_of(connection: Session, table: Table, key: str) -> str | None:
    """The seal of a row as it's stored now; None where there is none."""
    form = sealing.form(table)
    found_by = form.primary_key(key)
    if found_by is None:
        return None
    here = " AND ".join(f'"{name}" = :{name}' for name in found_by)
    written = form.sql_bytes(connection.dialect.name)
    query = built(f'SELECT "{SALT}", {written} FROM "{table.name}" WHERE {here}', _STORED)
    row = connection.execute(query, found_by).first()
    return None if row is None else sealing.seal(row.salt, row.text)


def balance_contradicted(connection: Session, trail: Trail, code: str, asset: str) -> str:
    """As ``contradicted``, of a balance of the trail's account: it's as the newest entry that
    moved it left it."""
    row = _BALANCE.first(connection, code, asset, trail.organisation_id)
    for found in _once(_stream(connection, _OF_ACCOUNT, trail.organisation_id, trail.account_id)):
        legs = [leg for posted in found.journals for leg in posted.legs]
        for leg in reversed(legs):
            if (leg.code, leg.asset) == (code, asset):
                if not _is_good(connection, found):
                    return f"entry {found.number} of {found.log} was altered"
                is_same = row is not None and (str(row.balance), str(row.version)) == (
                    str(leg.after),
                    str(leg.version),
                )
                return "" if is_same else f"{code} {asset} isn't as entry {found.number} says"
    if _is_archived(connection, trail.organisation_id):
        return ""
    return f"no entry moved {code} {asset}"


def _of_trail(connection: Session, trail: Trail) -> Iterator[Any]:
    """The rows of the entries of a trail, the newest first; some more than once."""
    of = trail.organisation_id
    parts = [_stream(connection, _OF_ACCOUNT, of, trail.account_id)]
    parts += [_stream(connection, _OF_OBJECT, of, each) for each in trail.objects]
    return merge(*parts, key=lambda row: -row.number)


def _once(rows: Iterator[Any], most: int = _NEWEST) -> Iterator[Entry]:
    """At most so many entries, each once."""
    last, count = 0, 0
    for row in rows:
        if row.number != last:
            last, count = row.number, count + 1
            if count > most:
                return
            yield from _read(row)


def _at(connection: Session, organisation_id: str, number: int) -> Iterator[Entry]:
    """The entry with a number, if its body is here."""
    row = _ONE.first(connection, organisation_id, number)
    return iter(()) if row is None or row.body is None else _read(row)


def _of_log(connection: Session, trail: Trail) -> Iterator[Entry]:
    for row in _stream(connection, _OF_WHOLE_LOG, trail.organisation_id, ""):
        yield from _read(row)


def _read(row: Any) -> Iterator[Entry]:
    try:
        yield entry.opened(row.number, row.body)
    except ValueError:
        return  # another row or none will be found instead, which isn't as this one said


def _stream(
    connection: Session, query: Query, organisation_id: str, of: str, before: int = _NEWEST
) -> Iterator[Any]:
    while True:
        values = {"organisation": organisation_id, "before": before, "of": of}
        rows = connection.execute(query, values).all()
        yield from rows
        if len(rows) < _TOGETHER:
            return
        before = rows[-1].number


def altered(connection: Session, organisation_id: str, numbers: Iterable[int]) -> int | None:
    """The first of some entries that nobody with the writer's key wrote in its place; None if each
    is good.

    Raises:
        WriterKeyMissing: no mark can be checked.
    """
    wanted = sorted(set(numbers))
    marker = marks.of(connection)
    marker.require(connection)
    around = sorted({*wanted, *(each - 1 for each in wanted)})
    rows = {row.number: row for row in _SOME.rows(connection, organisation_id, around)}
    for number in wanted:
        row, former = rows.get(number), rows.get(number - 1)
        found = next(_read(row), None) if row is not None and row.body is not None else None
        before = b"" if former is None else former.mark
        if found is None or found.log != organisation_id or not _holds(marker, row, found, before):
            return number
    return None


def _is_good(connection: Session, found: Entry) -> bool:
    """Whether an entry was written, in its place, by somebody with the writer's key."""
    marker = marks.of(connection)
    marker.require(connection)
    row = _ONE.run(connection, found.log, found.number).one()
    return _holds(marker, row, found, views.mark_of(connection, found.log, found.number - 1))


def _holds(marker: marks.Marker, row: Any, found: Entry, before: bytes) -> bool:
    """As ``_is_good``, of an entry's row and the mark of the one before it."""
    leaf = entry.leaf_of(entry.unpack(row.body))
    columns = (row.at, row.action, row.object, row.trading_account_id, row.case_id or "")
    return (
        leaf == row.leaf
        and row.mark == marker.mark(found.log, found.number, leaf, before)
        and columns == (found.at, found.action, found.object, found.account, found.case_id)
    )
