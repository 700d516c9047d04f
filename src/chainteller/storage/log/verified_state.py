"""What the logs say of the rows and balances that a payout rests on, kept outside the database.

Whoever may write to the database can put a row back to an earlier state and take the entry that
changed it out of the log's middle, or file it under another record: what is found by its record
isn't all there is. So each log is followed from its first entry on, along the chain of its marks,
and what it says last of each row is kept in a private file. It costs each entry once.
"""

import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from chainteller.domain.clock import MINUTE
from chainteller.domain.ledger import Bucket, customer, owner
from chainteller.paths import private_folder
from chainteller.private_files import open_private
from chainteller.service.errors import ServiceUnavailable
from chainteller.sqlite import sqlite3
from chainteller.storage.db import records
from chainteller.storage.db.query import Query, Session, row_of
from chainteller.storage.db.records import Tables
from chainteller.storage.db.sources import Source
from chainteller.storage.db.sqlite import journal_mode
from chainteller.storage.log import entry, last_writes, marks, moved
from chainteller.storage.log.entry import Entry, Leg
from chainteller.storage.log.last_writes import Kept
from chainteller.storage.log.rows import DEPLOYMENT, ENDED, LASTING

MOST = 10_000
"""Entries of a log that are read at once, in less than half a second: the sample bank has fewer."""
LOG_UNREAD = "LOG_UNREAD"
"""Why nothing is paid yet."""
FEW = 500
"""Entries that are read at once for what doesn't wait for the rest, and in one statement."""
_PATIENCE_S = 60
"""For another process that reads on."""
_FOLLOWED = {each.name: ENDED.get(each, ()) for each in (*LASTING, *ENDED)} | {
    Tables.decision.name: ()
}
"""Tables with rows that a payout rests on, or another comparison, or whose keys open something, and
the statuses of rows of which nothing is kept: a payout asks for decisions that have ended."""
_ENDING = {name for name, ended in _FOLLOWED.items() if ended}
_BALANCE, _KEY_ENDS, _DISPUTE = "balance", "key ends", "dispute"
_ARCHIVED, _EMPTY = "archived", "empty"
"""What else is kept beside rows: of a customer's balance its amount and version, of an API key when
it ends, of a dispute its place, of a log how far an archive took its bodies, and its last entry
without one."""
_DISPUTED, _CLEARED = "dispute_books", "clear_dispute"
"""Actions of ``engine.disputes``."""
_KEY_MADE, _KEY_REVOKED = "create_api_key", "revoke_api_key"
"""Actions of ``engine.keys``."""
_NEVER = ""
_FORM = 1
_TABLES = f"""
    CREATE TABLE IF NOT EXISTS log (
        name TEXT PRIMARY KEY, size INTEGER NOT NULL, mark BLOB NOT NULL, wrong TEXT NOT NULL
    );
    CREATE TABLE IF NOT EXISTS said (
        name TEXT NOT NULL, key TEXT NOT NULL, number INTEGER NOT NULL, what TEXT,
        wrong TEXT NOT NULL, places TEXT NOT NULL, PRIMARY KEY (name, key)
    ) WITHOUT ROWID;
    PRAGMA user_version = {_FORM};
"""
_WRONG = "SELECT name, wrong FROM log WHERE name IN (?, ?) AND wrong <> ''"
_FROM = Source(records.Entry).where(
    "organisation_id = :organisation AND number >= :first ORDER BY number LIMIT :most"
)
_BALANCES = Query(
    "SELECT code, asset, balance, version FROM ledger_account "
    "WHERE code IN :codes AND organisation_id = :organisation",
    row_of("code", "asset", "balance", "version"),
)
"""As they are stored: SQLite keeps a text in any column."""
_log = logging.getLogger(__name__)


