"""Documents as PDF, with the library fpdf2.

The fonts are part of the package and are embedded, so that a document looks the same everywhere.
They cover the Latin, Greek, Cyrillic, Armenian and Georgian scripts. Any other character is written
as ``[U+4E2D]``, and the document says so.
"""

import json
import shlex
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import url2pathname

from chainteller.service.errors import PdfUnavailable
from chainteller.workspace.documents import Column, Document, Table, cleaned

if TYPE_CHECKING:
    from fpdf import FPDF

REPLACED = (
    "Characters that this document's font doesn't have are written as [U+...], their number in "
    "Unicode."
)
_FONTS = Path(__file__).parent / "fonts"
_FAMILY = "DejaVu"
_FILES = {"": "DejaVuSans.ttf", "B": "DejaVuSans-Bold.ttf"}
_MARGIN_MM, _LINE_MM, _CELL_MM, _FACT_MM = 12, 5, 3.6, 34
_PADDING_MM, _BASE = 0.8, 0.72
"""Space around the text of a cell, and the share of a line above its base."""
_TITLE_PT, _HEADING_PT, _TEXT_PT, _CELL_PT = 15, 11, 9, 7
_UNDATED = datetime(2000, 1, 1, tzinfo=UTC)


def as_pdf(document: Document) -> bytes:
    """The document as a PDF file; the same document has the same bytes. Raises PdfUnavailable: the
    library isn't installed."""
    safe = cleaned(document)
    pdf = _new_file(safe.subject)
    shown = _with_glyphs(safe, pdf)
    pdf.set_title(shown.title)
    pdf.set_creation_date(shown.made_at or _UNDATED)
    _write(pdf, shown.title, _TITLE_PT, style="B")
    pdf.ln(_LINE_MM / 2)
    for name, value in shown.facts:
        if value:
            _fact(pdf, name[:1].upper() + name[1:], value)
    for table in shown.tables:
        _table(pdf, table)
    pdf.ln(_LINE_MM)
    for note in shown.notes:
        _write(pdf, note, _TEXT_PT)
    return bytes(pdf.output())


def is_available() -> bool:
    """Whether the library is installed."""
    try:
        return find_spec("fpdf") is not None
    except ValueError:
        return False


def install_command() -> str:
    """How to install the library: its locked version where chainteller was installed from a folder
    that has one."""
    pip = f"{shlex.quote(sys.executable)} -m pip install"
    locked = _source_folder() / "requirements" / "pdf.txt"
    if locked.is_file():
        return f"{pip} --require-hashes -r {shlex.quote(str(locked))}"
    return f"{pip} fpdf2"


def _source_folder() -> Path:
    """Where chainteller was installed from; the folder of the sources where they run in place."""
    with suppress(PackageNotFoundError, ValueError, KeyError, TypeError):
        origin = json.loads(distribution("chainteller").read_text("direct_url.json") or "{}")
        if str(origin["url"]).startswith("file://"):
            return Path(url2pathname(urlsplit(origin["url"]).path))
    return Path(__file__).parents[3]


def _new_file(subject: str) -> "FPDF":
    try:
        from fpdf import FPDF  # noqa: PLC0415 - an extra, and large
    except ImportError:
        raise PdfUnavailable(install_command()) from None

    class File(FPDF):
        """Pages with their numbers."""

        def footer(self) -> None:
            self.set_y(-_MARGIN_MM)
            self.set_font(_FAMILY, size=_CELL_PT)
            self.cell(0, _CELL_MM, subject)
            self.set_x(self.l_margin)
            self.cell(0, _CELL_MM, f"{self.page_no()} / {{nb}}", align="R")

    pdf = File(format="A4")
    pdf.set_margin(_MARGIN_MM)
    pdf.set_auto_page_break(True, _MARGIN_MM + _LINE_MM)  # noqa: FBT003 - the library's argument
    for style, file in _FILES.items():
        pdf.add_font(_FAMILY, style, _FONTS / file)
    pdf.add_page()
    return pdf


def _write(pdf: "FPDF", text: str, size: int, *, style: str = "") -> None:
    pdf.set_font(_FAMILY, "B" if style else "", size)
    pdf.multi_cell(0, _LINE_MM + (size - _TEXT_PT) / 3, text, new_x="LMARGIN", new_y="NEXT")


def _fact(pdf: "FPDF", name: str, value: str) -> None:
    pdf.set_font(_FAMILY, "B", _TEXT_PT)
    pdf.cell(_FACT_MM, _LINE_MM, name)
    pdf.set_font(_FAMILY, "", _TEXT_PT)
    pdf.multi_cell(0, _LINE_MM, value, new_x="LMARGIN", new_y="NEXT")


