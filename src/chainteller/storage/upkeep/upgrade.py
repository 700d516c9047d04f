"""Upgrade a database to this build's revision: the plan, and running it.

Revisions follow the rule "expand, deploy, contract": a revision that expands only adds, and leaves
the floor, so that servers of the earlier build go on; a later one, which raises the floor, removes
what no build needs any more. On PostgreSQL, the indexes that a revision names (``indexes``) are
built beside writers before its migration, which then has every table for itself for a moment.

Only this module imports Alembic, inside the functions that need it.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import stamina

from chainteller.service.models.databases import UpgradePlan, UpgradeStep
from chainteller.sqlite import sqlite3
from chainteller.storage.compatibility import require_current
from chainteller.storage.database import Database, connect, sqlite_path
from chainteller.storage.db.errors import DatabaseError
from chainteller.storage.db.faults import explain, is_transient, unavailable
from chainteller.storage.db.query import POSTGRESQL, SQLITE, Query, Session, Value, built
from chainteller.storage.log.writer_keys import WriterKeys
from chainteller.storage.revision import REVISION, State
from chainteller.storage.schema import ddl
from chainteller.storage.upkeep.maintenance import free_beside, require_file, size_of

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
_LOCK_TIMEOUT = Query("SET LOCAL lock_timeout = '200ms'", only=POSTGRESQL)
_NO_LOCK_TIMEOUT = Query("SET LOCAL lock_timeout = 0", only=POSTGRESQL)
_NO_TIMEOUT = Query("SET LOCAL statement_timeout = 0", only=POSTGRESQL)
_TRY = Query("SAVEPOINT tables", only=POSTGRESQL)
_TRY_AGAIN = Query("ROLLBACK TO tables", only=POSTGRESQL)
_LOCK_TRIES = 200
_INDEX_WAIT = "60s"
"""How long an index waits for transactions that began before it."""


class _UpgradedElsewhereError(Exception):
    """Another process is upgrading the database."""


def plan(url: str) -> UpgradePlan:
    """The steps of ``upgrade``, in their order; only reads.

    Raises:
        ServiceUnavailable: NO_DATABASE, or as ``upgrade``.
    """
    path = sqlite_path(url)
    if path is not None:
        require_file(path)
    database = connect(url, as_it_is=True)
    try:
        with database.read(patient=True) as connection:
            return _plan(database, connection)
    except DatabaseError as error:
        raise explain(error) from error
    finally:
        database.close()


def require_time(planned: UpgradePlan, within_s: float) -> None:
    """Refuse a plan that takes longer than there is time for, before anything is changed.

    Raises:
        ServiceUnavailable: UPGRADE_TOO_LONG, with ``seconds``.
    """
    if planned.seconds > within_s:
        error = unavailable(
            "UPGRADE_TOO_LONG",
            f"The upgrade takes about {planned.seconds} s; there are {within_s:g} s. "
            "Nothing was changed.",
            "Choose a longer window; chainteller db upgrade --plan shows the steps.",
        )
        error.details["seconds"] = planned.seconds
        raise error


def upgrade(url: str, keys: WriterKeys | None = None) -> tuple[str, str]:
    """Run the missing migrations in one transaction, as a whole or not at all.

    On PostgreSQL, servers go on meanwhile, and wait only for the migrations themselves.

    Returns:
        The revisions before (empty for a new database) and after.

    Raises:
        ServiceUnavailable: as ``maintenance.init``, except OUTDATED_SCHEMA. Indexes that were
            built ahead are kept, and used when the upgrade runs again.
    """
    database = connect(url, keys)
    try:
        with _alone(database):
            if database.is_postgres:
                with database.read() as connection:
                    before = _revision_before(database, connection)
                _build_indexes(database, before)
            with database.write() as connection:
                ddl.lock_schema(connection)
                before = _revision_before(database, connection)
                if not before:
                    ddl.build(connection)
                elif before != REVISION:
                    if database.is_postgres:
                        _lock_tables(connection)
                    _migrate(connection)
                connection.commit()
    except DatabaseError as error:
        raise explain(error) from error
    finally:
        database.close()
    return before, REVISION


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
def _alone(database: Database) -> Iterator[None]:
    """Wait until no other process upgrades the database, and let none do so meanwhile.

    Nobody waits in a statement: an index that is built beside writers waits for every statement
    that began before.
    """
    with ExitStack() as held:
        if database.is_postgres:
            for attempt in stamina.retry_context(
                on=_UpgradedElsewhereError, attempts=None, timeout=None, wait_max=1.0
            ):
                with attempt:
                    _take_turn(held, database)
        yield


def _take_turn(held: ExitStack, database: Database) -> None:
    with ExitStack() as trying:
        connection = trying.enter_context(database.write())
        connection.execute(_NEVER_IDLE)
        if connection.driver.execute(_TRY_ALONE).fetchone() != (True,):
            raise _UpgradedElsewhereError
        held.push(trying.pop_all())


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


def _lock_tables(connection: Session) -> None:
    """Take every table when nobody uses one, until this transaction ends.

    Servers lock tables in orders of their own, so a long wait would end in a deadlock: whoever
    can't have all of them within a moment lets go of them, and tries again.

    Raises:
        DatabaseError: somebody always uses one.
    """
    listed = ", ".join(f'"{name}"' for name in ddl.table_names(connection))
    for attempt in stamina.retry_context(
        on=_is_in_the_way, attempts=_LOCK_TRIES, timeout=None, wait_initial=0.02, wait_max=0.5
    ):
        with attempt:
            connection.execute(_TRY)
            try:
                connection.execute(_LOCK_TIMEOUT)
                connection.execute(built(f"LOCK TABLE {listed} IN ACCESS EXCLUSIVE MODE", None))
            except DatabaseError:
                connection.execute(_TRY_AGAIN)
                raise
    connection.execute(_NO_LOCK_TIMEOUT)


def _is_in_the_way(error: Exception) -> bool:
    """Whether the same statement may succeed in a moment."""
    return isinstance(error, DatabaseError) and is_transient(error)


def _migrate(connection: Session) -> None:
    from alembic import command  # noqa: PLC0415 - takes a second to import
    from alembic.config import Config  # noqa: PLC0415 - as above

    if connection.dialect.name == POSTGRESQL:
        connection.execute(_NO_TIMEOUT)
    with lent(connection.driver, connection.dialect.name) as shown:
        config = Config(attributes={"connection": shown})
        config.set_main_option("script_location", str(_MIGRATIONS))
        command.upgrade(config, "head")
    ddl.stamp(connection)


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
