"""What ``db upgrade`` does before the migrations on PostgreSQL, while servers go on.

A migration says what that is: indexes of tables that exist (``indexes``), columns that these need
(``early``), and what visits many rows (``ahead``). Each can be interrupted, and goes on in the next
upgrade. The migrations then have every table for themselves, for a moment.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import stamina
from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import DBAPIError

from chainteller.storage import schema
from chainteller.storage.database import Database
from chainteller.storage.faults import is_transient
from chainteller.storage.revision import REVISION

MIGRATIONS = Path(__file__).parent / "migrations"
_TRY_ALONE = f"SELECT pg_try_advisory_xact_lock({0x43544C55})"
"""Without parameters: a statement that has some keeps its snapshot until the next one."""
_LOCK_TIMEOUT = text("SET LOCAL lock_timeout = '200ms'")
_LOCK_TRIES = 200
_INDEX_WAIT = "60s"
"""How long an index waits for transactions that began before it."""


class _UpgradedElsewhereError(Exception):
    """Another process is upgrading the database."""


def pending(before: str) -> list[Any]:
    """The modules of the migrations that follow a revision, in their order."""
    if before == REVISION:
        return []
    from alembic.script import ScriptDirectory  # noqa: PLC0415 - takes a second to import

    scripts = reversed(list(ScriptDirectory(os.fspath(MIGRATIONS)).walk_revisions()))
    return [script.module for script in scripts if script.revision > before]


@contextmanager
def alone(database: Database) -> Iterator[None]:
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
        connection.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
        if not connection.exec_driver_sql(_TRY_ALONE).scalar():
            raise _UpgradedElsewhereError
        held.push(trying.pop_all())


def prepare(database: Database, before: str) -> None:
    """Do all that the migrations after a revision can do ahead.

    Raises:
        DBAPIError: what was done so far is kept.
    """
    modules = pending(before) if before else []
    _add_columns(database, modules)
    _build_indexes(database, modules)
    while _do_some(database, modules):
        pass


def _add_columns(database: Database, modules: Sequence[Any]) -> None:
    from chainteller.storage.migrations import indexes  # noqa: PLC0415 - imports Alembic

    for early in (each for module in modules for each in getattr(module, "early", ())):
        with database.write() as connection, _operations(connection):
            if indexes.is_missing(early):
                lock_tables(connection, early.table)
                indexes.add_early([early])
                connection.commit()


def _build_indexes(database: Database, modules: Sequence[Any]) -> None:
    from chainteller.storage.migrations import indexes  # noqa: PLC0415 - imports Alembic

    wanted = [each for module in modules for each in getattr(module, "indexes", ())]
    if not wanted:
        return
    with database.look() as connection, _operations(connection):
        connection.exec_driver_sql(f"SET lock_timeout = '{_INDEX_WAIT}'; SET statement_timeout = 0")
        try:
            for each in wanted:
                indexes.create_ahead(each)
        finally:
            connection.invalidate()


def _do_some(database: Database, modules: Sequence[Any]) -> bool:
    """Do some of what migrations can do ahead, in one transaction; whether there is more."""
    with database.write() as connection, _operations(connection):
        schema.lock_schema(connection)
        more = any(module.ahead() for module in modules if hasattr(module, "ahead"))
        connection.commit()
    return more


@contextmanager
def _operations(connection: Connection) -> Iterator[None]:
    """Let Alembic's operations use a connection."""
    from alembic.migration import MigrationContext  # noqa: PLC0415 - takes a second to import
    from alembic.operations import Operations  # noqa: PLC0415 - as above

    with Operations.context(MigrationContext.configure(connection)):
        yield


def lock_tables(connection: Connection, *names: str) -> None:
    """Take tables, by default every one, when nobody uses one, until this transaction ends.

    Servers lock tables in orders of their own, so a long wait would end in a deadlock: whoever
    can't have all of them within a moment lets go of them, and tries again.

    Raises:
        DBAPIError: somebody always uses one.
    """
    wanted = sorted(names or inspect(connection).get_table_names())
    listed = ", ".join(f'"{name}"' for name in wanted)
    for attempt in stamina.retry_context(
        on=is_in_the_way, attempts=_LOCK_TRIES, timeout=None, wait_initial=0.02, wait_max=0.5
    ):
        with attempt, connection.begin_nested():
            connection.execute(_LOCK_TIMEOUT)
            connection.execute(text(f"LOCK TABLE {listed} IN ACCESS EXCLUSIVE MODE"))
    connection.execute(text("SET LOCAL lock_timeout = 0"))


def is_in_the_way(error: Exception) -> bool:
    """Whether the same statement may succeed in a moment."""
    return isinstance(error, DBAPIError) and is_transient(error)
