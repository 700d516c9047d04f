"""What the released build (66d1173) wrote beside this one: it knows no seals.

That build puts every write on record in the audit chain, in rows without a salt. So a row that is
not as it was sealed is taken for its work only if one of those audit rows concerns it; the chain
itself is checked by invariant 16. The next ``db upgrade`` seals what it finds. From 0006, when no
released server writes, this module goes.
"""

import re
from typing import NamedTuple

from sqlalchemy import Connection, Table

from chainteller.storage import guards, inspection
from chainteller.storage.columns import SALT
from chainteller.storage.tables import Tables

CHANGED, INSERTED, DELETED = "changed", "inserted without an entry", "deleted"
PUT_BACK = "put back after it was removed"
_WORD = re.compile(r"[A-Za-z0-9_-]{4,40}")
_ID = re.compile(r"[A-Z]{3}_[0-9A-Z]{22}")


_OF_NO_RECORD = (Tables.audit, Tables.ledger_account)
"""The audit rows themselves, and the bank's own balances, which start at zero."""


class Wrong(NamedTuple):
    """A row that is not as it was sealed; ``what`` happened to it."""

    table: Table
    key: str
    what: str


def of_released_build(connection: Connection, wrong: list[Wrong]) -> frozenset[Wrong]:
    """Those rows that are as the released build left them."""
    added = {each.key for each in wrong if each.table is Tables.audit and each.what == INSERTED}
    concerned: set[str] = set()
    for row in inspection.audit_rows_without_salt(connection) if added else ():
        if str(row.seq) in added:
            concerned |= {row.object, row.trading_account_id or "", *_ID.findall(row.inputs)}
    return frozenset(each for each in wrong if _is_theirs(connection, each, concerned - {""}))


def _is_theirs(connection: Connection, wrong: Wrong, concerned: set[str]) -> bool:
    if wrong.what == DELETED:
        return _removed_by_them(connection, wrong, concerned)
    if not concerned or (wrong.what == CHANGED and wrong.table in guards.APPEND_ONLY):
        return False
    row = inspection.row_by_key(connection, wrong.table, wrong.key)
    if row is None or (wrong.what == INSERTED and row[SALT] is not None):
        return False
    if wrong.what == INSERTED and wrong.table in _OF_NO_RECORD:
        return True
    words = (word for cell in row.values() if isinstance(cell, str) for word in _WORD.findall(cell))
    return not concerned.isdisjoint(words)


def _removed_by_them(connection: Connection, wrong: Wrong, concerned: set[str]) -> bool:
    """It forgets idempotency keys after a day, and drops work on a record that has ended, without
    an audit row."""
    if wrong.table is Tables.job and inspection.has_ended(connection, wrong.key.split(" ")[-1]):
        return True
    if not concerned:
        return False
    forgotten = wrong.table is Tables.idempotency
    return forgotten or not concerned.isdisjoint(_WORD.findall(wrong.key))
