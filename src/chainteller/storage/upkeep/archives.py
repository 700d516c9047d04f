"""Archives: files with the bodies of a deployment's oldest entries, which its database has no more.

An archive is a SQLite file with the table ``entry`` of the database, row by row as it was, and the
signed heads of these logs. ``part`` says which numbers it has, ``origin`` whose they are. The
database keeps everything of an entry but its body, so lists, proofs and numbers go on without the
file, and whatever is altered in it is found out.

A row is in the file, and on the disk, before its body goes from the database. Where the file has
more than the database has given away, that was interrupted: the rows must be the same, and it goes
on.
"""

import heapq
import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple

from chainteller.given_files import open_given
from chainteller.private_files import draft_beside, remove_left_drafts
from chainteller.service.errors import ServiceUnavailable
from chainteller.sqlite import sqlite3
from chainteller.storage.database import Database, connect
from chainteller.storage.db import records
from chainteller.storage.db.errors import DatabaseError
from chainteller.storage.db.faults import explain, explain_sqlite, unavailable
from chainteller.storage.db.query import (
    SQLITE,
    Query,
    Record,
    Session,
    Value,
    built,
    quoted,
    row_of,
)
from chainteller.storage.db.sources import Source, insert
from chainteller.storage.log import erasing, views
from chainteller.storage.log.entry import erased, leaf_of
from chainteller.storage.log.moved import DATABASE, Told
from chainteller.storage.queries.epochs import ACCEPTED, SUBJECT
from chainteller.storage.schema import ddl
from chainteller.storage.upkeep import inspection
from chainteller.storage.upkeep.maintenance import is_missing

PINNED = (SUBJECT, DATABASE)
"""Objects of entries whose bodies stay in the database too: they are asked for again and again. So
do those that rows rest on (``standing``)."""
_APPLICATION_ID = 0x43544C41
"""``CTLA``: marks archives."""
_FORM = 2
REASONS = ("ARCHIVE_", "NOT_AN_ARCHIVE", "OTHER_ARCHIVE")
"""What the reasons begin with for which an archive can't be used."""
_DAMAGED = ("STORAGE_CORRUPT", "NOT_A_DATABASE", "EMPTY_FILE")
_TABLES = ("entry", "archive", "checkpoint")
_NAME = Query(
    "SELECT name AS value FROM archive WHERE organisation_id = :organisation "
    "AND first <= :number AND upto >= :number",
    Value,
)
_NAMES = Query("SELECT name AS value FROM archive ORDER BY first", Value)
_ARCHIVES = Source(records.Archive).everything("organisation_id, first")
_NEWEST = Query(
    "SELECT max(at) AS value FROM entry WHERE organisation_id = :organisation "
    "AND (number = :archived OR number IN (SELECT number - 1 FROM entry "
    f"WHERE organisation_id = :organisation AND object = '{SUBJECT}' AND action = '{ACCEPTED}' "
    "AND number <= :archived))",
    Value,
)
_MOVING = (
    "organisation_id = :organisation AND number BETWEEN :first AND :upto "
    f"AND object NOT IN ({quoted(PINNED)}) AND body IS NOT NULL AND NOT number IN :stay"
)
_COUNT = Query(f"SELECT count(*) AS value FROM entry WHERE {_MOVING}", Value)
_ARCHIVED = Query(
    "UPDATE log SET archived = :upto, moved = moved + :count WHERE organisation_id = :organisation"
)
_FREE = Query(f"UPDATE entry SET body = NULL WHERE {_MOVING}")
_LONGER = Query(
    "UPDATE archive SET upto = :upto WHERE organisation_id = :organisation AND name = :name "
    "AND upto + 1 = :first"
)
_PART = Query("DELETE FROM archive WHERE organisation_id = :organisation")
_NEW, _KEEP, _SIGNED = map(insert, (records.Archive, records.Entry, records.Checkpoint))
_STORED = Source(records.Entry).where(
    "organisation_id = :organisation AND number BETWEEN :first AND :upto"
)
_BODIES = Query(
    "SELECT number, body FROM entry WHERE organisation_id = :organisation "
    "AND number IN :numbers AND body IS NOT NULL",
    row_of("number", "body"),
)
_LEAF = Query(
    "SELECT leaf AS value FROM entry WHERE organisation_id = :organisation AND number = :number",
    Value,
)
_HEAD = Source(records.Checkpoint).where(
    "organisation_id = :organisation AND size <= :upto ORDER BY size DESC LIMIT 1"
)
_NO_HEADS = Query("DELETE FROM checkpoint WHERE organisation_id = :organisation AND size <= :upto")


class Part(NamedTuple):
    """The numbers of a log's entries whose bodies a file has."""

    first: int
    upto: int


# What the database knows of its archives


