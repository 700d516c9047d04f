"""Invariants 2 to 6 and 19: balances follow the log's postings and are visible."""

from collections import defaultdict
from itertools import chain

from chainteller.domain.assets import ASSETS_BY_KEY, MARKETS_BY_NAME, USD
from chainteller.domain.ledger import (
    BANK_CODES,
    DUE_EITHER_WAY,
    Bucket,
    customer,
    is_debit_normal,
    owner,
)
from chainteller.domain.quoting import Side
from chainteller.domain.trades import TradeStatus
from chainteller.engine.core.breaches import Breach, Breaches
from chainteller.engine.verification import replay
from chainteller.engine.verification.replay import Balance, Books, Place
from chainteller.storage.db.query import Record, Session
from chainteller.storage.log import ledger as balances
from chainteller.storage.queries import trades
from chainteller.storage.queries.accounts import COUNTERS
from chainteller.storage.upkeep import inspection

Totals = dict[tuple[str, str], int]
"""(ledger account code, asset key) to atoms."""

_BUCKETS = {4: Bucket.HELD, 5: Bucket.INCOMING}
_TOGETHER = 500


def balances_follow_postings(connection: Session, books: Books) -> Breaches:
    """2, 3, 4, 5 and 6, in one pass over every ledger account."""
    expected = _under_way(connection)
    backing: dict[tuple[str, str], int] = defaultdict(int)
    posted = dict(books.balances)
    for account in inspection.ledger_accounts(connection):
        code, asset, organisation = account.code, account.asset, account.organisation_id
        yield from _as_posted(account, posted.pop((code, asset, organisation), None), books)
        yield from _customer_balance(account, expected)
        backing[organisation, asset] += _weight(code) * account.balance
    for (code, asset, _), found in posted.items():
        yield Breach(3, f"no balance, but the log says {found.atoms}", f"{code} {asset}")
    for number, bucket in _BUCKETS.items():
        for (code, asset), wanted in expected[bucket].items():
            what = f"nothing {bucket}, but open records say {wanted}"
            yield Breach(number, what, f"{code} {asset}")
    for (organisation, asset), difference in backing.items():
        if difference:
            what = f"backing differs from what is owed by {difference}"
            yield Breach(6, what, f"{asset} of {organisation}")


def _as_posted(account: Record, posted: Balance | None, books: Books) -> Breaches:
    """3: a balance is what the log says."""
    where = f"{account.code} {account.asset}"
    if posted is None:
        if not _is_archived(account.code, books):
            yield Breach(3, "a balance that no journal has touched", where)
    elif (account.balance, account.version) != posted and not _is_archived(account.code, books):
        what = f"{account.balance} at version {account.version}"
        yield Breach(3, f"{what}, but the log says {posted.atoms} at {posted.version}", where)


def balances_are_as_posted(connection: Session, books: Books) -> Breaches:
    """3, of the customers' balances that the entries moved which were read."""
    wanted: dict[str, dict[str, list[str]]] = {}
    for code, asset, organisation in books.balances:
        if owner(code):
            wanted.setdefault(organisation, {}).setdefault(code, []).append(asset)
    for organisation, assets in wanted.items():
        codes = list(assets)
        for first in range(0, len(codes), _TOGETHER):
            some = codes[first : first + _TOGETHER]
            found = balances.of_codes(connection, organisation, some)
            for code in some:
                for asset in assets[code]:
                    said = books.balances[code, asset, organisation]
                    if found.get((code, asset)) != said:
                        what = f"the log says {said.atoms} at {said.version}"
                        yield Breach(3, what, f"{code} {asset}", organisation)


def _is_archived(code: str, books: Books) -> bool:
    """Whether earlier postings of the bank's own accounts aren't known; those of a customer say
    what was before them."""
    return books.is_partial and not owner(code)


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


def journals_are_found(connection: Session, books: Books) -> Breaches:
    """3: each journal is found in the entry that posted it."""
    if books.is_partial:
        return
    found = sum(
        replay.digest_of_place(row.record, row.kind, Place(row.organisation_id, row.number))
        for row in inspection.journals(connection)
    )
    if replay.same(found, books.journals):
        return
    known = {
        (posted.record, posted.kind): Place(each.log, each.number)
        for each in replay.entries_of(connection, books)
        for posted in each.journals
    }
    for row in inspection.journals(connection):
        name, place = f"{row.record}:{row.kind}", Place(row.organisation_id, row.number)
        said = known.pop((row.record, row.kind), None)
        if said != place:
            what = "no entry posted it" if said is None else "another entry than it says posted it"
            yield Breach(3, what, f"journal {name}")
    for record, kind in known:
        yield Breach(3, "its row is missing", f"journal {record}:{kind}")


def _weight(code: str) -> int:
    """An account's sign in 6: plus for what the bank has, minus for what it owes or earned."""
    return 1 if is_debit_normal(code) else -1


def _under_way(connection: Session) -> dict[Bucket, Totals]:
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


def balances_are_visible(connection: Session, _books: Books) -> Breaches:
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


def ordinals_are_dense(connection: Session, _books: Books) -> Breaches:
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
