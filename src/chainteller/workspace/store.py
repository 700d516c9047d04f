"""The workspace's own small database, one file per profile; standard library only.

It holds no money and decides nothing: a lost file costs memory aids, never funds. Sent requests
are on disk before they are sent, so that a crash in between leaves the key to ask with.
"""

import contextlib
import json
import threading
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any

from chainteller.domain.clock import Clock, SystemClock, to_datetime
from chainteller.domain.json_depth import parse_json
from chainteller.domain.pasted_secrets import find_secret
from chainteller.domain.search_texts import name_words
from chainteller.sqlite import sqlite3

SIGNATURE = "completedChallenge"
"""The field of a claim's request that takes whatever a customer sent."""
_LISTS = "list."
"""Views that keep what was typed; others keep hashes and ids."""
_FILES, _MOST_FILES = "files", 1_000
_FORGETTING = "forgetting."
_LAYOUT = 3
"""From 2, no signature is kept: builds before 0.2.0 kept whatever was submitted as one. From 3, no
secret of the forms that earlier builds didn't recognise."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS known (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL, parent TEXT NOT NULL, label TEXT NOT NULL,
    seen_at INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS known_by_kind ON known (kind, parent, seen_at DESC);
CREATE TABLE IF NOT EXISTS sent (
    key TEXT PRIMARY KEY, operation TEXT NOT NULL, arguments TEXT NOT NULL,
    sent_at INTEGER NOT NULL, state TEXT NOT NULL, answered_at INTEGER, answer TEXT
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS sent_by_time ON sent (sent_at DESC);
CREATE INDEX IF NOT EXISTS sent_by_state ON sent (state, sent_at DESC);
CREATE TABLE IF NOT EXISTS note (
    id TEXT PRIMARY KEY, text TEXT NOT NULL, changed_at INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS view (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""


class Kind(StrEnum):
    """The kind of a known record."""

    TRADING_ACCOUNT = "trading-account"
    QUOTE = "quote"
    TRANSACTION = "transaction"
    COUNTERPARTY = "counterparty"
    CHALLENGE = "challenge"
    CLAIM = "claim"
    BLOCKCHAIN_ACCOUNT = "blockchain-account"
    OTHER = "record"


class SentState(StrEnum):
    """The state of a request; a crash leaves ``SENT`` behind, which counts as unknown."""

    SENT = "SENT"
    DONE = "DONE"
    REFUSED = "REFUSED"
    NOT_SENT = "NOT_SENT"
    UNKNOWN = "UNKNOWN"


IN_DOUBT = (SentState.SENT, SentState.UNKNOWN)
_SAME_TIME = 1000
"""Microseconds within which a request follows the ones that were saved before it."""


@dataclass(frozen=True, slots=True)
class KnownObject:
    """A record that was seen here. ``parent`` is the account it belongs to, or empty."""

    id: str
    kind: Kind
    parent: str
    label: str
    seen_at: int


@dataclass(frozen=True, slots=True)
class SentRequest:
    """A write with its key; ``answer`` is the record's id or the error's code."""

    key: str
    operation: str
    arguments: Mapping[str, Any]
    sent_at: int
    state: SentState
    answer: str | None


class Workspace:
    """Open the workspace at ``path``, or one in memory for ``None`` (demo, training).

    A file that cannot be read is set aside as ``*.broken`` and a new one is begun.
    """

    def __init__(self, path: Path | None, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self._lock = threading.RLock()
        self.is_kept = path is not None
        self._database = _opened(path)

    def now(self) -> int:
        """By this workspace's clock, in microseconds."""
        return self._clock.now()

    def close(self) -> None:
        with self._lock:
            self._database.close()

    def remember(self, identifier: str, kind: Kind, parent: str = "", label: str = "") -> None:
        """Store that a record exists; an empty label keeps the stored one."""
        self._write(
            "INSERT INTO known VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET "
            "kind = excluded.kind, seen_at = excluded.seen_at, "
            "parent = CASE excluded.parent WHEN '' THEN known.parent ELSE excluded.parent END, "
            "label = CASE excluded.label WHEN '' THEN known.label ELSE excluded.label END",
            identifier,
            kind,
            parent,
            label,
            self._clock.now(),
        )

    def known(self, kind: Kind, parent: str | None = None, limit: int = 1000) -> list[KnownObject]:
        """Records of a kind, the last seen first."""
        rows = self._read(
            f"{_KNOWN} WHERE kind = ? AND (? IS NULL OR parent = ?) "
            "ORDER BY seen_at DESC, id LIMIT ?",
            kind,
            parent,
            parent,
            limit,
        )
        return [_known(row) for row in rows]

    def known_object(self, identifier: str, kind: Kind) -> KnownObject | None:
        found = self._read(f"{_KNOWN} WHERE id = ? AND kind = ?", identifier, kind)
        return _known(found[0]) if found else None

    def sending(self, key: str, operation: str, arguments: Mapping[str, Any]) -> None:
        """Save a request before it is sent; the same key again keeps the first time.

        Requests are read back in the order of their times, so no two have the same one: a request
        that the clock gives the time of an earlier one is saved a microsecond after it.
        """
        now = self._clock.now()
        self._write(
            "INSERT INTO sent VALUES (?, ?, ?, coalesce((SELECT max(sent_at) + 1 FROM sent "
            "WHERE sent_at BETWEEN ? AND ?), ?), ?, NULL, NULL) "
            "ON CONFLICT (key) DO UPDATE SET state = excluded.state",
            key,
            operation,
            json.dumps(arguments),
            now,
            now + _SAME_TIME,
            now,
            SentState.SENT,
        )

    def answered(self, key: str, state: SentState, answer: str) -> None:
        """Save the outcome of a request: the record's id or the error's code."""
        self._write(
            "UPDATE sent SET state = ?, answered_at = ?, answer = ? WHERE key = ?",
            state,
            self._clock.now(),
            answer,
            key,
        )

    def sent_request(self, key: str) -> SentRequest | None:
        found = self._read(f"{_SENT} WHERE key = ?", key)
        return _sent(found[0]) if found else None

    def sent_requests(self, limit: int = 100, since: int = 0) -> list[SentRequest]:
        """Requests that were sent from an instant on, newest first."""
        newest = f"{_SENT} WHERE sent_at >= ? ORDER BY sent_at DESC LIMIT ?"
        return [_sent(row) for row in self._read(newest, since, limit)]

    def last_sent(self, operations: Collection[str]) -> SentRequest | None:
        """The newest request of one of these operations."""
        marks = ", ".join("?" * len(operations))
        found = self._read(
            f"{_SENT} WHERE operation IN ({marks}) ORDER BY sent_at DESC LIMIT 1", *operations
        )
        return _sent(found[0]) if found else None

    def in_doubt(self) -> list[SentRequest]:
        """Writes with an unknown outcome, oldest first."""
        rows = self._read(f"{_SENT} WHERE state IN (?, ?) ORDER BY sent_at", *IN_DOUBT)
        return [_sent(row) for row in rows]

    def note(self, identifier: str) -> str:
        """The agent's notes about a record, or empty."""
        found = self._read("SELECT text FROM note WHERE id = ?", identifier)
        return str(found[0][0]) if found else ""

    def notes(self) -> list[tuple[str, str, int]]:
        """Every note, the newest first: what it's about, its text and when it was changed."""
        found = self._read("SELECT id, text, changed_at FROM note ORDER BY changed_at DESC")
        return [(row[0], row[1], row[2]) for row in found]

    def set_note(self, identifier: str, text: str) -> None:
        """Replace a note; an empty text removes it. Raises SecretEntered: a line of it is a wallet
        secret; the note stays as it was."""
        _require_no_secret(identifier, text, *text.splitlines())
        if not text:
            self._write("DELETE FROM note WHERE id = ?", identifier)
            return
        self._write(
            "INSERT OR REPLACE INTO note VALUES (?, ?, ?)", identifier, text, self._clock.now()
        )

    def add_note(self, identifier: str, operator: str, text: str) -> None:
        """Append a line to a note, with its time and author. Raises SecretEntered: as ``set_note``,
        also where the secret begins in ``identifier``."""
        _require_no_secret(text, f"{identifier} {text}")
        before, at = self.note(identifier), to_datetime(self.now())
        added = f"{at:%d %b %H:%M}Z {operator}  {text}"
        self.set_note(identifier, f"{before}\n{added}" if before else added)

    def view(self, name: str, default: Any = None) -> Any:
        """A remembered sort, filter or place, as JSON."""
        found = self._read("SELECT value FROM view WHERE name = ?", name)
        return parse_json(found[0][0]) if found else default

    def set_view(self, name: str, value: Any) -> None:
        is_typed = name.startswith(_LISTS)  # a filter may be anything that was pasted
        if not (is_typed and any(map(_is_secret, strings_of(value)))):
            self._write("INSERT OR REPLACE INTO view VALUES (?, ?)", name, json.dumps(value))

    def set_views(self, views: Mapping[str, Any]) -> None:
        """Save several values; errors are ignored, since view state can be lost."""
        for name, value in views.items():
            with contextlib.suppress(sqlite3.Error):
                self.set_view(name, value)

    def note_file(self, kind: str, path: Path) -> None:
        """Remember that a file with customers' data was written: an export or a backup."""
        found = self.view(_FILES, {})
        found[str(path.absolute())] = kind
        self.set_views({_FILES: dict(list(found.items())[-_MOST_FILES:])})

    def files(self) -> list[tuple[str, Path]]:
        """The kinds and places of such files that are still there."""
        noted = ((kind, Path(name)) for name, kind in self.view(_FILES, {}).items())
        return [(kind, path) for kind, path in noted if path.exists()]

    def forgetting(self, reference: str, name: str) -> str:
        """The name of a customer that the deployment is about to erase, kept here until ``forget``:
        an erasure that was killed in between is finished when nobody else knows the name."""
        mark = f"{_FORGETTING}{reference}"
        if name:
            self.set_view(mark, name)
        return str(self.view(mark, ""))

    def forget(self, identifiers: Collection[str], name: str) -> None:
        """Remove what was kept about a customer: that of their accounts, and remembered filters and
        searches for a part of their name, or all of them where the name isn't known any more."""
        told = [*identifiers, *([name.casefold()] if name else ())]
        for table, columns in _KEPT.items():
            for row in self._read(f"SELECT {columns} FROM {table}"):  # noqa: S608 - our own names
                if row[0] == _FILES:
                    continue
                texts = " ".join(_plain(each) for each in row if each).casefold()
                is_named = any(each.casefold() in texts for each in told)
                if is_named or (table == "view" and (not name or _is_about(texts, name))):
                    key = columns.partition(",")[0]
                    self._write(f"DELETE FROM {table} WHERE {key} = ?", row[0])  # noqa: S608 - our own names

    def _read(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._database.execute(statement, [_storable(one) for one in values]).fetchall()

    def _write(self, statement: str, *values: object) -> None:
        with self._lock:
            self._database.execute(statement, [_storable(one) for one in values])


_KEPT = {
    "known": "id, parent, label",
    "note": "id, text",
    "sent": "key, arguments, answer",
    "view": "name, value",
}
"""Where a customer may be named, with the key first."""
_PART = 4
"""Letters of a part of a name that says whose it is."""


def _is_about(texts: str, name: str) -> bool:
    """Whether a text has a word of a name, or a part of one."""
    words = name_words(name)
    said = name_words(texts)
    longer = ((one, other) for one in said for other in words if min(len(one), len(other)) >= _PART)
    return not said.isdisjoint(words) or any(a in b or b in a for a, b in longer)


def _plain(saved: str) -> str:
    """A saved text, or all texts of a saved JSON document, which escapes letters."""
    try:
        return " ".join(strings_of(parse_json(saved)))
    except ValueError:
        return saved


def _storable(value: object) -> object:
    """Escape lone surrogates, which only a faulty deployment sends and UTF-8 can't hold."""
    if isinstance(value, str) and not value.isascii():
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    return value


_KNOWN = "SELECT id, kind, parent, label, seen_at FROM known"
_SENT = "SELECT key, operation, arguments, sent_at, state, answer FROM sent"


def _known(row: tuple[Any, ...]) -> KnownObject:
    identifier, kind, parent, label, seen_at = row
    return KnownObject(identifier, Kind(kind), parent, label, seen_at)


def _sent(row: tuple[Any, ...]) -> SentRequest:
    key, operation, arguments, sent_at, state, answer = row
    return SentRequest(key, operation, parse_json(arguments), sent_at, SentState(state), answer)


def _opened(path: Path | None) -> sqlite3.Connection:
    if path is None:
        return _prepared(":memory:")
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.touch(mode=0o600)
    try:
        return _prepared(str(path))
    except sqlite3.DatabaseError as fault:
        if isinstance(fault, sqlite3.OperationalError):
            raise
        path.replace(path.with_suffix(".broken"))
        path.touch(mode=0o600)
        return _prepared(str(path))


def _prepared(name: str) -> sqlite3.Connection:
    """Every statement is its own transaction; a second desk on the same file waits its turn."""
    database = sqlite3.connect(
        name, timeout=5, isolation_level=None, check_same_thread=False, cached_statements=64
    )
    try:
        database.executescript(
            f"PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = FULL; "
            f"PRAGMA secure_delete = ON; {_SCHEMA}"
        )
        if database.execute("PRAGMA user_version").fetchone() != (_LAYOUT,):
            _forget_secrets(database)
            database.execute(f"PRAGMA user_version = {_LAYOUT}")
    except sqlite3.DatabaseError:
        database.close()
        raise
    return database


def _forget_secrets(database: sqlite3.Connection) -> None:
    """Remove signatures, notes and filters that are secrets from a file of an earlier build, and
    write the file again, so that no freed page has them."""
    for key, saved in database.execute("SELECT key, arguments FROM sent").fetchall():
        arguments = parse_json(saved)
        body = arguments.get("request") or {}
        signature = body.pop(SIGNATURE, None)
        if any(map(_is_secret, strings_of(arguments))):
            arguments = {"ids": [], "request": None}
        elif signature is not None:
            body[SIGNATURE] = digest_of(signature) if isinstance(signature, str) else signature
        kept = json.dumps(arguments)
        if kept != saved:
            database.execute("UPDATE sent SET arguments = ? WHERE key = ?", (kept, key))
    for identifier, text in database.execute("SELECT id, text FROM note").fetchall():
        rows = [] if _is_secret(text) else [row for row in text.splitlines() if not _is_secret(row)]
        database.execute("UPDATE note SET text = ? WHERE id = ?", ("\n".join(rows), identifier))
    for name, value in database.execute("SELECT name, value FROM view").fetchall():
        if name.startswith(_LISTS) and any(map(_is_secret, strings_of(parse_json(value)))):
            database.execute("DELETE FROM view WHERE name = ?", (name,))
    database.execute("VACUUM")


def digest_of(signature: str) -> dict[str, str]:
    """What is kept in place of a signature: enough to tell whether another one is the same."""
    return {"sha256": sha256(signature.encode("utf-8", "backslashreplace")).hexdigest()}


def strings_of(value: object) -> Iterator[str]:
    """Every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from chain.from_iterable(map(strings_of, value.values()))
    elif isinstance(value, list | tuple):
        yield from chain.from_iterable(map(strings_of, value))


def _is_secret(text: str) -> bool:
    return find_secret(text) is not None


def _require_no_secret(*texts: str) -> None:
    for text in filter(_is_secret, texts):
        from chainteller.service.entered_secrets import require_no_secret  # noqa: PLC0415 - long to import

        require_no_secret("note", text)
