"""Output of commands on stdout: JSON as on the wire, or text without control characters."""

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeVar, runtime_checkable

import click

from chainteller.cli.options import options
from chainteller.domain.untrusted import printable, printable_json, printable_lines
from chainteller.records.fields import FieldList


@runtime_checkable
class Model(Protocol):
    """A document that knows its JSON: a ``WireModel``, without the modules of all of them."""

    def to_json(self) -> str: ...


Item = TypeVar("Item")
Shown = TypeVar("Shown", bound=Model)
Column = tuple[str, Callable[[Item], object]]
"""A heading and the value of a cell; headings that end in ``>`` are aligned right."""


def line(text: str = "") -> None:
    """Print one line of text without control characters."""
    click.echo(printable(text))


def verbatim(text: str) -> None:
    """Print text whose line feeds matter, such as a message to sign."""
    click.echo(printable_lines(text))


def document(value: object) -> None:
    """Print a JSON document on one line."""
    click.echo(json_text(value))


def answer(body: object, text: str | Sequence[tuple[str, object]]) -> None:
    """Print the body with ``--json``, else a line, or names and values."""
    if options().json:
        document(body)
    elif isinstance(text, str):
        line(text)
    else:
        pairs(text)


def json_text(value: object) -> str:
    """Serialise a document on one line, with everything that a terminal would interpret escaped."""
    if isinstance(value, Model):
        text = value.to_json()
    else:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return printable_json(text)


def record(value: Shown, fields: FieldList[Shown], more: Sequence[tuple[str, object]] = ()) -> None:
    """Print a record as JSON, or its fields and ``more`` one per line without unknown values."""
    if options().json:
        document(value)
        return
    pairs([*fields.facts(value), *more])


def pairs(fields: Sequence[tuple[str, object]]) -> None:
    """Print names and values, one pair per line, with the values in one column."""
    width = max((len(name) for name, _ in fields), default=0)
    for name, value in fields:
        line(f"{name:<{width}}  {text_of(value)}")


def table(rows: Iterable[Item], columns: Sequence[Column[Item]]) -> None:
    """Print rows under headings."""
    click.echo(table_text(rows, columns), nl=False)


def table_text(rows: Iterable[Item], columns: Sequence[Column[Item]]) -> str:
    """Rows under headings, the last column unpadded."""
    cells = [[printable(text_of(read(row))) for _, read in columns] for row in rows]
    heads = [heading.rstrip(">") for heading, _ in columns]
    widths = [
        max(len(head), *(len(row[at]) for row in cells)) if cells else len(head)
        for at, head in enumerate(heads)
    ]
    lines = (
        "  ".join(
            f"{cell:>{width}}" if heading.endswith(">") else f"{cell:<{width}}"
            for cell, width, (heading, _) in zip(row, widths, columns, strict=True)
        ).rstrip()
        for row in [heads, *cells]
    )
    return "".join(f"{each}\n" for each in lines)


def text_of(value: object) -> str:
    """A value as text: times to the second, lists with commas, a dash for nothing."""
    if value is None or value in ("", (), []):
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple | list):
        return ", ".join(text_of(each) for each in value)
    moment = getattr(value, "strftime", None)
    return str(moment("%Y-%m-%dT%H:%M:%SZ")) if moment else str(value)
