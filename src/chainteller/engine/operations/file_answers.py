"""Answers that don't need the models: from a SQLite file, as JSON.

An answer is given only where the engine would give the same and do nothing besides. Otherwise it's
None, and the engine is asked.
"""

import json
from pathlib import Path
from typing import Any

from chainteller.domain.clock import SystemClock, format_instant
from chainteller.engine.core.ports import PriceFeed
from chainteller.engine.core.timekeeping import Timekeeper, TimeSource, elapsed, judged
from chainteller.engine.operations import valuation
from chainteller.sqlite import sqlite3
from chainteller.storage.queries import file_reads
from chainteller.storage.queries.file_reads import FileReader

_INSTANTS = frozenset({"created", "valued_at", "last_activity"})


def trading_accounts(file: Path, organisation_id: str, feed: PriceFeed, limit: int) -> str | None:
    """The first page of the list of trading accounts, newest first, as the HTTP service's body.

    None where work is due, time is in doubt or newly certain, or the file can't be read at once.
    """
    try:
        with file_reads.reading(file) as reader:
            now = _certain_time(reader) if reader is not None else None
            if reader is None or now is None:
                return None
            rows, total = reader.accounts(organisation_id, "-created", limit)
            prices = valuation.unit_values(feed, now)
            accounts = [
                valuation.account_values(row, reader.balances(row.id), prices) for row in rows
            ]
    except (sqlite3.Error, ValueError):
        return None
    pagination = {"total": total, "page": 1, "limit": limit}
    return _json({"data": [_wire(each) for each in accounts], "pagination": pagination})


def _certain_time(reader: FileReader) -> int | None:
    """What time it is, if that is certain, known to be so, and nothing is due."""
    source = TimeSource(is_postgres=False, clock=SystemClock(), keeper=Timekeeper())
    before, row = elapsed(source), reader.clock()
    reading = judged(source, row, before)
    if reading.doubt is not None or row.doubt or not reading.stored:
        return None
    due = reader.next_due()
    return reading.now if due is None or due > reading.now else None


def _wire(values: dict[str, Any]) -> dict[str, Any]:
    return {
        _camel(name): format_instant(value) if name in _INSTANTS and value is not None else value
        for name, value in values.items()
    }


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(each.capitalize() for each in others)


def _json(body: object) -> str:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))