def names(connection: Session) -> list[str]:
    """The names of all archives, the oldest first."""
    found = connection.execute(_NAMES).scalars()
    return list(dict.fromkeys(found))


def name_of(connection: Session, organisation_id: str, number: int) -> str:
    """The archive that has the body of an entry; empty if none has."""
    return _NAME.value(connection, organisation_id, number) or ""


def newest(connection: Session, organisation_id: str) -> tuple[int, str]:
    """The latest instant of a log's archived entries, and where the last one is; (0, "") if none
    is. Only where an epoch began may an entry be later than one that follows it."""
    archived = views.head(connection, organisation_id).archived
    if not archived:
        return 0, ""
    at = _NEWEST.run(connection, organisation_id, archived).scalar_one()
    return int(at), name_of(connection, organisation_id, archived)


def stored(connection: Session) -> Iterator[tuple[str, Told]]:
    """What the database's own table says of each archive, with the log."""
    for row in connection.execute(_ARCHIVES):
        yield row.organisation_id, Told(row.first, row.upto, row.name)


def give_away(
    connection: Session, organisation_id: str, part: Part, name: str, stay: Collection[int]
) -> None:
    """Leave bodies to an archive that has them, but those of the entries that ``stay``. The caller
    has locked the log."""
    place = {"organisation": organisation_id, **part._asdict()}
    moving = place | {"stay": list(stay)}
    count = connection.execute(_COUNT, moving).scalar_one()
    connection.execute(_ARCHIVED, place | {"count": count})
    connection.execute(_FREE, moving)
    if not connection.execute(_LONGER, place | {"name": name}).rowcount:
        row = {"organisation_id": organisation_id, "name": name, **part._asdict()}
        connection.execute(_NEW, row)


# Files


class Archive:
    """An open archive of a deployment."""

    def __init__(self, file: Database, path: Path) -> None:
        self._file = file
        self.path = path
        self.name = path.name

    @contextmanager
    def read(self) -> Iterator[Session]:
        """Open a connection to the file. Raises ServiceUnavailable: ARCHIVE_UNUSABLE."""
        try:
            with self._file.read(patient=True) as connection:
                yield connection
        except ServiceUnavailable as error:
            raise _fault(self.path, error) from error

    def parts(self) -> dict[str, Part]:
        """What the file has, by log."""
        with self.read() as connection:
            return parts(connection)

    def add(self, organisation_id: str, rows: Sequence[Record]) -> Part:
        """Write entries that the file doesn't have yet; they're on the disk when this returns.

        Raises:
            ServiceUnavailable: ARCHIVE_DIFFERS, the file has other entries with these numbers;
                ARCHIVE_UNUSABLE, it can't be written.
        """
        part = Part(rows[0].number, rows[-1].number)
        try:
            with self._file.write() as connection:
                there = _stored(connection, organisation_id, part)
                new = [row._asdict() for row in rows if row.number not in there]
                for row in rows:
                    if there.get(row.number, _unmarked(row)) != _unmarked(row):
                        raise self._differs(organisation_id, row.number)
                for row in new:
                    connection.later(_KEEP, row)
                if new:
                    _extend(connection, organisation_id, part)
                connection.commit()
        except DatabaseError as error:
            raise _fault(self.path, explain(error)) from error
        return part

    def erase_inputs(self, organisation_id: str, numbers: Sequence[int]) -> int:
        """Erase the inputs of some entries, as far as the file has them; returns of how many.
        Raises ServiceUnavailable: ARCHIVE_UNUSABLE, it can't be written or read."""
        values = {"organisation": organisation_id, "numbers": list(numbers)}
        try:
            with self._file.write() as connection:
                rows = connection.execute(_BODIES, values)
                count = erasing.erase_of(connection, organisation_id, rows)
                connection.commit()
        except DatabaseError as error:
            raise _fault(self.path, explain(error)) from error
        except ValueError as error:
            raise _damaged(self.path) from error
        return count

    def keep_checkpoints(self, database: Database) -> None:
        """Copy the largest signed head of each log of which the file has all entries."""
        for organisation, part in self.parts().items():
            with database.read() as connection:
                mine = {"organisation": organisation, "upto": part.upto}
                row = connection.execute(_HEAD, mine).first()
            if row is None:
                continue
            with self._file.write() as connection:
                connection.execute(_NO_HEADS, mine)
                connection.execute(_SIGNED, row._asdict())
                connection.commit()

    def require_continuation(self, connection: Session) -> None:
        """Check that the file begins or goes on where the database has it.

        Raises:
            ServiceUnavailable: ARCHIVE_BEHIND, bodies are in neither of them; ARCHIVE_DIFFERS, what
                it has is another history than the database's.
        """
        mine = self.parts()
        for organisation in views.sizes(connection):
            archived = views.head(connection, organisation).archived
            part = mine.get(organisation)
            if part is None:
                if name_of(connection, organisation, archived) == self.name:
                    raise self._behind(organisation, archived, 0)
            elif part.upto < archived or part.first > archived + 1:
                raise self._behind(organisation, archived, part.upto)
            else:
                with self.read() as file:
                    place = {"organisation": organisation, "number": part.upto}
                    here, there = (
                        each.execute(_LEAF, place).scalar() for each in (connection, file)
                    )
                if here != there:
                    raise self._differs(organisation, part.upto)

    def _behind(self, organisation: str, needed: int, found: int) -> ServiceUnavailable:
        return unavailable(
            "ARCHIVE_BEHIND",
            f"{self.name} ends at {found} of the log {organisation}, but the database begins after "
            f"{needed}. Nothing was changed.",
            "Name the newest archive, or a new file.",
        )

    def _differs(self, organisation: str, number: int) -> ServiceUnavailable:
        return unavailable(
            "ARCHIVE_DIFFERS",
            f"{self.name} has another entry {number} of the log {organisation} than the database. "
            "Nothing was changed.",
            "Find out which of them was altered or restored: chainteller db verify.",
        )

    def close(self) -> None:
        self._file.close()


