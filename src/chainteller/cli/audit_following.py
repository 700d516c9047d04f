"""Append audit rows to a file of JSON lines as they are written, for a SIEM that reads the file.

The file says where to go on: after its last whole line. Rows are numbered without gaps, so the page
that has the next one follows from the newest row's number and from how many there are.
"""

import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

from chainteller.bootstrap import OpenedService
from chainteller.cli.error_output import Usage, say
from chainteller.private_files import open_private
from chainteller.service.errors import ServiceUnreachable
from chainteller.service.interface import Service
from chainteller.service.models.pages import MAXIMUM_LIMIT, ListQuery
from chainteller.service.models.records import AuditRow

_LONGEST_LINE = 1_048_576
_BEGINNING = b'{"seq":'
"""Of every row's line."""


class _Last(NamedTuple):
    """The last row of a file."""

    seq: int = 0
    hash: str = ""


def follow(found: OpenedService, file: Path, interval_s: float) -> None:
    """Append until ctrl-c.

    Raises:
        TellerError: the service refuses its trail; no file is made.
        Usage: the file can't be written, or its last line isn't a row of this log.
        ServiceUnreachable: the service was lost; the same command goes on later.
    """
    found.service.audit(ListQuery(limit=1))
    try:
        with suppress(FileExistsError):
            open_private(file, "xb").close()
        with file.open("r+b") as out:
            last = _last_of(out)
            if last is None or (last.seq and not _is_of(found.service, last)):
                told = f"{file}: its last line isn't a row of this audit trail."
                raise Usage(told, "Name a new file, or one that --follow has written here.")
            _append(found, out, last.seq, interval_s)
    except OSError as error:
        raise Usage(
            f"{file}: {error.strerror or error}.", "Name a file that can be written."
        ) from None


def _is_of(service: Service, last: _Last) -> bool:
    """Whether a row is in the service's log. One that is archived there isn't seen any more."""
    return any((row.seq, row.hash) == last for row in _after(service, last.seq - 1))


def _append(found: OpenedService, out: BinaryIO, last: int, interval_s: float) -> None:
    try:
        while True:
            found.run_due()
            is_more = False
            for row in _after(found.service, last):
                if row.seq > last + 1:
                    say(f"rows {last + 1} to {row.seq - 1} are in an archive, and aren't written")
                out.write(f"{row.to_json()}\n".encode())
                last, is_more = row.seq, True
            out.flush()
            os.fsync(out.fileno())
            if not is_more:
                time.sleep(interval_s)
    except ServiceUnreachable:
        say(f"rows up to {last} are written; the same command goes on")
        raise


def _after(service: Service, last: int) -> Iterator[AuditRow]:
    """The next page of rows after a number, oldest first."""
    newest = service.audit(ListQuery(limit=1))
    if not newest.data or newest.data[0].seq <= last:
        return
    first = newest.data[0].seq - newest.pagination.total + 1
    page = max(0, last + 1 - first) // MAXIMUM_LIMIT + 1
    rows = service.audit(ListQuery(page=page, limit=MAXIMUM_LIMIT, sort="created"))
    yield from (row for row in rows.data if row.seq > last)


def _last_of(out: BinaryIO) -> _Last | None:
    """The last row of a file, whose end is there then; None if it's no row. A line that wasn't
    written to its end is cut off."""
    size = out.seek(0, os.SEEK_END)
    start = max(0, size - _LONGEST_LINE)
    out.seek(start)
    whole, ending, torn = out.read(_LONGEST_LINE).rpartition(b"\n")
    if torn and not torn.startswith(_BEGINNING[: len(torn)]):
        return None
    try:
        row = json.loads(whole.rpartition(b"\n")[2]) if ending else _Last()._asdict()
        last = _Last(row["seq"], row["hash"])
    except (ValueError, KeyError, TypeError):
        return None
    out.truncate(out.seek(start + len(whole + ending)))
    return last
