"""Uses of keys, of the API and of agents, compared with the log: when a key is first used, and at
each look at the books.

Somebody who may change every row can open a key for a moment and put it back. What this process
remembers of its uses shows that afterwards, because nobody without the writer's key can make the
log say that the key was so.
"""

import threading
from collections.abc import Mapping
from typing import NamedTuple

from chainteller.engine.core import timekeeping
from chainteller.engine.core.breaches import UNREADABLE, Breach
from chainteller.engine.core.context import EngineContext
from chainteller.service.errors import ServiceUnavailable, WriterKeyMissing
from chainteller.storage.db.query import Record, Session
from chainteller.storage.db.records import Tables
from chainteller.storage.db.table import Table
from chainteller.storage.log import last_writes, sealing, views
from chainteller.storage.log.last_writes import Kept, Trail

_MOST = 1_000
_NO_SEAL = ""
"""Of a row with a value that no build writes."""
_Moment = tuple[int, int]
"""How many entries a log had, as its row said, and when."""


class KeyUse(NamedTuple):
    """A key as its row was when it was used: the organisation that it named, and its seal."""

    table: str
    key_id: str
    organisation_id: str
    seal: str

    @property
    def kept(self) -> Kept:
        return Kept(getattr(Tables, self.table), self.key_id)


class KeyUses:
    """How keys were used since the last look at the books; threads may share it."""

    def __init__(self, context: EngineContext) -> None:
        self._context, self._database = context, context.database
        self._lock = threading.Lock()
        self._uses: dict[KeyUse, _Moment] = {}
        """With the last use."""
        self.sizes: Mapping[str, int] = {}
        """Of the logs, at the last look; a log never becomes shorter."""

    def judged(
        self, table: Table, row: Record, former: KeyUse | None, least: Mapping[str, int]
    ) -> KeyUse | None:
        """The use of a key with the row that was just read, which is noted; None if it isn't as the
        log says. One that is as the ``former`` use was isn't compared again.

        ``least`` are the ``sizes`` from before the row was read: a log that has grown since may
        tell of a later row.

        Raises:
            ServiceUnavailable: the database can't be read.
        """
        use = use_of(table, row)
        size = max(row.size or 0, least.get(use.organisation_id, 0))
        moment = (size, timekeeping.estimate(self._context.clock, self._context.keeper))
        self.note(use, moment)
        return None if use != former and self.contradicted(use, moment) else use

    def note(self, use: KeyUse, moment: _Moment) -> None:
        """Remember a use. Beyond the most that are remembered, each of them is named anyway, or
        is a key in force."""
        with self._lock:
            if use in self._uses or len(self._uses) < _MOST:
                self._uses[use] = max(moment, self._uses.get(use, moment))

    def contradicted(self, use: KeyUse, moment: _Moment) -> str:
        """Why a key isn't as the log says, in words; empty if it is, or if there's no writer's key
        to check that with. Raises ServiceUnavailable: the database can't be read."""
        try:
            with self._database.read() as connection:
                followed = self._context.state.follow(connection, use.organisation_id)
                told = followed.said(use.kept)
                if told is not None and told.number <= moment[0] and told.what != use.seal:
                    return f"{use.kept.place} isn't as entry {told.number} says"
                return _contradicted(connection, use, moment)
        except WriterKeyMissing:
            return ""

    def breaches(self) -> tuple[Breach, ...]:
        """20: each key that was used since the last call was then as the log says. Without a
        writer's key, the next call compares them.

        Raises:
            ServiceUnavailable: the database can't be read.
        """
        with self._lock:
            uses, self._uses = self._uses, {}
        try:
            with self._database.read(patient=True) as connection:
                said = {use: _contradicted(connection, use, at) for use, at in uses.items()}
                self.sizes = views.sizes(connection)
        except ServiceUnavailable as error:
            for use, moment in uses.items():
                self.note(use, moment)
            if isinstance(error, WriterKeyMissing):
                return ()
            raise
        return tuple(
            Breach(20, f"used as it wasn't: {why}", f"{use.table} {use.key_id}")
            for use, why in said.items()
            if why
        )


def use_of(table: Table, row: Record) -> KeyUse:
    """The use of a key with this row of its table."""
    form = sealing.form(table)
    try:
        seal = sealing.seal(row.salt, form.text(row._asdict()))
    except UNREADABLE:
        seal = _NO_SEAL
    (key,) = (getattr(row, name) for name in table.key)
    return KeyUse(table.name, str(key), str(row.organisation_id), seal)


def _contradicted(connection: Session, use: KeyUse, moment: _Moment) -> str:
    trail = Trail(use.organisation_id, "", (use.key_id,))
    return last_writes.seal_contradicted(connection, trail, use.kept, use.seal, *moment)