def _table(pdf: "FPDF", table: Table) -> None:
    """A table with its heading, which is on the page of the first row."""
    pdf.ln(_LINE_MM)
    columns = list(zip(table.columns, _widths(pdf, table.columns), strict=True))
    titles = [[column.title] for column in table.columns]
    width_of = _width_reader(pdf)
    rows = list(_rows(pdf, table, columns, width_of))
    if rows and pdf.will_page_break(2 * _LINE_MM + _height(titles) + _height(rows[0])):
        pdf.add_page()
    _write(pdf, table.heading, _HEADING_PT, style="B")
    if not rows:
        _write(pdf, table.nothing, _TEXT_PT)
        return
    _row(pdf, columns, titles, width_of, "B")
    for cells in rows:
        if pdf.will_page_break(_height(cells)):
            pdf.add_page()
            _row(pdf, columns, titles, width_of, "B")
        _row(pdf, columns, cells, width_of)


def _rows(
    pdf: "FPDF",
    table: Table,
    columns: Sequence[tuple[Column, float]],
    width_of: Callable[[str], float],
) -> Iterator[list[list[str]]]:
    """The rows with the lines of each cell; one that is higher than a page in parts."""
    above = 2 * _LINE_MM + 2 * _height([[""]])
    room = int((pdf.page_break_trigger - pdf.t_margin - above) / _CELL_MM)
    for row in table.rows:
        cells = [
            _broken(cell, width - 2 * _PADDING_MM, width_of)
            for cell, (_, width) in zip(row, columns, strict=True)
        ]
        for first in range(0, max(map(len, cells)), room):
            yield [lines[first : first + room] for lines in cells]


def _height(cells: Sequence[Sequence[str]]) -> float:
    return max(map(len, cells)) * _CELL_MM + 2 * _PADDING_MM


def _row(
    pdf: "FPDF",
    columns: Sequence[tuple[Column, float]],
    cells: Sequence[Sequence[str]],
    width_of: Callable[[str], float],
    style: str = "",
) -> None:
    """Draw the lines of each cell, and a rule below them."""
    pdf.set_font(_FAMILY, style, _CELL_PT)
    left, top = pdf.l_margin, pdf.y
    for (column, width), lines in zip(columns, cells, strict=True):
        for at, text in enumerate(lines):
            indent = _PADDING_MM
            if column.is_amount:
                wide = pdf.get_string_width(text) if style else width_of(text)
                indent = width - _PADDING_MM - wide
            if text:
                pdf.text(left + indent, top + _PADDING_MM + _CELL_MM * (at + _BASE), text)
        left += width
    pdf.set_y(top + _height(cells))
    pdf.line(pdf.l_margin, pdf.y, left, pdf.y)


def _width_reader(pdf: "FPDF") -> Callable[[str], float]:
    """What measures a text in a cell, in millimetres; each letter is looked up once."""
    known: dict[str, float] = {}

    def width_of(text: str) -> float:
        for letter in set(text).difference(known):
            pdf.set_font(_FAMILY, "", _CELL_PT)
            known[letter] = pdf.get_string_width(letter)
        return sum(map(known.__getitem__, text))

    return width_of


def _broken(text: str, room: float, width_of: Callable[[str], float]) -> list[str]:
    """The lines of a cell, between words; a word that is too long is broken anywhere."""
    lines: list[str] = []
    for written in text.split("\n"):
        line = ""
        for word in written.split(" "):
            longer = f"{line} {word}" if line else word
            if line and width_of(longer) > room:
                lines.append(line)
                longer = word
            line = longer
            while width_of(line) > room:
                fits = next(
                    at for at in range(len(line), 0, -1) if at == 1 or width_of(line[:at]) <= room
                )
                lines.append(line[:fits])
                line = line[fits:]
        lines.append(line)
    return lines


_FULL = 130
"""Shares of a table as wide as the page."""


def _widths(pdf: "FPDF", columns: Sequence[Column]) -> list[float]:
    """In millimetres; a table with little in it doesn't fill the page."""
    widest = sum(column.width for column in columns)
    per_share = min(pdf.epw / widest, pdf.epw / _FULL)
    return [column.width * per_share for column in columns]


def _characters(pdf: "FPDF") -> Iterable[int]:
    from fpdf.fonts import TTFFont  # noqa: PLC0415 - an extra, and large

    font = pdf.fonts[_FAMILY.lower()]
    return font.cmap if isinstance(font, TTFFont) else ()


def _with_glyphs(document: Document, pdf: "FPDF") -> Document:
    """The document with every character replaced that the font doesn't have."""
    known = {ord("\n"), *_characters(pdf)}
    found: list[str] = []

    def shown(text: str) -> str:
        composed = unicodedata.normalize("NFC", text)
        if known.issuperset(map(ord, composed)):
            return composed
        found.append(composed)
        return "".join(each if ord(each) in known else f"[U+{ord(each):04X}]" for each in composed)

    changed = replace(
        document,
        facts=[(name, shown(value)) for name, value in document.facts],
        tables=[
            replace(table, rows=[[shown(cell) for cell in row] for row in table.rows])
            for table in document.tables
        ],
        notes=[shown(note) for note in document.notes],
    )
    return replace(changed, notes=[*changed.notes, REPLACED]) if found else changed
