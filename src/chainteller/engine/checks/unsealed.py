"""What the released build (66d1173) wrote beside this one: it knows no seals.

That build puts every write on record in the audit chain, in rows without a salt. So a row that is
not as it was sealed is taken for its work only if one of those audit rows concerns it; the chain
itself is checked by invariant 16. The next ``db upgrade`` seals what it finds. From 0006, when no
released server writes, this module goes.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Set
from heapq import heappop, heappush
from typing import NamedTuple

from sqlalchemy import Connection, Table

from chainteller.storage import guards, inspection, sealing
from chainteller.storage.columns import SALT, Record
from chainteller.storage.tables import Tables

CHANGED, INSERTED, DELETED = "changed", "inserted without an entry", "deleted"
PUT_BACK = "put back after it was removed"
_WORD = re.compile(r"[A-Za-z0-9_-]{4,40}")
_ID = re.compile(r"[A-Z]{3}_[0-9A-Z]{22}")
_ROW, _MENTION = "\0row", "\0mention"
"""What every audit row says, and what every one says that names anything; no word is like them."""

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
    said = {_ROW}
    for row in inspection.audit_rows_without_salt(connection) if added else ():
        if str(row.seq) in added:
            said |= _said(row)
    asked = wrong if _MENTION in said else [each for each in wrong if each.table is Tables.job]
    return frozenset(each for each in asked if not _speaking(connection, each).isdisjoint(said))


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
    words = {each: _speaking(connection, each) for each in stretches}
    sought = Sought((each, stretch, words[each]) for each, stretch in stretches.items())
    for row in inspection.audit_rows_between(connection, first, last):
        if row.seq not in ours:
            sought.hear(row.seq, _said(row), sealed_after.get(row.seq, last))
    return frozenset(sought.found)


class Sought:
    """Rows for which an audit row has to say one of some words; ``found`` are those for which one
    did.

    Each row is looked at once for each of its words, however many audit rows its stretch has.
    """

    def __init__(self, sought: Iterable[tuple[Wrong, Stretch, Set[str]]]) -> None:
        self.found: set[Wrong] = set()
        self._later: dict[str, list[tuple[Stretch, int, Wrong]]] = defaultdict(list)
        self._begun: dict[str, list[tuple[int, int, Wrong]]] = defaultdict(list)
        ordered = sorted(sought, key=lambda each: each[1], reverse=True)
        for order, (wrong, stretch, words) in enumerate(ordered):
            for word in words:
                self._later[word].append((stretch, order, wrong))

    def hear(self, seq: int, said: Set[str], upto: int) -> None:
        """An audit row, which come in their order: it speaks for what was found after it, but not
        after ``upto``."""
        for word in said & self._later.keys():
            later, begun = self._later[word], self._begun[word]
            while later and later[-1][0].written_after < seq:
                stretch, order, wrong = later.pop()
                heappush(begun, (stretch.found_after, order, wrong))
            while begun and begun[0][0] <= upto:
                found_after, _, wrong = heappop(begun)
                if found_after >= seq:
                    self.found.add(wrong)


def _said(row: Record) -> set[str]:
    """The words by which an audit row names what it concerns, and those that say that there is one
    and that it names anything."""
    named = {row.object, row.trading_account_id or "", *_ID.findall(row.inputs)} - {""}
    return {_ROW, _MENTION, *named} if named else {_ROW}


def _speaking(connection: Connection, wrong: Wrong) -> frozenset[str]:
    """The words of which an audit row has to say one to speak for a row."""
    if wrong.what == DELETED:
        return _speaking_for_removed(connection, wrong)
    if wrong.what == CHANGED and wrong.table in guards.APPEND_ONLY:
        return frozenset()
    row = inspection.row_by_key(connection, wrong.table, wrong.key)
    if wrong.over is not None:
        row = row or sealing.form(wrong.table).primary_key(wrong.key)
    elif row is not None and wrong.what == INSERTED and row[SALT] is not None:
        return frozenset()
    if row is None:
        return frozenset()
    if wrong.what == INSERTED and wrong.table in _OF_NO_RECORD:
        return frozenset((_MENTION,))
    cells = (cell for cell in row.values() if isinstance(cell, str))
    return frozenset(word for cell in cells for word in _WORD.findall(cell))


def _speaking_for_removed(connection: Connection, wrong: Wrong) -> frozenset[str]:
    """It forgets idempotency keys after a day, and drops work on a record that has ended, without
    an audit row."""
    if wrong.table is Tables.job and inspection.has_ended(connection, wrong.key.split(" ")[-1]):
        return frozenset((_ROW,))
    if wrong.table is Tables.idempotency:
        return frozenset((_MENTION,))
    return frozenset(_WORD.findall(wrong.key))
