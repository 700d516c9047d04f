"""Statements of a trading account, made of its postings and never without checking them.

A statement is refused unless three things agree: the postings with the balances that stand in the
ledger, the journals of every record it shows with that record, and opening balances plus movements
with closing balances.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from chainteller.domain.assets import ASSETS, ASSETS_BY_KEY, USD, Asset
from chainteller.domain.clock import format_instant, parse_day
from chainteller.domain.ledger import (
    HOLDINGS,
    Bucket,
    Journal,
    Leg,
    UnbalancedJournalError,
    customer,
    is_debit_normal,
)
from chainteller.domain.money import format_atoms, format_cents
from chainteller.domain.periods import parse_bound
from chainteller.domain.transfers import type_of
from chainteller.engine.core import reading, unit_of_work
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.table import reads_in_context
from chainteller.engine.operations import accounts, expected_journals
from chainteller.service import operations
from chainteller.service.errors import StatementUnbalanced, ValidationFailed
from chainteller.service.models.accounts import Token
from chainteller.service.models.statements import (
    MovementEvent,
    Statement,
    StatementAmount,
    StatementBalance,
    StatementChange,
    StatementMovement,
    StatementQuery,
)
from chainteller.service.models.trades import TRADE_TYPE
from chainteller.storage.db.query import Record, Session
from chainteller.storage.log import ledger, views
from chainteller.storage.queries import accounts as account_rows
from chainteller.storage.queries import quotes, trades, transfers
from chainteller.storage.upkeep import archives

MOST_MOVEMENTS = 5_000
"""In one statement, so that its body stays below what a client reads."""
_TOLD_AT: Mapping[str, str] = {
    MovementEvent.FILL: "executed_at",
    MovementEvent.DEPOSIT: "completed_at",
}
_FEE_EVENTS = frozenset({MovementEvent.FILL, MovementEvent.SENT})


@dataclass(slots=True)
class _Journal:
    """A journal as far as it is this account's: what it changed of each asset, and how many cents
    of what is owed."""

    kind: str
    reference: str
    at: int
    order: int
    legs: Counter[Leg] = field(default_factory=Counter)
    net: dict[Asset, int] = field(default_factory=lambda: defaultdict(int))
    owed: int = 0


@dataclass(frozen=True, slots=True)
class _Period:
    """Instants from ``first`` to before ``last``; ``as_of`` is that of the statement."""

    first: int
    last: int
    as_of: int


@reads_in_context(operations.STATEMENT, is_short=False)
def statement(
    context: EngineContext,
    connection: Session,
    organisation_id: str,
    account_id: str,
    query: StatementQuery,
) -> Statement:
    """The account's statement of a period.

    Raises:
        NotFound: the account doesn't exist.
        ValidationFailed: the period is none, or has more than ``MOST_MOVEMENTS`` movements.
        StatementUnbalanced: the account's books don't agree.
    """
    account = accounts.find(connection, organisation_id, account_id)
    stored = ledger.of_account(connection, account_id)
    postings = _postings(connection, account)
    before = _before(connection, organisation_id, postings, stored)
    _require_sound(account_id, postings, stored, before)
    newest = max((each.at for each in postings), default=0)
    period = _period(query, account.created, max(unit_of_work.now(context, connection), newest + 1))
    _require_here(connection, organisation_id, period)
    journals = _journals(postings)
    shown = [
        each
        for each in journals
        if period.first <= each.at < period.last and (any(each.net.values()) or each.owed)
    ]
    if len(shown) > MOST_MOVEMENTS:
        message = f"a shorter period: it has {len(shown)} movements, the limit is {MOST_MOVEMENTS}"
        raise ValidationFailed.of("from", message, "TOO_LONG")
    records = _records(connection, account_id, {each.reference for each in shown})
    _require_of_records(account_id, journals, records)
    _require_of_quotes(connection, account_id, records)
    owed = tuple(_owed(_at(before, postings, instant)) for instant in (period.first, period.last))
    balances, movements = _figures(account_id, (before, postings), shown, period, records)
    customer_id = account.customer_id
    found = account_rows.customer_of(connection, organisation_id, customer_id)
    owner = reading.require_found(found, "customer", customer_id)
    return Statement(
        trading_account_id=account_id,
        bank=context.options.bank_name,
        customer_id=customer_id,
        customer_name=owner.name,
        customer_reference=owner.reference,
        bank_account_id=account.bank_account_id,
        bank_account_type=account.bank_account_type,
        from_time=period.first,
        to_time=period.last,
        as_of=period.as_of,
        balances=balances,
        movements=movements,
        fees=_fees(shown, records),
        opening_owed_usd=format_cents(owed[0]),
        closing_owed_usd=format_cents(owed[1]),
    )


# -- the postings ---------------------------------------------------------------------------------


class _Posting(NamedTuple):
    """One side of a journal to a sub-balance of the account."""

    code: str
    asset: str
    version: int
    change: int
    after: int
    kind: str
    reference: str
    at: int


_Before = Mapping[ledger.Key, tuple[int, int]]
"""Amounts and versions of balances before the first posting that isn't archived."""
_Parts = dict[Asset, dict[str, int]]
"""Amounts by asset and sub-balance."""


