"""Archives: files with the oldest entries and audit rows of a deployment, which its database has no
more.

An archive is a SQLite file with the tables ``entry`` and ``audit`` of the database, row by row as
they were. ``removal`` says which numbers it has, ``origin`` whose they are, and ``checkpoint`` has
the signed heads of these logs. The database keeps the leaf hash of every archived entry, so each
proof can still be made and whatever is altered in a file is found out.

A row is in the file, and on the disk, before it goes from the database. Where the file has more
than the database has given away, that was interrupted: the rows must be the same, and it goes on.
"""

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Connection, Table, delete, insert, select
from sqlalchemy.exc import DBAPIError
from sqlmodel import SQLModel

from chainteller.domain.merkle import Tree
from chainteller.service.errors import ServiceUnavailable
from chainteller.sqlite import sqlite3
from chainteller.storage import chain, checkpoints, inspection, removals
from chainteller.storage.columns import Record
from chainteller.storage.database import Database, connect
from chainteller.storage.epochs import ACCEPTED, MOVED
from chainteller.storage.faults import explain, explain_sqlite, unavailable
from chainteller.storage.removals import AUDITS, ENTRIES, Removed
from chainteller.storage.rows import DEPLOYMENT
from chainteller.storage.tables import Tables

PINNED = (ACCEPTED, MOVED, "clock_uncertain", "clock_certain", "restore_database", "load_samples")
"""Actions whose audit rows stay in the database too: what they say is asked for again and again."""
_APPLICATION_ID = 0x43544C41
"""``CTLA``: marks archives."""
_FORM = 1
REASONS = ("ARCHIVE_", "NOT_AN_ARCHIVE", "OTHER_ARCHIVE")
"""What the reasons begin with for which an archive can't be used."""
_TABLES = (Tables.entry, Tables.audit, Tables.removal, Tables.checkpoint)
_A, _E, _R = Tables.audit, Tables.entry, Tables.removal
_C = Tables.checkpoint

Place = tuple[str, str]
"""A log and ``ENTRIES``, or ``DEPLOYMENT`` and ``AUDITS``."""


class Part(NamedTuple):
    """The numbers that a file has of one kind of rows, and the chain or tree after the last one."""

    first: int
    upto: int
    found: str