def parts(connection: Session) -> dict[str, Part]:
    """What a file has, by what its own table says."""
    rows = connection.execute(_ARCHIVES)
    return {row.organisation_id: Part(row.first, row.upto) for row in rows}


def _stored(connection: Session, organisation_id: str, part: Part) -> dict[int, dict[str, Any]]:
    place = {"organisation": organisation_id, **part._asdict()}
    rows = connection.execute(_STORED, place)
    return {row.number: _unmarked(row) for row in rows}


def _unmarked(row: Any) -> dict[str, Any]:
    """What never changes of an entry; marks are made again with another key."""
    return {name: value for name, value in row._asdict().items() if name != "mark"}


def _extend(connection: Session, organisation_id: str, part: Part) -> None:
    known = parts(connection).get(organisation_id, part)
    _PART.run(connection, organisation_id)
    row = {"organisation_id": organisation_id, "first": known.first, "upto": part.upto, "name": ""}
    connection.execute(_NEW, row)


# Opening


def open_archive(path: Path, deployment: str) -> Archive:
    """Open an archive of a deployment.

    Raises:
        ServiceUnavailable: ARCHIVE_MISSING, NOT_AN_ARCHIVE, OTHER_ARCHIVE, ARCHIVE_UNUSABLE.
    """
    if is_missing(path):
        raise unavailable(
            "ARCHIVE_MISSING", f"There is no archive {path}.", "Name the file where it is now."
        )
    try:
        found = _origin(path)
    except OSError as error:
        raise _unusable(path, error.strerror or str(error)) from error
    except sqlite3.Error as error:
        raise _fault(path, explain_sqlite(error)) from error
    except (TypeError, ValueError) as error:
        raise _damaged(path) from error
    if found is None:
        raise unavailable(
            "NOT_AN_ARCHIVE", f"{path.name} is no archive.", "Name an archive, or a new file."
        )
    form, origin = found
    if form != _FORM:
        newer = "a newer version of chainteller wrote it"
        raise _unusable(path, newer, "Install that version, or a newer one.")
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
    with open_given(path) as file:
        if file.read(16) != b"SQLite format 3\0":
            return None
    with closing(sqlite3.connect(path, timeout=5)) as connection:
        if connection.execute("PRAGMA application_id").fetchone()[0] != _APPLICATION_ID:
            return None
        form, deployment = connection.execute("SELECT form, deployment FROM origin").fetchone()
        (count,), (size,) = (
            connection.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "page_size")
        )
        if path.stat().st_size < count * size:
            raise ValueError("SQLite reads zeros after the end of a file that was cut off")
        return int(form), str(deployment)


def open_to_write(path: Path, database: Database, deployment: str) -> Archive:
    """Open an archive that is to go on, or make a new one. Raises ServiceUnavailable: as
    ``open_archive``, and ARCHIVE_BEHIND; nothing was changed."""
    if database.path is not None and path.absolute() == database.path.absolute():
        raise _unusable(path, "it's the database itself")
    remove_left_drafts(path.absolute().parent)
    with database.read() as connection:
        is_known = path.name in names(connection)
    if is_missing(path) and not is_known:
        _create(path, deployment)
    if not is_missing(path) and not os.access(path, os.W_OK):
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
    try:
        with draft_beside(path) as draft:
            with closing(sqlite3.connect(draft, isolation_level=None)) as raw:
                raw.execute(f"PRAGMA application_id={_APPLICATION_ID}")
                raw.execute("CREATE TABLE origin (form INTEGER NOT NULL, deployment TEXT NOT NULL)")
                raw.execute("INSERT INTO origin VALUES (?, ?)", (_FORM, deployment))
            with (
                closing(connect(f"sqlite:///{draft}", as_it_is=True)) as file,
                file.write() as connection,
            ):
                for statement in ddl.tables(SQLITE, _TABLES):
                    connection.execute(built(statement, None))
                connection.commit()
            path.hardlink_to(draft)
    except OSError as error:
        raise _unusable(path, error.strerror or str(error)) from error
    except sqlite3.Error as error:
        raise _fault(path, explain_sqlite(error)) from error
    except DatabaseError as error:
        raise _fault(path, explain(error)) from error


