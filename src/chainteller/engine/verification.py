"""The invariants of the ledger, checked on a live database; tests and ``db verify`` share them.

Invariant 18 (no secret stored) is a matter of what is written and is checked where keys are
made. 11 is checked as far as rows can show it; that no round trip gains is shown by properties.
"""

from collections import deque
from collections.abc import Callable, Mapping
from itertools import islice
from time import perf_counter
from typing import NamedTuple

from sqlalchemy import Connection

from chainteller.engine import claim_proofs
from chainteller.engine.checks import conduct, epochs, ledger, records, seals, work
from chainteller.engine.checks.breaches import Breach, Breaches
from chainteller.service.models.records import ChainReport
from chainteller.storage import chain, inspection, own_numbers, removals
from chainteller.storage.archives import Past
from chainteller.storage.database import Database
from chainteller.storage.log import DEPLOYMENT, Head
from chainteller.storage.own_numbers import GENESIS_HASH
from chainteller.storage.tables import HEAD

__all__ = [
    "Breach",
    "ClaimsReport",
    "verify",
    "verify_books",
    "verify_chain",
    "verify_claims",
    "verify_structure",
]

_CHECKS: tuple[Callable[[Connection], Breaches], ...] = (
    ledger.journals_balance,
    ledger.balances_follow_postings,
    ledger.balances_are_visible,
    ledger.ordinals_are_dense,
    records.trades_follow_quotes,
    records.quotes_are_exact,
    records.trades_move_forward,
    records.transfers_move_forward,
    records.trades_are_posted,
    records.transfers_are_posted,
    epochs.clock_follows_trail,
    conduct.keys_have_one_effect,
    conduct.limits_are_kept,
    conduct.verified_wallets_were_proven,
    work.work_has_its_record,
    conduct.lists_are_counted,
    conduct.records_are_found,
)
_FIRST: tuple[Callable[[Connection], Breaches], ...] = (
    conduct.nothing_is_missing,
    conduct.columns_are_exact,
)
_MOST, _MOST_OF_EACH = 1_000, 100
"""Breaches reported; a database with more of them is beyond a list. Every check may name some,
however many the ones before it found."""


class ClaimsReport(NamedTuple):
    """How many ownership claims were checked again, in how many seconds, and what was found."""

    checked: int = 0
    seconds: float = 0
    breaches: tuple[Breach, ...] = ()


def verify(
    database: Database, since: Mapping[str, Head] | None = None, past: Past | None = None
) -> tuple[Breach, ...]:
    """Every breach of an invariant, in the order of the checks; empty when all hold.

    Arguments and errors are those of ``verify_books``.
    """
    unreadable = verify_structure(database)
    if unreadable:
        return unreadable
    return verify_books(database, since, past) + verify_claims(database).breaches


def verify_structure(database: Database) -> tuple[Breach, ...]:
    """17: tables and columns without which nothing else can be verified.

    Raises:
        ServiceUnavailable: the database cannot be read.
    """
    with inspection.snapshot(database) as connection:
        return tuple(conduct.nothing_is_missing(connection))


def verify_claims(database: Database) -> ClaimsReport:
    """15: check every ownership claim again, signatures included.

    Raises:
        ServiceUnavailable: the database cannot be read.
    """
    began, checked = perf_counter(), 0
    found: list[Breach] = []
    with inspection.snapshot(database) as connection:
        for evidence, contradiction in claim_proofs.recheck(connection):
            checked += 1
            if contradiction is not None and len(found) < _MOST:
                what = f"{contradiction.reason}: {contradiction.explanation}"
                found.append(Breach(15, what, f"claim {evidence.claim_id}"))
    return ClaimsReport(checked, perf_counter() - began, tuple(found))


def verify_books(
    database: Database, since: Mapping[str, Head] | None = None, past: Past | None = None
) -> tuple[Breach, ...]:
    """Every breach of an invariant except what only the ownership claims show.

    Args:
        database: open, possibly in use; what is checked is one snapshot of it.
        since: heads of logs that are known to be good. Up to these, entries aren't hashed again
            and rows that were last written there aren't compared with their seals (20 and 21);
            every other invariant is checked as a whole.
        past: the archives. Without them, what was archived is checked by the hashes that the
            database keeps, and rows that were last written then aren't compared with their seals.

    Raises:
        ServiceUnavailable: the database or an archive cannot be read.
    """
    with inspection.snapshot(database) as connection:
        return breaches(connection, since, past)


