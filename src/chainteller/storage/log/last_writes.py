"""What the log says of single rows: the entry that wrote each of them last, and whether it's good.

An entry is good if its body has the hash that stands beside it, the columns that find it are what
it says, and its mark holds: then somebody with the writer's key wrote it in its place.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from heapq import merge
from typing import Any, NamedTuple

from chainteller.domain.clock import HOUR, MINUTE
from chainteller.storage.db import records
from chainteller.storage.db.query import Query, Session, row_of
from chainteller.storage.db.records import Tables
from chainteller.storage.db.sources import Source
from chainteller.storage.db.table import SALT, Table
from chainteller.storage.log import entry, marks, moved, sealing
from chainteller.storage.log.entry import Entry
from chainteller.storage.log.rows import DEPLOYMENT

CLOCK = "clock"
"""The object of entries about the clock: one that accepts it puts right many rows, and is about
none of them."""
RECENT = HOUR
"""For how long a trail is followed back: older entries were looked at, with what they wrote, while
the bank worked."""
_LEAST, _MOST = 10, 500
"""Entries of a trail that are read in any case, and at most."""
_FIRST, _TOGETHER = 8, 64
"""Entries that are read at once, at first and later."""
_FORMER = (
    "(SELECT former.mark FROM entry AS former WHERE former.organisation_id = entry.organisation_id "
    "AND former.number = entry.number - 1)"
)
_ENTRIES = Source(records.Entry, former=(_FORMER, bytes | None))
"""Entries, each with the mark of the one before it."""
_BEFORE = "organisation_id = :organisation AND number < :before AND body IS NOT NULL"
_NEWEST_FIRST = "ORDER BY number DESC LIMIT :most"
_OF_WHOLE_LOG = _ENTRIES.where(f"{_BEFORE} {_NEWEST_FIRST}")
_OF_ACCOUNT = _ENTRIES.where(
    f"{_BEFORE} AND trading_account_id = :of AND action <> 'create_quote' {_NEWEST_FIRST}"
)
"""Without new quotes, of which an account may have any number: what creates one posts nothing and
writes no other row, and it's about the quote."""
_OF_OBJECT = _ENTRIES.where(f"{_BEFORE} AND object = :of {_NEWEST_FIRST}")
_SOME = _ENTRIES.where("organisation_id = :organisation AND number IN :numbers")
_NEWEST_ABOUT = _ENTRIES.where(
    "organisation_id = :organisation AND object = :of ORDER BY number DESC LIMIT 1"
)
_NEWEST = 2**62
_KEYS = Tables.api_key.name
KEY_MADE, KEY_REVOKED = "create_api_key", "revoke_api_key"
"""Actions of ``engine.keys``."""


class Kept(NamedTuple):
    """A row of a table, by its key."""

    table: Table
    key: str

    @property
    def place(self) -> str:
        """How a breach names it."""
        return f"{self.table.name} {self.key}"


class Trail(NamedTuple):
    """Where the entries about rows are: in the trail of an account, about one of the objects, or
    about the clock.

    Only where a row is found in none of them, the whole log is searched, the newest entries first.
    """

    organisation_id: str
    account_id: str
    objects: Sequence[str]


class _Found(NamedTuple):
    """An entry as it's stored, with its unpacked body and what that says."""

    row: Any
    body: bytes
    entry: Entry


def contradicted(connection: Session, trail: Trail, rows: Iterable[Kept]) -> str:
    """Which row isn't as the log says, in words; empty if every one is.

    A row is followed back through its writes: each must have found it as the one before left it,
    or it was altered in between and an honest write has sealed the alteration. The API keys under
    which it was written must have been in force then. The trail is read for that as far as it's
    ``RECENT``, and each row at least to the write before the last one, or to the one that made it:
    what an honest write found may have been made up. No archive takes the entry that a row rests
    on.

    Args:
        connection: in any transaction.
        trail: where entries about the rows are.
        rows: are compared.

    Raises:
        WriterKeyMissing: no mark can be checked.
    """
    of, uses = trail.organisation_id, dict[str, Entry]()
    compared = _Compared(connection)
    for each in rows:
        compared.rows[each.table.name, each.key] = _Followed(seal_of(connection, *each))
    of_trail = _of_trail(connection, trail)
    others = [each for each in trail.objects if each != trail.account_id]
    said = compared.follow_all(_recent(of_trail, compared), uses)
    if not said:
        compared.found_by(_about(connection, of, others))
        compared = compared.unfounded()
    for entries in (of_trail, _entries(_stream(connection, _OF_WHOLE_LOG, of, ""))):
        if said or not compared.rows:
            break
        said = compared.follow_all(entries, uses)
        compared = compared.unfounded()
    said = said or compared.unmade(of)
    if said:
        return said
    return next(filter(None, (_key_contradicted(connection, each) for each in uses.values())), "")


