"""Invariants 7 to 11 and 13: quotes, trades and transfers, their transitions and postings."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import pairwise
from typing import TypeVar

from chainteller.domain.assets import ASSETS_BY_KEY, MARKETS_BY_NAME
from chainteller.domain.ledger import (
    Journal,
    JournalKind,
    Leg,
    UnbalancedJournalError,
    is_debit_normal,
)
from chainteller.domain.money import ceil_div
from chainteller.domain.quoting import BPS, FeeSchedule, Side, Terms
from chainteller.domain.trades import FILLED, QuoteStatus, TradeStatus
from chainteller.domain.trades import TRANSITIONS as TRADE_TRANSITIONS
from chainteller.domain.transfers import TRANSITIONS as TRANSFER_TRANSITIONS
from chainteller.domain.transfers import Direction, TransferStatus
from chainteller.engine.core.breaches import Breach, Breaches
from chainteller.engine.operations import expected_journals
from chainteller.engine.verification import replay
from chainteller.engine.verification.epochs import Epochs
from chainteller.engine.verification.replay import Books
from chainteller.storage.db.query import Record, Session
from chainteller.storage.log import entry as log
from chainteller.storage.log import views
from chainteller.storage.upkeep import inspection

Status = TypeVar("Status", TradeStatus, TransferStatus)
_FIRST = {
    Direction.DEPOSIT: {TransferStatus.PROCESSING},
    Direction.WITHDRAWAL: {TransferStatus.PROCESSING, TransferStatus.REVIEWING},
}


def trades_follow_quotes(connection: Session, _books: Books) -> Breaches:
    """7 and 9: a trade matches its quote, was executed in time, and its instants are in order."""
    epochs = Epochs(connection)
    for trade in inspection.trades_with_quotes(connection):
        if trade.quote_price_cents is None:
            yield Breach(7, "a trade without its quote", trade.id)
            continue
        if trade.quote_trade_id != trade.id or trade.quote_status != QuoteStatus.EXECUTED:
            yield Breach(7, "its quote names another trade or is not executed", trade.id)
        if trade.quote_trading_account_id not in (None, trade.trading_account_id):
            yield Breach(7, "executed in another account than the quote's", trade.id)
        for name in expected_journals.COPIED_FROM_QUOTE:
            if getattr(trade, name) != getattr(trade, f"quote_{name}"):
                yield Breach(7, f"{name} differs from the quote's", trade.id)
        if trade.amount != (trade.bought if trade.side == Side.BUY else trade.sold):
            yield Breach(7, "amount is not the quantity of the base asset", trade.id)
        yield from _in_order(trade, epochs)


def _in_order(trade: Record, epochs: Epochs) -> Breaches:
    if not trade.quote_created <= trade.created <= trade.quote_expires:
        yield Breach(9, "executed outside its quote's window", trade.id)
    instants = [trade.created, trade.executed_at, trade.settled_at]
    known = [instant for instant in instants if instant is not None]
    if known != sorted(known) and not epochs.part(trade.id):
        yield Breach(9, "created, executed and settled are out of order", trade.id)
    for status, instant in (
        (FILLED, trade.executed_at),
        ({TradeStatus.SETTLED}, trade.settled_at),
        ({TradeStatus.CANCELLED}, trade.cancelled_at),
    ):
        if (trade.status in status) != (instant is not None):
            yield Breach(9, f"{trade.status} with the instants of another status", trade.id)


def quotes_are_exact(connection: Session, _books: Books) -> Breaches:
    """7, 10 and 11: one trade per quote; price, fee and amounts follow their rules."""
    for quote in inspection.quotes_with_trades(connection):
        executed = quote.status == QuoteStatus.EXECUTED
        if executed != (quote.used_by is not None) or quote.trade_id != quote.used_by:
            yield Breach(7, "the quote and its trade disagree", quote.id)
        terms = Terms(
            quote.mid_micros,
            quote.half_spread_bps,
            quote.hold_premium_bps,
            quote.window,
            FeeSchedule(quote.fee_flat_cents, quote.fee_bps),
        )
        if quote.price_cents != terms.price_cents(Side(quote.side)):
            yield Breach(10, "the price does not follow from its terms", quote.id)
        rule = quote.fee_flat_cents * BPS + quote.usd_leg_cents * quote.fee_bps
        if quote.fee_cents < ceil_div(rule, BPS):
            yield Breach(10, "the fee is below its schedule", quote.id)
        yield from _amounts(quote)


def _amounts(quote: Record) -> Breaches:
    unit = 10 ** MARKETS_BY_NAME[quote.market].base.decimals
    if quote.side == Side.BUY:
        left = (quote.sold - quote.fee_cents) * unit - quote.bought * quote.price_cents
        if not 0 <= left < quote.price_cents:
            yield Breach(10, "the amount bought is not the floor", quote.id)
        if quote.price_cents * 10_000 < quote.mid_micros:
            yield Breach(11, "bought below the mid price", quote.id)
        return
    gross = quote.sold * quote.price_cents // unit
    if (quote.usd_leg_cents, quote.bought) != (gross, gross - quote.fee_cents):
        yield Breach(10, "the proceeds are not exact", quote.id)
    if quote.price_cents * 10_000 > quote.mid_micros:
        yield Breach(11, "sold above the mid price", quote.id)


def trades_move_forward(connection: Session, books: Books) -> Breaches:
    """8 and 16: only allowed transitions, one event each, and none after a final status; and every
    entry about a trade is in its account's trail."""
    for trade in inspection.trades(connection):
        yield from _follows(trade, {TradeStatus.PROCESSING}, TRADE_TRANSITIONS, books)


