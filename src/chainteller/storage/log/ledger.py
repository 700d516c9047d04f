"""Balances. A balance without a row is zero, and its owner is in its code."""

from collections.abc import Iterable, Mapping
from functools import lru_cache

from chainteller.domain.assets import ASSETS_BY_KEY, Asset
from chainteller.domain.ledger import Bucket, customer
from chainteller.storage.db import records
from chainteller.storage.db.query import (
    POSTGRESQL,
    SQLITE,
    Atoms,
    Found,
    Query,
    Record,
    Session,
    row_of,
)
from chainteller.storage.db.sources import insert

_REMEMBERED = 2_048
_ROW = row_of("code", "asset", balance=Atoms, version=int)
_ROWS = "SELECT code, asset, balance, version FROM ledger_account"
_OWN = f"{_ROWS} WHERE code IN ({', '.join(f':{bucket}' for bucket in Bucket)})"
_OF_ACCOUNT = Query(f"{_OWN} ORDER BY code, asset", _ROW)
_OF_ACCOUNT_LOCKED = Query(f"{_OWN} ORDER BY code, asset FOR UPDATE", _ROW)
_OF_CODES = Query(f"{_ROWS} WHERE code IN :codes AND organisation_id = :organisation", _ROW)
_HERE = "WHERE code = :code AND asset = :asset"
_UPDATE = Query(
    "UPDATE ledger_account SET balance = :balance, version = :new_version "
    f"{_HERE} AND version = :version"
)
_OPEN = insert(records.LedgerAccount)
_OPEN_IF_NEW = insert(records.LedgerAccount, "ON CONFLICT DO NOTHING")
_MOVE = {
    dialect: Query(
        f"UPDATE ledger_account SET balance = {added}, version = version + :count "
        f"{_HERE} AND organisation_id = :organisation",
        only=dialect,
    )
    for dialect, added in (
        (SQLITE, "add_atoms(balance, :change)"),
        (POSTGRESQL, "balance + :change"),
    )
}
Key = tuple[str, str]
"""A ledger account: its code and its asset's key."""
Balances = dict[Key, tuple[int, int]]
"""Balance and version by ledger account."""


def _read(rows: Iterable[Record]) -> Balances:
    return {(row.code, row.asset): (row.balance, row.version) for row in rows}


def of_account(connection: Session, account_id: str, *, lock: bool = False) -> Balances:
    """Every sub-balance of a trading account that a journal has touched."""
    query = _OF_ACCOUNT_LOCKED if lock else _OF_ACCOUNT
    return _read(connection.execute(query, _codes(account_id)))


@lru_cache(_REMEMBERED)
def _codes(account_id: str) -> Mapping[str, str]:
    return {bucket.value: customer(account_id, bucket) for bucket in Bucket}


def of_codes(connection: Session, organisation_id: str, codes: Iterable[str]) -> Balances:
    """Every ledger account of an organisation with one of these codes, in any asset."""
    return _read(_OF_CODES.run(connection, list(codes), organisation_id))


def move_bank(
    connection: Session, organisation_id: str, changes: Mapping[Key, tuple[int, int]]
) -> None:
    """Change balances of the bank's own accounts by amounts, and their versions by counts.

    What is there isn't read: all writes of an organisation change them, in one order.

    Raises:
        DatabaseError: an account would fall below zero that mustn't; it may be raised by a later
            statement.
    """
    move = _MOVE[connection.dialect.name]
    for (code, asset), (change, count) in sorted(changes.items()):
        place = {"organisation_id": organisation_id, "code": code, "asset": asset}
        connection.later(_OPEN_IF_NEW, place | {"balance": 0, "version": 0})
        values = {"organisation": organisation_id, "code": code, "asset": asset}
        connection.later(move, values | {"change": change, "count": count})


def write_balances(
    connection: Session, organisation_id: str, before: Balances, balances: Balances
) -> None:
    """Write the balances that moved since they were as ``before``, before anything that follows is
    read; one that no journal had touched is inserted.

    Raises:
        AssertionError: a version is not the one that was read. It may be raised by a later
            statement.
    """
    for (code, asset), (balance, version) in balances.items():
        place = {"code": code, "asset": asset, "balance": balance}
        _, read_version = before.get((code, asset), (0, None))
        if read_version is None:
            new = {"organisation_id": organisation_id, "version": version}
            connection.later(_OPEN, place | new)
        elif read_version != version:
            moved = {"version": read_version, "new_version": version}
            connection.later(_UPDATE, place | moved, _check_moved)


def _check_moved(found: Found) -> None:
    if found.rowcount != 1:
        raise AssertionError("a balance moved while it was locked")


def by_bucket(balances: Balances, account_id: str, bucket: Bucket) -> dict[Asset, int]:
    """One sub-balance of an account by asset. Assets that are not declared are left out."""
    code = customer(account_id, bucket)
    return {
        ASSETS_BY_KEY[asset]: balance
        for (found, asset), (balance, _) in balances.items()
        if found == code and asset in ASSETS_BY_KEY
    }


def sub_balances(account: Record) -> dict[Bucket, dict[Asset, int]]:
    """What a trading account holds, as it is shown, by sub-balance and asset. Assets that are not
    declared are left out."""
    found: dict[Bucket, dict[Asset, int]] = {bucket: {} for bucket in Bucket}
    for code, asset, balance in account.held or ():
        if asset in ASSETS_BY_KEY:
            found[Bucket(code.rpartition(":")[2])][ASSETS_BY_KEY[asset]] = int(balance)
    return found
