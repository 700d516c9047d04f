"""Upgrade a database to this build's revision: the plan, and running it.

Revisions follow the rule "expand, deploy, contract": a revision that expands only adds, and leaves
the floor, so that servers of the earlier build go on; a later one, which raises the floor, removes
what no build needs any more. On PostgreSQL, the indexes that a revision names (``indexes``) are
built beside writers before its migration, which then has every table for itself for a moment:
first the gate that writes and reads share, then the tables, which nobody else wants any more.

Only this module imports Alembic, inside the functions that need it.
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from chainteller.service.models.databases import UpgradePlan, UpgradeStep
from chainteller.sqlite import sqlite3
from chainteller.storage.database import Database, sqlite_path
from chainteller.storage.db.errors import DatabaseError
from chainteller.storage.db.faults import (
    RETRIED_STATES,
    require_current,
    sqlstate,
    unavailable,
)
from chainteller.storage.db.query import (
    POSTGRESQL,
    SQLITE,
    Query,
    Session,
    Value,
    built,
    row_of,
)
from chainteller.storage.db.session import GATE
from chainteller.storage.log.writer_keys import WriterKeys
from chainteller.storage.revision import REVISION, State
from chainteller.storage.schema import ddl
from chainteller.storage.upkeep.maintenance import connected, free_beside, require_file, size_of

if TYPE_CHECKING:
    from sqlalchemy import Connection

_MIGRATIONS = Path(__file__).parents[1] / "migrations"
_VERIFIED_PER_S = 10_000
_INDEXED_PER_S = 300_000
"""Rows that are verified, and that an index is built of, in a second: about half of what was
measured on two cores (docs/how-to/operating.md)."""
_TRY_ALONE = f"SELECT pg_try_advisory_xact_lock({0x43544C55})"
"""For the driver itself: a statement that is prepared keeps its snapshot until the next one."""
_NEVER_IDLE = Query("SET LOCAL idle_in_transaction_session_timeout = 0", only=POSTGRESQL)
_AT_ONCE = (
    Query("SET LOCAL lock_timeout = '500ms'", only=POSTGRESQL),
    Query("SET LOCAL statement_timeout = '700ms'", only=POSTGRESQL),
)
"""Less than the second after which PostgreSQL ends one of those in a deadlock, and with both
statements less than the two seconds that a read waits."""
_TAKE_GATE = Query("SELECT pg_advisory_xact_lock(:gate) AS value", Value, only=POSTGRESQL)
_NO_LOCK_TIMEOUT = Query("SET LOCAL lock_timeout = 0", only=POSTGRESQL)
_NO_TIMEOUT = Query("SET LOCAL statement_timeout = 0", only=POSTGRESQL)
_TRY = Query("SAVEPOINT tables", only=POSTGRESQL)
_TRY_AGAIN = Query("ROLLBACK TO tables", only=POSTGRESQL)
_IN_THE_WAY = Query(
    """
SELECT pid, application_name AS program,
CAST(extract(epoch FROM clock_timestamp() - xact_start) AS integer) AS seconds
FROM pg_stat_activity AS other
WHERE datname = current_database() AND pid <> pg_backend_pid() AND EXISTS (
  SELECT 1 FROM pg_locks AS held LEFT JOIN pg_class AS used ON used.oid = held.relation
  WHERE held.pid = other.pid AND held.database = other.datid AND held.granted
  AND (used.relnamespace = current_schema()::regnamespace
    OR (held.locktype = 'advisory' AND held.objid = :gate)))
ORDER BY xact_start LIMIT 1
""",
    row_of("pid", "program", "seconds"),
    only=POSTGRESQL,
)
_PATIENCE_S = 120
_PAUSE_S = 0.1
_LONGEST_PAUSE_S = 1.0
_BETWEEN_NOTICES_S = 10
_NOT_AT_ONCE = RETRIED_STATES | {"57014"}
"""What a statement ends with that can't have its lock within a moment."""
_INDEX_WAIT = "60s"
"""How long an index waits for transactions that began before it."""


class Upgraded(NamedTuple):
    """The revisions before (empty for a new database) and after, and how often the upgrade tried to
    have every table for itself."""

    before: str
    after: str
    tries: int = 0


