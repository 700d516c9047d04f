"""What an epoch that begins earlier than the last one ended leaves with a wrong time."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, func, or_, select

from chainteller.domain.challenges import ChallengeStatus, ClaimStatus
from chainteller.domain.clock import parse_instant
from chainteller.domain.trades import QuoteStatus
from chainteller.domain.transfers import TransferStatus
from chainteller.storage.columns import Record
from chainteller.storage.log import views
from chainteller.storage.rows import DEPLOYMENT
from chainteller.storage.tables import Tables
from chainteller.storage.wallet_tables import WalletTables

SUBJECT = "clock"
"""The object of entries about time."""
ACCEPTED = "accept_clock"
"""The action of a new epoch."""
MOVED = "clock_ahead"
"""The action of time that went ahead of elapsed time, at the start of a process."""

_MOST_IDS = 500


class Stamped(NamedTuple):
    """Entries of a log with a time that is still to come, by number; 0 where there are none."""

    entries: int
    first: int
    last: int


class Gain(NamedTuple):
    """Time went ahead of elapsed time by ``microseconds`` in the entry ``number``."""

    number: int
    microseconds: int


class Current(NamedTuple):
    """The current epoch in a log: the entry that began it, and when time went ahead since it last
    went back."""

    began_in: int
    gains: tuple[Gain, ...]


def current(connection: Connection, organisation_id: str) -> Current:
    began_in = 0
    gains: list[Gain] = []
    for found in views.about(connection, organisation_id, SUBJECT):
        told = found.inputs or {}
        if found.error is not None or found.action not in (MOVED, ACCEPTED):
            continue
        gained = told.get("microseconds", 0)
        if found.action == ACCEPTED:
            began_in = found.number
            gained = parse_instant(told["newTime"]) - parse_instant(told["oldTime"])
        if gained < 0:
            gains = []
        gains.append(Gain(found.number, max(0, gained)))
    return Current(began_in, tuple(gains))


class Made(NamedTuple):
    """The numbers of the first and last entry about a record, and the instant of each."""

    organisation_id: str
    first: int
    first_at: int
    last: int
    last_at: int


def entries_of(connection: Connection, record_ids: Iterable[str]) -> dict[str, Made]:
    """The entries about records, in the log of each."""
    t = Tables.entry
    wanted, found = sorted(set(record_ids)), dict[str, Made]()
    for start in range(0, len(wanted), _MOST_IDS):
        some = wanted[start : start + _MOST_IDS]
        columns = (t.c.object, t.c.organisation_id, t.c.number, t.c.at)
        mine = (t.c.object.in_(some), t.c.organisation_id != DEPLOYMENT)
        for row in connection.execute(select(*columns).where(*mine).order_by(t.c.number)):
            new = Made(row.organisation_id, row.number, row.at, row.number, row.at)
            known = found.get(row.object, new)
            found[row.object] = known._replace(last=row.number, last_at=row.at)
    return found


def entries_after(
    connection: Connection, organisation_id: str, instant: int, began_in: int
) -> Stamped:
    """Entries of this epoch with a time after an instant."""
    t = Tables.entry
    mine = (t.c.organisation_id == organisation_id, t.c.number > began_in, t.c.at > instant)
    found = select(func.count(), func.min(t.c.number), func.max(t.c.number)).where(*mine)
    row = connection.execute(found).one()
    return Stamped(int(row[0]), int(row[1] or 0), int(row[2] or 0))


def open_quotes(connection: Connection, instant: int) -> Sequence[Record]:
    """Quotes that could be executed after an instant."""
    t = Tables.quote
    return connection.execute(
        select(t.c.id).where(t.c.status == QuoteStatus.OPEN, t.c.expires > instant)
    ).all()


def jobs_after(connection: Connection, instant: int) -> Sequence[Record]:
    """Jobs that are due after an instant."""
    t = Tables.job
    return connection.execute(select(t).where(t.c.run_at > instant)).all()


def reviews_until(connection: Connection, instant: int) -> Sequence[Record]:
    """Withdrawals whose review ends after an instant."""
    t = Tables.transfer
    waiting = t.c.status == TransferStatus.REVIEWING, t.c.review_eta > instant
    return connection.execute(select(t).where(*waiting)).all()


def keys_after(connection: Connection, instant: int) -> Sequence[Record]:
    """Keys that expire, or end by a revocation, after an instant."""
    t = Tables.api_key
    return connection.execute(
        select(t).where(or_(t.c.expires > instant, t.c.revoked_at > instant))
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