class Archive:
    """An open archive of a deployment."""

    def __init__(self, file: Database, path: Path) -> None:
        self._file = file
        self.path = path
        self.name = path.name

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Open a connection to the file. Raises ServiceUnavailable: ARCHIVE_UNUSABLE."""
        try:
            with self._file.read(patient=True) as connection:
                yield connection
        except ServiceUnavailable as error:
            raise _unusable(self.path, error.message) from error

    def parts(self) -> dict[Place, Part]:
        """What the file has."""
        with self.read() as connection:
            return parts(connection)

    def add(self, place: Place, after: Removed, rows: Sequence[Record], then: Removed) -> None:
        """Write rows that the file doesn't have yet; they're on the disk when this returns.

        Args:
            place: of what kind they are.
            after: where the database begins.
            rows: the rows after that.
            then: where the database will begin.

        Raises:
            ServiceUnavailable: ARCHIVE_DIFFERS, the file has other rows with these numbers;
                ARCHIVE_UNUSABLE, it can't be written.
        """
        table, number = (_E, "number") if place[1] == ENTRIES else (_A, "seq")
        try:
            with self._file.write() as connection:
                known = parts(connection).get(place)
                upto = known.upto if known is not None else after.upto
                there = _stored(connection, table, place, after.upto, then.upto)
                new = []
                for row in rows:
                    at = getattr(row, number)
                    if at > upto:
                        new.append(row._asdict())
                    elif there.get(at) != tuple(row):
                        raise self._differs(place, at)
                if new:
                    connection.execute(insert(table), new)
                    _extend(connection, place, after, then)
                connection.commit()
        except DBAPIError as error:
            raise _unusable(self.path, explain(error).message) from error

    def keep_checkpoints(self, database: Database) -> None:
        """Copy the largest signed head of each log of which the file has all entries."""
        for organisation, counted in self.parts():
            if counted != ENTRIES:
                continue
            with database.read() as connection:
                upto = removals.newest(connection, organisation, ENTRIES).upto
                mine = (_C.c.organisation_id == organisation, _C.c.size <= upto)
                newest = select(_C).where(*mine).order_by(_C.c.size.desc()).limit(1)
                row = connection.execute(newest).mappings().first()
            if row is None:
                continue
            with self._file.write() as connection:
                connection.execute(delete(_C).where(*mine))
                connection.execute(insert(_C), dict(row))
                connection.commit()

    def require_continuation(self, connection: Connection) -> None:
        """Check that the file begins or goes on where the database has it.

        Raises:
            ServiceUnavailable: ARCHIVE_BEHIND, rows are in neither of them; ARCHIVE_DIFFERS, what
                it has is another history than the database's.
        """
        mine = self.parts()
        for place in {*mine, *_places(connection)}:
            removed, part = removals.newest(connection, *place), mine.get(place)
            if part is None:
                if removed.archive == self.name:
                    raise self._behind(place, removed.upto, 0)
            elif part.upto < removed.upto or part.first > removed.upto + 1:
                raise self._behind(place, removed.upto, part.upto)
            elif part.found != _found_at(connection, place, removed, part.upto):
                raise self._differs(place, part.upto)

    def _behind(self, place: Place, needed: int, found: int) -> ServiceUnavailable:
        return unavailable(
            "ARCHIVE_BEHIND",
            f"{self.name} ends at {found} of {_words(place)}, but the database begins after "
            f"{needed}. Nothing was changed.",
            "Name the newest archive, or a new file.",
        )

    def _differs(self, place: Place, number: int) -> ServiceUnavailable:
        return unavailable(
            "ARCHIVE_DIFFERS",
            f"{self.name} has another row {number} of {_words(place)} than the database. "
            "Nothing was changed.",
            "Find out which of them was altered or restored: chainteller db verify.",
        )

    def close(self) -> None:
        self._file.close()


def parts(connection: Connection) -> dict[Place, Part]:
    """What a file has, by what its own table says."""
    rows = connection.execute(select(_R))
    return {
        (row.organisation_id, row.counted): Part(row.first, row.upto, row.found or "")
        for row in rows
    }


def _stored(
    connection: Connection, table: Table, place: Place, after: int, upto: int
) -> dict[int, tuple[Any, ...]]:
    number = table.c.number if table is _E else table.c.seq
    found = select(table).where(number > after, number <= upto)
    if table is _E:
        found = found.where(_E.c.organisation_id == place[0])
    return {getattr(row, number.name): tuple(row) for row in connection.execute(found).all()}


def _extend(connection: Connection, place: Place, after: Removed, then: Removed) -> None:
    organisation, counted = place
    here = (_R.c.organisation_id == organisation, _R.c.counted == counted)
    first = connection.execute(select(_R.c.first).where(*here)).scalar() or after.upto + 1
    connection.execute(delete(_R).where(*here))
    row = {"organisation_id": organisation, "counted": counted, "first": first}
    connection.execute(insert(_R), row | {"upto": then.upto, "at": then.at, "found": then.found})


def _found_at(connection: Connection, place: Place, removed: Removed, upto: int) -> str:
    """What the chain or the tree is after a row that is in the database, or the last one that
    isn't; empty if there is no such row."""
    if upto == removed.upto:
        return removed.found
    if place[1] == AUDITS:
        found = connection.execute(select(_A.c.hash).where(_A.c.seq == upto)).scalar()
        return str(found or "")
    leaves = checkpoints.leaves(connection, place[0], removed.upto, upto)
    tree = Tree.unpacked(removed.upto, removed.found).append(leaves)
    return tree.packed() if tree.size == upto else ""


def _places(connection: Connection) -> list[Place]:
    """The kinds of rows of which some were archived."""
    rows = connection.execute(
        select(_R.c.organisation_id, _R.c.counted)
        .where(_R.c.counted.in_((ENTRIES, AUDITS)))
        .distinct()
        .order_by(_R.c.organisation_id, _R.c.counted)
    )
    return [(row[0], row[1]) for row in rows]


def _words(place: Place) -> str:
    return "the audit rows" if place[1] == AUDITS else f"the log {place[0]}"


# Opening


