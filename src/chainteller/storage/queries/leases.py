"""The leases of the server processes on a PostgreSQL database, by the database's own clock."""

from chainteller.storage.db.query import POSTGRESQL, Query, Session, Value

_NOW = "CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)"
_RENEW = Query(
    f"INSERT INTO server_lease (id, renewed_at) VALUES (:id, {_NOW}) "
    "ON CONFLICT (id) DO UPDATE SET renewed_at = excluded.renewed_at",
    only=POSTGRESQL,
)
_REMOVE_OLD = Query(f"DELETE FROM server_lease WHERE renewed_at < {_NOW} - :lasts", only=POSTGRESQL)
_HELD = Query("SELECT id AS value FROM server_lease ORDER BY id", Value)


def renew(connection: Session, lease_id: str, lasts_us: int) -> list[str]:
    """Renew a process's own lease and remove those that ended, on PostgreSQL; returns the others in
    order, this one included."""
    _RENEW.run(connection, lease_id)
    _REMOVE_OLD.run(connection, lasts_us)
    return list(connection.execute(_HELD).scalars())


end = Query("DELETE FROM server_lease WHERE id = :id").run
