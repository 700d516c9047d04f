"""Database maintenance: create, check, back up and restore."""

import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from itertools import count
from pathlib import Path

from chainteller import open_files
from chainteller.open_files import Holders
from chainteller.private_files import draft_beside
from chainteller.service.errors import ServiceUnavailable
from chainteller.service.models.databases import DatabaseReport
from chainteller.sqlite import WAL_IS_SAFE, sqlite3
from chainteller.storage.database import Database, connect, create_if_new, sqlite_path
from chainteller.storage.db.errors import DatabaseError
from chainteller.storage.db.faults import explain, explain_sqlite, require_current, unavailable
from chainteller.storage.db.query import POSTGRESQL, SQLITE, Query, Session, Value, built
from chainteller.storage.db.records import ALL
from chainteller.storage.db.sqlite import address_of, is_in_wal
from chainteller.storage.log.writer_keys import WriterKeys
from chainteller.storage.revision import State, sqlite_revision, sqlite_state
from chainteller.storage.schema import catalogue, ddl

DATABASE_OPEN = "DATABASE_OPEN"
SIDE_FILES = ("-journal", "-wal", "-shm")
_MOST_PROBLEMS = 20
_COMPACTING = 2
"""SQLite writes a copy of the file, and a journal while it takes the file's place."""
_SAMPLED = 400
"""Rows of each index that SQLite looks at."""
_LIMIT = built(f"PRAGMA analysis_limit={_SAMPLED}", None)
_OPTIMIZE = built(f"PRAGMA optimize({0x10003})", Value)
_EMPTY_JOURNAL = built("PRAGMA wal_checkpoint(TRUNCATE)", None)
_MOVE_JOURNAL = built("PRAGMA wal_checkpoint(PASSIVE)", None)
_VERSION = built("SHOW server_version", Value)
_SIZE = Query("SELECT pg_database_size(current_database()) AS value", Value, only=POSTGRESQL)
_ANALYSE = r'ANALYZE "[^"]+"\."([^"]+)"'
_CHANGED = Query(
    """
SELECT relname AS value FROM pg_stat_user_tables
WHERE schemaname = current_schema()
AND n_mod_since_analyze > 1000 + 0.1 * n_live_tup
AND coalesce(greatest(last_analyze, last_autoanalyze), '-infinity') < now() - interval '10 minutes'
""",
    Value,
    only=POSTGRESQL,
)
"""Autovacuum does the same where it's on; this helps where it's late or off."""


def init(url: str, keys: WriterKeys | None = None) -> bool:
    """Create the schema, the first organisation and the writer's key; False if the schema is
    current already.

    Raises:
        ServiceUnavailable: it can't be used, or belongs to another version or program.
    """
    with connected(url, keys) as database:
        return create_if_new(database)


@contextmanager
def connected(
    url: str, keys: WriterKeys | None = None, *, as_it_is: bool = False
) -> Iterator[Database]:
    """As ``connect``, until the block ends; its errors are explained."""
    database = connect(url, keys, as_it_is=as_it_is)
    try:
        yield database
    except DatabaseError as error:
        raise explain(error) from error
    finally:
        database.close()


def check(url: str) -> DatabaseReport:
    """Check a database without changing it. Raises ServiceUnavailable: there is no database, or it
    can't be read."""
    path = sqlite_path(url)
    if path is not None:
        return _check_file(path)
    with connected(url) as database, database.read() as connection:
        found = ddl.state(connection)
        problems = tuple(catalogue.problems(connection)) if found is State.CURRENT else ()
        server = str(connection.execute(_VERSION).scalar_one())
        revision = "" if found is State.NEW else ddl.revision(connection)
    return DatabaseReport(
        kind="postgresql",
        location=database.name,
        healthy=found is State.CURRENT and not problems,
        schema_state=found,
        schema_version=revision,
        driver_version=server,
        problems=problems,
        notes=_schema_notes(found),
    )


def analyse(database: Database) -> Iterator[None]:
    """Let the database look at samples of its tables, so that it goes on choosing well: of those
    that have changed a lot since the last time, each in a transaction of its own.

    Raises:
        ServiceUnavailable: it can't be used.
    """
    try:
        with database.read() as connection:
            changed = list(_much_changed(connection))
        for name in changed:
            with database.write() as connection:
                if connection.dialect.name == SQLITE:
                    connection.execute(_LIMIT)
                connection.execute(built(f'ANALYZE "{name}"', None))
                connection.commit()
            yield
    except DatabaseError as error:
        raise explain(error) from error