class Notices:
    """Says what an upgrade waits for: once for each thing, and then every ten seconds."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._last = ""
        self._at = 0.0

    def wait_for(self, what: str, detail: str = "") -> None:
        now = time.monotonic()
        if what != self._last or now - self._at >= _BETWEEN_NOTICES_S:
            self._last, self._at = what, now
            self._say(f"waiting for {what}{detail}")


def plan(url: str) -> UpgradePlan:
    """The steps of ``upgrade``, in their order; only reads. Raises ServiceUnavailable: NO_DATABASE,
    or as ``upgrade``."""
    path = sqlite_path(url)
    if path is not None:
        require_file(path)
    with connected(url, as_it_is=True) as database, database.read(patient=True) as connection:
        return _plan(database, connection)


def revisions(url: str) -> tuple[str, str]:
    """The revision of the database (empty for a new one) and the one of this build; only reads.
    Raises ServiceUnavailable: as ``plan``."""
    path = sqlite_path(url)
    if path is not None:
        require_file(path)
    with connected(url, as_it_is=True) as database, database.read() as connection:
        return _revision_before(database, connection), REVISION


def upgrade(
    url: str, keys: WriterKeys | None = None, say: Callable[[str], None] = lambda _: None
) -> Upgraded:
    """Run the missing migrations in one transaction, as a whole or not at all.

    On PostgreSQL, servers go on meanwhile, and wait only for the migrations themselves.

    Args:
        say: is told what the upgrade waits for.

    Raises:
        ServiceUnavailable: as ``maintenance.init``, except OUTDATED_SCHEMA. Indexes that were
            built ahead are kept, and used when the upgrade runs again.
    """
    notices, tries = Notices(say), 0
    with connected(url, keys) as database, _alone(database, notices):
        if database.is_postgres:
            with database.read() as connection:
                before = _revision_before(database, connection)
            _build_indexes(database, before)
        with database.write(is_gated=False) as connection:
            ddl.lock_schema(connection)
            before = _revision_before(database, connection)
            if not before:
                ddl.build(connection)
            elif before != REVISION:
                migrate = _migration()
                if database.is_postgres:
                    tries = _lock_tables(connection, notices)
                migrate(connection)
            connection.commit()
    return Upgraded(before, REVISION, tries)


def _plan(database: Database, connection: Session) -> UpgradePlan:
    before = _revision_before(database, connection)
    rows = {
        name: int(connection.execute(built(f"SELECT count(*) FROM {name}", Value)).scalar_one())
        for name in ddl.table_names(connection)
    }
    steps = []
    for module in _pending(before):
        indexes = getattr(module, "indexes", ())
        read = sum(rows.get(each.table, 0) for each in indexes)
        steps.append(
            UpgradeStep(
                step=module.revision,
                does=module.__doc__.partition("\n\n")[0],
                rows=read,
                seconds=ceil(read / _INDEXED_PER_S),
                indexes=tuple(each.name for each in indexes),
            )
        )
    every = sum(rows.values())
    steps.append(
        UpgradeStep(
            step="verify",
            does="Verify everything, and list what is wrong.",
            rows=every,
            seconds=ceil(every / _VERIFIED_PER_S),
        )
    )
    return UpgradePlan(
        before=before,
        after=REVISION,
        steps=tuple(steps),
        seconds=sum(step.seconds for step in steps),
        size_bytes=size_of(connection, database.path),
        free_bytes=None if database.path is None else free_beside(database.path),
    )


def _revision_before(database: Database, connection: Session) -> str:
    """The revision to start from; empty for a new database. Raises ServiceUnavailable."""
    found = ddl.state(connection)
    if found not in (State.NEW, State.OUTDATED):
        require_current(found, database.name)
    return "" if found is State.NEW else ddl.revision(connection)


def _pending(before: str) -> list[Any]:
    """The modules of the migrations that follow a revision, in their order; none follows for a new
    database, which is built as a whole."""
    if before in ("", REVISION):
        return []
    from alembic.script import ScriptDirectory  # noqa: PLC0415 - takes a second to import

    scripts = reversed(list(ScriptDirectory(os.fspath(_MIGRATIONS)).walk_revisions()))
    return [script.module for script in scripts if script.revision > before]


@contextmanager
def _alone(database: Database, notices: Notices) -> Iterator[None]:
    """Wait until no other process upgrades the database, and let none do so meanwhile.

    Nobody waits in a statement: an index that is built beside writers waits for every statement
    that began before.
    """
    with ExitStack() as held:
        while database.is_postgres and not _has_turn(held, database):
            notices.wait_for("another process, which upgrades the database")
            time.sleep(_LONGEST_PAUSE_S)
        yield


def _has_turn(held: ExitStack, database: Database) -> bool:
    with ExitStack() as trying:
        connection = trying.enter_context(database.write(is_gated=False))
        connection.execute(_NEVER_IDLE)
        if connection.driver.execute(_TRY_ALONE).fetchone() != (True,):
            return False
        held.push(trying.pop_all())
    return True


def _build_indexes(database: Database, before: str) -> None:
    """Build the indexes of the migrations that follow a revision, beside writers."""
    wanted = [each for module in _pending(before) for each in getattr(module, "indexes", ())]
    if not wanted:
        return
    from alembic.migration import MigrationContext  # noqa: PLC0415 - takes a second to import
    from alembic.operations import Operations  # noqa: PLC0415 - as above

    from chainteller.storage.migrations import indexes  # noqa: PLC0415 - imports Alembic

    with (
        closing(database.sessions.connect()) as driver,
        lent(driver, POSTGRESQL) as connection,
    ):
        connection.exec_driver_sql(f"SET lock_timeout = '{_INDEX_WAIT}'; SET statement_timeout = 0")
        with Operations.context(MigrationContext.configure(connection)):
            for each in wanted:
                indexes.create_ahead(each)


def _lock_tables(connection: Session, notices: Notices) -> int:
    """Take every table when nobody uses one, until this transaction ends; returns the tries.

    The gate comes first: then nothing short is under way. What has no gate, as a server of an
    earlier build, locks tables in an order of its own, so a long wait would end in a deadlock:
    whoever can't have all of them within a moment lets go of the gate and of them, and tries again.

    Raises:
        ServiceUnavailable: STORAGE_LOCKED, somebody always uses one.
    """
    until, pause_s, tries = time.monotonic() + _PATIENCE_S, _PAUSE_S, 1
    while not _has_tables(connection):
        named = _who_is_in_the_way(connection)
        if time.monotonic() >= until:
            raise unavailable(
                "STORAGE_LOCKED",
                f"Something was in the way for {_PATIENCE_S} s: {''.join(named)}. "
                "Nothing was migrated.",
                "End that, or run the upgrade again when there is less to do.",
            )
        notices.wait_for(*named)
        time.sleep(pause_s)
        pause_s, tries = min(2 * pause_s, _LONGEST_PAUSE_S), tries + 1
    connection.execute(_NO_LOCK_TIMEOUT)
    return tries


def _has_tables(connection: Session) -> bool:
    """Whether all could be had at once. Raises DatabaseError."""
    listed = ", ".join(f'"{name}"' for name in ddl.table_names(connection))
    connection.execute(_TRY)
    try:
        for each in _AT_ONCE:
            connection.execute(each)
        _TAKE_GATE.run(connection, GATE)
        connection.execute(built(f"LOCK TABLE {listed} IN ACCESS EXCLUSIVE MODE", None))
    except DatabaseError as error:
        if sqlstate(error) not in _NOT_AT_ONCE:
            raise
        connection.execute(_TRY_AGAIN)
        return False
    return True


def _who_is_in_the_way(connection: Session) -> tuple[str, ...]:
    """The process whose transaction uses a table for longest, and for how long, in words."""
    found = _IN_THE_WAY.first(connection, GATE)
    if found is None:
        return ("a moment without requests",)
    program = f" ({found.program})" if found.program else ""
    detail = f", whose transaction is {found.seconds} s old" if found.seconds else ""
    return (f"the database's process {found.pid}{program}", detail)


def _migration() -> Callable[[Session], None]:
    """What runs the missing migrations. Made before anybody waits for it: the imports take longer
    than most migrations."""
    import sqlalchemy  # noqa: F401, PLC0415 - for ``lent``
    from alembic import command  # noqa: PLC0415 - takes a second to import
    from alembic.config import Config  # noqa: PLC0415 - as above

    def migrate(connection: Session) -> None:
        if connection.dialect.name == POSTGRESQL:
            connection.execute(_NO_TIMEOUT)
        with lent(connection.driver, connection.dialect.name) as shown:
            config = Config(attributes={"connection": shown})
            config.set_main_option("script_location", str(_MIGRATIONS))
            command.upgrade(config, "head")
        ddl.stamp(connection)

    return migrate


@contextmanager
def lent(driver: Any, dialect: str) -> "Iterator[Connection]":
    """A driver's connection as SQLAlchemy's, for Alembic; its transaction stays as it is."""
    from sqlalchemy import create_engine  # noqa: PLC0415 - takes longer to import than a command
    from sqlalchemy.pool import StaticPool  # noqa: PLC0415

    is_sqlite = dialect == SQLITE
    engine = create_engine(
        "sqlite://" if is_sqlite else "postgresql+psycopg://",
        creator=lambda: _Lent(driver),
        poolclass=StaticPool,
        **({"module": sqlite3} if is_sqlite else {"use_native_hstore": False}),
    )
    with engine.connect() as connection:
        yield connection


class _Lent:
    """A connection that whoever borrowed it can neither end nor close."""

    def __init__(self, driver: Any) -> None:
        self._driver = driver

    def __getattr__(self, name: str) -> Any:
        return getattr(self._driver, name)

    def commit(self) -> None:
        """Leave that to the owner."""

    rollback = close = commit