def open_archive(path: Path, deployment: str) -> Archive:
    """Open an archive of a deployment.

    Raises:
        ServiceUnavailable: ARCHIVE_MISSING, NOT_AN_ARCHIVE, OTHER_ARCHIVE, ARCHIVE_UNUSABLE.
    """
    if not path.exists():
        raise unavailable(
            "ARCHIVE_MISSING", f"There is no archive {path}.", "Name the file where it is now."
        )
    try:
        found = _origin(path)
    except OSError as error:
        raise _unusable(path, error.strerror or str(error)) from error
    except (sqlite3.Error, TypeError, ValueError) as error:
        raise _unusable(path, str(error)) from error
    if found is None:
        raise unavailable(
            "NOT_AN_ARCHIVE", f"{path.name} is no archive.", "Name an archive, or a new file."
        )
    form, origin = found
    if form != _FORM:
        raise _unusable(path, "a newer version of chainteller wrote it")
    if origin != deployment:
        raise unavailable(
            "OTHER_ARCHIVE",
            f"{path.name} is an archive of {origin}, and this database is {deployment}.",
            "Name this deployment's own archive.",
        )
    return Archive(connect(f"sqlite:///{path}", as_it_is=True), path)


def _origin(path: Path) -> tuple[int, str] | None:
    """The form of an archive and its deployment; None if it's no archive.

    Raises:
        OSError, sqlite3.Error, TypeError, ValueError: it can't be read.
    """
    with path.open("rb") as file:
        if file.read(16) != b"SQLite format 3\0":
            return None
    with closing(sqlite3.connect(path, timeout=5)) as connection:
        if connection.execute("PRAGMA application_id").fetchone()[0] != _APPLICATION_ID:
            return None
        form, deployment = connection.execute("SELECT form, deployment FROM origin").fetchone()
        return int(form), str(deployment)


def open_to_write(path: Path, database: Database, deployment: str) -> Archive:
    """Open an archive that is to go on, or make a new one.

    Raises:
        ServiceUnavailable: as ``open_archive``, and ARCHIVE_BEHIND; nothing was changed.
    """
    if database.path is not None and path.absolute() == database.path.absolute():
        raise _unusable(path, "it's the database itself")
    with database.read() as connection:
        is_known = path.name in removals.archives(connection)
    if not path.exists() and not is_known:
        _create(path, deployment)
    if path.exists() and not os.access(path, os.W_OK):
        raise _unusable(path, "this user may not write to it")
    archive = open_archive(path, deployment)
    try:
        with database.read() as connection:
            archive.require_continuation(connection)
    except BaseException:
        archive.close()
        raise
    return archive


def _create(path: Path, deployment: str) -> None:
    """Make an empty archive under another name first, so that none is ever half made."""
    draft: Path | None = None
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
        os.close(handle)
        draft = Path(name)
        with closing(sqlite3.connect(draft, isolation_level=None)) as raw:
            raw.execute(f"PRAGMA application_id={_APPLICATION_ID}")
            raw.execute("CREATE TABLE origin (form INTEGER NOT NULL, deployment TEXT NOT NULL)")
            raw.execute("INSERT INTO origin VALUES (?, ?)", (_FORM, deployment))
        file = connect(f"sqlite:///{draft}", as_it_is=True)
        try:
            with file.write() as connection:
                SQLModel.metadata.create_all(connection, tables=list(_TABLES))
                connection.commit()
        finally:
            file.close()
        path.hardlink_to(draft)
    except OSError as error:
        raise _unusable(path, error.strerror or str(error)) from error
    except sqlite3.Error as error:
        raise _unusable(path, explain_sqlite(error).message) from error
    except DBAPIError as error:
        raise _unusable(path, explain(error).message) from error
    finally:
        if draft is not None:
            with suppress(OSError):
                draft.unlink()


def _unusable(path: Path, why: str) -> ServiceUnavailable:
    return unavailable(
        "ARCHIVE_UNUSABLE",
        f"The archive {path} can't be used: {why.rstrip('.')}. Nothing was changed.",
        "Name a file in a folder where this user may write.",
    )


# Reading what was archived


class _File(NamedTuple):
    """An archive that is read, and what it has."""

    name: str
    connection: Connection
    parts: dict[Place, Part]


