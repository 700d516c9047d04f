"""Entries that rows and balances rest on, whose bodies no archive takes away.

Before a row decides something, it's compared with the newest entry that wrote it. If an archive had
that entry, nothing here would tell the row from one that somebody made up.
"""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from chainteller.domain.ledger import JournalKind, owner
from chainteller.storage.db.query import Session
from chainteller.storage.db.records import ALL, Tables
from chainteller.storage.db.table import Table
from chainteller.storage.log import entry, last_writes, ledger, views
from chainteller.storage.log.entry import Entry
from chainteller.storage.log.rows import ENDED, LASTING
from chainteller.storage.upkeep import inspection

_BY_NAME = {table.name: table for table in ALL}


def among(connection: Session, rows: Iterable[Any], since: int) -> list[int]:
    """The numbers of those entries that a row or a customer's balance still is as they left it, or
    that hold what hasn't left yet.

    What has ended before the instant ``since`` decides nothing any more. Of API keys every entry
    stays: whether a key was in force is asked of a time that is over.
    """
    return [row.number for row in rows if row.body is not None and _stands(connection, row, since)]


def _stands(connection: Session, row: Any, since: int) -> bool:
    told = entry.opened(row.number, row.body)
    return any(
        chain(_rows(connection, told, since), _balances(connection, told), _holds(connection, told))
    )


def _rows(connection: Session, told: Entry, since: int) -> Iterator[bool]:
    for name, key, made, *_ in told.rows:
        table = _BY_NAME[name]
        if table is Tables.api_key:
            yield True
        elif table in LASTING or table in ENDED:
            is_so = made is not None and made == last_writes.seal_of(connection, table, key)
            yield is_so and (told.at > since or not _is_over(connection, table, key))


def _is_over(connection: Session, table: Table, key: str) -> bool:
    row = inspection.row_by_key(connection, table, key) if table in ENDED else None
    return row is not None and row["status"] in ENDED[table]


def _balances(connection: Session, told: Entry) -> Iterator[bool]:
    for each in told.journals:
        for leg in each.legs:
            if owner(leg.code):
                found = ledger.of_codes(connection, told.log, [leg.code])
                yield found.get((leg.code, leg.asset), (0, 0))[1] == leg.version


def _holds(connection: Session, told: Entry) -> Iterator[bool]:
    """What is held for a withdrawal or a trade that nothing has been paid or released of."""
    for each in told.journals:
        if each.kind == JournalKind.HOLD:
            yield len(views.journals_of(connection, each.record)) == 1