def _much_changed(connection: Session) -> Iterator[str]:
    """Our tables whose statistics are missing or far from what is there."""
    ours = {table.name for table in ALL}
    if connection.dialect.name == SQLITE:
        # What would be analysed, one statement each; see https://sqlite.org/pragma.html#pragma_optimize
        found = connection.execute(_OPTIMIZE).scalars()
        named = (re.fullmatch(_ANALYSE, str(statement)) for statement in found)
        yield from (each[1] for each in named if each is not None and each[1] in ours)
        return
    yield from (name for name in connection.execute(_CHANGED).scalars() if name in ours)


def flush(database: Database) -> None:
    """Move what was committed from SQLite's journal into the file, beside writers. Otherwise the
    commit that makes the journal long enough does so, and whoever writes next waits for it."""
    _checkpoint(database, _MOVE_JOURNAL)


def clear_journal(database: Database) -> None:
    """Empty SQLite's journal, which has earlier contents of pages; beside a reader that takes more
    than five seconds, it stays as it is."""
    _checkpoint(database, _EMPTY_JOURNAL)


def _checkpoint(database: Database, statement: Query) -> None:
    if database.in_wal:
        try:
            with database.look() as connection:
                connection.execute(statement)
        except DatabaseError as error:
            raise explain(error) from error


def compact(url: str) -> tuple[int, int]:
    """Write the database again without the space that nothing uses.

    On PostgreSQL, free what rows no longer use, beside running servers; the database itself
    keeps that space for new rows.

    Returns:
        Its size in bytes, before and after.

    Raises:
        ServiceUnavailable: DATABASE_OPEN (SQLite only), STORAGE_FULL, or as ``check``; nothing
            was changed.
    """
    path = sqlite_path(url)
    if path is None:
        return _compact_server(url)
    ddl.inspect_file(path)
    require_file(path)
    _require_closed(path, "compacted")
    before = path.stat().st_size
    require_space(path, _COMPACTING * before)
    try:
        with closing(sqlite3.connect(path, timeout=5, isolation_level=None)) as connection:
            require_current(sqlite_state(partial(_scalar, connection)), str(path))
            connection.execute("VACUUM")
    except sqlite3.Error as error:
        raise explain_sqlite(error) from error
    return before, path.stat().st_size


def _compact_server(url: str) -> tuple[int, int]:
    with connected(url) as database:
        with database.read() as connection:
            require_current(ddl.state(connection), database.name)
        with database.look() as connection:
            before = size_of(connection, None)
        with closing(database.sessions.connect()) as driver:
            driver.execute("SET statement_timeout = 0")
            driver.execute("VACUUM (ANALYZE)")
        with database.look() as connection:
            after = size_of(connection, None)
    return before, after


def size_of(connection: Session, path: Path | None) -> int:
    """Bytes of a database: of its file, or as PostgreSQL counts them."""
    if path is not None:
        return path.stat().st_size
    return int(connection.execute(_SIZE).scalar_one())


def free_beside(path: Path) -> int:
    """Bytes that may still be written on the disk of a file."""
    return shutil.disk_usage(path.resolve().parent).free


def require_space(path: Path, needed: int) -> None:
    """Raises ServiceUnavailable: STORAGE_FULL, where the disk of a file has less space."""
    free = free_beside(path)
    if free < needed:
        raise unavailable(
            "STORAGE_FULL",
            f"This needs up to {needed:,} bytes; {free:,} are free on the disk of {path.name}. "
            "Nothing was changed.",
            "Free space on that disk, then run it again.",
        )


def is_missing(path: Path) -> bool:
    """Whether there is no such file. Opening one that this user may not look at says so."""
    try:
        return not path.exists()
    except PermissionError:
        return False


def require_file(path: Path) -> None:
    """Raises ServiceUnavailable if there is no such file: opening it would create a database."""
    if is_missing(path):
        raise unavailable(
            "NO_DATABASE", "There is no such database file.", "Create it: chainteller db init."
        )


def require_database(url: str) -> None:
    """Raises ServiceUnavailable if there is no file or schema yet, which opening it would make."""
    path = sqlite_path(url)
    if path is not None:
        require_file(path)
        return
    with connected(url, as_it_is=True) as database, database.read() as connection:
        if ddl.state(connection) is State.NEW:
            told = f"{database.name} has no schema yet."
            raise unavailable("NO_DATABASE", told, "Create it: chainteller db init.")