def _postings(connection: Session, account: Record) -> list[_Posting]:
    """Every posting to the account's sub-balances; those of one stand together, in their order.
    Raises StatementUnbalanced: an entry of the account's trail can't be read."""
    codes, found = {customer(account.id, bucket) for bucket in Bucket}, list[_Posting]()
    try:
        for told in views.posted_to(connection, account.organisation_id, account.id):
            named = (told.kind, told.record, told.at)
            found += [
                _Posting(leg.code, leg.asset, leg.version or 0, leg.change, leg.after or 0, *named)
                for leg in told.legs
                if leg.code in codes
            ]
    except ValueError:
        raise StatementUnbalanced(account.id, "an entry can't be read.", None) from None
    return sorted(found)


def _before(
    connection: Session,
    organisation_id: str,
    postings: Sequence[_Posting],
    stored: ledger.Balances,
) -> _Before:
    """What was there before the first posting that isn't archived; nothing where none is."""
    if not views.head(connection, organisation_id).archived:
        return {}
    found = dict(stored)
    for each in reversed(postings):
        found[each.code, each.asset] = (each.after - each.change, each.version - 1)
    return found


def _require_here(connection: Session, organisation_id: str, period: "_Period") -> None:
    """Raises ValidationFailed: postings of the period are in an archive."""
    until, name = archives.newest(connection, organisation_id)
    if name and period.first <= until:
        message = f"after {format_instant(until)}: earlier postings are in the archive {name}"
        raise ValidationFailed.of("from", message, "ARCHIVED")


# -- the period -----------------------------------------------------------------------------------


def _period(query: StatementQuery, opened: int, present: int) -> _Period:
    """Raises ValidationFailed."""
    last, is_day = present, False
    if query.to_time is not None:
        is_day = parse_day(query.to_time) is not None
        last = _bound("to", query.to_time)
    first = min(opened, last) if query.from_time is None else _bound("from", query.from_time)
    if first > last or (is_day and first == last):
        raise ValidationFailed.of("from", "not later than to")
    if first > present:
        raise ValidationFailed.of("from", "not later than now")
    return _Period(first, max(first, min(last, present)), present)


def _bound(name: str, text: str) -> int:
    """The plus sign of a time zone may have come as a space."""
    try:
        return parse_bound(text.replace(" ", "+"), is_end=name == "to")
    except ValueError as error:
        raise ValidationFailed.of(name, str(error)) from None


# -- checks ---------------------------------------------------------------------------------------


def _require_sound(
    account_id: str, postings: Sequence[_Posting], balances: ledger.Balances, before: _Before
) -> None:
    """Raises StatementUnbalanced: the postings don't add up to the balances, one after another."""
    unseen = dict(balances)
    for key, history in groupby(postings, lambda each: (each.code, each.asset)):
        (running, version), latest = before.get(key, (0, 0)), ""
        for posting in history:
            version, latest = version + 1, posting.reference
            running += posting.change
            if (posting.version, posting.after) != (version, running):
                raise StatementUnbalanced(account_id, "a posting is missing or changed.", latest)
        if key[1] not in ASSETS_BY_KEY:
            raise StatementUnbalanced(account_id, "it has an asset that isn't known.", latest)
        if unseen.pop(key, (0, 0)) != (running, version):
            raise StatementUnbalanced(account_id, "a balance isn't the sum of its postings.", None)
    if any(each != before.get(key, (0, 0)) for key, each in unseen.items()):
        raise StatementUnbalanced(account_id, "a balance has no postings.", None)


