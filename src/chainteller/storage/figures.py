"""What monitoring asks of a database: counts by state, and how far the work is behind."""

from typing import NamedTuple

from sqlalchemy import Connection, func, select

from chainteller.storage.tables import Tables

_QUOTE, _JOB = Tables.quote, Tables.job
_OPEN_QUOTES = select(func.count()).select_from(_QUOTE)
_DUE = select(func.count(), func.min(_JOB.c.run_at))
_NEWEST_HEAD = select(func.max(Tables.checkpoint.c.made_at))
_WAITING_LOCKS = "SELECT count(*) FROM pg_locks WHERE NOT granted AND pid <> pg_backend_pid()"


class Figures(NamedTuple):
    """Instants are in microseconds; None where there is nothing."""

    trades: dict[str, int]
    transfers: dict[tuple[str, str], int]
    open_quotes: int
    due_jobs: int
    oldest_due_job: int | None
    newest_checkpoint: int | None
    lock_waits: int


def read(connection: Connection, now: int) -> Figures:
    """Read all figures. Trades and transfers are counted, which takes longer the more there are."""
    trade, transfer = Tables.trade, Tables.transfer
    trades = connection.execute(select(trade.c.status, func.count()).group_by(trade.c.status))
    transfers = connection.execute(
        select(transfer.c.direction, transfer.c.status, func.count()).group_by(
            transfer.c.direction, transfer.c.status
        )
    )
    open_quotes = _OPEN_QUOTES.where(_QUOTE.c.status == "open", _QUOTE.c.expires > now)
    due, oldest = connection.execute(_DUE.where(_JOB.c.run_at <= now)).one()
    waits = 0
    if connection.dialect.name == "postgresql":
        waits = int(connection.exec_driver_sql(_WAITING_LOCKS).scalar_one())
    return Figures(
        trades={str(status): int(count) for status, count in trades},
        transfers={
            (str(direction), str(status)): int(count) for direction, status, count in transfers
        },
        open_quotes=int(connection.execute(open_quotes).scalar_one()),
        due_jobs=int(due),
        oldest_due_job=oldest,
        newest_checkpoint=connection.execute(_NEWEST_HEAD).scalar_one(),
        lock_waits=waits,
    )