def newest_contradicted(
    connection: Session, trail: Trail, row: Kept, statuses: Collection[str]
) -> str:
    """Why a row of the trail's account isn't as the newest entry about it says, in words. How it
    became so isn't asked, nor about a row to which that entry gives none of the statuses: that's
    enough for rows that are added up. Most are last written by an entry about themselves or the
    trail's objects; the account's trail is read where that one says otherwise.

    Raises:
        WriterKeyMissing: no mark can be checked.
    """
    about = trail._replace(account_id="")
    if trail.objects and not _newest(connection, about, row, statuses):
        return ""
    return _newest(connection, trail, row, statuses)


def _newest(connection: Session, trail: Trail, row: Kept, statuses: Collection[str]) -> str:
    name, key = place = row.table.name, row.key
    for found in _of_trail(connection, trail):
        for *written, made, terms in ([*each[:3], each[3:4]] for each in found.entry.rows):
            if tuple(written) != place:
                continue
            if not _is_good(connection, found):
                return _altered(found)
            status = terms[0].get("status") if terms else None
            is_added = status is None or status in statuses
            is_same = not is_added or made == seal_of(connection, row.table, key)
            return "" if is_same else f"{name} {key} {_isnt_as(found.entry)}"
    return f"no entry wrote {name} {key}"


def _recent(of_trail: Iterator[_Found], compared: "_Compared") -> Iterator[_Found]:
    """The newest entries of a trail, as far as they have to be read; the others are left in it."""
    newest = 0
    for count, found in enumerate(of_trail):
        newest = newest or found.entry.at
        yield found
        is_old = count >= _LEAST and newest - found.entry.at > RECENT
        if is_old or count >= _MOST:
            return
    compared.is_whole = True


def _key_contradicted(connection: Session, use: Entry) -> str:
    """Why the API key that wrote an entry wasn't in force then, by the log; empty if it was.

    A minute passes at most between a key's check and what is written under it.
    """
    ends: list[int] = []
    is_made = False
    for found in _about(connection, use.log, (use.key_id,), use.number):
        if not _is_good(connection, found):
            return _altered(found)
        told = found.entry
        is_made = is_made or told.action == KEY_MADE
        ends += [told.at] if told.action == KEY_REVOKED else ()
        for name, key, _, *more in told.rows:
            if (name, key) == (_KEYS, use.key_id) and more:
                until = (more[0].get("expires"), more[0].get("revoked_at"))
                ends += [each for each in until if each is not None]
    if ends and min(ends) + MINUTE < use.at:
        return f"API key {use.key_id} had ended before entry {use.number} was written under it"
    return "" if is_made else f"no entry made API key {use.key_id}"


def seal_contradicted(
    connection: Session, trail: Trail, row: Kept, seal: str, size: int, at: int
) -> str:
    """Why a row with this seal isn't what its log's first ``size`` entries left, in words; empty if
    it is. Only entries about the trail's objects and the clock are read. One from a minute before
    the row was read, ``at``, was there whatever the log's own row said of its size.

    Raises:
        WriterKeyMissing: no mark can be checked.
    """
    of = trail.organisation_id
    for found in _about(connection, of, (*trail.objects, CLOCK)):
        if found.entry.number > size and found.entry.at > at - MINUTE:
            continue
        made = [told[2] for told in found.entry.rows if told[:2] == [row.table.name, row.key]]
        if not made:
            continue
        if not _is_good(connection, found):
            return _altered(found)
        return "" if made == [seal] else f"{row.key} {_isnt_as(found.entry)}"
    return f"no entry wrote {row.place}"


class _Followed:
    """How far a row was followed back, from what it is now."""

    def __init__(self, seal: str | None) -> None:
        self.left = seal
        """The seal that the next older write must have left."""
        self.number = 0
        """Of the last entry through which it was followed; 0 if none named it so far."""
        self.is_founded = False
        """Whether an older entry named it, too, or that one made it."""
        self.is_whole = False
        """Whether the write that made it was reached."""

    def take(self, number: int, before: Sequence[Any]) -> None:
        """An entry wrote it, over what it says of the row ``before``."""
        self.left = before[1] if len(before) > 1 else None
        self.is_whole = self.left is None
        self.is_founded = self.is_whole or self.number > 0
        self.number = number