def _require_of_records(
    account_id: str, journals: Iterable[_Journal], records: Mapping[str, Record]
) -> None:
    """Raises StatementUnbalanced: a record's journals aren't those that its row requires."""
    codes = {customer(account_id, bucket) for bucket in Bucket}
    posted: dict[str, dict[str, Counter[Leg]]] = defaultdict(dict)
    for each in journals:
        row = records.get(each.reference)
        if row is not None:
            posted[each.reference][each.kind] = each.legs
            if _told_at(each.kind, row) not in {None, each.at}:
                raise StatementUnbalanced(account_id, f"when {row.id} was booked.", row.id)
    for record_id, row in records.items():
        found = posted[record_id]
        try:
            wanted = {
                journal.kind: Counter(leg for leg in journal.legs if leg.account in codes)
                for journal in _expected(row, found)
            }
        except (UnbalancedJournalError, KeyError, ValueError):
            wanted = {}
        if {kind: legs for kind, legs in wanted.items() if legs} != found:
            raise StatementUnbalanced(account_id, f"{record_id} and its postings.", record_id)


def _told_at(kind: str, row: Record) -> int | None:
    """When a record says that it was filled or had arrived; None for other journals."""
    name = _TOLD_AT.get(kind)
    return None if name is None else getattr(row, name)


def _require_of_quotes(connection: Session, account_id: str, records: Mapping[str, Record]) -> None:
    """Raises StatementUnbalanced: a trade's price, amounts or fee aren't those of its quote."""
    made = [row for row in records.values() if _is_trade(row)]
    of_trades = quotes.of_ids(connection, [row.quote_id for row in made])
    found = {row.id: row for row in of_trades}
    for row in made:
        quote = found.get(row.quote_id)
        if quote is None or any(
            getattr(quote, name) != getattr(row, name)
            for name in expected_journals.COPIED_FROM_QUOTE
        ):
            raise StatementUnbalanced(account_id, f"{row.id} and its quote.", row.id)


def _expected(row: Record, posted: Mapping[str, Counter[Leg]]) -> Iterator[Journal]:
    if _is_trade(row):
        return expected_journals.of_trade(row)
    return expected_journals.of_transfer(row, posted)


def _is_trade(row: Record) -> bool:
    return hasattr(row, "quote_id")


def _records(connection: Session, account_id: str, ids: set[str]) -> dict[str, Record]:
    """Raises StatementUnbalanced: a posting is of no record of this account."""
    ordered = sorted(ids)
    found = {
        row.id: row
        for read in (trades.of_ids, transfers.of_ids)
        for row in (read(connection, account_id, ordered) if ordered else ())
    }
    missing = next((each for each in ordered if each not in found), None)
    if missing is not None:
        raise StatementUnbalanced(account_id, f"{missing} is no record of it.", missing)
    return found


# -- figures --------------------------------------------------------------------------------------


def _journals(postings: Iterable[_Posting]) -> list[_Journal]:
    """The journals of an account's postings, in order of time."""
    found: dict[tuple[str, str], _Journal] = {}
    for row in postings:
        key, asset = (row.reference, row.kind), ASSETS_BY_KEY[row.asset]
        made = _Journal(row.kind, row.reference, row.at, row.version)
        journal = found.setdefault(key, made)
        journal.order = min(journal.order, row.version)
        debit = (row.change > 0) == is_debit_normal(row.code)
        journal.legs[Leg(row.code, asset, debit=debit, atoms=abs(row.change))] += 1
        if _bucket(row.code) == Bucket.OWED:
            journal.owed += row.change
        else:
            journal.net[asset] += row.change
    return sorted(found.values(), key=lambda each: (each.at, each.order, each.reference))


def _figures(
    account_id: str,
    history: tuple[_Before, Sequence[_Posting]],
    shown: Sequence[_Journal],
    period: _Period,
    records: Mapping[str, Record],
) -> tuple[tuple[StatementBalance, ...], tuple[StatementMovement, ...]]:
    """Balances by asset and the movements between them. Raises StatementUnbalanced: opening balance
    and movements aren't the closing balance."""
    opening = _held(_at(*history, period.first))
    closing = _held(_at(*history, period.last))
    running: dict[Asset, int] = defaultdict(int)
    running |= {asset: sum(parts.values()) for asset, parts in opening.items()}
    credits_: dict[Asset, int] = defaultdict(int)
    debits: dict[Asset, int] = defaultdict(int)
    movements = []
    for journal in shown:
        changes = []
        for asset in _ordered(journal.net):
            atoms = journal.net[asset]
            running[asset] += atoms
            (credits_ if atoms > 0 else debits)[asset] += abs(atoms)
            changes.append(_change(asset, atoms, running[asset]))
        movements.append(_movement(journal, records[journal.reference], tuple(changes)))
    assets = [each for each in ASSETS if each in opening or each in closing]
    for asset in assets:
        if running[asset] != sum(closing[asset].values()):
            raise StatementUnbalanced(account_id, f"{asset.key} and its movements.", None)
    balances = [
        StatementBalance(
            token=_token(asset),
            opening=format_atoms(sum(opening[asset].values()), asset),
            credits=format_atoms(credits_[asset], asset),
            debits=format_atoms(debits[asset], asset),
            closing=format_atoms(sum(closing[asset].values()), asset),
            **{bucket.value: format_atoms(closing[asset][bucket], asset) for bucket in HOLDINGS},
        )
        for asset in assets
        if running[asset] or credits_[asset] or debits[asset]
    ]
    return tuple(balances), tuple(movements)


