"""Balances. A balance without a row is zero, and its owner is in its code."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Integer, bindparam, func, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from chainteller.domain.assets import ASSETS_BY_KEY, Asset
from chainteller.domain.ledger import Bucket, customer, owner
from chainteller.storage.columns import ADD_ATOMS, Atoms, Record
from chainteller.storage.compiled import Found
from chainteller.storage.db.query import ahead, later
from chainteller.storage.tables import Tables

_T = Tables.ledger_account
_BALANCES = select(_T.c.code, _T.c.asset, _T.c.balance, _T.c.version).order_by(
    _T.c.code, _T.c.asset
)
_OF_ACCOUNT = _BALANCES.where(_T.c.code.in_([bindparam(f"b_{bucket}") for bucket in Bucket]))
_OF_ACCOUNT_LOCKED = _OF_ACCOUNT.with_for_update()
_OF_CODES = _BALANCES.where(_T.c.code.in_(bindparam("b_codes", expanding=True)))
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

_OPEN = insert(_T)


def _open_if_new(dialect: str) -> Any:
    return (sqlite if dialect == "sqlite" else postgresql).insert(_T).on_conflict_do_nothing()


def _move(dialect: str) -> Any:
    balance, change = _T.c.balance, bindparam("v_change", type_=Atoms())
    added: Any = balance.op("+", return_type=Atoms())(change)
    if dialect == "sqlite":
        added = getattr(func, ADD_ATOMS)(balance, change)
    return (
        update(_T)
        .where(
            _T.c.code == bindparam("b_code"),
            _T.c.asset == bindparam("b_asset"),
            _T.c.organisation_id == bindparam("b_organisation"),
        )
        .values(balance=added, version=_T.c.version + bindparam("v_count", type_=Integer))
    )


_DIALECTS = ("sqlite", "postgresql")
_OPEN_IF_NEW = {dialect: _open_if_new(dialect) for dialect in _DIALECTS}
_MOVE = {dialect: _move(dialect) for dialect in _DIALECTS}

Key = tuple[str, str]
"""A ledger account: its code and its asset's key."""
Balances = dict[Key, tuple[int, int]]
"""Balance and version by ledger account."""


def _read(rows: Iterable[Record]) -> Balances:
    return {(row.code, row.asset): (row.balance, row.version) for row in rows}


def of_account(connection: Connection, account_id: str, *, lock: bool = False) -> Balances:
    """Every sub-balance of a trading account that a journal has touched."""
    codes = {f"b_{bucket}": customer(account_id, bucket) for bucket in Bucket}
    return _read(connection.execute(_OF_ACCOUNT_LOCKED if lock else _OF_ACCOUNT, codes))


def of_account_ahead(connection: Connection, account_id: str, *, lock: bool = False) -> None:
    """Send what ``of_account`` will find; see ``Plain.ahead``."""
    codes = {f"b_{bucket}": customer(account_id, bucket) for bucket in Bucket}
    ahead(connection, _OF_ACCOUNT_LOCKED if lock else _OF_ACCOUNT, codes)


def of_codes(connection: Connection, organisation_id: str, codes: Iterable[str]) -> Balances:
    """Every ledger account of an organisation with one of these codes, in any asset."""
    mine = _OF_CODES.where(_T.c.organisation_id == organisation_id)
    return _read(connection.execute(mine, {"b_codes": list(codes)}))


def open_balance(
    connection: Connection, organisation_id: str, key: Key, balance: int, version: int
) -> None:
    """Insert a balance that no journal has touched before."""
    place = {"organisation_id": organisation_id, "code": key[0], "asset": key[1]}
    later(connection, _OPEN, place | {"balance": balance, "version": version})


def move_bank(
    connection: Connection, organisation_id: str, changes: Mapping[Key, tuple[int, int]]
) -> None:
    """Change balances of the bank's own accounts by amounts, and their versions by counts.

    What is there isn't read: all writes of an organisation change them, in one order.

    Raises:
        DBAPIError: an account would fall below zero that mustn't; it may be raised by a later
            statement.
    """
    dialect = connection.dialect.name
    for (code, asset), (change, count) in sorted(changes.items()):
        place = {"organisation_id": organisation_id, "code": code, "asset": asset}
        later(connection, _OPEN_IF_NEW[dialect], place | {"balance": 0, "version": 0})
        values = {"b_organisation": organisation_id, "b_code": code, "b_asset": asset}
        later(connection, _MOVE[dialect], values | {"v_change": change, "v_count": count})


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
