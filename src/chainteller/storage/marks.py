"""Marks: only who has the writer's key can make a log grow.

A log's mark is a keyed hash over its size and the roots of its subtrees, which fix the contents and
the place of every entry. The key isn't in the database, so someone who may change every row still
can't write history that verification accepts. A mark goes on only from a mark that holds: what was
altered behind it stays without one, whatever is written afterwards, until a person replaces the
key. Cutting off the newest entries leaves an older mark that holds; heads that are kept elsewhere
show that (``engine.heads``).

On PostgreSQL, what a transaction puts on record waits in ``unnumbered`` under a mark of its own.
"""

import hmac
from collections.abc import Callable
from hashlib import blake2b
from typing import Any, NamedTuple, Protocol

from sqlalchemy import Connection, bindparam, select, update

from chainteller.domain.merkle import Tree
from chainteller.service.errors import WriterKeyMissing
from chainteller.storage.checkpoints import derived_deployment
from chainteller.storage.rows import DEPLOYMENT
from chainteller.storage.tables import Tables

KEY_BYTES = 32
_SIZE = 32
_LOG, _WRITE, _KEY = b"log", b"write", b"key"
_OPTION = "marker"
_IDENTITY_DIGITS = 16
_L, _U = Tables.log, Tables.unnumbered
_STATES = select(_L.c.organisation_id, _L.c.size, _L.c.peaks, _L.c.mark)
_STATE = _STATES.where(_L.c.organisation_id == bindparam("b_organisation"))
_SET = update(_L).where(_L.c.organisation_id == bindparam("b_organisation"))
_SET = _SET.values(mark=bindparam("v_mark"))
_SET_WRITE = update(_U).where(_U.c.position == bindparam("b_position"))
_SET_WRITE = _SET_WRITE.values(mark=bindparam("v_mark"))


class End(NamedTuple):
    """Where a log ends: its tree, and the mark of it."""

    tree: Tree = Tree()
    mark: bytes | None = None

    @classmethod
    def of_row(cls, size: int, peaks: str, mark: bytes | None) -> "End":
        """From columns of a log's row. Raises ValueError where they don't fit together."""
        return cls(Tree.unpacked(size, peaks), mark)


class WriterKeys(Protocol):
    """Where the writer's key of a deployment is."""

    def place(self, deployment: str) -> str:
        """Where it is, in words."""

    def load(self, deployment: str) -> bytes:
        """Read it. Raises WriterKeyMissing."""

    def create(self, deployment: str) -> bytes:
        """Make one, or read one that was put there before. Raises as ``load``."""

    def replace(self, deployment: str) -> bytes:
        """Make another one in its place. Raises as ``load``."""


