"""The leases of the server processes on a PostgreSQL database, by the database's own clock."""

from sqlalchemy import BigInteger, Connection, delete, func, literal_column, select
from sqlalchemy.dialects.postgresql import insert

from chainteller.storage.tables import Tables

_T = Tables.server_lease
_NOW = literal_column("CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)", BigInteger)


def renew(connection: Connection, lease_id: str, lasts_us: int) -> int:
    """Renew a lease, remove those that ended, and count the rest, this one included.

    Args:
        connection: a transaction on PostgreSQL.
        lease_id: the process's own.
        lasts_us: how long a lease lasts, in microseconds.
    """
    renewed = insert(_T).values(id=lease_id, renewed_at=_NOW)
    connection.execute(
        renewed.on_conflict_do_update(index_elements=[_T.c.id], set_={"renewed_at": _NOW})
    )
    connection.execute(delete(_T).where(_T.c.renewed_at < _NOW - lasts_us))
    return int(connection.execute(select(func.count()).select_from(_T)).scalar_one())


def end(connection: Connection, lease_id: str) -> None:
    connection.execute(delete(_T).where(_T.c.id == lease_id))
