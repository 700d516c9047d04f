"""Balances and postings. A balance without a row is zero, and its owner is in its code."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, select, tuple_, update

from chainteller.domain.assets import ASSETS_BY_KEY, Asset
from chainteller.domain.ledger import (
    BANK_CODES,
    DEBIT_NORMAL,
    DUE_EITHER_WAY,
    Bucket,
    customer,
    owner,
)
from chainteller.storage.compiled import Found
from chainteller.storage.database import Record
from chainteller.storage.db.query import ahead, later
from chainteller.storage.rows import Writer
from chainteller.storage.tables import Tables, holds_for, journal_of

_T = Tables.ledger_account
_BALANCES = select(_T.c.code, _T.c.asset, _T.c.balance, _T.c.version).order_by(
    _T.c.code, _T.c.asset
)
_OF_ACCOUNT = _BALANCES.where(_T.c.code.in_([bindparam(f"b_{bucket}") for bucket in Bucket]))
_OF_ACCOUNT_LOCKED = _OF_ACCOUNT.with_for_update()
_OF_KEYS = _BALANCES.where(tuple_(_T.c.code, _T.c.asset).in_(bindparam("b_keys", expanding=True)))
_OF_KEYS_LOCKED = _OF_KEYS.with_for_update()
_OF_KEYS_LOCKED_AT_ONCE = _OF_KEYS.with_for_update(nowait=True)
_OF_CODES = _BALANCES.where(_T.c.code.in_(bindparam("b_codes", expanding=True)))
_OF_CODES_LOCKED = _OF_CODES.with_for_update()
_TOGETHER = 20
_OF_MANY = _BALANCES.where(_T.c.code.in_([bindparam(f"b_{n}", None) for n in range(_TOGETHER)]))
"""Up to so many codes. A list of any length would be written out anew at each use, which takes
half as long as the whole read (``benchmarks/lists.py``)."""
_UPDATE = (
    update(_T)
    .where(
        _T.c.code == bindparam("b_code"),
        _T.c.asset == bindparam("b_asset"),
        _T.c.version == bindparam("b_version"),
    )
    .values(balance=bindparam("b_balance"), version=bindparam("b_new_version"))
)

_JOURNALS = (
    select(
        Tables.journal.c.kind,
        Tables.journal.c.at,
        Tables.posting.c.code,
        Tables.posting.c.asset,
        Tables.posting.c.atoms,
    )
    .select_from(Tables.journal)
    .outerjoin(Tables.posting, holds_for())
    .where(journal_of(bindparam("b_reference")))
)

_HISTORY = (
    select(
        Tables.posting.c.code,
        Tables.posting.c.asset,
        Tables.posting.c.account_version,
        Tables.posting.c.debit,
        Tables.posting.c.atoms,
        Tables.posting.c.balance_after,
        Tables.journal.c.kind,
        Tables.journal.c.reference,
        Tables.journal.c.at,
    )
    .join(Tables.journal, Tables.journal.c.id == Tables.posting.c.journal_id)
    .where(Tables.posting.c.code.in_([bindparam(f"b_{bucket}") for bucket in Bucket]))
    .order_by(Tables.posting.c.code, Tables.posting.c.asset, Tables.posting.c.account_version)
)

Key = tuple[str, str]
"""A ledger account: its code and its asset's key."""
Balances = dict[Key, tuple[int, int]]
"""Balance and version by ledger account."""


def _read(rows: Iterable[Record]) -> Balances:
    return {(row.code, row.asset): (row.balance, row.version) for row in rows}


def row(key: Key, balance: int = 0, version: int = 0) -> dict[str, object]:
    """A ledger account as it is stored."""
    code, asset = key
    return {"code": code, "asset": asset, "balance": balance, "version": version}


def of_account(connection: Connection, account_id: str, *, lock: bool = False) -> Balances:
    """Every sub-balance of a trading account that a journal has touched."""
    codes = {f"b_{bucket}": customer(account_id, bucket) for bucket in Bucket}
    return _read(connection.execute(_OF_ACCOUNT_LOCKED if lock else _OF_ACCOUNT, codes))


def of_account_ahead(connection: Connection, account_id: str, *, lock: bool = False) -> None:
    """Send what ``of_account`` will find; see ``Plain.ahead``."""
    codes = {f"b_{bucket}": customer(account_id, bucket) for bucket in Bucket}
    ahead(connection, _OF_ACCOUNT_LOCKED if lock else _OF_ACCOUNT, codes)


