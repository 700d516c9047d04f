"""What begins transactions on a database."""

from abc import ABC, abstractmethod
from typing import Any

from chainteller.storage.db.pool import Pool
from chainteller.storage.db.query import POSTGRESQL, Dialect, Query, Session, Shared, Value

GATE = 0x43544747
"""PostgreSQL's advisory lock that writes and reads share, and that an upgrade has for itself while
it migrates. Reads of the whole database don't: an upgrade waits for their tables."""
_NO_LIMITS = Query(
    "SELECT set_config('statement_timeout', '0', true) AS value "
    "UNION ALL SELECT set_config('idle_in_transaction_session_timeout', '0', true)",
    Value,
    only=POSTGRESQL,
)


class Sessions(ABC):
    """Begins sessions on one database. Each is closed by whoever asked for it."""

    dialect: Dialect
    pool: Pool

    def __init__(self, shared: Shared) -> None:
        self.shared = shared

    @abstractmethod
    def connect(self) -> Any:
        """Open a connection of the driver, for its own use. Raises DatabaseError."""

    @abstractmethod
    def reading(self, *, patient: bool = False) -> Session:
        """A transaction that writes nothing; without timeouts if ``patient``."""

    @abstractmethod
    def writing(self, *, is_gated: bool = True) -> Session:
        """A transaction that may write; only an upgrade's isn't gated."""

    @abstractmethod
    def looking(self) -> Session:
        """Single statements, each of which sees what is committed."""


def lift_limits(session: Session) -> None:
    """Let a transaction take its time, also between its statements. SQLite has no such limits."""
    if session.dialect.name == POSTGRESQL:
        session.execute(_NO_LIMITS)
