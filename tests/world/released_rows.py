"""What a server of release 0.1.0 leaves in the database that this build shares with it."""

from sqlalchemy import Connection, insert, select, update

from chainteller.domain.audit_chain import COVERED
from chainteller.storage import chain
from chainteller.storage.columns import Record
from chainteller.storage.tables import Tables


def add_audit_row(connection: Connection, at: int) -> Record:
    """Repeat the first audit row as the next one, with the columns that the release knows.

    Args:
        connection: in a write transaction; the caller commits.
        at: when it was written.

    Returns:
        The row that is repeated.
    """
    audit, head = Tables.audit, chain.head(connection)
    first = connection.execute(select(audit).order_by(audit.c.seq).limit(1)).one()
    row = {
        **{name: getattr(first, name) for name in COVERED},
        "trading_account_id": first.trading_account_id,
        "seq": head.audit_seq + 1,
        "previous_hash": head.audit_hash,
        "at": at,
    }
    row["hash"] = chain.link_hash(row)
    connection.execute(insert(audit), row)
    ends = {"audit_seq": row["seq"], "audit_hash": row["hash"]}
    connection.execute(update(Tables.head).values(last_at=max(head.last_at, at), **ends))
    return first
