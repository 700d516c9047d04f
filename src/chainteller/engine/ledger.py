"""Posting a journal: the only place where balances move."""

from collections.abc import Iterable
from typing import Any

from chainteller.domain.assets import USD, Asset
from chainteller.domain.ledger import DUE_EITHER_WAY, Bucket, Journal, buying_power
from chainteller.domain.money import Amount, format_cents
from chainteller.engine.unit_of_work import UnitOfWork
from chainteller.service.errors import InsufficientFunds
from chainteller.storage import ledger


def lock_balances(tx: UnitOfWork, account_id: str) -> dict[Asset, int]:
    """Lock every sub-balance of a trading account; its available balances by asset."""
    found = ledger.of_account(tx.connection, account_id, lock=True)
    tx.balances.update(found)
    return ledger.by_bucket(found, account_id, Bucket.AVAILABLE)


def post(tx: UnitOfWork, journals: Iterable[Journal]) -> None:
    """Apply journals to the balances and append their postings.

    Raises:
        AssertionError: a balance would go below zero, or moved while it was locked. Callers
            check funds before; this is the ledger's own last word.
    """
    journals = tuple(journals)
    _lock_missing(tx, {(leg.account, leg.asset.key) for each in journals for leg in each.legs})
    read = dict(tx.balances)
    touched: dict[tuple[str, str], None] = {}
    for journal in journals:
        postings = post_journal(journal, tx.balances)
        touched.update(dict.fromkeys((row["code"], row["asset"]) for row in postings))
        ledger.insert_journal(tx.rows, journal_row(journal, tx.now), postings)
    changed = {key: (*tx.balances[key], read[key][1]) for key in touched}
    written = ledger.update_balances(
        tx.connection,
        {key: (balance, before, version) for key, (balance, version, before) in changed.items()},
    )
    if written != len(changed):
        raise AssertionError("a balance moved while it was locked")


def journal_row(journal: Journal, at: int) -> dict[str, Any]:
    return {"id": journal.key, "kind": journal.kind, "reference": journal.reference, "at": at}


def post_journal(journal: Journal, balances: ledger.Balances) -> list[dict[str, Any]]:
    """Move the balances, each an (atoms, version), by a journal; the rows of its postings.

    Raises:
        AssertionError: a balance would go below zero.
    """
    postings = []
    for leg in journal.legs:
        key = (leg.account, leg.asset.key)
        balance, version = balances[key]
        balance, version = balance + leg.change, version + 1
        if balance < 0 and leg.account not in DUE_EITHER_WAY:
            raise AssertionError(f"{journal.key}: {key} would fall to {balance}")
        balances[key] = (balance, version)
        postings.append(
            {
                "code": leg.account,
                "asset": leg.asset.key,
                "account_version": version,
                "journal_id": journal.key,
                "debit": leg.debit,
                "atoms": leg.atoms,
                "balance_after": balance,
            }
        )
    return postings


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
