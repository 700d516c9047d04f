"""What the released build (66d1173) wrote beside this one: it knows no seals.

That build puts every write on record in the audit chain, in rows without a salt. So a row that is
not as it was sealed is taken for its work only if one of those audit rows concerns it; the chain
itself is checked by invariant 16. The next ``db upgrade`` seals what it finds. From 0006, when no
released server writes, this module goes.
"""

import re
from bisect import bisect_right
from collections.abc import Mapping, Set
from typing import NamedTuple

from sqlalchemy import Connection, Table

from chainteller.storage import guards, inspection, sealing
from chainteller.storage.columns import SALT, Record
from chainteller.storage.tables import Tables

CHANGED, INSERTED, DELETED = "changed", "inserted without an entry", "deleted"
PUT_BACK = "put back after it was removed"
_WORD = re.compile(r"[A-Za-z0-9_-]{4,40}")
_ID = re.compile(r"[A-Z]{3}_[0-9A-Z]{22}")


_OF_NO_RECORD = (Tables.audit, Tables.ledger_account)
"""The audit rows themselves, and the bank's own balances, which start at zero."""


class Place(NamedTuple):
    """An entry: whose log it's in, and its id."""

    organisation: str
    entry_id: str


class Wrong(NamedTuple):
    """A row that is not as it was sealed; ``what`` happened to it. ``over`` is the entry that
    sealed it anew, as it was found, if one did."""

    table: Table
    key: str
    what: str
    over: Place | None = None


class Stretch(NamedTuple):
    """The audit rows after which an entry wrote a row, and another one found it otherwise."""

    written_after: int
    found_after: int


def of_released_build(connection: Connection, wrong: list[Wrong]) -> frozenset[Wrong]:
    """Those rows that are as the released build left them."""
    added = {each.key for each in wrong if each.table is Tables.audit and each.what == INSERTED}
    concerned: set[str] = set()
    for row in inspection.audit_rows_without_salt(connection) if added else ():
        if str(row.seq) in added:
            concerned |= _concerned(row)
    return frozenset(each for each in wrong if _is_theirs(connection, each, concerned))


def found_by_us(
    connection: Connection,
    stretches: Mapping[Wrong, Stretch],
    ours: Set[int],
    sealed_after: Mapping[int, int],
) -> frozenset[Wrong]:
    """Those rows that an entry found as the released build had left them.

    An audit row speaks for what was written between the two entries, and only while it isn't
    sealed itself: an upgrade seals it together with what it concerns.

    Args:
        connection: reads the same snapshot.
        stretches: the rows that an entry found otherwise than they were sealed.
        ours: the numbers of the audit rows that stand in entries.
        sealed_after: of audit rows that were sealed later, after which one.
    """
    if not stretches:
        return frozenset()
    first = min(each.written_after for each in stretches.values())
    last = max(each.found_after for each in stretches.values())
    theirs = {
        row.seq: _concerned(row)
        for row in inspection.audit_rows_between(connection, first, last)
        if row.seq not in ours
    }
    numbers, found = list(theirs), set()
    for wrong, (written, met) in stretches.items():
        between = numbers[bisect_right(numbers, written) : bisect_right(numbers, met)]
        concerned = [theirs[seq] for seq in between if met <= sealed_after.get(seq, met)]
        if concerned and _is_theirs(connection, wrong, frozenset().union(*concerned)):
            found.add(wrong)
    return frozenset(found)


def _concerned(row: Record) -> set[str]:
    """The words by which an audit row names what it concerns."""
    return {row.object, row.trading_account_id or "", *_ID.findall(row.inputs)} - {""}


def _is_theirs(connection: Connection, wrong: Wrong, concerned: Set[str]) -> bool:
    if wrong.what == DELETED:
        return _removed_by_them(connection, wrong, concerned)
    if not concerned or (wrong.what == CHANGED and wrong.table in guards.APPEND_ONLY):
        return False
    row = inspection.row_by_key(connection, wrong.table, wrong.key)
    if wrong.over is not None:
        row = row or sealing.form(wrong.table).primary_key(wrong.key)
    elif row is not None and wrong.what == INSERTED and row[SALT] is not None:
        return False
    if row is None:
        return False
    if wrong.what == INSERTED and wrong.table in _OF_NO_RECORD:
        return True
    words = (word for cell in row.values() if isinstance(cell, str) for word in _WORD.findall(cell))
    return not concerned.isdisjoint(words)


def _removed_by_them(connection: Connection, wrong: Wrong, concerned: Set[str]) -> bool:
    """It forgets idempotency keys after a day, and drops work on a record that has ended, without
    an audit row."""
    if wrong.table is Tables.job and inspection.has_ended(connection, wrong.key.split(" ")[-1]):
        return True
    if not concerned:
        return False
    forgotten = wrong.table is Tables.idempotency
    return forgotten or not concerned.isdisjoint(_WORD.findall(wrong.key))