class Followed(NamedTuple):
    """What an organisation's log and the deployment's say, as they were followed."""

    state: "VerifiedState"
    connection: Session
    organisation: str
    wrong: Mapping[str, str]
    """What is wrong, in words, by log."""
    sizes: tuple[int, ...]
    """How many entries of the two were read."""
    is_whole: bool
    """Whether these are all that the connection sees, and no more. More of them were read where it
    began earlier, where a transaction was rolled back, or where a log was cut, which the kept heads
    show."""

    def require_whole(self) -> None:
        """Raises ServiceUnavailable."""
        if not self.is_whole:
            why = "The log is being read, and nothing is paid until it has been."
            raise ServiceUnavailable(why, {"reason": LOG_UNREAD})

    def contradicted(self, rows: Sequence[Kept], account: str) -> str:
        """Which row, or balance of an account, isn't as its log says; in words, empty if each is.

        Raises:
            WriterKeyMissing: as ``VerifiedState.follow``.
            ServiceUnavailable: the logs aren't read to their ends.
        """
        self.require_whole()
        said = self._contradicted(rows, account)
        again = self._again() if said else None
        return said if again is None else again.contradicted(rows, account)

    def _contradicted(self, rows: Sequence[Kept], account: str) -> str:
        for each in rows:
            said = self._of_row(each)
            if said is None or said:
                return said or f"no entry wrote {each.place}"
        return self.state.balances_contradicted(self.connection, self.organisation, account)

    def row_contradicted(self, row: Kept) -> str | None:
        """Why a row isn't as its log says, in words; empty if it is. None where that isn't known:
        of other tables, of what has ended, and where the logs aren't read to their ends.

        It doesn't count, either, what was written over something that wasn't as its log said, or
        under an API key that had ended.

        Raises:
            WriterKeyMissing: as ``VerifiedState.follow``.
        """
        said = self._of_row(row)
        again = self._again() if said else None
        return said if again is None else again.row_contradicted(row)

    def _of_row(self, row: Kept) -> str | None:
        told = self.said(row)
        if told is None:
            return None
        is_same = told.what == last_writes.seal_of(self.connection, *row)
        return told.wrong or ("" if is_same else f"{row.place} isn't as entry {told.number} says")

    def said(self, row: Kept) -> "Said | None":
        """What the logs say last of a row; None as for ``row_contradicted``."""
        return self.state.said(self.connection, row) if self.is_whole else None

    def _again(self) -> "Followed | None":
        """The logs as they are by now; None if nobody has written since they were followed."""
        now = self.state.follow(self.connection, self.organisation, MOST)
        return None if now.sizes == self.sizes else now


class Said(NamedTuple):
    """What a log said last of something, in its entry with this number; ``what`` is None where
    that removed it. ``wrong`` says why it doesn't count, until a dispute is cleared about one of
    the ``places``, each on a line of its own."""

    number: int
    what: str | None
    wrong: str = ""
    places: str = ""


class _Wrong(NamedTuple):
    """Why what an entry writes doesn't count, and where a dispute about that may be."""

    said: str
    places: tuple[str, ...] = ()


