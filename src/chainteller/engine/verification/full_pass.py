"""The invariants of the ledger, checked on a live database; tests and ``db verify`` share them.

Invariant 18 (no secret stored) is a matter of what is written and is checked where keys are
made. 11 is checked as far as rows can show it; that no round trip gains is shown by properties.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import islice
from time import perf_counter
from typing import NamedTuple

from chainteller import garbage
from chainteller.domain.actors import DEFAULT_ORGANISATION
from chainteller.engine.core.breaches import UNREADABLE, Breach, Breaches
from chainteller.engine.core.breaches import of_heads as breaches_of_heads
from chainteller.engine.core.kept_heads import KeptHeads
from chainteller.engine.operations import claim_proofs
from chainteller.engine.operations.key_uses import KeyUses
from chainteller.engine.verification import conduct, epochs, ledger, records, replay, seals, work
from chainteller.engine.verification.replay import Books, Breathe, End
from chainteller.engine.verification.whose import organisation_of
from chainteller.service.models.records import ChainReport
from chainteller.storage.database import Database
from chainteller.storage.db.query import Session
from chainteller.storage.log import views
from chainteller.storage.upkeep import inspection
from chainteller.storage.upkeep.archives import Past

__all__ = [
    "Breach",
    "ClaimsReport",
    "recent_ends",
    "verify",
    "verify_all",
    "verify_books",
    "verify_chain",
    "verify_claims",
    "verify_heads",
    "verify_key_uses",
    "verify_since",
    "verify_structure",
]

_CHECKS: tuple[Callable[[Session, Books], Breaches], ...] = (
    ledger.journals_are_found,
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
    seals.rows_are_sealed,
)
_FIRST: tuple[Callable[[Session], Breaches], ...] = (
    conduct.nothing_is_missing,
    conduct.columns_are_exact,
)
_ACCOUNTS, _BACKING, _MISSING = {1, 2, 3}, 6, 17
"""Invariants of single accounts, the one of what backs all of them together, and the one of tables
and columns without which nothing else can be read."""
_MOST, _MOST_OF_EACH = 1_000, 100
"""Breaches reported; a database with more of them is beyond a list. Every check may name some,
however many the ones before it found."""


class ClaimsReport(NamedTuple):
    """How many ownership claims were checked again, in how many seconds, and what was found."""

    checked: int = 0
    seconds: float = 0
    breaches: tuple[Breach, ...] = ()


def verify(database: Database, past: Past | None = None) -> tuple[Breach, ...]:
    """Every breach of an invariant, in the order of the checks; empty when all hold.

    Arguments and errors are those of ``verify_books``.
    """
    unreadable = verify_structure(database)
    if unreadable:
        return unreadable
    return verify_books(database, past) + verify_claims(database).breaches


def verify_structure(database: Database) -> tuple[Breach, ...]:
    """17: tables and columns without which nothing else can be verified. Raises ServiceUnavailable:
    the database cannot be read."""
    with inspection.snapshot(database) as connection:
        return tuple(conduct.nothing_is_missing(connection))


def verify_heads(kept: KeptHeads | None, database: Database) -> tuple[Breach, ...]:
    """21: each log is the one whose head was kept outside the database. Raises ServiceUnavailable:
    the database cannot be read."""
    return () if kept is None else breaches_of_heads(kept.follow(database))


def verify_key_uses(uses: KeyUses | None, database: Database) -> tuple[Breach, ...]:
    """20: each API key that this process took was then as the log says. Raises ServiceUnavailable:
    the database cannot be read."""
    found = () if uses is None else uses.breaches()
    if not found:
        return ()
    with inspection.snapshot(database) as connection:
        return _with_organisations(connection, found)


def verify_claims(database: Database) -> ClaimsReport:
    """15: check every ownership claim again, signatures included. Raises ServiceUnavailable: the
    database cannot be read."""
    with inspection.snapshot(database) as connection:
        return recheck_claims(connection)


def recheck_claims(connection: Session) -> ClaimsReport:
    """As ``verify_claims``, of what a connection sees."""
    began, checked = perf_counter(), 0
    found: list[Breach] = []
    for evidence, contradiction in claim_proofs.recheck(connection):
        checked += 1
        if contradiction is not None and len(found) < _MOST:
            what = f"{contradiction.reason}: {contradiction.explanation}"
            found.append(Breach(15, what, f"claim {evidence.claim_id}"))
    return ClaimsReport(checked, perf_counter() - began, tuple(found))


def verify_books(database: Database, past: Past | None = None) -> tuple[Breach, ...]:
    """Every breach of an invariant except what only the ownership claims show.

    Args:
        database: open, possibly in use; what is checked is one snapshot of it.
        past: the archives. Without them, what was archived is checked by the hashes that the
            database keeps, and rows that were last written then aren't compared with their seals.

    Raises:
        ServiceUnavailable: the database or an archive cannot be read.
    """
    with inspection.snapshot(database) as connection:
        return breaches(connection, past)


class Since(NamedTuple):
    """What is wrong, and how the logs end now, where a later check may begin."""

    breaches: tuple[Breach, ...]
    ends: Mapping[str, End]


def verify_since(
    database: Database, ends: Mapping[str, End], breathe: Breathe = lambda: None
) -> Since:
    """Check what was written after these ends: entries with their hashes, marks and times; the
    rows that they wrote; the customers' balances that they moved; the work that they scheduled, and
    what was put off since; and the catalogue. It costs as much as was written and waits.

    Args:
        database: open, possibly in use; what is checked is one snapshot of it.
        ends: of each log; one that is missing is read from its first entry.
        breathe: is called between rows, and may wait.

    Raises:
        ServiceUnavailable: the database cannot be read.
    """
    found: list[Breach] = []
    with inspection.snapshot(database) as connection:
        _collect(found, seals.catalogue_stands(connection))
        if found:
            found += conduct.nothing_is_missing(connection)
        if any(each.invariant == _MISSING for each in found):
            return Since(tuple(found), ends)  # what follows reads these tables and columns
        books, wrong, reached = replay.read_since(connection, ends, breathe)
        found += wrong
        _collect(found, seals.written_rows_are_sealed(connection, books, breathe))
        _collect(found, ledger.balances_are_as_posted(connection, books))
        written = {key.partition(" ")[2] for key in books.seals.get("job", ())}
        references = written | work.work_that_was_put_off(connection)
        _collect(found, work.jobs_are_on_time(connection, references))
        return Since(_with_organisations(connection, found), reached)


def verify_all(database: Database) -> tuple[Breach, ...]:
    """As ``verify``, with the organisation of each breach, and without what follows from one.
    Raises ServiceUnavailable: the database cannot be read."""
    with inspection.snapshot(database) as connection:
        found = list(breaches(connection))
        if any(each.invariant == _MISSING for each in found):
            return tuple(found)  # whose rows they concern can't be read
        found += recheck_claims(connection).breaches
        causes = {each.invariant for each in found}
        if causes & _ACCOUNTS:  # what is wrong in one account is so in the sum of all
            found = [each for each in found if each.invariant != _BACKING]
        return _with_organisations(connection, found)


def _with_organisations(connection: Session, found: Iterable[Breach]) -> tuple[Breach, ...]:
    return tuple(replace(each, organisation=organisation_of(connection, each)) for each in found)


def recent_ends(database: Database, most: int) -> dict[str, End]:
    """How all logs ended before their newest entries, at most ``most`` in all. Raises
    ServiceUnavailable: the database cannot be read."""
    with inspection.snapshot(database) as connection:
        sizes = views.sizes(connection)
        share = most // max(1, len(sizes))
        return {
            name: replay.end_at(connection, name, max(0, size - share))
            for name, size in sizes.items()
        }


def breaches(connection: Session, past: Past | None = None) -> tuple[Breach, ...]:
    """As ``verify_books``, of what a connection sees."""
    for check in _FIRST:
        if unreadable := tuple(check(connection)):
            return unreadable  # what follows reads these tables and columns
    with garbage.paused():  # millions of short-lived lists, and no cycles
        books, found = replay.read(connection, past or Past())
        del found[_MOST:]
        for look in _CHECKS:
            _collect(found, look(connection, books))
    _collect(found, seals.catalogue_stands(connection))
    return tuple(found)


def _collect(found: list[Breach], new: Breaches) -> None:
    try:
        found.extend(islice(new, max(_MOST_OF_EACH, _MOST - len(found))))
    except UNREADABLE as error:
        # A damaged row may hold a word or a text that no row of ours has; the check ends there.
        found.append(
            Breach(17, f"a row that cannot be read: {error!r}", getattr(new, "__name__", "rows"))
        )


def verify_chain(database: Database) -> ChainReport:
    """Check every entry of every log: its place, its hash and its mark. Raises ServiceUnavailable:
    the database cannot be read."""
    with inspection.snapshot(database) as connection:
        books, found = replay.read(connection, Past())
        rows = sum(head.size for head in books.heads.values())
        newest = views.newest_hash(connection, DEFAULT_ORGANISATION)
        if not found:
            return ChainReport(intact=True, rows=rows, head=newest)
        first = found[0]
        number = first.where.split(" ")[1] if first.where.startswith("entry ") else ""
        return ChainReport(
            intact=False,
            rows=rows,
            head=newest,
            first_broken=int(number) if number.isdecimal() else None,
            problem=f"{first.what} ({first.where})",
        )
