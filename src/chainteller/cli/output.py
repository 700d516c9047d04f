"""What a command prints on stdout: the wire's JSON, or plain text that obeys no data."""

import json
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import click

from chainteller.cli.options import options
from chainteller.domain.untrusted import printable, printable_lines
from chainteller.records.fields import Field, FieldList
from chainteller.service.models.base import WireModel
from chainteller.service.models.pages import Page

Item = TypeVar("Item")
Shown = TypeVar("Shown", bound=WireModel)
Column = tuple[str, Callable[[Item], object]]
"""A heading and what stands under it; headings that end in ``>`` are aligned right."""


def line(text: str = "") -> None:
    """One line of people's text, harmless to the terminal."""
    click.echo(printable(text))


def verbatim(text: str) -> None:
    """Text whose line feeds matter (a challenge to be signed)."""
    click.echo(printable_lines(text))


def document(value: WireModel | object) -> None:
    """One JSON document on one line."""
    click.echo(_json(value))


def _json(value: WireModel | object) -> str:
    """The same document for every reader; what a terminal would act on stands as an escape.

    JSON itself escapes only the controls below U+0020 (RFC 8259, section 7).
    """
    if isinstance(value, WireModel):
        text = value.to_json()
    else:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if text.isascii() and text.isprintable():
        return text
    return "".join(each if printable(each) == each else json.dumps(each)[1:-1] for each in text)


def record(value: Shown, fields: FieldList[Shown], more: Sequence[tuple[str, object]] = ()) -> None:
    """A record: its JSON, or its fields one a line and ``more``; what is unknown is left out."""
    if options().json:
        document(value)
        return
    pairs([*fields.facts(value), *more])


def pairs(fields: Sequence[tuple[str, object]]) -> None:
    """Names and values, one a line, the values in one column."""
    width = max((len(name) for name, _ in fields), default=0)
    for name, value in fields:
        line(f"{name:<{width}}  {text_of(value)}")


def listing(page: Page[Shown], fields: FieldList[Shown], *, nothing: str) -> None:
    """A list: the envelope as JSON, or a table with how many more there are."""
    if options().json:
        document(page)
        return
    if not page.data:
        line(nothing)
        return
    table(page.data, [_column(field) for field in fields.table])
    seen = page.pagination
    if seen.total > len(page.data):
        line(f"page {seen.page}, {len(page.data)} of {seen.total}; more with --page and --limit")


def _column(field: Field[Shown]) -> Column[Shown]:
    return f"{field.heading}>" if field.align == "right" else field.heading, field.column


def table(rows: Iterable[Item], columns: Sequence[Column[Item]]) -> None:
    """Rows under headings, the last column unpadded."""
    cells = [[printable(text_of(read(row))) for _, read in columns] for row in rows]
    heads = [heading.rstrip(">") for heading, _ in columns]
    widths = [
        max(len(head), *(len(row[at]) for row in cells)) if cells else len(head)
        for at, head in enumerate(heads)
    ]
    for row in [heads, *cells]:
        click.echo(
            "  ".join(
                f"{cell:>{width}}" if heading.endswith(">") else f"{cell:<{width}}"
                for cell, width, (heading, _) in zip(row, widths, columns, strict=True)
            ).rstrip()
        )


def text_of(value: object) -> str:
    """A value as people's text: instants to the second, lists with commas, nothing as a dash."""
    if value is None or value in ("", (), []):
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple | list):
        return ", ".join(text_of(each) for each in value)
    moment = getattr(value, "strftime", None)
    return str(moment("%Y-%m-%dT%H:%M:%SZ")) if moment else str(value)
