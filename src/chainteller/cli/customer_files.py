"""Files of customers: CSV in UTF-8 or UTF-16, read line by line in bounded memory.

A line of the file is a line of the import, so one that can't be read doesn't spoil the next one:
line breaks within quotation marks aren't supported.
"""

import codecs
import csv
from collections.abc import Iterator
from contextlib import closing
from io import TextIOWrapper, UnsupportedOperation
from pathlib import Path
from typing import Any, NamedTuple

from chainteller.cli.error_output import Usage
from chainteller.domain import customer_lines
from chainteller.domain.customer_lines import COLUMNS, Finding
from chainteller.given_files import open_given
from chainteller.service.models.customers import CustomerLine
from chainteller.settings.values import did_you_mean
from chainteller.sqlite import sqlite3

_REQUIRED = ("reference", "name", "kycLevel", "termsAccepted")
_SEPARATORS = (",", ";", "\t")
_UTF_16 = "utf-16"
_ENCODINGS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, _UTF_16),
    (codecs.BOM_UTF16_BE, _UTF_16),
)
_MOST_CHARACTERS = 16_384
"""Of one line."""
_CHUNK = 1 << 20
_FLAGS = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


class Found(NamedTuple):
    """A line that is sent; ``is_again`` where an earlier one is about the same customer."""

    line: CustomerLine
    is_again: bool


class Refused(NamedTuple):
    """A line that isn't sent."""

    line: int
    finding: Finding


def read(path: Path) -> Iterator[Found | Refused]:
    """The lines of a file, each once: repetitions and contradictions are refused. Raises Usage: it
    can't be read, isn't UTF-8 or UTF-16, or has other columns."""
    encoding = _encoding(path)
    with (
        open_given(path) as raw,
        closing(sqlite3.connect("", isolation_level=None)) as notes,  # a file without a name
    ):
        earlier = _Notes(notes)
        text = TextIOWrapper(raw, encoding=encoding)
        separator, columns = _header(text)
        for number, found in enumerate(_rows(text, separator), start=2):
            if found == []:
                continue
            made = _line(number, columns, found) if isinstance(found, list) else found
            if isinstance(made, Finding):
                yield Refused(number, made)
                continue
            is_again = customer_lines.is_named(made, earlier)
            problem = customer_lines.problem(made) or customer_lines.repetition(made, earlier)
            yield Found(made, is_again) if problem is None else Refused(number, problem)


def _encoding(path: Path) -> str:
    """The encoding of a file, all of which can be decoded."""
    try:
        with open_given(path) as file:
            begin = file.read(4)
            file.seek(0)
            named = (name for mark, name in _ENCODINGS if begin.startswith(mark))
            encoding = next(named, "utf-8")
            _decode(file, encoding)
    except UnsupportedOperation:
        raise Usage(f"{path} can't be read twice.", "Name a file, and no pipe.") from None
    except OSError as error:
        raise Usage(f"{path}: {error.strerror}.", "Name a file that can be read.") from None
    return encoding


def _decode(file: Any, encoding: str) -> None:
    """Raises Usage: it isn't in this encoding."""
    decoder, lines = codecs.getincrementaldecoder(encoding)(), 1
    while True:
        chunk = file.read(_CHUNK)
        if b"\0" in chunk and encoding != _UTF_16:
            raise Usage(
                "The file has zero bytes, as UTF-16 without a byte order mark has them.",
                "Save the file as UTF-8.",
            )
        try:
            text = decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as error:
            lines += bytes(error.object[: error.start]).count(b"\n")
            told = f"line {lines} has the byte 0x{error.object[error.start]:02X}"
            raise Usage(
                f"The file isn't {encoding.upper()}: {told}, as Latin-1 and Windows-1252 have it.",
                "Save the file as UTF-8, in a spreadsheet as “CSV UTF-8”.",
            ) from None
        lines += text.count("\n")
        if not chunk:
            return


def _header(text: TextIOWrapper) -> tuple[str, list[str]]:
    """What separates the fields, and the columns in their order. Raises Usage."""
    first = text.readline(_MOST_CHARACTERS).rstrip("\n")
    separator = max(_SEPARATORS, key=first.count)
    known = {name.casefold(): name for name in COLUMNS}
    columns = []
    for told in next(csv.reader([first], delimiter=separator), []):
        name = known.get(told.strip().casefold())
        if name is None:
            hint = did_you_mean(told.strip(), COLUMNS)
            what = f"The first line names the column {told.strip()[:60]!r}{hint or '.'}"
            raise Usage(what, _HEADER)
        if name in columns:
            raise Usage(f"The first line names the column {name} twice.", _HEADER)
        columns.append(name)
    missing = [name for name in _REQUIRED if name not in columns]
    if missing:
        raise Usage(f"The first line doesn't name {', '.join(missing)}.", _HEADER)
    return separator, columns


_HEADER = f"Name the columns in the first line: {','.join(COLUMNS)}"


def _rows(text: TextIOWrapper, separator: str) -> Iterator[list[str] | Finding]:
    """The fields of each line after the first one; none of an empty line."""
    while line := text.readline(_MOST_CHARACTERS):
        is_whole = line.endswith("\n") or len(line) < _MOST_CHARACTERS
        while not is_whole:
            rest = text.readline(_MOST_CHARACTERS)
            is_whole = rest.endswith("\n") or len(rest) < _MOST_CHARACTERS
            line = ""
        if not line:
            yield Finding("LINE_TOO_LONG", f"It has more than {_MOST_CHARACTERS:,} characters.")
            continue
        try:
            yield next(csv.reader([line.rstrip("\n")], delimiter=separator, strict=True), [])
        except csv.Error:
            what = "A quotation mark is not closed, or stands within a field."
            yield Finding("LINE_UNREADABLE", what)


def _line(number: int, columns: list[str], fields: list[str]) -> CustomerLine | Finding:
    if len(fields) != len(columns):
        what = f"It has {len(fields)} fields, and the first line names {len(columns)} columns."
        return Finding("LINE_UNREADABLE", what)
    said = {name: text.strip(" ") for name, text in zip(columns, fields, strict=True)}
    accepted = _FLAGS.get(said.pop("termsAccepted").casefold())
    if accepted is None:
        return Finding("TERMS_UNREADABLE", "termsAccepted is yes or no.")
    for name in ("kycLevel", "bankAccountType"):
        if name in said:
            said[name] = said[name].lower()
    given = {name: text for name, text in said.items() if text or name in _REQUIRED}
    return CustomerLine.model_validate(
        {"line": number, "termsAccepted": accepted, **given}, by_alias=True
    )


class _Notes:
    """What earlier lines said, on the disk: a file may have more lines than the memory has room."""

    def __init__(self, file: sqlite3.Connection) -> None:
        self._file = file
        file.executescript(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16384;"
            "CREATE TABLE note (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID; BEGIN"
        )

    def get(self, key: str, /) -> str | None:
        found = self._file.execute("SELECT value FROM note WHERE key = ?", (key,)).fetchone()
        return None if found is None else str(found[0])

    def __setitem__(self, key: str, value: str, /) -> None:
        self._file.execute("INSERT OR REPLACE INTO note VALUES (?, ?)", (key, value))