def _fault(path: Path, error: ServiceUnavailable) -> ServiceUnavailable:
    is_damaged = error.details["reason"] in _DAMAGED
    return _damaged(path) if is_damaged else _unusable(path, error.message)


def _damaged(path: Path) -> ServiceUnavailable:
    return _unusable(path, "it's damaged", "Name a copy of it from a backup, under the same name.")


def _unusable(
    path: Path,
    why: str,
    suggestion: str = "Name a file in a folder where this user may read and write.",
) -> ServiceUnavailable:
    return unavailable(
        "ARCHIVE_UNUSABLE",
        f"The archive {path} can't be used: {why.rstrip('.')}. Nothing was changed.",
        suggestion,
    )


# Reading what was archived


class Past:
    """The bodies that the database has no more, from its archives.

    Without files, archived entries are known by their leaf hashes alone.
    """

    def __init__(self, files: Sequence[tuple[str, Session]] = ()) -> None:
        self._files = files
        self.is_known = bool(files)

    def entries(
        self, connection: Session, organisation_id: str, after: int = 0
    ) -> Iterator[tuple[inspection.StoredEntry, str, str]]:
        """Every entry of a log after a number in its order, the file that has its body, and one
        that has it otherwise; empty for the database, or for none. The body is None where it isn't
        known, and empty where no file has it."""
        archived = self._archived(organisation_id, after)
        following = next(archived, None)
        for found in inspection.entries(connection, organisation_id, after):
            copies = []
            while following is not None and following[0].number <= found.number:
                if following[0].number == found.number:
                    copies.append(following)
                following = next(archived, None)
            body, file = found.body, ""
            if body is None and self.is_known:
                body, file = _best(copies, found.leaf)
            whole = found._replace(body=body)
            others = (name for copy, name in copies if not _is_copy(copy, whole))
            yield whole, file, next(others, "")

    def _archived(
        self, organisation_id: str, after: int
    ) -> Iterator[tuple[inspection.StoredEntry, str]]:
        copies = (
            zip(inspection.entries(file, organisation_id, after), repeat(name))
            for name, file in self._files
        )
        return heapq.merge(*copies, key=lambda each: each[0].number)


def _is_copy(copy: inspection.StoredEntry, whole: inspection.StoredEntry) -> bool:
    """Whether a file has an entry as it is; inputs may have been erased here alone so far."""
    body = copy.body
    if body != whole.body and body is not None and body.count(b"\n") == 2:
        body = erased(body)
    return copy._replace(mark=whole.mark, body=body) == whole


def _best(copies: Sequence[tuple[inspection.StoredEntry, str]], leaf: bytes) -> tuple[bytes, str]:
    """The body that an entry's hash is of, if there's one, and its file."""
    bodies = [(copy.body or b"", name) for copy, name in copies]
    return next((each for each in bodies if leaf_of(each[0]) == leaf), (*bodies, (b"", ""))[0])


@contextmanager
def opened(database: Database, paths: Sequence[Path], deployment: str) -> Iterator[Past]:
    """Open all archives of a deployment, in any order; none if there are no paths.

    Raises:
        ServiceUnavailable: as ``open_archive``; ARCHIVE_INCOMPLETE, they don't have every body that
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
def _all_read(found: Sequence[Archive]) -> Iterator[list[tuple[str, Session]]]:
    if not found:
        yield []
        return
    with found[0].read() as connection, _all_read(found[1:]) as others:
        yield [(found[0].name, connection), *others]


def _require_all(connection: Session, found: Sequence[Archive]) -> None:
    for organisation in views.sizes(connection):
        archived, reached = views.head(connection, organisation).archived, 0
        for first, upto in sorted(part for e in found if (part := e.parts().get(organisation))):
            reached = max(reached, upto) if first <= reached + 1 else reached
        if reached < archived:
            name = name_of(connection, organisation, reached + 1)
            raise unavailable(
                "ARCHIVE_INCOMPLETE",
                f"The entries after {reached} of the log {organisation} are missing: they are in "
                f"{name}.",
                "Name every archive: chainteller db verify --archive FILE --archive FILE.",
            )