class VerifiedState:
    """The state of one database by its logs. ``file_of`` names the file for a deployment, which
    threads and processes share; left out, each process reads the logs itself. At most so many
    entries of a log are read ``at_once``."""

    def __init__(self, file_of: Callable[[str], Path] | None = None, at_once: int = MOST) -> None:
        self._file_of, self._at_once = file_of, at_once
        self._lock = threading.RLock()
        self._file: Any = None

    def follow(self, connection: Session, organisation: str, most: int = FEW) -> Followed:
        """Follow an organisation's log and the deployment's, as far as they go or as is read at
        once, at ``most``. What is wrong with a log stands until a dispute of it is cleared.

        Raises:
            WriterKeyMissing: no mark can be checked.
        """
        marks.of(connection).require(connection)
        with self._writing(connection) as file:
            most = min(most, self._at_once)
            # The deployment's later, and taken first: it says what an archive took of the others.
            logs = tuple(dict.fromkeys((organisation, DEPLOYMENT)))
            found, is_ahead = _read(connection, file, logs, most)
            is_whole = True
            for log in reversed(logs):
                if is_whole:
                    is_whole = len(found[log]) < most
                    _Follower(connection, file, log).take(found[log], is_whole=is_whole)
            wrong = dict(file.execute(_WRONG, (organisation, DEPLOYMENT)).fetchall())
            sizes = tuple(_end(file, log)[0] for log in logs)
            is_whole = is_whole and not is_ahead
            return Followed(self, connection, organisation, wrong, sizes, is_whole)

    def balances_contradicted(self, connection: Session, organisation: str, account: str) -> str:
        """Which balance of an account isn't as what was read says, in words; empty if each is."""
        with self._lock:
            file = self._opened(connection)
            return next(_balances_contradicted(connection, file, organisation, account), "")

    def said(self, connection: Session, row: Kept) -> Said | None:
        """What was read last of a row; None if nothing was."""
        with self._lock:
            return _said(self._opened(connection), row.table.name, row.key)

    def forget(self, connection: Session) -> None:
        """Read the logs again, from whatever a person has accepted."""
        with self._writing(connection) as file:
            _forget(file)

    @contextmanager
    def _writing(self, connection: Session) -> Iterator[Any]:
        """A transaction on the file. What makes it unusable leaves this process with none."""
        connection.run_alone()
        with self._lock:
            try:
                file = self._begun(connection)
            except (sqlite3.Error, OSError) as error:
                self._do_without(error)
                file = self._begun(connection)
            try:
                yield file
                file.execute("COMMIT")
            except BaseException as error:
                with suppress(sqlite3.Error):
                    file.execute("ROLLBACK")
                if isinstance(error, sqlite3.Error):
                    self._do_without(error)
                raise

    def _do_without(self, error: Exception) -> None:
        _log.warning("what the logs say can't be kept, and is read again: %s", error)
        self._file_of, self._file = None, None

    def _begun(self, connection: Session) -> Any:
        file = self._opened(connection)
        file.execute("BEGIN IMMEDIATE")
        return file

    def _opened(self, connection: Session) -> Any:
        if self._file is None:
            place = ":memory:"
            if self._file_of is not None:
                path = self._file_of(marks.derived_deployment(connection))
                private_folder(path.parent)
                open_private(path, "ab").close()
                place = str(path)
            file = sqlite3.connect(
                place, isolation_level=None, check_same_thread=False, timeout=_PATIENCE_S
            )
            file.execute(f"PRAGMA journal_mode = {journal_mode()}")
            file.execute("PRAGMA synchronous = NORMAL")
            if file.execute("PRAGMA user_version").fetchone() != (_FORM,):
                file.executescript(f"BEGIN IMMEDIATE;{_TABLES}COMMIT;")
            self._file = file
        return self._file


def _said(file: Any, name: str, key: str) -> Said | None:
    found = file.execute(
        "SELECT number, what, wrong, places FROM said WHERE name = ? AND key = ?", (name, key)
    ).fetchone()
    return None if found is None else Said(*found)


def _read(
    connection: Session, file: Any, logs: tuple[str, ...], most: int
) -> tuple[dict[str, list[Any]], bool]:
    """The entries that follow what is known of each log, and whether more is known of one than the
    connection sees. Everything is forgotten if one doesn't begin as it was read: its marks were
    made again, or it's another one, as its head shows."""
    found: dict[str, list[Any]] = {}
    is_ahead = False
    for log in logs:
        size, mark = _end(file, log)
        rows, here = _from(connection, log, max(size, 1), most + 1), b""
        if rows and rows[0].number == size:
            here = marks.octets(rows.pop(0).mark)
        if here and here != mark:
            _forget(file)
            return _read(connection, file, logs, most)
        is_ahead = is_ahead or (size > 0 and not here)
        found[log] = rows[:most]
    return found, is_ahead


def _from(connection: Session, log: str, first: int, most: int) -> list[Any]:
    """Entries of a log from this number on."""
    found: list[Any] = []
    while len(found) < most:
        count = min(FEW, most - len(found))
        rows = _FROM.rows(connection, log, found[-1].number + 1 if found else first, count)
        found += rows
        if len(rows) < count:
            break
    return found


def _forget(file: Any) -> None:
    file.execute("DELETE FROM said")
    file.execute("DELETE FROM log")


def _end(file: Any, log: str) -> tuple[int, bytes]:
    found = file.execute("SELECT size, mark FROM log WHERE name = ?", (log,)).fetchone()
    return (0, b"") if found is None else found


def _balances_contradicted(
    connection: Session, file: Any, organisation: str, account: str
) -> Iterator[str]:
    codes = [customer(account, bucket) for bucket in Bucket]
    stored = {
        f"{row.code} {row.asset}": f"{row.balance} {row.version}"
        for row in _BALANCES.rows(connection, codes, organisation)
    }
    for code in codes:
        found = file.execute(
            "SELECT key, number, what, wrong, places FROM said "
            "WHERE name = ? AND key > ? AND key < ?",
            (_BALANCE, f"{code} ", f"{code}!"),
        )
        for key, *told in found.fetchall():
            said = Said(*told)
            if said.wrong or stored.pop(key, _NOTHING) != said.what:
                yield said.wrong or f"{key} isn't as entry {said.number} says"
    yield from (f"no entry moved {key}" for key, what in stored.items() if what != _NOTHING)


