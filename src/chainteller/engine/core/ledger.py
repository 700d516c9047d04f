"""Posting a journal: the only place where balances move."""

from collections.abc import Iterable, Mapping

from chainteller.domain.assets import CASH_EQUIVALENTS, USD, Asset
from chainteller.domain.ledger import Bucket, Journal, buying_power, draw, owner
from chainteller.domain.money import Amount, format_cents
from chainteller.engine.core.unit_of_work import UnitOfWork
from chainteller.service.errors import InsufficientFunds
from chainteller.storage.log import entry as log
from chainteller.storage.log import ledger
from chainteller.storage.log.entry import Posted


def lock_balances(tx: UnitOfWork, account_id: str) -> dict[Asset, int]:
    """Lock every sub-balance of a trading account; its available balances by asset."""
    if account_id not in tx.locked_accounts:
        found = ledger.of_account(tx.connection, account_id, lock=True)
        tx.balances.update(found)
        tx.locked_accounts.add(account_id)
    return ledger.by_bucket(tx.balances, account_id, Bucket.AVAILABLE)


def owed_cents(tx: UnitOfWork, account_id: str) -> int:
    """What a customer owes the bank; the balances of the account are locked."""
    return ledger.by_bucket(tx.balances, account_id, Bucket.OWED).get(USD, 0)


def post(tx: UnitOfWork, journals: Iterable[Journal]) -> None:
    """Apply journals to the customers' balances. The bank's side, whose balances all writes of an
    organisation share, is posted when the write is put on record.

    Raises:
        AssertionError: a balance would go below zero, or moved while it was locked. Callers
            check funds before; this is the ledger's own last word.
    """
    journals = tuple(journals)
    owners = {owner(leg.account) for each in journals for leg in each.legs}
    for account_id in sorted(owners - {"", *tx.locked_accounts}):
        lock_balances(tx, account_id)
    before = dict(tx.balances)
    for journal in journals:
        tx.journals.append(post_journal(journal, tx.now, tx.balances))
    ledger.write_balances(tx.connection, tx.organisation_id, before, tx.balances)


def post_journal(journal: Journal, at: int, balances: ledger.Balances) -> Posted:
    """Move the customers' balances, each an (atoms, version), by a journal; what an entry says of
    it. Raises AssertionError: a balance would go below zero."""
    legs = []
    for leg in journal.legs:
        key = leg.account, leg.asset.key
        if not owner(leg.account):
            legs.append(log.Leg(*key, leg.change))
            continue
        balance, version = balances.get(key, (0, 0))
        balances[key] = balance, version = balance + leg.change, version + 1
        if balance < 0:
            raise AssertionError(f"{journal.key}: {' '.join(key)} would fall to {balance}")
        legs.append(log.Leg(*key, leg.change, version, balance))
    return Posted(journal.kind, journal.reference, at, tuple(legs))


def draw_funds(
    available: Mapping[Asset, int], cents: int, order: tuple[Asset, ...] = CASH_EQUIVALENTS
) -> tuple[Amount, ...]:
    """As ``domain.ledger.draw``. Raises InsufficientFunds."""
    power = buying_power(available)
    if power < cents:
        raise InsufficientFunds(format_cents(power), format_cents(cents), USD.symbol)
    parts = draw(available, cents, order)
    if parts is None:
        raise AssertionError("buying power that cannot be drawn")
    return parts


def require_available(available: dict[Asset, int], needed: Amount) -> None:
    have = Amount(available.get(needed.asset, 0), needed.asset)
    if have.atoms < needed.atoms:
        raise InsufficientFunds(str(have), str(needed), needed.asset.symbol)