def lock(connection: Connection, keys: Iterable[Key]) -> Balances:
    """Lock the ledger accounts that exist, in the one order that all writes use."""
    return _read(connection.execute(_OF_KEYS_LOCKED, {"b_keys": sorted(keys)}))


def lock_codes(connection: Connection, codes: Iterable[str]) -> Balances:
    """Lock every ledger account with one of these codes, in any asset."""
    return _read(connection.execute(_OF_CODES_LOCKED, {"b_codes": list(codes)}))


def open_balances(rows: Writer, keys: Iterable[Key]) -> Balances:
    """Create ledger accounts at zero and lock them.

    The caller may hold locks that come later in the order. Creating a row waits only for another
    transaction that is creating the same one; a row that another has committed meanwhile is
    locked without waiting, or not at all. So no two writes wait for each other.

    Raises:
        DBAPIError: on PostgreSQL, another transaction holds such a row. The write may run again.
    """
    ordered = sorted(keys)
    for key in ordered:
        rows.insert_if_new(_T, row(key))
    return _read(rows.connection.execute(_OF_KEYS_LOCKED_AT_ONCE, {"b_keys": ordered}))


def moved(balances: Balances, posting: Mapping[str, Any]) -> dict[str, Any]:
    """Move a balance by a posting without its version; returns the whole posting."""
    key = (posting["code"], posting["asset"])
    balance, version = balances[key]
    grows = posting["debit"] == (posting["code"] in DEBIT_NORMAL)
    balance, version = balance + (posting["atoms"] if grows else -posting["atoms"]), version + 1
    balances[key] = (balance, version)
    return {**posting, "account_version": version, "balance_after": balance}


def update_balances(connection: Connection, changed: Mapping[Key, tuple[int, int, int]]) -> None:
    """Write (balance, version read, new version), before anything that follows is read.

    Raises:
        AssertionError: a version is not the one that was read. It may be raised by a later
            statement.
    """
    for (code, asset), (balance, read_version, version) in changed.items():
        values = {
            "b_code": code,
            "b_asset": asset,
            "b_balance": balance,
            "b_version": read_version,
            "b_new_version": version,
        }
        later(connection, _UPDATE, values, _check_moved)


def _check_moved(found: Found) -> None:
    if found.rowcount != 1:
        raise AssertionError("a balance moved while it was locked")


def insert_journals(
    rows: Writer, journals: Sequence[Mapping[str, object]], postings: Sequence[Mapping[str, object]]
) -> None:
    rows.insert(Tables.journal, journals)
    if postings:
        rows.insert(Tables.posting, postings)


def overdrawn(connection: Connection) -> frozenset[Key]:
    """The bank's own accounts that are below zero and mustn't be."""
    codes = sorted(BANK_CODES - DUE_EITHER_WAY)
    found = _read(connection.execute(_OF_CODES, {"b_codes": codes}))
    return frozenset(key for key, (balance, _) in found.items() if balance < 0)


def journals_of(connection: Connection, reference: str) -> list[Record]:
    """Every journal of a record, with each amount that it holds for a customer: kind, at, code,
    asset and atoms; the last three are None where it holds nothing."""
    return list(connection.execute(_JOURNALS, {"b_reference": reference}))


def history_of_account(connection: Connection, account_id: str) -> list[Record]:
    """Every posting to a trading account's sub-balances with its journal's kind, reference and at;
    those of a ledger account stand together, in the order of their versions."""
    codes = {f"b_{bucket}": customer(account_id, bucket) for bucket in Bucket}
    return list(connection.execute(_HISTORY, codes))


def by_bucket(balances: Balances, account_id: str, bucket: Bucket) -> dict[Asset, int]:
    """One sub-balance of an account by asset. Assets that are not declared are left out."""
    code = customer(account_id, bucket)
    return {
        ASSETS_BY_KEY[asset]: balance
        for (found, asset), (balance, _) in balances.items()
        if found == code and asset in ASSETS_BY_KEY
    }


def available_of_many(
    connection: Connection, account_ids: Sequence[str]
) -> dict[str, dict[Asset, int]]:
    """Available balances of several trading accounts, in one query for a page of usual length."""
    found: dict[str, dict[Asset, int]] = {account_id: {} for account_id in account_ids}
    codes = [customer(account_id, Bucket.AVAILABLE) for account_id in account_ids]
    for first in range(0, len(codes), _TOGETHER):
        part = {f"b_{n}": code for n, code in enumerate(codes[first : first + _TOGETHER])}
        for code, asset, balance, _ in connection.execute(_OF_MANY, part):
            if asset in ASSETS_BY_KEY:
                found[owner(code)][ASSETS_BY_KEY[asset]] = balance
    return found