class Marker:
    """Marks the logs of one database. The key is read at the first mark, and again when the
    deployment's log was marked with another one."""

    def __init__(self, keys: WriterKeys) -> None:
        self._keys = keys
        self._deployment = ""
        self._secret = b""

    def next(
        self, connection: Connection, organisation_id: str, before: End, after: Tree
    ) -> bytes | None:
        """The mark of a log that grew; its former one where that doesn't hold, and none for the
        first entry of a deployment, which names it: ``create`` follows.

        Raises:
            WriterKeyMissing: the key can't be read, or isn't the one that marked the logs.
        """
        tree, mark = before
        if not tree.size and organisation_id == DEPLOYMENT:
            return None

        def is_whole() -> bool:
            return not tree.size or self._holds(organisation_id, tree.size, tree.packed(), mark)

        if not self._fits(connection, is_whole):
            return mark
        return self._mark(organisation_id, after.size, after.packed())

    def of_write(self, connection: Connection, body: str) -> bytes:
        """The mark of what a transaction puts on record. Raises as ``next``."""
        if not self._secret:
            self.require_current(connection)
        return self._hash(_WRITE, body)

    def wrote(self, connection: Connection, body: str, mark: bytes | None) -> bool:
        """Whether somebody with the key put something on record. Raises as ``next``."""
        return self._fits(
            connection, lambda: hmac.compare_digest(self._hash(_WRITE, body), mark or b"")
        )

    def holds(self, connection: Connection, state: Any) -> bool:
        """Whether the mark of a log's row fits what the row says.

        Raises:
            WriterKeyMissing: the key can't be read.
        """
        self._read(connection)
        return self._holds(state.organisation_id, state.size, state.peaks, state.mark)

    def identity(self, connection: Connection) -> str:
        """What names the key and doesn't tell it. Raises as ``holds``."""
        self._read(connection)
        return self._hash(_KEY, "").hex()[:_IDENTITY_DIGITS]

    def place(self, connection: Connection) -> str:
        """Where the key is, in words."""
        return self._keys.place(derived_deployment(connection))

    def create(self, connection: Connection) -> None:
        """Make the key of a new database, and mark its logs. Raises as ``holds``."""
        self._mark_all(connection, self._keys.create)

    def replace(self, connection: Connection) -> None:
        """Make another key, and mark everything as it is now. Raises as ``holds``.

        No other process may write meanwhile: it would use the former key.
        """
        self._mark_all(connection, self._keys.replace)

    def _mark_all(self, connection: Connection, make: Callable[[str], bytes]) -> None:
        deployment = derived_deployment(connection)
        self._deployment, self._secret = deployment, make(deployment)
        for row in connection.execute(_STATES.where(_L.c.size > 0)).all():
            mark = self._mark(row.organisation_id, row.size, row.peaks)
            connection.execute(_SET, {"b_organisation": row.organisation_id, "v_mark": mark})
        for each in connection.execute(select(_U.c.position, _U.c.body)).all():
            mark = self._hash(_WRITE, each.body)
            connection.execute(_SET_WRITE, {"b_position": each.position, "v_mark": mark})

    def _fits(self, connection: Connection, is_whole: Callable[[], bool]) -> bool:
        """Whether something has its mark, with the key that is in force now."""
        if self._secret and is_whole():
            return True
        self.require_current(connection)
        return is_whole()

    def require_current(self, connection: Connection) -> None:
        """Have the key that marked the deployment's log. Raises as ``next``."""
        row = connection.execute(_STATE, {"b_organisation": DEPLOYMENT}).one()
        if self._secret and self.holds(connection, row):
            return
        self._secret = b""
        if not self.holds(connection, row):
            self._secret = b""
            raise other_key()

    def _read(self, connection: Connection) -> None:
        if not self._secret:
            deployment = derived_deployment(connection)
            self._deployment, self._secret = deployment, self._keys.load(deployment)

    def _holds(self, organisation_id: str, size: int, peaks: str, mark: bytes | None) -> bool:
        return hmac.compare_digest(self._mark(organisation_id, size, peaks), mark or b"")

    def _mark(self, organisation_id: str, size: int, peaks: str) -> bytes:
        return self._hash(_LOG, f"{organisation_id}\n{size}\n{peaks}")

    def _hash(self, use: bytes, text: str) -> bytes:
        """Keyed BLAKE2b (RFC 7693); ``use`` keeps the kinds of marks apart."""
        told = f"{self._deployment}\n{text}".encode()
        return blake2b(told, digest_size=_SIZE, key=self._secret, person=use).digest()


def of(connection: Connection) -> Marker | None:
    """Who marks the logs of a connection's database; None if nobody does."""
    found: Marker | None = connection.get_execution_options().get(_OPTION)
    return found


def require_key(connection: Connection) -> None:
    """Raises WriterKeyMissing: nobody can write now."""
    marker = of(connection)
    if marker is not None:
        marker.require_current(connection)


def options(marker: Marker) -> dict[str, Marker]:
    """The engine's execution options that let a marker mark its logs."""
    return {_OPTION: marker}


def other_key() -> WriterKeyMissing:
    """The key is there, and the log wasn't marked with it."""
    return WriterKeyMissing(
        "The writer's key isn't the one that marked this database, or the deployment's log was "
        "altered. Nothing was written.",
        "OTHER_KEY",
    )


def missing_key(why: str) -> WriterKeyMissing:
    """There is no key that can be used."""
    said = f"The writer's key can't be read: {why.rstrip('.')}. Nothing was written."
    return WriterKeyMissing(said, "NO_KEY")