class _Compared:
    """Rows as they are followed back through entries."""

    def __init__(self, connection: Session) -> None:
        self._connection = connection
        self.rows: dict[tuple[str, str], _Followed] = {}
        self.is_whole = False
        """Whether there are no older entries."""
        self._is_rest = False
        """Whether it's enough to find each row so often that it's founded."""

    def unfounded(self) -> "_Compared":
        """The rows that have to be followed further."""
        rest = _Compared(self._connection)
        rest._is_rest = True
        rest.rows = {place: each for place, each in self.rows.items() if not each.is_founded}
        return rest

    def found_by(self, entries: Iterator[_Found]) -> None:
        """Find rows that were followed only once in earlier entries about their objects, which are
        few. How they left them was looked at when they were ``RECENT``."""
        rows = {place: each for place, each in self.rows.items() if each.number}
        while any(not each.is_founded for each in rows.values()):
            found = next(entries, None)
            if found is None:
                return
            for name, key, *_ in found.entry.rows if _is_good(self._connection, found) else ():
                row = rows.get((name, key))
                if row is not None and found.entry.number < row.number:
                    row.is_founded = True

    def unmade(self, organisation_id: str) -> str:
        """Which row no entry made, in words. An archive may have the write before the last one."""
        for (name, key), each in self.rows.items():
            if not each.number:
                return f"no entry wrote {name} {key}"
            if each.number > archived(self._connection, organisation_id).size:
                return f"no entry made {name} {key}, which entry {each.number} found"
        return ""

    def follow_all(self, entries: Iterator[_Found], uses: dict[str, Entry]) -> str:
        """Follow everything back through entries, the newest first; what is wrong, in words.
        ``uses`` gets the newest entry of each API key that wrote a row; the deployment's log has no
        entries about keys."""
        for found in entries:
            if said := self.follow(found):
                return said
            key_id = "" if found.entry.log == DEPLOYMENT else found.entry.key_id
            if key_id and any((name, key) in self.rows for name, key, *_ in found.entry.rows):
                uses.setdefault(key_id, found.entry)
            if self._is_done:
                return ""
        return ""

    @property
    def _is_done(self) -> bool:
        rows = self.rows.values()
        if self._is_rest:
            return all(each.is_founded for each in rows)
        return all(each.is_whole for each in rows)

    def follow(self, found: _Found) -> str:
        """Compare what an entry wrote with what is known of younger writes; what is wrong, in
        words."""
        told = found.entry
        if not _is_good(self._connection, found):
            return _altered(found)
        for name, key, made, *more in told.rows:
            row = self.rows.get((name, key))
            if row is None or row.is_whole or 0 < row.number <= told.number:
                continue
            if made != row.left and not (self._is_rest and row.number):
                is_later = f"was altered after entry {told.number} and written again"
                return f"{name} {key} {is_later if row.number else _isnt_as(told)}"
            row.take(told.number, more)
        return ""


def _isnt_as(told: Entry) -> str:
    return f"isn't as entry {told.number} says"


def _altered(found: _Found) -> str:
    return f"entry {found.entry.number} of {found.entry.log} was altered"


def archived(connection: Session, organisation_id: str) -> moved.Told:
    """What an archive took last of a log, as a good entry of the deployment's log says."""
    for found in _about(connection, DEPLOYMENT, (moved.DATABASE,)):
        told = moved.told_by(found.entry)
        if told is not None and told[0] == organisation_id and _is_good(connection, found):
            return told[1]
    return moved.Told(0, 0, "")


def is_archived(connection: Session, organisation_id: str, subject: str, since: int) -> bool:
    """Whether the newest entry about something is from before an instant and of archived time, so
    that an archive may have what wrote it last. Raises WriterKeyMissing."""
    upto = archived(connection, organisation_id).upto
    for row in _NEWEST_ABOUT.rows(connection, organisation_id, subject):
        is_old = row.number <= upto and row.at < since
        return is_old and (row.body is None or any(_is_good(connection, e) for e in _read(row)))
    return False


def seal_of(connection: Session, table: Table, key: str) -> str | None:
    """The seal of a row as it's stored now; None where there is none."""
    found_by = sealing.form(table).primary_key(key)
    if found_by is None:
        return None
    row = connection.execute(_stored(table, connection.dialect.name), found_by).first()
    return None if row is None else sealing.seal(row.salt, row.text)