def _at(before: _Before, postings: Iterable[_Posting], instant: int) -> _Parts:
    """What was in each sub-balance before an instant, by asset."""
    found: _Parts = defaultdict(lambda: defaultdict(int))
    for (code, asset), (atoms, _) in before.items():
        found[ASSETS_BY_KEY[asset]][_bucket(code)] += atoms
    for row in postings:
        if row.at < instant:
            found[ASSETS_BY_KEY[row.asset]][_bucket(row.code)] += row.change
    return found


def _bucket(code: str) -> str:
    return code.rpartition(":")[2]


def _owed(balances: _Parts) -> int:
    """Cents that the customer owes the bank."""
    return balances[USD][Bucket.OWED] if USD in balances else 0


def _held(balances: _Parts) -> _Parts:
    """What the customer has of each asset, without what they owe."""
    found: _Parts = defaultdict(lambda: defaultdict(int))
    for asset, parts in balances.items():
        found[asset] |= {bucket: parts[bucket] for bucket in HOLDINGS}
    return found


def _ordered(net: Mapping[Asset, int]) -> list[Asset]:
    """The assets that a journal changed, what was paid first."""
    return sorted((each for each in net if net[each]), key=lambda each: (net[each] > 0, each))


def _movement(
    journal: _Journal, row: Record, changes: tuple[StatementChange, ...]
) -> StatementMovement:
    common = {
        "at": journal.at,
        "event": journal.kind,
        "transaction_id": journal.reference,
        "changes": changes,
        "fee": _fee(journal, row),
        "owed_change_usd": format_cents(journal.owed) if journal.owed else None,
    }
    if _is_trade(row):
        own = {
            "type": TRADE_TYPE,
            "market": row.market,
            "side": row.side,
            "price": format_cents(row.price_cents),
            "quote_id": row.quote_id,
        }
    else:
        names = ("bank_account_id", "counterparty_id", "address", "network_tx_hash")
        own = {name: getattr(row, name) for name in names}
        own["type"] = type_of(row.direction)
    return StatementMovement.model_validate(common | own)


def _fee_atoms(journal: _Journal, row: Record) -> tuple[Asset, int] | None:
    """The fee that a journal took; the one of a trade is part of its dollars."""
    if journal.kind not in _FEE_EVENTS:
        return None
    asset, atoms = (USD, row.fee_cents) if _is_trade(row) else (ASSETS_BY_KEY[row.asset], row.fee)
    return (asset, atoms) if atoms else None


def _fee(journal: _Journal, row: Record) -> StatementAmount | None:
    found = _fee_atoms(journal, row)
    return None if found is None else _amount(*found)


def _fees(shown: Iterable[_Journal], records: Mapping[str, Record]) -> tuple[StatementAmount, ...]:
    sums: dict[Asset, int] = defaultdict(int)
    for journal in shown:
        found = _fee_atoms(journal, records[journal.reference])
        if found is not None:
            sums[found[0]] += found[1]
    return tuple(_amount(asset, sums[asset]) for asset in ASSETS if sums[asset])


def _token(asset: Asset) -> Token:
    return Token(symbol=asset.symbol, network=asset.network)


def _amount(asset: Asset, atoms: int) -> StatementAmount:
    return StatementAmount(token=_token(asset), amount=format_atoms(atoms, asset))


def _change(asset: Asset, atoms: int, balance: int) -> StatementChange:
    return StatementChange(
        token=_token(asset),
        amount=format_atoms(atoms, asset),
        balance=format_atoms(balance, asset),
    )
