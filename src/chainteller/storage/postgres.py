"""PostgreSQL connections without session state.

A pooler such as pgbouncer may use another session for each transaction. So nothing lasts longer
than a transaction: timeouts are SET LOCAL, in the round trip that begins it, and advisory locks are
those of transactions. Statements are prepared only where there is no pooler (``pipeline.Session``).
"""

from typing import TYPE_CHECKING

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL
from sqlalchemy.exc import NoSuchModuleError

from chainteller.service.errors import ServiceUnavailable
from chainteller.storage import lost_connections
from chainteller.storage.faults import unavailable

if TYPE_CHECKING:
    from sqlalchemy.engine.interfaces import DBAPIConnection
    from sqlalchemy.pool import ConnectionPoolEntry

LOCK_TIMEOUT_S = 2
STATEMENT_TIMEOUT_S = 10
_IDLE_TIMEOUT_S = 15
_POOL_WAIT_S = 5
_KEPT = 20
"""Connections kept open: one per thread of a server, and some for its due work."""
_TIMEOUTS_S = {
    "lock_timeout": LOCK_TIMEOUT_S,
    "statement_timeout": STATEMENT_TIMEOUT_S,
    "idle_in_transaction_session_timeout": _IDLE_TIMEOUT_S,
}
_LIMITS = "; ".join(f"SET LOCAL {name} = '{most}s'" for name, most in _TIMEOUTS_S.items())
_BEGIN_WRITES = "BEGIN ISOLATION LEVEL READ COMMITTED"
_BEGIN_READS = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"
_SET_LIMITS = "SELECT " + ", ".join(
    f"set_config('{name}', '{most}s', true)" for name, most in _TIMEOUTS_S.items()
)
"""The same as one statement."""
WRITING = (_BEGIN_WRITES, _SET_LIMITS)
READING = (_BEGIN_READS, _SET_LIMITS)
"""What a plain connection sends before its first statement."""
_WRITES = f"{_BEGIN_WRITES}; {_LIMITS}"
"""Sufficient, because every decision is made on a locked row. READ WRITE isn't set, to respect an
operator's read-only default."""
_READS = f"{_BEGIN_READS}; {_LIMITS}"
"""All statements of a read see the same rows, as on SQLite."""
_DEFAULTS = {
    "connect_timeout": 5,
    "application_name": "chainteller",
    "keepalives_idle": 30,
    "tcp_user_timeout": 15_000,
}
"""Defaults of a connection, which the URL can override; they detect a lost server in time."""


def open_postgres(parsed: URL) -> Engine:
    """Create the SQLAlchemy engine. Raises ServiceUnavailable: DRIVER_MISSING."""
    given = {name: value for name, value in _DEFAULTS.items() if name not in parsed.query}
    try:
        engine = create_engine(
            parsed,
            pool_size=_KEPT,
            max_overflow=_KEPT // 2,
            pool_timeout=_POOL_WAIT_S,
            pool_use_lifo=True,
            connect_args={**given, "prepare_threshold": None},
        )
    except (ModuleNotFoundError, NoSuchModuleError):
        raise driver_missing("psycopg") from None
    event.listen(engine, "connect", _leave_transactions_to_us)
    event.listen(engine, "begin", _begin)
    lost_connections.watch(engine)
    return engine


def driver_missing(package: str) -> ServiceUnavailable:
    """The error for a package of the extra ``postgres`` that isn't installed."""
    return unavailable(
        "DRIVER_MISSING",
        f"PostgreSQL needs the package {package}.",
        "Install it: pip install 'chainteller[postgres]'.",
    )


def _leave_transactions_to_us(
    connection: "DBAPIConnection", _record: "ConnectionPoolEntry"
) -> None:
    connection.autocommit = True


def _begin(connection: Connection) -> None:
    options = connection.get_execution_options()
    if options.get("looks", False) or options.get("plain", False):
        return  # each statement is a transaction, or the connection's user sends the beginning
    if options.get("writes", False):
        connection.exec_driver_sql(_WRITES)
    else:
        connection.exec_driver_sql(_BEGIN_READS if options.get("patient", False) else _READS)
