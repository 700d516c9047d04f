"""Markets closed by an operator."""

from typing import NamedTuple

from chainteller.storage.db import records
from chainteller.storage.db.query import Query, Record, Session
from chainteller.storage.db.records import Tables
from chainteller.storage.db.sources import Finder, Source
from chainteller.storage.log.rows import Writer

_T = Tables.market_control
_ALL = Query(Source(records.MarketControl).text, records.MarketControl)
control = Finder(records.MarketControl, "market")
_ONE = "market = :market"


class Control(NamedTuple):
    """Why a market is closed, and until when; as read with something else."""

    reason: str
    until: int | None


def controls(connection: Session) -> dict[str, Record]:
    return {row.market: row for row in connection.execute(_ALL)}


def close(rows: Writer, market: str, reason: str, until: int | None) -> None:
    reopen(rows, market)
    rows.insert(_T, [{"market": market, "reason": reason, "until": until}])


def close_if_open(rows: Writer, market: str, reason: str, until: int | None) -> bool:
    """False if it's closed already, and nothing was changed."""
    return rows.insert_if_new(_T, {"market": market, "reason": reason, "until": until})


def reopen(rows: Writer, market: str) -> None:
    rows.delete(_T, _ONE, {"market": market})
