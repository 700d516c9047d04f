"""Documents for customers, as facts and tables, and their form as plain text.

``pdf.py`` writes the same documents as PDF.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from chainteller.domain.untrusted import printable_lines
from chainteller.records.formats import clean

Facts = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Column:
    """``width`` is its share of a page; amounts are aligned right."""

    title: str
    width: int
    is_amount: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a heading; a cell may have several lines. ``nothing`` stands for no rows."""

    heading: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    nothing: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A title, facts, tables, and notes below them.

    ``subject`` is the id that every page names. ``made_at`` is the date that a file of it carries:
    the same document has the same bytes.
    """

    title: str
    facts: Facts
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()
    subject: str = ""
    made_at: datetime | None = None


def cleaned(document: Document) -> Document:
    """The document without anything that a terminal or a viewer would act on or hide."""
    tables = [
        replace(
            table,
            rows=[["\n".join(map(clean, cell.split("\n"))) for cell in row] for row in table.rows],
        )
        for table in document.tables
    ]
    return replace(
        document,
        title=clean(document.title),
        facts=[(clean(name), clean(value)) for name, value in document.facts],
        tables=tables,
        notes=[clean(note) for note in document.notes],
        subject=clean(document.subject),
    )


def as_text(document: Document) -> str:
    """The document as lines of text; it ends with a line feed."""
    shown = cleaned(document)
    title = shown.title.upper()
    lines = [title, "=" * len(title), *_facts(shown.facts)]
    for table in shown.tables:
        lines += ["", table.heading.upper(), "-" * len(table.heading), *_table(table)]
    lines += ["", *shown.notes] if shown.notes else []
    return printable_lines("\n".join(lines)) + "\n"


def _facts(facts: Facts) -> Iterator[str]:
    width = max((len(name) for name, _ in facts), default=0)
    return (f"{name:<{width}}  {value}" for name, value in facts if value)


def _table(table: Table) -> Iterator[str]:
    if not table.rows:
        yield table.nothing
        return
    rows = [[cell.split("\n") for cell in row] for row in table.rows]
    widths = [
        max(len(column.title), *(len(line) for row in rows for line in row[at]))
        for at, column in enumerate(table.columns)
    ]
    yield _line(table.columns, widths, [column.title for column in table.columns])
    for row in rows:
        for number in range(max(map(len, row))):
            texts = [cell[number] if number < len(cell) else "" for cell in row]
            yield _line(table.columns, widths, texts)


def _line(columns: Sequence[Column], widths: Sequence[int], texts: Sequence[str]) -> str:
    cells = (
        f"{text:>{width}}" if column.is_amount else f"{text:<{width}}"
        for column, width, text in zip(columns, widths, texts, strict=True)
    )
    return "  ".join(cells).rstrip()