def breaches(
    connection: Connection, since: Mapping[str, Head] | None = None, past: Past | None = None
) -> tuple[Breach, ...]:
    """As ``verify``, of what a connection sees."""
    for check in _FIRST:
        if unreadable := tuple(check(connection)):
            return unreadable  # what follows reads these tables and columns
    found: list[Breach] = []
    for check in _CHECKS:
        _collect(found, check(connection))
    past = past or Past()
    _collect(found, _chain_and_events(connection, past))
    _collect(found, seals.check(connection, since, past))
    _collect(found, seals.catalogue_stands(connection))
    return tuple(found)


def _collect(found: list[Breach], new: Breaches) -> None:
    try:
        found.extend(islice(new, max(_MOST_OF_EACH, _MOST - len(found))))
    except claim_proofs.UNREADABLE as error:
        # A damaged row may hold a word or a text that no row of ours has; the check ends there.
        found.append(
            Breach(17, f"a row that cannot be read: {error!r}", getattr(new, "__name__", "rows"))
        )


def _chain_and_events(connection: Connection, past: Past) -> Breaches:
    """16: the audit chain verifies, its rows stand in their accounts' trails, and no number is
    missing."""
    if not chain.has_head(connection):
        yield Breach(16, "the row that counts events and audit rows is missing", f"head {HEAD}")
        return
    for name in chain.other_heads(connection):
        yield Breach(16, "a row that no build of this program writes", f"head {name}")
    report = _chain_report(connection, past)
    if not report.intact:
        what = report.problem or "the audit chain is broken"
        yield Breach(16, what, f"audit {report.first_broken}")
    for row in inspection.audit_outside_its_account(connection):
        yield Breach(16, "an audit row outside its account's trail", f"audit {row.seq}")
    own = own_numbers.Counted(connection, knows_archived=past.is_known)
    wrong = [*_first(_events(connection, own))]
    yield from wrong
    if report.intact and not wrong:
        yield from _first(_own_chains(connection, own, past))


def _first(found: Breaches) -> Breaches:
    """The first breach of a check, which reads to its end: what follows is wrong because of it."""
    yield from islice(found, 1)
    deque(found, maxlen=0)


def _events(connection: Connection, own: own_numbers.Counted) -> Breaches:
    """16: events run from the first one that is kept to the head's number, and each organisation's
    own numbers too."""
    expected = removals.newest(connection, DEPLOYMENT, removals.EVENTS).upto
    first = expected + 1
    for expected, event in enumerate(inspection.event_numbers(connection), start=first):
        problem = f"event {expected} is missing"
        if event.seq == expected:
            problem = own.event(event.organisation_id, event.number)
        if problem:
            yield Breach(16, problem, f"event {event.seq}")
    head = chain.head(connection)
    if head.event_seq != expected:
        yield Breach(16, f"the head counts {head.event_seq} events, {expected} exist", "head")


def _own_chains(connection: Connection, own: own_numbers.Counted, past: Past) -> Breaches:
    """16: every organisation's own chain follows from its audit rows, and its numbers end where
    its log says."""
    for link in past.links(connection):
        problem = own.audit(link.row._asdict())
        if problem:
            yield Breach(16, problem, f"audit {link.seq}")
    for problem in own.ends():
        yield Breach(16, problem, "head")


def verify_chain(database: Database, past: Past | None = None) -> ChainReport:
    """Check every link of the audit chain and that its end is the one that the head row names.

    Without archives, it begins where these end.

    Raises:
        ServiceUnavailable: the database cannot be read.
    """
    with inspection.snapshot(database) as connection:
        return _chain_report(connection, past or Past())


def _chain_report(connection: Connection, past: Past) -> ChainReport:
    before = past.audit_before(connection)
    previous, rows = before.found or GENESIS_HASH, before.upto
    for link in past.links(connection):
        rows += 1
        problem = ""
        if link.seq != rows:
            problem = f"row {rows} is missing"
        elif link.previous_hash != previous:
            problem = "it does not follow the row before"
        elif link.computed_hash != link.hash:
            problem = "its contents do not match its hash"
        if problem:
            return _broken(rows - 1, previous, link.seq, problem)
        previous = link.hash
    head = chain.head(connection)
    if (head.audit_seq, head.audit_hash) != (rows, previous):
        problem = f"the head row names row {head.audit_seq}; the newest rows were removed or added"
        return _broken(rows, previous, min(rows, head.audit_seq) + 1, problem)
    return ChainReport(intact=True, rows=rows, head=previous)


def _broken(rows: int, head: str, first: int, problem: str) -> ChainReport:
    return ChainReport(intact=False, rows=rows, head=head, first_broken=first, problem=problem)
