"""Markets closed by an operator."""

from sqlalchemy import Connection, bindparam, select

from chainteller.storage.columns import Record
from chainteller.storage.plain import ahead
from chainteller.storage.rows import Finder, Writer
from chainteller.storage.tables import Tables

_T = Tables.market_control
_ALL = select(_T)
control = Finder(_T, "market")
_ONE = _T.c.market == bindparam("b_market")


def controls_ahead(connection: Connection) -> None:
    """Send what ``controls`` will find; see ``Plain.ahead``."""
    ahead(connection, _ALL, {})


def controls(connection: Connection) -> dict[str, Record]:
    return {row.market: row for row in connection.execute(_ALL)}


def close(rows: Writer, market: str, reason: str, until: int | None) -> None:
    reopen(rows, market)
    rows.insert(_T, [{"market": market, "reason": reason, "until": until}])


def reopen(rows: Writer, market: str) -> None:
    rows.delete(_T, _ONE, {"b_market": market})
