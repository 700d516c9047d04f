"""Marks: only who has the writer's key can make a log grow.

The mark of an entry is a keyed hash over its log, its number, its leaf and the mark of the entry
before it. The key isn't in the database, so someone who may change every row still can't write,
alter, remove or move an entry that verification accepts. Cutting off the newest entries leaves
older marks that hold; heads that are kept elsewhere show that (``engine.heads``).
"""

import hmac
from collections.abc import Iterator
from hashlib import blake2b

from chainteller.service.errors import WriterKeyMissing
from chainteller.storage.db.query import Query, Session, Value, row_of
from chainteller.storage.log.rows import DEPLOYMENT
from chainteller.storage.log.writer_keys import WriterKeys, other_key

_SIZE = 32
_ENTRY, _KEY = b"entry", b"key"
_IDENTITY_DIGITS = 16
_DERIVED_DIGITS = 16
_BATCH = 5_000
_OF = "organisation_id = :organisation"
_LEAF = Query(
    f"SELECT leaf, mark FROM entry WHERE {_OF} AND number = :number", row_of("leaf", "mark")
)
_AFTER = Query(
    f"SELECT number, leaf FROM entry WHERE {_OF} AND number > :number "
    f"ORDER BY number LIMIT {_BATCH}",
    row_of("number", "leaf"),
)
_SET = Query(f"UPDATE entry SET mark = :mark WHERE {_OF} AND number = :number")
_SET_LOG = Query(f"UPDATE log SET mark = :mark, marked_with = :key WHERE {_OF}")
_LOGS = Query("SELECT organisation_id AS value FROM log", Value)


class Marker:
    """Marks the logs of one database; its key is read once and tried on the first entry."""

    def __init__(self, keys: WriterKeys) -> None:
        self._keys = keys
        self._deployment = ""
        self._secret = b""
        self.name = ""
        """What names the key that is in use, and doesn't tell it."""

    def begin(self, first_leaf: bytes) -> None:
        """Make the key of a new database, whose own log begins with a leaf. Raises as ``mark``."""
        deployment = _deployment(first_leaf)
        self._deployment = deployment
        self._use(self._keys.create(deployment))

    def require(self, connection: Session, marked_with: str = "") -> None:
        """Have the key that marked the deployment's log, by its name in a log's row, empty where
        none says it: another process may have replaced the key since that was read.

        Raises:
            WriterKeyMissing: it can't be read, or is another one.
        """
        if self._secret and marked_with in ("", self.name):
            return
        leaf, mark = self._first(connection)
        self._deployment = _deployment(leaf)
        self._use(self._keys.load(self._deployment))
        is_ours = hmac.compare_digest(self.mark(DEPLOYMENT, 1, leaf, b""), mark)
        if not is_ours or marked_with not in ("", self.name):
            self._secret, self.name = b"", ""
            raise other_key()

    def refresh(self, connection: Session) -> bool:
        """As ``require``, for whoever verifies: the key is read again if it isn't the one any more
        that marked the deployment's first entry, whatever a log's row says. One that was used
        before stays if no other one fits: then it's the marks that are wrong.

        Returns:
            Whether it marked the deployment's first entry.
        """
        if not self._secret:
            self.require(connection)
            return True
        leaf, mark = self._first(connection)
        if self.mark(DEPLOYMENT, 1, leaf, b"") == mark:
            return True
        former = (self._deployment, self._secret, self.name)
        try:
            self._secret = b""
            self.require(connection)
        except WriterKeyMissing:
            self._deployment, self._secret, self.name = former
            return False
        return True

    def _use(self, secret: bytes) -> None:
        named = blake2b(b"", digest_size=_SIZE, key=secret, person=_KEY)
        self._secret, self.name = secret, named.hexdigest()[:_IDENTITY_DIGITS]

    def mark(self, organisation_id: str, number: int, leaf: bytes, before: bytes) -> bytes:
        """The mark of an entry, by keyed BLAKE2b (RFC 7693). Call ``require`` before."""
        told = b"\n".join((organisation_id.encode(), str(number).encode(), leaf, before))
        return blake2b(told, digest_size=_SIZE, key=self._secret, person=_ENTRY).digest()

    def derive(self, purpose: bytes, name: str) -> bytes:
        """Another secret of 32 bytes that only who has the key can make, for a purpose and under a
        name. Call ``require`` before."""
        return blake2b(name.encode(), digest_size=_SIZE, key=self._secret, person=purpose).digest()

    def identity(self, connection: Session) -> str:
        """What names the key and doesn't tell it. Raises as ``require``."""
        self.require(connection)
        return self.name

    def place(self, connection: Session) -> str:
        """Where the key is, in words."""
        return self._keys.place(derived_deployment(connection))

    def replace(self, connection: Session) -> None:
        """Make another key, and mark every entry as it is now. Raises as ``require``.

        No other process may write meanwhile: it would use the former key.
        """
        self._deployment = derived_deployment(connection)
        self._use(self._keys.replace(self._deployment))
        names = connection.execute(_LOGS).scalars()
        for name in names:
            mark = b""
            for number, leaf in _leaves(connection, name):
                mark = self.mark(name, number, leaf, mark)
                values = {"organisation": name, "number": number, "mark": mark}
                connection.execute(_SET, values)
            values = {"organisation": name, "mark": mark, "key": self.name}
            connection.execute(_SET_LOG, values)

    def _first(self, connection: Session) -> tuple[bytes, bytes]:
        row = _LEAF.first(connection, DEPLOYMENT, 1)
        return (b"", b"") if row is None else (octets(row.leaf), octets(row.mark))


def _leaves(connection: Session, organisation_id: str) -> Iterator[tuple[int, bytes]]:
    last = 0
    while True:
        rows = _AFTER.rows(connection, organisation_id, last)
        for row in rows:
            yield row.number, row.leaf
        if not rows:
            return
        last = rows[-1].number


def derived_deployment(connection: Session) -> str:
    """The deployment's name: of the first entry of its own log, which never changes."""
    row = _LEAF.first(connection, DEPLOYMENT, 1)
    return "deployment" if row is None else _deployment(octets(row.leaf))


def octets(stored: object) -> bytes:
    """A hash or a mark as it's stored; empty where the cell has none, or what SQLite also keeps in
    its column and no build writes."""
    return stored if isinstance(stored, bytes) else b""


def _deployment(first_leaf: bytes) -> str:
    return f"deployment-{first_leaf.hex()[:_DERIVED_DIGITS]}"


def of(connection: Session) -> Marker:
    """Who marks the logs of a connection's database."""
    found: Marker = connection.shared.marker
    return found


def require_key(connection: Session) -> None:
    """Raises WriterKeyMissing: nobody can write now."""
    of(connection).require(connection)
