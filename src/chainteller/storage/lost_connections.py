"""Connections opened before one was lost: none of them is used again, and each of them is closed.

``Engine.dispose`` would give the engine another pool. What is given back to the former pool after
that stays open until it is collected.
"""

from typing import TYPE_CHECKING

from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import DisconnectionError

if TYPE_CHECKING:
    from sqlalchemy.engine.interfaces import DBAPIConnection
    from sqlalchemy.pool import ConnectionPoolEntry

_OPENED = "opened"
"""Where a pooled connection keeps when it was opened."""


class _Losses:
    """How often an engine's connections were lost."""

    def __init__(self) -> None:
        self.count = 0

    def opened(self, _connection: "DBAPIConnection", entry: "ConnectionPoolEntry") -> None:
        entry.info[_OPENED] = _Opened(self)

    def taken(
        self, _connection: "DBAPIConnection", entry: "ConnectionPoolEntry", _by: object
    ) -> None:
        """Raises DisconnectionError, for which SQLAlchemy opens another connection."""
        if entry.info[_OPENED].is_given_up:
            raise DisconnectionError

    def given_back(
        self, connection: "DBAPIConnection | None", entry: "ConnectionPoolEntry"
    ) -> None:
        if connection is not None and entry.info[_OPENED].is_given_up:
            entry.invalidate()

    def disposed(self, _engine: Engine) -> None:
        self.count += 1


class _Opened:
    """When a connection was opened, as the number of losses before."""

    def __init__(self, losses: _Losses) -> None:
        self._losses = losses
        self._at = losses.count

    @property
    def is_given_up(self) -> bool:
        return self._at < self._losses.count

    def give_up(self) -> None:
        """Count what several connections find out as one loss."""
        self._losses.count = max(self._losses.count, self._at + 1)


def watch(engine: Engine) -> None:
    losses = _Losses()
    event.listen(engine, "connect", losses.opened)
    event.listen(engine, "checkout", losses.taken)
    event.listen(engine, "checkin", losses.given_back)
    event.listen(engine, "engine_disposed", losses.disposed)


def lose(connection: Connection, error: Exception) -> None:
    """Close a connection, and give up those opened before it was lost."""
    opened: _Opened = connection.connection.info[_OPENED]
    opened.give_up()
    connection.invalidate(error)