def _check_file(path: Path) -> DatabaseReport:
    ddl.inspect_file(path)
    require_file(path)
    try:
        with closing(_read_only(path)) as connection:
            found = sqlite_state(partial(_scalar, connection))
            mode = str(connection.execute("PRAGMA journal_mode").fetchone()[0]).upper()
            mode = "WAL" if is_in_wal(path) else mode
            revision = sqlite_revision(partial(_scalar, connection))
            problems = _problems(connection)
            altered = tuple(catalogue.sqlite_problems(connection)) if found is State.CURRENT else ()
    except sqlite3.Error as error:
        raise explain_sqlite(error) from error
    notes = [*_schema_notes(found)]
    if mode == "WAL" and not WAL_IS_SAFE:
        notes.append(
            f"SQLite {sqlite3.sqlite_version} can corrupt a file in WAL mode; the next start "
            "switches it to TRUNCATE."
        )
    elif not WAL_IS_SAFE:
        notes.append(f"SQLite {sqlite3.sqlite_version} has the WAL-reset fault: WAL is not used.")
    if problems:
        notes.append("Restore a backup: chainteller db restore FILE.")
    if altered:
        notes.append("The schema was changed: find out by whom, and run chainteller db verify.")
    return DatabaseReport(
        kind="sqlite",
        location=str(path),
        healthy=found is State.CURRENT and not problems and not altered,
        schema_state=found,
        schema_version=f"{revision:04d}" if revision else "",
        journal_mode=mode,
        driver_version=sqlite3.sqlite_version,
        problems=problems + altered,
        notes=tuple(notes),
    )


def _schema_notes(found: State) -> tuple[str, ...]:
    advice = {
        State.NEW: "It holds nothing yet: chainteller db init.",
        State.OUTDATED: "Make a backup, then run: chainteller db upgrade.",
        State.UNSUPPORTED: "A build before 0.2.0 wrote it. Start a new database.",
        State.NEWER: "A newer version of chainteller wrote it; install that version.",
        State.FOREIGN: "It belongs to another program.",
        State.DAMAGED: "It doesn't say any more which schema it has; restore a backup.",
    }
    return (advice[found],) if found in advice else ()


def _read_only(path: Path) -> sqlite3.Connection:
    address = address_of(path)
    if address == str(path):
        address = f"{path.absolute().as_uri()}?mode=ro"
    return _connected(address)


def _connected(address: str) -> sqlite3.Connection:
    return sqlite3.connect(address, uri=True, timeout=5, isolation_level=None)


def _scalar(connection: sqlite3.Connection, query: str) -> object:
    found = connection.execute(query).fetchone()
    return found[0] if found is not None else None


def _problems(connection: sqlite3.Connection) -> tuple[str, ...]:
    """The problems that SQLite's integrity and foreign key checks report."""
    try:
        rows = connection.execute(f"PRAGMA integrity_check({_MOST_PROBLEMS})")
        found = [str(row[0]) for row in rows]
        if found != ["ok"]:
            return tuple(found)
        orphans = connection.execute("PRAGMA foreign_key_check").fetchmany(_MOST_PROBLEMS)
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorname.startswith("SQLITE_CORRUPT"):
            return (str(error),)
        raise
    return tuple(f"{child}: a row refers to nothing in {parent}" for child, _, parent, _ in orphans)


def backup(database: Database, file: Path) -> None:
    """Write a consistent copy to a new file; the database may be in use.

    Raises:
        ServiceUnavailable: EXISTS (nothing is overwritten), NOT_OFFERED on PostgreSQL, or a disk
            error; no partial file is left.
    """
    if database.path is None:
        raise unavailable(
            "NOT_OFFERED", "A PostgreSQL database has tools of its own.", "Use pg_dump."
        )
    try:
        if file.exists():
            raise _exists(file)
        with draft_beside(file) as draft:
            with closing(_connected(address_of(database.path))) as source:
                source.execute("VACUUM INTO ?", (str(draft),))
            _sync(draft)
            file.hardlink_to(draft)
    except sqlite3.Error as error:
        raise explain_sqlite(error) from error
    except FileExistsError:
        raise _exists(file) from None
    except OSError as error:
        raise cannot_write(file) from error


def _exists(file: Path) -> Exception:
    return unavailable("EXISTS", f"{file.name} exists already.", "Name another file.")


def cannot_write(file: Path) -> Exception:
    return unavailable(
        "CANNOT_OPEN",
        f"{file.name} cannot be written.",
        "Check that its folder exists, has space and that this user may write there.",
    )