class Past:
    """What the database has no more, from its archives.

    Without files, archived entries are known by their leaf hashes alone, and of archived audit rows
    where their chains ended.
    """

    def __init__(self, files: Sequence[_File] = ()) -> None:
        self._files = files
        self.is_known = bool(files)

    def _of(self, place: Place) -> list[_File]:
        """The files with rows of a kind, in the order of these."""
        found = (each for each in self._files if place in each.parts)
        return sorted(found, key=lambda each: each.parts[place].first)

    def entries(
        self, connection: Connection, organisation_id: str
    ) -> Iterator[tuple[int, str, bytes, bytes | None, str]]:
        """Number, id, leaf hash, body and file of every entry of a log in its order, as
        ``inspection.entries``. The body is None where it isn't known; the file is empty for the
        database. The leaf hash is empty where the file has another one than the database."""
        upto = removals.newest(connection, organisation_id, ENTRIES).upto
        leaves = removals.archived_leaves(connection, organisation_id, 0, upto)
        if self.is_known:
            for name, file, _ in self._of((organisation_id, ENTRIES)):
                for number, entry_id, leaf, body in inspection.entries(file, organisation_id):
                    if number > upto:
                        break  # given to the file, but not yet taken from the database
                    known = next(leaves, b"")
                    yield number, entry_id, known if known == leaf else b"", body, name
        else:
            for number, leaf in enumerate(leaves, start=1):
                yield number, "", leaf, None, ""
        for number, entry_id, leaf, body in inspection.entries(connection, organisation_id):
            yield number, entry_id, leaf, body, ""

    def links(self, connection: Connection) -> Iterator[chain.Link]:
        """The audit chain; without files, from where the database begins."""
        upto = removals.newest(connection, DEPLOYMENT, AUDITS).upto
        for file in self._of((DEPLOYMENT, AUDITS)):
            for link in chain.links(file.connection):
                if link.seq > upto:
                    break
                yield link
        yield from chain.links(connection, upto)

    def audit_before(self, connection: Connection) -> Removed:
        """Where ``links`` begins."""
        if self.is_known:
            return Removed()
        return removals.newest(connection, DEPLOYMENT, AUDITS)

    def sealed_rows(
        self, connection: Connection, table: Table
    ) -> Iterator[tuple[str, str | None, bytes]]:
        """As ``inspection.sealed_rows``, of both."""
        yield from inspection.sealed_rows(connection, table)
        if table is not _A:
            return
        upto = removals.newest(connection, DEPLOYMENT, AUDITS).upto
        for file in self._files:
            found = inspection.sealed_rows(file.connection, table)
            yield from (row for row in found if int(row[0]) <= upto)


@contextmanager
def opened(database: Database, paths: Sequence[Path], deployment: str) -> Iterator[Past]:
    """Open all archives of a deployment, in any order; none if there are no paths.

    Raises:
        ServiceUnavailable: as ``open_archive``; ARCHIVE_INCOMPLETE, they don't have every row that
            the database has no more.
    """
    found: list[Archive] = []
    try:
        found.extend(open_archive(path, deployment) for path in paths)
        if found:
            with database.read() as connection:
                _require_all(connection, found)
        with _all_read(found) as files:
            yield Past(files)
    finally:
        for each in found:
            each.close()


@contextmanager
def _all_read(found: Sequence[Archive]) -> Iterator[list[_File]]:
    if not found:
        yield []
        return
    with found[0].read() as connection, _all_read(found[1:]) as others:
        yield [_File(found[0].name, connection, parts(connection)), *others]


def _require_all(connection: Connection, found: Sequence[Archive]) -> None:
    for place in _places(connection):
        removed, reached = removals.newest(connection, *place), 0
        held = sorted(
            (part.first, part.upto) for each in found if (part := each.parts().get(place))
        )
        for first, upto in held:
            reached = upto if first == reached + 1 else reached
        if reached < removed.upto:
            name = removals.archive_of(connection, *place, reached + 1)
            raise unavailable(
                "ARCHIVE_INCOMPLETE",
                f"The rows after {reached} of {_words(place)} are missing: they are in {name}.",
                "Name every archive: chainteller db verify --archive FILE --archive FILE.",
            )
