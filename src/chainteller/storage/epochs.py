"""What an epoch that begins earlier than the last one ended leaves with a wrong time."""

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
    """Keys that were made, or end by a revocation, after an instant; ``followed_at`` is when the
    key in its place was made."""
    t, successor = Tables.api_key, Tables.api_key.alias("successor")
    return connection.execute(
        select(t, successor.c.created.label("followed_at"))
        .outerjoin(successor, successor.c.key_id == t.c.replaced_by)
        .where(or_(t.c.created > instant, t.c.revoked_at > instant))
    ).all()


def challenges_after(connection: Connection, instant: int) -> Sequence[Record]:
    """Challenges that were made after an instant and wait for a signature."""
    t = WalletTables.challenge
    return connection.execute(
        select(t.c.id).where(t.c.status == ChallengeStatus.OPEN, t.c.created > instant)
    ).all()


def claims_after(connection: Connection, instant: int) -> Sequence[Record]:
    """Claims that were accepted after an instant and aren't linked."""
    t = WalletTables.claim
    return connection.execute(
        select(t.c.id).where(t.c.status == ClaimStatus.VALID, t.c.created > instant)
    ).all()


def links_after(connection: Connection, instant: int) -> Sequence[Record]:
    """Verifications, and uses of verified wallets, of after an instant."""
    t = WalletTables.link
    return connection.execute(
        select(t).where(or_(t.c.verified_at > instant, t.c.last_used_at > instant))
    ).all()
