"""The invariants of the ledger, checked on a live database; tests and ``db verify`` share them.

Invariant 18 (no secret stored) is a matter of what is written and is checked where keys are
made. 11 is checked as far as rows can show it; that no round trip gains is shown by properties.
"""

from collections.abc import Callable
from itertools import islice
from time import perf_counter
from typing import NamedTuple

from chainteller import garbage
from chainteller.domain.actors import DEFAULT_ORGANISATION
from chainteller.engine import claim_proofs
from chainteller.engine.checks import conduct, epochs, ledger, records, replay, seals, work
from chainteller.engine.checks.breaches import Breach, Breaches
from chainteller.engine.checks.replay import Books
from chainteller.engine.kept_heads import KeptHeads
from chainteller.service.models.records import ChainReport
from chainteller.storage import inspection
from chainteller.storage.archives import Past
from chainteller.storage.database import Database
from chainteller.storage.db.query import Session
from chainteller.storage.log import views

__all__ = [
    "Breach",
    "ClaimsReport",
    "verify",
    "verify_books",
    "verify_chain",
    "verify_claims",
    "verify_heads",
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
    """17: tables and columns without which nothing else can be verified.

    Raises:
        ServiceUnavailable: the database cannot be read.
    """
    with inspection.snapshot(database) as connection:
        return tuple(conduct.nothing_is_missing(connection))


def verify_heads(kept: KeptHeads | None, database: Database) -> tuple[Breach, ...]:
    """21: each log is the one whose head was kept outside the database.

    Raises:
        ServiceUnavailable: the database cannot be read.
    """
    found = kept.follow(database) if kept is not None else {}
    return tuple(Breach(21, what, f"log {name}") for name, what in found.items())


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
    except claim_proofs.UNREADABLE as error:
        # A damaged row may hold a word or a text that no row of ours has; the check ends there.
        found.append(
            Breach(17, f"a row that cannot be read: {error!r}", getattr(new, "__name__", "rows"))
        )


def verify_chain(database: Database, past: Past | None = None) -> ChainReport:
    """Check every entry of every log: its place, its hash and its mark.

    Raises:
        ServiceUnavailable: the database cannot be read.
    """
    with inspection.snapshot(database) as connection:
        books, found = replay.read(connection, past or Past())
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
