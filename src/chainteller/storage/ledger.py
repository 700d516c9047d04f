"""Balances and postings."""

from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import Connection, bindparam, insert, select, tuple_, update
from sqlalchemy.dialects import postgresql, sqlite

from chainteller.domain.assets import ASSETS, ASSETS_BY_KEY, Asset
from chainteller.domain.ledger import Bucket, customer
from chainteller.storage.database import Record
from chainteller.storage.tables import Tables

_T = Tables.ledger_account
_COLUMNS = (_T.c.code, _T.c.asset, _T.c.balance, _T.c.version)
_OF_OWNER = (
    select(*_COLUMNS).where(_T.c.owner == bindparam("b_owner")).order_by(_T.c.code, _T.c.asset)
)
_OF_OWNER_LOCKED = _OF_OWNER.with_for_update()
_OF_KEYS_LOCKED = (
    select(*_COLUMNS)
    .where(tuple_(_T.c.code, _T.c.asset).in_(bindparam("b_keys", expanding=True)))
    .order_by(_T.c.code, _T.c.asset)
    .with_for_update()
)
_UPDATE = (
    update(_T)
    .where(
        _T.c.code == bindparam("b_code"),
        _T.c.asset == bindparam("b_asset"),
        _T.c.version == bindparam("b_version"),
    )
    .values(balance=bindparam("b_balance"), version=bindparam("b_new_version"))
)
_ENSURE_SQLITE = sqlite.insert(_T).on_conflict_do_nothing()
_ENSURE_POSTGRES = postgresql.insert(_T).on_conflict_do_nothing()
_INSERT_JOURNAL = insert(Tables.journal)
_INSERT_POSTING = insert(Tables.posting)
_AVAILABLE_OF_MANY = select(_T.c.owner, _T.c.asset, _T.c.balance).where(
    _T.c.owner.in_(bindparam("b_owners", expanding=True)),
    _T.c.code.like("customer:%:available"),
)

Balances = dict[tuple[str, str], tuple[int, int]]


def _read(rows: Iterable[Record]) -> Balances:
    return {(row.code, row.asset): (row.balance, row.version) for row in rows}


def zero_rows(account_id: str) -> list[dict[str, object]]:
    """Every sub-balance of a new trading account, so that no posting ever has to create one."""
    return [
        {
            "code": customer(account_id, bucket),
            "asset": asset.key,
            "owner": account_id,
            "balance": 0,
            "version": 0,
        }
        for bucket in Bucket
        for asset in ASSETS
    ]


def ensure_books(connection: Connection, keys: Sequence[tuple[str, str]]) -> None:
    """Create the bank's own ledger accounts at zero; two servers may do so at once."""
    is_sqlite = connection.dialect.name == "sqlite"
    statement = _ENSURE_SQLITE if is_sqlite else _ENSURE_POSTGRES
    rows = [
        {"code": code, "asset": asset, "owner": "", "balance": 0, "version": 0}
        for code, asset in keys
    ]
    connection.execute(statement, rows)


def of_account(connection: Connection, account_id: str, *, lock: bool = False) -> Balances:
    statement = _OF_OWNER_LOCKED if lock else _OF_OWNER
    return _read(connection.execute(statement, {"b_owner": account_id}))


def lock(connection: Connection, keys: Iterable[tuple[str, str]]) -> Balances:
    """The named ledger accounts, locked in the one order that all writes use."""
    return _read(connection.execute(_OF_KEYS_LOCKED, {"b_keys": sorted(keys)}))


def update_balances(
    connection: Connection, changed: Mapping[tuple[str, str], tuple[int, int, int]]
) -> int:
    """Write (balance, version) where the version is still the one read; the rows written."""
    return connection.execute(
        _UPDATE,
        [
            {
                "b_code": code,
                "b_asset": asset,
                "b_balance": balance,
                "b_version": read_version,
                "b_new_version": version,
            }
            for (code, asset), (balance, read_version, version) in changed.items()
        ],
    ).rowcount


def insert_journal(
    connection: Connection, journal: Mapping[str, object], postings: Sequence[Mapping[str, object]]
) -> None:
    connection.execute(_INSERT_JOURNAL, journal)
    connection.execute(_INSERT_POSTING, list(postings))


def by_bucket(balances: Balances, account_id: str, bucket: Bucket) -> dict[Asset, int]:
    code = customer(account_id, bucket)
    return {
        ASSETS_BY_KEY[asset]: balance
        for (found, asset), (balance, _) in balances.items()
        if found == code
    }


def available_of_many(
    connection: Connection, account_ids: Sequence[str]
) -> dict[str, dict[Asset, int]]:
    """Available balances of a page of accounts, in one query."""
    found: dict[str, dict[Asset, int]] = {account_id: {} for account_id in account_ids}
    if account_ids:
        rows = connection.execute(_AVAILABLE_OF_MANY, {"b_owners": list(account_ids)})
        for owner, asset, balance in rows:
            found[owner][ASSETS_BY_KEY[asset]] = balance
    return found
