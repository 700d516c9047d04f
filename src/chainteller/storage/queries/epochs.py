"""What an epoch that begins earlier than the last one ended leaves with a wrong time."""

from collections.abc import Iterable
from typing import NamedTuple

from chainteller.domain.challenges import ChallengeStatus, ClaimStatus
from chainteller.domain.clock import parse_instant
from chainteller.domain.decisions import NEVER, DecisionStatus
from chainteller.domain.trades import QuoteStatus
from chainteller.domain.transfers import TIMED
from chainteller.storage.db import records
from chainteller.storage.db.query import Query, Session, quoted, row_of
from chainteller.storage.db.sources import Source
from chainteller.storage.log import last_writes, views
from chainteller.storage.log.rows import DEPLOYMENT

SUBJECT = last_writes.CLOCK
"""The object of entries about time."""
ACCEPTED = "accept_clock"
"""The action of a new epoch."""
MOVED = "clock_ahead"
"""The action of time that went ahead of elapsed time, at the start of a process."""

_MOST_IDS = 500
_ID = row_of("id")
_ENTRIES_OF = Query(
    "SELECT object, organisation_id, number, at FROM entry WHERE object IN :ids "
    f"AND organisation_id <> '{DEPLOYMENT}' ORDER BY number",
    row_of("object", "organisation_id", "number", "at"),
)
_ENTRIES_AFTER = Query(
    "SELECT count(*) AS count, min(number) AS first, max(number) AS last FROM entry "
    "WHERE organisation_id = :organisation AND number > :after AND at > :instant",
    row_of("count", "first", "last"),
)
_QUOTES, _CHALLENGES, _CLAIMS = (
    Query(f"SELECT id FROM {table} WHERE status = '{status}' AND expires > :instant", _ID)
    for table, status in (
        ("quote", QuoteStatus.OPEN),
        ("challenge", ChallengeStatus.OPEN),
        ("claim", ClaimStatus.VALID),
    )
)


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


def current(connection: Session, organisation_id: str) -> Current:
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


def entries_of(connection: Session, record_ids: Iterable[str]) -> dict[str, Made]:
    """The entries about records, in the log of each."""
    wanted, found = sorted(set(record_ids)), dict[str, Made]()
    for start in range(0, len(wanted), _MOST_IDS):
        for row in _ENTRIES_OF.rows(connection, wanted[start : start + _MOST_IDS]):
            new = Made(row.organisation_id, row.number, row.at, row.number, row.at)
            known = found.get(row.object, new)
            found[row.object] = known._replace(last=row.number, last_at=row.at)
    return found


def entries_after(
    connection: Session, organisation_id: str, instant: int, began_in: int
) -> Stamped:
    """Entries of this epoch with a time after an instant."""
    row = _ENTRIES_AFTER.run(connection, organisation_id, began_in, instant).one()
    return Stamped(row.count, row.first or 0, row.last or 0)


open_quotes = _QUOTES.rows
"""Quotes that could be executed after an instant."""
jobs_after = Source(records.Job).where("run_at > :instant").rows
"""Jobs that are due after an instant."""
reviews_until = (
    Source(records.Transfer).where(f"status IN ({quoted(TIMED)}) AND review_eta > :instant").rows
)
"""Withdrawals that wait until after an instant."""
decisions_until = (
    Source(records.Decision)
    .where(f"status = '{DecisionStatus.OPEN}' AND due > :instant AND due < {NEVER}")
    .rows
)
"""Decisions whose deadline is after an instant."""
holds_until = (
    Source(records.Decision)
    .where(f"status = '{DecisionStatus.OPEN}' AND (held_until > :instant OR first_at > :instant)")
    .rows
)
"""Decisions that somebody has taken, or approved first, with a time after an instant."""
agents_after = Source(records.Agent).where("expires > :instant").rows
"""Agents who expire after an instant."""
webhooks_after = (
    Source(records.Webhook)
    .where(
        "held_until > :instant OR next_at > :instant OR failing_since > :instant "
        "OR overlap_until > :instant"
    )
    .rows
)
"""Endpoints that wait, are held, fail or have a former secret with a time after an instant."""
keys_after = Source(records.ApiKey).where("expires > :instant OR revoked_at > :instant").rows
"""Keys that expire, or end by a revocation, after an instant."""
open_challenges = _CHALLENGES.rows
"""Challenges that wait for a signature after an instant."""
unused_claims = _CLAIMS.rows
"""Accepted claims that could be linked after an instant."""
links_until = Source(records.Link).where("expires > :instant").rows
"""Verifications that hold after an instant."""
