"""Posting a journal: the only place where balances move."""

from collections.abc import Iterable
from typing import Any

from chainteller.domain.assets import USD, Asset
from chainteller.domain.ledger import (
    CUSTOMER_PREFIX,
    DUE_EITHER_WAY,
    Bucket,
    Journal,
    Leg,
    buying_power,
)
from chainteller.domain.money import Amount, format_cents
from chainteller.engine.unit_of_work import UnitOfWork
from chainteller.service.errors import InsufficientFunds
from chainteller.storage import ledger
from chainteller.storage.faults import unavailable


def lock_balances(tx: UnitOfWork, account_id: str) -> dict[Asset, int]:
    """Lock every sub-balance of a trading account; its available balances by asset."""
    found = ledger.of_account(tx.connection, account_id, lock=True)
    tx.balances.update(found)
    return ledger.by_bucket(found, account_id, Bucket.AVAILABLE)


def post(tx: UnitOfWork, journals: Iterable[Journal]) -> None:
    """Apply journals to the balances and append their postings.

    On PostgreSQL only the customers' side is locked and posted here. The bank's side, whose
    balances all writes share, is put on record and posted when that gets its numbers.

    Raises:
        AssertionError: a balance would go below zero, or moved while it was locked. Callers
            check funds before; this is the ledger's own last word.
        ServiceUnavailable: OVERDRAWN, an account of the bank that is below zero would fall further.
    """
    journals = tuple(journals)
    legs = [(journal, leg) for journal in journals for leg in journal.legs]
    now = [each for each in legs if not _is_posted_later(tx, each[1])]
    _lock_missing(tx, {(leg.account, leg.asset.key) for _, leg in now})
    read = dict(tx.balances)
    postings = _move(now, tx.balances)
    rows = [journal_row(each, tx.now) for each in journals]
    ledger.insert_journals(tx.rows, rows, postings)
    touched = dict.fromkeys((row["code"], row["asset"]) for row in postings)
    changed = {key: (tx.balances[key][0], read[key][1], tx.balances[key][1]) for key in touched}
    ledger.update_balances(tx.connection, changed)
    for journal, leg in legs:
        if _is_posted_later(tx, leg):
            _require_covered(tx, leg)
            tx.bank_postings.append(_posting(journal, leg))


def _is_posted_later(tx: UnitOfWork, leg: Leg) -> bool:
    return tx.context.database.is_postgres and not leg.account.startswith(CUSTOMER_PREFIX)


def _require_covered(tx: UnitOfWork, leg: Leg) -> None:
    """Raises ServiceUnavailable: OVERDRAWN."""
    place = (leg.account, leg.asset.key)
    if leg.change < 0 and place in tx.context.database.backlog.overdrawn:
        raise unavailable(
            "OVERDRAWN",
            "An account of the bank's own books is below zero.",
            "Stop, and run: chainteller db verify.",
        )


def journal_row(journal: Journal, at: int) -> dict[str, Any]:
    return {"id": journal.key, "kind": journal.kind, "reference": journal.reference, "at": at}


def post_journal(journal: Journal, balances: ledger.Balances) -> list[dict[str, Any]]:
    """Move the balances, each an (atoms, version), by a journal; the rows of its postings.

    Raises:
        AssertionError: a balance would go below zero.
    """
    return _move([(journal, leg) for leg in journal.legs], balances)


def _move(legs: Iterable[tuple[Journal, Leg]], balances: ledger.Balances) -> list[dict[str, Any]]:
    postings = []
    for journal, leg in legs:
        moved = ledger.moved(balances, _posting(journal, leg))
        if moved["balance_after"] < 0 and leg.account not in DUE_EITHER_WAY:
            place, balance = f"{leg.account} {leg.asset.key}", moved["balance_after"]
            raise AssertionError(f"{journal.key}: {place} would fall to {balance}")
        postings.append(moved)
    return postings


def _posting(journal: Journal, leg: Leg) -> dict[str, Any]:
    return {
        "code": leg.account,
        "asset": leg.asset.key,
        "journal_id": journal.key,
        "debit": leg.debit,
        "atoms": leg.atoms,
    }


def _lock_missing(tx: UnitOfWork, keys: set[tuple[str, str]]) -> None:
    """Lock the balances that are not locked yet, opening those that no journal has touched."""
    missing = keys - tx.balances.keys()
    if not missing:
        return
    found = ledger.lock(tx.connection, missing)
    absent = missing - found.keys()
    if absent:
        found |= ledger.open_balances(tx.rows, absent)
    tx.balances.update(found)


def require_buying_power(available: dict[Asset, int], cents: int) -> None:
    power = buying_power(available)
    if power < cents:
        raise InsufficientFunds(format_cents(power), format_cents(cents), USD.symbol)


def require_available(available: dict[Asset, int], needed: Amount) -> None:
    have = Amount(available.get(needed.asset, 0), needed.asset)
    if have.atoms < needed.atoms:
        raise InsufficientFunds(str(have), str(needed), needed.asset.symbol)