def _over(place: str, told: Entry, known: Said | None) -> _Wrong:
    """What is wrong with something that an entry found otherwise than the log had left it."""
    if known is None:
        return _Wrong(f"no entry made {place}, which entry {told.number} found", (place,))
    return _Wrong(f"{place} was altered after entry {known.number} and written again", (place,))


_NOTHING = "0 0"
"""A balance before its first posting."""


class _Follower:
    """Follows one log into the file."""

    def __init__(self, connection: Session, file: Any, log: str) -> None:
        self._file, self._log = file, log
        self._marker = marks.of(connection)
        self._size, self._mark = _end(file, log)
        self._known: dict[tuple[str, str], Said | None] = {}
        """What was read of the file, as it's by now."""
        self._changed: set[tuple[str, str]] = set()
        self._archived = self._number(_ARCHIVED)

    def take(self, rows: list[Any], *, is_whole: bool) -> None:
        """Take the entries that follow; they are all, if it ``is_whole``."""
        if not rows:
            return
        self._file.execute("INSERT OR IGNORE INTO log VALUES (?, 0, x'', '')", (self._log,))
        for row in rows:
            self._note(row.number, self._taken(row))
            self._size, self._mark = row.number, marks.octets(row.mark)
        self._file.execute(
            "UPDATE log SET size = ?, mark = ? WHERE name = ?", (self._size, self._mark, self._log)
        )
        self._keep()
        empty = self._number(_EMPTY)
        if is_whole and empty > self._number(_ARCHIVED):
            self._note(empty, "has no contents, and no archive took them")

    def _note(self, number: int, problem: str) -> None:
        if problem:
            wrong = f"entry {number} of {self._log} {problem}"
            say = "UPDATE log SET wrong = ? WHERE name = ? AND wrong = ''"
            self._file.execute(say, (wrong, self._log))

    def _number(self, name: str) -> int:
        known = self._said(name, self._log)
        return 0 if known is None else known.number

    def _taken(self, row: Any) -> str:
        """Take an entry in; what is wrong with it."""
        if row.number != self._size + 1:
            return "follows one that was removed"
        leaf = marks.octets(row.leaf)
        if row.mark != self._marker.mark(self._log, row.number, leaf, self._mark):
            return "was altered: its mark doesn't hold"
        if row.body is None:
            self._say(_EMPTY, self._log, row.number, None)
            return ""
        try:
            body = entry.unpack(row.body)
            told = entry.read(row.number, body)
            if entry.leaf_of(body) != leaf:
                return "was altered"
            self._take_entry(told)
            return "" if last_writes.is_filed(row, told) else "was altered: it's filed elsewhere"
        except (ValueError, LookupError, TypeError):
            return "can't be read"

    def _take_entry(self, told: Entry) -> None:
        if told.action in (_DISPUTED, _CLEARED) and told.error is None:
            self._take_dispute(told)
        archived = moved.told_by(told)
        if archived is not None:
            self._say(_ARCHIVED, archived[0], archived[1].upto, None)
        wrong = self._key_wrong(told)
        for name, key, made, *more in told.rows:
            if name in _FOLLOWED:
                self._take_row(told, (name, key, made), more, wrong)
        for posted in told.journals:
            for leg in posted.legs:
                if owner(leg.code):
                    self._take_leg(told, leg, wrong)
        self._end_keys(told)

    def _take_dispute(self, told: Entry) -> None:
        """A dispute is opened, or cleared: what is wrong about its place counts from then on."""
        if told.action == _DISPUTED:
            self._say(_DISPUTE, told.object, told.number, str((told.inputs or {}).get("where")))
            return
        opened = self._said(_DISPUTE, told.object)
        place = "" if opened is None or opened.what is None else opened.what
        self._keep()
        self._file.execute("UPDATE log SET wrong = '' WHERE 'log ' || name = ?", (place,))
        line = f"\n{place}\n"
        self._file.execute(
            "UPDATE said SET wrong = '', places = '' WHERE instr(places, ?)", (line,)
        )

    def _take_row(
        self, told: Entry, row: tuple[str, str, str | None], more: list[Any], wrong: _Wrong | None
    ) -> None:
        name, key, made = row
        terms, before = (more[0] if more else {}), (more[1] if len(more) > 1 else None)
        known, place = self._said(name, key), f"{name} {key}"
        is_told = known is not None or told.number > self._archived
        is_over = is_told and (None if known is None else known.what) != before
        if is_over:
            wrong = _over(place, told, known)
        # What has ended may go on, as a provider's trade, and what ended it isn't kept.
        goes_on = is_over and known is None and name in _ENDING
        if goes_on or terms.get("status") in _FOLLOWED[name]:
            self._known[name, key] = None
            self._changed.add((name, key))
        else:
            self._say_of(name, key, Said(told.number, made), wrong)

    def _take_leg(self, told: Entry, leg: Leg, wrong: _Wrong | None) -> None:
        key = f"{leg.code} {leg.asset}"
        after, version = leg.after or 0, leg.version or 0
        known = self._said(_BALANCE, key)
        found = f"{after - leg.change} {version - 1}"
        is_told = known is not None or told.number > self._archived
        if is_told and (_NOTHING if known is None else known.what) != found:
            wrong = _over(key, told, known)
        self._say_of(_BALANCE, key, Said(told.number, f"{after} {version}"), wrong)

    def _say_of(self, name: str, key: str, said: Said, wrong: _Wrong | None) -> None:
        """What an entry says of a row or a balance; what was wrong with it before stays."""
        before = self._said(name, key)
        lines = "" if before is None else before.places
        if wrong is not None:
            places = (*wrong.places, f"{name} {key}", f"entry {said.number} of {self._log}")
            lines = f"{lines}\n{chr(10).join(places)}\n"
        why = before.wrong if before is not None and before.wrong else wrong.said if wrong else ""
        self._say(name, key, *said._replace(wrong=why, places=lines if why else ""))

    def _key_wrong(self, told: Entry) -> _Wrong | None:
        """Why what an entry wrote doesn't count: a minute passes at most between the check of an
        API key and what is written under it."""
        if not told.key_id or self._log == DEPLOYMENT:
            return None
        known, place = self._said(_KEY_ENDS, told.key_id), (f"{Tables.api_key.name} {told.key_id}",)
        if known is None:
            return _Wrong(f"no entry made API key {told.key_id}", place)
        if known.what != _NEVER and int(known.what or 0) + MINUTE < told.at:
            since = f"had ended before entry {told.number} was written under it"
            return _Wrong(f"API key {told.key_id} {since}", place)
        return None

    def _end_keys(self, told: Entry) -> None:
        """Note the API keys that an entry made, and when those end that it writes or revokes."""
        ends = [
            (key, terms.get(until))
            for name, key, _, terms, *_ in ([*row, {}] for row in told.rows)
            if name == Tables.api_key.name
            for until in ("expires", "revoked_at")
        ]
        if told.error is None and told.action == _KEY_MADE:
            ends.append((told.object, None))
        if told.error is None and told.action == _KEY_REVOKED:
            ends.append((told.object, told.at))
        for key_id, at in ends:
            known = self._said(_KEY_ENDS, key_id)
            if at is not None or told.action == _KEY_MADE:
                earlier = int(known.what) if known is not None and known.what else None
                until = min((each for each in (earlier, at) if each is not None), default=_NEVER)
                self._say(_KEY_ENDS, key_id, told.number, str(until))

    def _said(self, name: str, key: str) -> Said | None:
        place = (name, key)
        if place not in self._known:
            self._known[place] = _said(self._file, name, key)
        return self._known[place]

    def _say(
        self, name: str, key: str, number: int, what: str | None, wrong: str = "", places: str = ""
    ) -> None:
        self._known[name, key] = Said(number, what, wrong, places)
        self._changed.add((name, key))

    def _keep(self) -> None:
        kept = ((*place, *said) for place in self._changed if (said := self._known[place]))
        self._file.executemany("INSERT OR REPLACE INTO said VALUES (?, ?, ?, ?, ?, ?)", kept)
        gone = (place for place in self._changed if self._known[place] is None)
        self._file.executemany("DELETE FROM said WHERE name = ? AND key = ?", gone)
        self._known, self._changed = {}, set()
