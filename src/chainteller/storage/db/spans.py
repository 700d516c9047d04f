"""Spans of statements, as OpenTelemetry's conventions for databases say, without their values."""

import re
from collections.abc import Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING

from chainteller.storage.db.errors import DatabaseError
from chainteller.storage.db.faults import sqlstate
from chainteller.telemetry import tracing
from chainteller.telemetry.tracing import NONE, Attributes, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from chainteller.telemetry.tracing import Span

_TABLE = re.compile(r"\b(?:FROM|INTO|UPDATE)\s+([a-z_]+)")
_INNER = re.compile(r"\([^()]*\)")
_WORD = re.compile(r"\s*(\w+)")
_REMEMBERED = 2_048
_LONGEST_SUMMARY = 255


@contextmanager
def statements_span(
    system: str, texts: Sequence[str], server: Attributes = NONE
) -> "Iterator[Span]":
    """A span of statements that are sent together, with places for their values. ``server`` has
    attributes that say which database it is."""
    parts = dict.fromkeys(_part(each) for each in texts)
    words = {word for word, _ in parts}
    tables = {table for _, table in parts}
    summary = "; ".join(f"{word} {table}".rstrip() for word, table in parts)[:_LONGEST_SUMMARY]
    operation = words.pop() if len(words) == 1 else ""
    attributes: dict[str, str | int] = {
        **server,
        "db.system.name": system,
        "db.operation.name": operation,
        "db.query.summary": summary,
        "db.query.text": "; ".join(texts),
    }
    if len(texts) > 1:
        attributes["db.operation.name"] = f"BATCH {operation}".rstrip()
        attributes["db.operation.batch.size"] = len(texts)
    if len(tables) == 1:
        attributes["db.collection.name"] = tables.pop()
    with tracing.span(summary, Kind.CLIENT, attributes) as span:
        try:
            yield span
        except DatabaseError as error:
            span.fail(sqlstate(error) or type(error).__name__)
            raise


@lru_cache(_REMEMBERED)
def _part(text: str) -> tuple[str, str]:
    """The first word of a statement, and its first table if it names one."""
    word = _WORD.match(text)
    while (outer := _INNER.sub("", text)) != text:
        text = outer
    table = _TABLE.search(text)
    return word[1].upper() if word is not None else "", table[1] if table is not None else ""
