"""Invariants 1 to 6 and 19: journals balance, balances follow their postings and are visible."""

from collections import defaultdict
from itertools import chain

from sqlalchemy import Connection

from chainteller.domain.assets import ASSETS_BY_KEY, MARKETS_BY_NAME, USD
from chainteller.domain.ledger import (
    BANK_CODES,
    CUSTOMER_PREFIX,
    DEBIT_NORMAL,
    DUE_EITHER_WAY,
    Bucket,
    customer,
    owner,
)
from chainteller.domain.quoting import Side
from chainteller.domain.trades import TradeStatus
from chainteller.engine.checks.breaches import Breach, Breaches, grouped
from chainteller.storage import inspection, trades
from chainteller.storage.accounts import COUNTERS
from chainteller.storage.database import Record

Totals = dict[tuple[str, str], int]
"""(ledger account code, asset key) to atoms."""

_BUCKETS = {4: Bucket.HELD, 5: Bucket.INCOMING}


def journals_balance(connection: Connection) -> Breaches:
    """1: per asset, the debits of a journal equal its credits."""
    rows = inspection.journals_with_postings(connection)
    for journal_id, postings in grouped(rows, lambda row: str(row.id)):
        sums: dict[str, int] = defaultdict(int)
        for posting in postings:
            if posting.code is None:
                yield Breach(1, "a journal without postings", journal_id)
                break
            sums[posting.asset] += posting.atoms if posting.debit else -posting.atoms
        for asset, difference in sums.items():
            if difference:
                yield Breach(1, f"{asset} is out of balance by {difference}", journal_id)


def balances_follow_postings(connection: Connection) -> Breaches:
    """2, 3, 4, 5 and 6, in one pass over every ledger account and its postings."""
    expected = _under_way(connection)
    backing: dict[str, int] = defaultdict(int)
    rows = inspection.balances_with_postings(connection)
    for (code, asset), history in grouped(rows, lambda row: (str(row.code), str(row.asset))):
        yield from _history(code, asset, history)
        yield from _customer_balance(history[0], expected)
        backing[asset] += _weight(code) * history[0].balance
    for number, bucket in _BUCKETS.items():
        for (code, asset), wanted in expected[bucket].items():
            what = f"nothing {bucket}, but open records say {wanted}"
            yield Breach(number, what, f"{code} {asset}")
    for asset, difference in backing.items():
        if difference:
            yield Breach(6, f"backing differs from what is owed by {difference}", asset)
    for orphan in inspection.postings_without_account(connection):
        yield Breach(3, "a posting without a balance", f"{orphan.code} {orphan.asset}")


def _customer_balance(account: Record, expected: dict[Bucket, Totals]) -> Breaches:
    """2, 4 and 5 for one ledger account; removes what was expected of it from ``expected``.

    The bank's own accounts are no customers', but only the core's may be negative either.
    """
    code, asset = account.code, account.asset
    if account.balance < 0 and code not in DUE_EITHER_WAY:
        yield Breach(2, f"a balance of {account.balance}", f"{code} {asset}")
    for number, bucket in _BUCKETS.items():
        if code == customer(owner(code), bucket):
            wanted = expected[bucket].pop((code, asset), 0)
            if wanted != account.balance:
                what = f"{account.balance} {bucket}, but open records say {wanted}"
                yield Breach(number, what, f"{code} {asset}")


def _history(code: str, asset: str, history: list[Record]) -> Breaches:
    """3 (and 2 in the past): stored balance, running balance and versions agree."""
    where, running, expected_version = f"{code} {asset}", 0, 0
    for posting in history:
        if posting.account_version is None:
            break
        expected_version += 1
        if posting.account_version != expected_version:
            yield Breach(3, f"version {expected_version} is missing", where)
            return
        grows = posting.debit == (code in DEBIT_NORMAL)
        running += posting.atoms if grows else -posting.atoms
        if running < 0 and code.startswith(CUSTOMER_PREFIX):
            yield Breach(2, f"was {running} at version {expected_version}", where)
        if posting.balance_after != running:
            what = f"balance_after {posting.balance_after} at version {expected_version}"
            yield Breach(3, f"{what}, but the postings say {running}", where)
            return
    if (history[0].balance, history[0].version) != (running, expected_version):
        what = f"{history[0].balance} at version {history[0].version}"
        yield Breach(3, f"{what}, but the postings say {running} at {expected_version}", where)


def _weight(code: str) -> int:
    """An account's sign in 6: plus for what the bank has, minus for what it owes or earned."""
    return 1 if code in DEBIT_NORMAL else -1


def _under_way(connection: Connection) -> dict[Bucket, Totals]:
    """The totals that 4 and 5 require: held by open records, and bought but not settled."""
    held: Totals = defaultdict(int)
    incoming: Totals = defaultdict(int)
    for record in inspection.open_records(connection):
        if record.status == TradeStatus.EXECUTED:
            asset = MARKETS_BY_NAME[record.market].base if record.side == Side.BUY else USD
            code = customer(record.trading_account_id, Bucket.INCOMING)
            incoming[code, asset.key] += record.bought
            continue
        code = customer(record.trading_account_id, Bucket.HELD)
        for part in trades.hold_parts(record.hold):
            held[code, part.asset.key] += part.atoms
    return {Bucket.HELD: held, Bucket.INCOMING: incoming}


def balances_are_visible(connection: Connection) -> Breaches:
    """19: each ledger account is the bank's, or one that its customer can see."""
    trading_accounts = frozenset(inspection.trading_account_ids(connection))
    for account in inspection.ledger_accounts(connection):
        code, where = account.code, f"{account.code} {account.asset}"
        if owner(code):
            if owner(code) not in trading_accounts:
                yield Breach(19, "a balance of no trading account", where)
            if account.balance and account.asset not in ASSETS_BY_KEY:
                yield Breach(19, "a balance of an asset that is not declared", where)
        elif code not in BANK_CODES:
            yield Breach(19, "a code that names no account", where)


def ordinals_are_dense(connection: Connection) -> Breaches:
    """3: an account's records are numbered from 1 to its counter without gaps."""
    counted: dict[tuple[str, str], int] = defaultdict(int)
    streams = (
        inspection.trade_ordinals(connection),
        inspection.transfer_ordinals(connection),
        inspection.transaction_ordinals(connection),
    )
    for account, counter, ordinal in chain.from_iterable(streams):
        counted[account, counter] += 1
        if ordinal != counted[account, counter]:
            yield Breach(3, f"{counter} has no number {counted[account, counter]}", account)
            counted[account, counter] = ordinal
    for row in inspection.counters(connection):
        for counter in COUNTERS:
            exist = counted[row.id, counter]
            if getattr(row, counter) != exist:
                what = f"{counter} is {getattr(row, counter)}, but {exist} exist"
                yield Breach(3, what, row.id)
