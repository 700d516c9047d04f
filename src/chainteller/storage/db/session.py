"""What begins transactions on a database, and the number of one of PostgreSQL's."""

from abc import ABC, abstractmethod
from typing import Any

from chainteller.storage.db.group_commit import Begin
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
_TIMELINE = "left(pg_walfile_name(pg_current_wal_lsn()), 8)"
NUMBER = f"{_TIMELINE} || '/' || pg_current_xact_id()"
"""A server that took over gives numbers again that it hasn't seen, on a timeline of its own."""
ELSEWHERE = "elsewhere"
"""The status of a transaction on a server from which another one has taken over."""
STATUS = Query(
    f"SELECT CASE {_TIMELINE} WHEN split_part(:number, '/', 1) "
    "THEN pg_xact_status(CAST(split_part(:number, '/', 2) AS xid8)) "
    f"ELSE '{ELSEWHERE}' END AS value",
    Value,
    only=POSTGRESQL,
)
"""Of the transaction ``number``."""


class Sessions(ABC):
    """Begins sessions on one database. Each is closed by whoever asked for it."""

    dialect: Dialect
    pool: Pool

    def __init__(self, shared: Shared) -> None:
        self.shared = shared

    @abstractmethod
    def writers(self, begin: Begin) -> Any:
        """What runs units of work in transactions that ``begin`` opens: ``Writers``."""

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
