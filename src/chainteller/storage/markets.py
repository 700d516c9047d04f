"""Markets closed by an operator."""

from sqlalchemy import bindparam

from chainteller.storage.db import records
from chainteller.storage.db.query import Query, Record, Session, ahead
from chainteller.storage.db.sources import Finder, Source
from chainteller.storage.rows import Writer
from chainteller.storage.tables import Tables

_T = Tables.market_control
_ALL = Query(Source(records.MarketControl).text, records.MarketControl)
control = Finder(records.MarketControl, "market")
_ONE = _T.c.market == bindparam("b_market")


def controls_ahead(connection: Session) -> None:
    """Send what ``controls`` will find; see ``Plain.ahead``."""
    ahead(connection, _ALL, {})


def controls(connection: Session) -> dict[str, Record]:
    return {row.market: row for row in connection.execute(_ALL)}


def close(rows: Writer, market: str, reason: str, until: int | None) -> None:
    reopen(rows, market)
    rows.insert(_T, [{"market": market, "reason": reason, "until": until}])


def reopen(rows: Writer, market: str) -> None:
    rows.delete(_T, _ONE, {"b_market": market})
