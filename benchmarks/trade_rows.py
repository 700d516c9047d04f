"""Trades written straight into a SQLite file, many at once, for the benchmarks of lists."""

import sqlite3  # noqa: TID251 - also runs beside the released build, in a process of its own
from collections.abc import Iterable

_COLUMNS = (
    "id", "organisation_id", "trading_account_id", "ordinal", "transaction_ordinal", "quote_id",
    "market", "side", "status", "price_cents", "amount", "sold", "bought", "fee_cents",
    "fee_flat_cents", "fee_bps", "provider_cents", "hold", "created", "updated", "version",
)  # fmt: skip

Row = tuple[object, ...]


def trade_row(
    account: str, number: int, *, after: tuple[int, int], at: int, status: str = "settled"
) -> Row:
    """The account's ``number``-th new trade, at an instant; ``after`` counts the trades and the
    transactions that it has already.
    """
    trades, transactions = after
    return (
        f"TXN_{number:022d}", "default", account, trades + number, transactions + number,
        f"QTE_{number:022d}", "sol-usd", "buy", status, 20_000, "25000000", "500", "25000000",
        3, 0, 50, 490, "[]", at, at, 3,
    )  # fmt: skip


def insert_trades(connection: sqlite3.Connection, rows: Iterable[Row]) -> None:
    """All in the transaction that is open."""
    marks = ",".join("?" * len(_COLUMNS))
    connection.executemany(
        f"INSERT INTO trade ({', '.join(_COLUMNS)}) VALUES ({marks})",
        rows,
    )
