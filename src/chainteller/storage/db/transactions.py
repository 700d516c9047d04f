"""What identifies a transaction of PostgreSQL, so that its outcome can be asked for later."""

from chainteller.storage.db.query import POSTGRESQL, Query, Value

_TIMELINE = "left(pg_walfile_name(pg_current_wal_lsn()), 8)"
NUMBER = f"{_TIMELINE} || '/' || pg_current_xact_id()"
"""A server that took over gives numbers again that it hasn't seen, on a timeline of its own."""
ELSEWHERE = "elsewhere"
"""The status of a transaction on a server from which another one has taken over."""
STATUS = Query(
    f"SELECT CASE {_TIMELINE} WHEN split_part(:number, '/', 1) "
    "THEN pg_xact_status(CAST(split_part(:number, '/', 2) AS xid8)) "
    f"ELSE '{ELSEWHERE}' END AS value",
    Value,
    only=POSTGRESQL,
)
"""Of the transaction ``number``."""
