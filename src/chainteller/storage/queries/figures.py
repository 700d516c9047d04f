"""What monitoring asks of a database: counts by state, and how far the work is behind."""

from typing import NamedTuple

from chainteller.storage.db.query import POSTGRESQL, Query, Session, Value, row_of

_TRADES = Query(
    "SELECT status, count(*) AS many FROM trade GROUP BY status", row_of("status", "many")
)
_TRANSFERS = Query(
    "SELECT direction, status, count(*) AS many FROM transfer GROUP BY direction, status",
    row_of("direction", "status", "many"),
)
_OPEN_QUOTES = Query(
    "SELECT count(*) AS value FROM quote WHERE status = 'open' AND expires > :now", Value
)
_DUE = Query(
    "SELECT count(*) AS many, min(run_at) AS oldest FROM job WHERE run_at <= :now",
    row_of("many", "oldest"),
)
_NEWEST_HEAD = Query("SELECT max(made_at) AS value FROM checkpoint", Value)
_WAITING_LOCKS = Query(
    "SELECT count(*) AS value FROM pg_locks WHERE NOT granted AND pid <> pg_backend_pid()",
    Value,
    only=POSTGRESQL,
)


class Figures(NamedTuple):
    """Instants are in microseconds; None where there is nothing."""

    trades: dict[str, int]
    transfers: dict[tuple[str, str], int]
    open_quotes: int
    due_jobs: int
    oldest_due_job: int | None
    newest_checkpoint: int | None
    lock_waits: int


def read(connection: Session, now: int) -> Figures:
    """Read all figures. Trades and transfers are counted, which takes longer the more there are."""
    due, oldest = _DUE.run(connection, now).one()
    waits = 0
    if connection.dialect.name == POSTGRESQL:
        waits = int(connection.execute(_WAITING_LOCKS).scalar_one())
    trades = connection.execute(_TRADES)
    transfers = connection.execute(_TRANSFERS)
    open_quotes = _OPEN_QUOTES.run(connection, now)
    return Figures(
        trades={str(status): int(count) for status, count in trades},
        transfers={
            (str(direction), str(status)): int(count) for direction, status, count in transfers
        },
        open_quotes=int(open_quotes.scalar_one()),
        due_jobs=int(due),
        oldest_due_job=oldest,
        newest_checkpoint=connection.execute(_NEWEST_HEAD).scalar_one(),
        lock_waits=waits,
    )
