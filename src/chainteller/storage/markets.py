"""Markets closed by an operator."""

from sqlalchemy import Connection, delete, insert, select

from chainteller.storage.database import Record
from chainteller.storage.rows import Finder
from chainteller.storage.tables import Tables

_T = Tables.market_control
_ALL = select(_T)
control = Finder(_T, "market")


def controls(connection: Connection) -> dict[str, Record]:
    return {row.market: row for row in connection.execute(_ALL)}


def close(connection: Connection, market: str, reason: str, until: int | None) -> None:
    reopen(connection, market)
    connection.execute(insert(_T).values(market=market, reason=reason, until=until))


def reopen(connection: Connection, market: str) -> None:
    connection.execute(delete(_T).where(_T.c.market == market))
