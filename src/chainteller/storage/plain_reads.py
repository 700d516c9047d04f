"""Reads on plain connections: as few round trips to PostgreSQL as their statements depend on.

A transaction begins with the first statement, and ends together with what the same reader sent last
before. If the reader asks for more after all, it reads everything again, and that isn't taken for
the last any more. So all statements of a read see the same rows in any case.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar, cast

from sqlalchemy import Connection

from chainteller.storage.compiled import Compiled
from chainteller.storage.db.query import Form
from chainteller.storage.plain import Plain

Answer = TypeVar("Answer")
_MOST = 200
"""Different endings of a reader; there are few, unless it writes statements anew."""


class ReadOn(Exception):
    """More is asked for than usual: the read has to run again, in another transaction."""


Sent = tuple[Compiled | Form, ...]
"""Statements that are sent together."""


class Endings:
    """What one reader sends last, as far as it's known."""

    def __init__(self) -> None:
        self._known: dict[Sent, bool] = {}

    def ends_with(self, sent: Sent) -> bool:
        return self._known.get(sent, False)

    def ended(self, sent: Sent) -> None:
        """Note what was last; once something followed, it's never taken for the last one."""
        if len(self._known) >= _MOST:
            self._known.clear()
        self._known.setdefault(sent, True)

    def went_on(self, sent: Sent) -> None:
        self._known[sent] = False


class PlainReads(Plain):
    """A connection in a read transaction of PostgreSQL, of one reader.

    Args:
        inner: nothing of its transaction was sent.
        opening: what begins the transaction.
        endings: those of the reader.
    """

    def __init__(self, inner: Connection, opening: Sequence[str], endings: Endings) -> None:
        super().__init__(inner, opening)
        self._endings = endings
        self._last: Sent | None = None
        self._is_over = False

    def flush(self) -> None:
        """Let SQLAlchemy's connection go on, of which it isn't known what it will run."""
        self._require_open()
        self._last = None
        super().flush()

    def finish(self) -> None:
        """The reader has what it needs; what is left of the transaction is ended by ``inner``."""
        if self._last is not None:
            self._endings.ended(self._last)

    def _send(self, *, commit: bool = False) -> None:
        self._require_open()
        if self._waiting:
            self._last = tuple(each.known for each in (*self._waiting, *self._ahead))
            self._is_over = commit = self._endings.ends_with(self._last)
        super()._send(commit=commit)

    def _require_open(self) -> None:
        """Raises ReadOn."""
        if self._is_over and self._last is not None:
            self._endings.went_on(self._last)
            raise ReadOn


def read_on(
    inner: Connection,
    opening: Sequence[str],
    endings: Endings,
    read: Callable[[Connection], Answer],
) -> Answer:
    """What ``read`` returns, in a transaction of its own.

    Args:
        inner: nothing of its transaction was sent.
        opening: what begins the transaction.
        endings: those of the reader.
        read: may run again.
    """
    while True:
        plain = PlainReads(inner, opening, endings)
        try:
            answer = read(cast("Connection", plain))
        except ReadOn:
            continue
        plain.finish()
        return answer
