"""The leases of the server processes on a PostgreSQL database, by the database's own clock."""

from chainteller.storage.db.query import POSTGRESQL, Query, Session, Value

_NOW = "CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)"
_RENEW = Query(
    f"INSERT INTO server_lease (id, renewed_at) VALUES (:id, {_NOW}) "
    "ON CONFLICT (id) DO UPDATE SET renewed_at = excluded.renewed_at",
    only=POSTGRESQL,
)
_REMOVE_OLD = Query(f"DELETE FROM server_lease WHERE renewed_at < {_NOW} - :lasts", only=POSTGRESQL)
_COUNT = Query("SELECT count(*) AS value FROM server_lease", Value)
_END = Query("DELETE FROM server_lease WHERE id = :id")


def renew(connection: Session, lease_id: str, lasts_us: int) -> int:
    """Renew a lease, remove those that ended, and count the rest, this one included.

    Args:
        connection: a transaction on PostgreSQL.
        lease_id: the process's own.
        lasts_us: how long a lease lasts, in microseconds.
    """
    connection.execute(_RENEW, {"id": lease_id})
    connection.execute(_REMOVE_OLD, {"lasts": lasts_us})
    return int(connection.execute(_COUNT).scalar_one())


def end(connection: Session, lease_id: str) -> None:
    connection.execute(_END, {"id": lease_id})