def _sync(path: Path) -> None:
    """Flush a file's contents and its directory entry to disk."""
    for each in (path, path.absolute().parent):
        handle = os.open(each, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def restore(file: Path, url: str, record: Callable[[Path], None] = lambda _: None) -> Path | None:
    """Check a backup, then replace the database with it atomically.

    Args:
        record: writes into a copy of the backup that it was restored, before it takes the
            database's place.

    Returns:
        The path of the former database, if there was one.

    Raises:
        ServiceUnavailable: DATABASE_OPEN, with the ``pids`` of the processes that hold it; or the
            backup is incomplete, of another program or of a newer version, the database is in
            use, or the disk has too little space for both. The database is unchanged.
    """
    path = sqlite_path(url)
    if path is None:
        raise unavailable(
            "NOT_OFFERED", "A PostgreSQL database has tools of its own.", "Use pg_restore."
        )
    path = path.resolve()  # a link stays; its file is replaced
    _require_closed(path)
    kept = None
    with suppress(OSError):  # reading the backup says what is wrong
        require_space(path, file.stat().st_size)
    try:
        with draft_beside(path) as draft:
            copy_checked(file, draft)
            record(draft)
            if path.exists():
                shutil.copymode(path, draft)
                kept = _keep_former(path)
            draft.replace(path)
            _sync(path)
    except OSError as error:
        raise cannot_write(path) from error
    return kept


def holders(url: str) -> Holders:
    """The other processes that hold a SQLite database open, itself or one of its journals."""
    path = sqlite_path(url)
    return Holders((), "") if path is None else _holders(path)


def _holders(path: Path) -> Holders:
    file = path.resolve()  # its journals are beside it, and not beside a link
    return open_files.holders(file, *(file.with_name(file.name + each) for each in SIDE_FILES))


def _require_closed(path: Path, done: str = "restored") -> None:
    """Refuse a database that another process holds open: it would go on with the former file, or
    wait for a lock for too long."""
    pids = _holders(path).pids
    if pids:
        named = ", ".join(str(pid) for pid in pids)
        error = unavailable(
            DATABASE_OPEN,
            f"The database is open in process {named}; nothing was {done}.",
            "Stop the server or console that has it open, then run this again.",
        )
        error.details["pids"] = list(pids)
        raise error


_SPOILED = {
    "STORAGE_CORRUPT": "The backup is damaged.",
    "NOT_A_DATABASE": "The backup isn't a chainteller database.",
    "EMPTY_FILE": "The backup is empty.",
}
"""What is wrong with a backup, by reason: of a database the same reason has other words, which say
to restore a backup."""


def _spoiled(reason: str) -> Exception:
    return unavailable(reason, _SPOILED[reason], "Use another backup.")


def _checked_backup(file: Path) -> DatabaseReport:
    try:
        return check(f"sqlite:///{file}")
    except ServiceUnavailable as error:
        reason = str(error.details.get("reason"))
        if reason in _SPOILED:
            raise _spoiled(reason) from None
        raise


def copy_checked(file: Path, draft: Path) -> None:
    if is_missing(file):
        raise unavailable(
            "NO_DATABASE",
            f"There is no backup file {file.name}.",
            "Name a file that chainteller db backup wrote.",
        )
    report = _checked_backup(file)
    if report.problems:
        raise _spoiled("STORAGE_CORRUPT")
    found = State(report.schema_state)
    if found is State.NEW:
        raise unavailable("NOT_A_DATABASE", "The backup holds nothing.", "Use another backup.")
    if found is not State.OUTDATED:
        require_current(found, str(file))
    try:
        with closing(_read_only(file)) as source, closing(sqlite3.connect(draft)) as target:
            source.backup(target)
    except sqlite3.Error as error:
        raise explain_sqlite(error) from error
    _sync(draft)


def _keep_former(path: Path) -> Path:
    """Keep the former database under another name, and move its journals away."""
    _settle(path)
    kept = next(
        name
        for number in count(1)
        if not (name := path.with_name(f"{path.name}.before-restore-{number}")).exists()
    )
    kept.hardlink_to(path)
    for suffix in SIDE_FILES:
        side = path.with_name(path.name + suffix)
        if side.exists():
            side.replace(kept.with_name(kept.name + suffix))
    return kept


def _settle(path: Path) -> None:
    """Complete the former database's journals after a crash; refuse a database in use.

    A damaged file is kept unchanged, with its journals.
    """
    try:
        ddl.inspect_file(path)
    except ServiceUnavailable:
        return
    try:
        with closing(sqlite3.connect(path, timeout=1, isolation_level=None)) as connection:
            connection.execute("BEGIN EXCLUSIVE")
            connection.execute("ROLLBACK")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorname.startswith("SQLITE_BUSY"):
            raise explain_sqlite(error) from error
    except sqlite3.DatabaseError:
        return
