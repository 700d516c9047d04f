"""What an epoch that begins earlier than the last one ended leaves with a wrong time."""

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, func, or_, select

from chainteller.domain.challenges import ChallengeStatus, ClaimStatus
from chainteller.domain.trades import QuoteStatus
from chainteller.storage.database import Record
from chainteller.storage.tables import Tables
from chainteller.storage.wallet_tables import WalletTables


class Stamped(NamedTuple):
    """Audit entries with a time that is still to come, by number; 0 where there are none."""

    entries: int
    first: int
    last: int


def entries_after(connection: Connection, instant: int) -> Stamped:
    t = Tables.audit
    row = connection.execute(
        select(func.count(), func.min(t.c.seq), func.max(t.c.seq)).where(t.c.at > instant)
    ).one()
    return Stamped(int(row[0]), int(row[1] or 0), int(row[2] or 0))


def open_quotes(connection: Connection, instant: int) -> Sequence[Record]:
    """Quotes that could be executed after an instant."""
    t = Tables.quote
    return connection.execute(
        select(t.c.id).where(t.c.status == QuoteStatus.OPEN, t.c.expires > instant)
    ).all()


def jobs_of_records(connection: Connection, instant: int) -> Iterator[Record]:
    """Jobs that are due after an instant, of records that were changed after it."""
    job = Tables.job
    for table in (Tables.trade, Tables.transfer):
        yield from connection.execute(
            select(job)
            .join(table, table.c.id == job.c.reference)
            .where(job.c.run_at > instant, table.c.updated > instant)
        ).all()


def keys_after(connection: Connection, instant: int) -> Sequence[Record]:
    """Keys that expire, or end by a revocation, after an instant; ``followed_at`` is when the key
    in its place was made."""
    t, successor = Tables.api_key, Tables.api_key.alias("successor")
    return connection.execute(
        select(t, successor.c.created.label("followed_at"))
        .outerjoin(successor, successor.c.key_id == t.c.replaced_by)
        .where(or_(t.c.expires > instant, t.c.revoked_at > instant))
    ).all()


def open_challenges(connection: Connection, instant: int) -> Sequence[Record]:
    """Challenges that wait for a signature after an instant."""
    t = WalletTables.challenge
    return connection.execute(
        select(t.c.id).where(t.c.status == ChallengeStatus.OPEN, t.c.expires > instant)
    ).all()


def unused_claims(connection: Connection, instant: int) -> Sequence[Record]:
    """Accepted claims that could be linked after an instant."""
    t = WalletTables.claim
    return connection.execute(
        select(t.c.id).where(t.c.status == ClaimStatus.VALID, t.c.expires > instant)
    ).all()


def links_until(connection: Connection, instant: int) -> Sequence[Record]:
    """Verifications that hold after an instant."""
    t = WalletTables.link
    return connection.execute(select(t).where(t.c.expires > instant)).all()


def gains(connection: Connection, moved: str, accepted: str) -> list[tuple[int, int]]:
    """When time went ahead of elapsed time in this epoch, and by how many microseconds.

    Args:
        connection: in a transaction.
        moved: the audit action of going ahead.
        accepted: that of a new epoch.
    """
    t = Tables.audit
    rows = connection.execute(
        select(t.c.at, t.c.action, t.c.inputs)
        .where(t.c.action.in_((moved, accepted)), t.c.outcome == "done")
        .order_by(t.c.seq)
    )
    found: list[tuple[int, int]] = []
    for row in rows:
        if row.action == accepted:
            found.clear()
        else:
            found.append((int(row.at), int(json.loads(row.inputs)["microseconds"])))
    return found