@cache
def _stored(table: Table, dialect: str) -> Query:
    """The query of a row's salt, and of its cells as its seal is made of them."""
    form = sealing.form(table)
    here = " AND ".join(f'"{name}" = :{name}' for name in form.key_names)
    text = f'SELECT "{SALT}", {form.sql_bytes(dialect)} FROM "{table.name}" WHERE {here}'
    return Query(text, row_of("salt", "text"), is_declared=False)


def _of_trail(connection: Session, trail: Trail) -> Iterator[_Found]:
    """The entries of a trail, the newest first."""
    of, account = trail.organisation_id, trail.account_id
    objects = [each for each in trail.objects if each != account]
    parts = [_stream(connection, _OF_OBJECT, of, each) for each in (*objects, CLOCK)]
    if account:
        parts.append(_stream(connection, _OF_ACCOUNT, of, account))
    return _entries(*parts)


def _entries(*streams: Iterator[Any]) -> Iterator[_Found]:
    """The entries of several streams of rows, the newest first, each once."""
    last = 0
    for row in merge(*streams, key=lambda row: -row.number):
        if row.number != last:
            last = row.number
            yield from _read(row)


def _about(
    connection: Session, organisation_id: str, objects: Sequence[str], before: int = _NEWEST
) -> Iterator[_Found]:
    """The entries about some objects before a number, the newest first."""
    parts = [_stream(connection, _OF_OBJECT, organisation_id, each, before) for each in objects]
    return _entries(*parts)


def _at(connection: Session, organisation_id: str, numbers: Sequence[int]) -> list[_Found]:
    """The entries with these numbers whose bodies are here and can be read."""
    rows = _SOME.rows(connection, organisation_id, list(numbers))
    return [found for row in rows if row.body is not None for found in _read(row)]


def _read(row: Any) -> Iterator[_Found]:
    try:
        body = entry.unpack(row.body)
        yield _Found(row, body, entry.read(row.number, body))
    except ValueError:
        return  # another row or none will be found instead, which isn't as this one said


def _stream(
    connection: Session, query: Query, organisation_id: str, of: str, before: int = _NEWEST
) -> Iterator[Any]:
    most = _FIRST
    while True:
        values = {"organisation": organisation_id, "before": before, "of": of, "most": most}
        rows = connection.execute(query, values).all()
        yield from rows
        if len(rows) < most:
            return
        before, most = rows[-1].number, _TOGETHER


def is_written(connection: Session, trail: Trail, row: Kept) -> bool:
    """Whether an entry of the trail says that it wrote a row, whoever wrote the entry."""
    place = [row.table.name, row.key]
    entries = _of_trail(connection, trail)
    return any(told[:2] == place for found in entries for told in found.entry.rows)


def told_about(connection: Session, organisation_id: str, subject: str) -> list[Entry]:
    """What the entries about an object say whose bodies are here, the newest first.

    Raises:
        ValueError: one of them was altered.
        WriterKeyMissing: no mark can be checked.
    """
    found = list(_about(connection, organisation_id, (subject,)))
    for each in found:
        if not _is_good(connection, each):
            raise ValueError(_altered(each))
    return [each.entry for each in found]


def altered(connection: Session, organisation_id: str, numbers: Iterable[int]) -> int | None:
    """The first of some entries that nobody with the writer's key wrote in its place; None if each
    is good. Raises WriterKeyMissing: no mark can be checked."""
    wanted = sorted(set(numbers))
    found = {each.entry.number: each for each in _at(connection, organisation_id, wanted)}
    for number in wanted:
        if number not in found or not _is_good(connection, found[number]):
            return number
    return None


def _is_good(connection: Session, found: _Found) -> bool:
    """Whether an entry was written, in its place, by somebody with the writer's key."""
    marker = marks.of(connection)
    marker.require(connection)
    row, told = found.row, found.entry
    leaf = entry.leaf_of(found.body)
    return (
        leaf == row.leaf
        and row.mark == marker.mark(told.log, told.number, leaf, row.former or b"")
        and is_filed(row, told)
    )


def is_filed(row: Any, told: Entry) -> bool:
    """Whether an entry's columns, by which it's found, are what it says."""
    columns = (row.organisation_id, row.at, row.action, row.object, row.trading_account_id)
    said = (told.log, told.at, told.action, told.object, told.account)
    return columns == said and (row.case_id or "") == told.case_id