def transfers_move_forward(connection: Session, books: Books) -> Breaches:
    """8 and 16, for deposits and withdrawals."""
    for transfer in inspection.transfers(connection):
        direction = Direction(transfer.direction)
        yield from _follows(transfer, _FIRST[direction], TRANSFER_TRANSITIONS[direction], books)


def _follows(
    record: Record,
    first: Collection[str],
    allowed: Mapping[Status, frozenset[Status]],
    books: Books,
) -> Breaches:
    told = books.records.get(record.id, replay.History())
    if books.is_partial and not told.path:
        return
    problem = _problem(told.path.split(">") if told.path else [], record, first, allowed, books)
    if problem:
        yield Breach(8, problem, record.id)
    if told.account != record.trading_account_id:
        yield Breach(16, "an entry about it is outside its account's trail", record.id)


def _problem(
    path: list[str],
    record: Record,
    first: Collection[str],
    allowed: Mapping[Status, frozenset[Status]],
    books: Books,
) -> str:
    """The problem with a record's sequence of statuses; empty if there is none. Of archived events
    as many may be unknown as the record's version says."""
    begins_late = books.is_partial and record.version > len(path)
    if not begins_late and (not path or path[0] not in first):
        return "its first event is missing"
    following: dict[str, frozenset[str]] = {str(key): value for key, value in allowed.items()}
    for before, after in pairwise(path):
        if after not in following.get(before, frozenset()):
            return f"went from {before} to {after}"
    if path[-1] != record.status:
        return f"is {record.status}, but its last event says {path[-1]}"
    if record.version != len(path) and not begins_late:
        return f"is at version {record.version} after {len(path)} events"
    return ""


def trades_are_posted(connection: Session, books: Books) -> Breaches:
    """8, 13 and 16: a trade has exactly the journals that its row requires."""
    for trade in inspection.trades(connection):
        yield from _posted_as(connection, trade, books, _of_trade)


def _of_trade(trade: Record, _posted: Mapping[str, Iterable[Leg]]) -> Iterator[Journal]:
    return expected_journals.of_trade(trade)


def transfers_are_posted(connection: Session, books: Books) -> Breaches:
    """8, 13 and 16, for deposits and withdrawals; no journal is without a record."""
    known = set()
    for transfer in inspection.transfers(connection):
        known.add(transfer.id)
        yield from _posted_as(connection, transfer, books, expected_journals.of_transfer)
    known.update(trade.id for trade in inspection.trades(connection))
    for record, told in books.records.items():
        if told.journals and record not in known:
            yield Breach(8, "journals of no record", record)


_Expect = Callable[[Record, Mapping[str, Iterable[Leg]]], Iterable[Journal]]


def _posted_as(connection: Session, record: Record, books: Books, expect: _Expect) -> Breaches:
    told = books.records.get(record.id)
    known = told.journals if told else 0
    if _is_as_posted(known, record, {}, expect):
        return
    found = [
        _whole(connection, each, record.id, books)
        for each in views.journals_of(connection, record.id)
    ]
    if books.is_partial and any(each.posted is None for each in found):
        return
    posted = _posted(found)  # of some, the journals say what the row doesn't
    if _is_as_posted(known, record, posted, expect):
        return
    breaches = list(_compare(record.id, posted, expect(record, posted)))
    yield from breaches or [Breach(16, "its journals aren't those that the log says", record.id)]


def _is_as_posted(
    known: int, record: Record, posted: Mapping[str, Iterable[Leg]], expect: _Expect
) -> bool:
    """Whether the journals of the log are those that the row and what was posted require."""
    with suppress(UnbalancedJournalError, KeyError):
        wanted = expect(record, posted)
        return replay.same(sum(replay.digest_of(each.kind, _legs(each)) for each in wanted), known)
    return False


def _legs(journal: Journal) -> Iterator[log.Leg]:
    return (log.Leg(leg.account, leg.asset.key, leg.change) for leg in journal.legs)


def _whole(
    connection: Session, journal: views.Journal, record_id: str, books: Books
) -> views.Journal:
    """A journal of a record, also where an archive has what posted it."""
    if journal.posted is not None or not books.past.is_known:
        return journal
    log_name, number = journal.organisation_id, journal.number
    stored = next((each for each, *_ in books.past.entries(connection, log_name, number - 1)), None)
    try:
        told = log.read(number, stored.body or b"" if stored is not None else b"")
    except ValueError:
        return journal  # named by 21
    return journal._replace(posted=views.posted_by(told, journal.kind, record_id))


def _posted(journals: Iterable[views.Journal]) -> dict[str, Counter[Leg]]:
    """The legs of a record's journals, by kind."""
    found: dict[str, Counter[Leg]] = {}
    for each in journals:
        legs = each.posted.legs if each.posted is not None else ()
        found[each.kind] = Counter(
            Leg(
                leg.code,
                ASSETS_BY_KEY[leg.asset],
                debit=(leg.change > 0) == is_debit_normal(leg.code),
                atoms=abs(leg.change),
            )
            for leg in legs
            if leg.asset in ASSETS_BY_KEY
        )
    return found


def _compare(
    record_id: str, posted: dict[str, Counter[Leg]], expected: Iterable[Journal]
) -> Breaches:
    unexplained = dict(posted)
    try:
        wanted = list(expected)
    except UnbalancedJournalError as error:
        yield Breach(16, f"the row cannot be posted: {error}", record_id)
        return
    for journal in wanted:
        legs = unexplained.pop(journal.kind, None)
        if legs is None:
            yield Breach(8, f"the journal {journal.kind} is missing", record_id)
        elif legs != Counter(journal.legs):
            number = 13 if journal.kind == JournalKind.RELEASE else 16
            yield Breach(number, f"the journal {journal.kind} is not the record's", record_id)
    for kind in unexplained:
        yield Breach(8, f"the journal {kind} belongs to no transition", record_id)
