"""What an agent waits for: a market that reopens, a slow trade, a transfer that ends, a challenge
about to expire.
"""

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from chainteller.domain.clock import from_datetime
from chainteller.domain.trades import TERMINAL
from chainteller.domain.transfers import TransferStatus
from chainteller.records.formats import (
    countdown,
    grouped,
    seconds_between,
    seconds_since,
    status,
    transferred,
)
from chainteller.records.markets import is_open
from chainteller.records.trades import SLOW_S
from chainteller.records.transfers import direction
from chainteller.records.transfers import is_over as is_transfer_over
from chainteller.service.errors import NotFound
from chainteller.tui.desk import Desk, Requested
from chainteller.tui.service_calls import call_service

if TYPE_CHECKING:
    from chainteller.service.models.markets import Market
    from chainteller.service.models.records import Event
    from chainteller.service.models.trades import Trade

CHALLENGE_WARNING_S = 300
TRADE = "trade"


class Alert(Protocol):
    """Rings, shows and keeps a line, which is about a customer or about nobody."""

    def __call__(self, text: str, tone: str, account_id: str = "", briefly: str = "") -> None: ...


async def look_out(desk: Desk, alert: Alert) -> None:
    """Look at everything that is watched, once; raises TellerError."""
    await _markets(desk, alert)
    await _trades(desk, alert)
    await _transfers(desk, alert)
    _challenges(desk, alert)


def watch_market(desk: Desk, market: "Market | None") -> None:
    """Ring when a closed market opens."""
    if market is None:
        return
    desk.watched.add(market.market_name)
    desk.notify(f"watching {market.market_name}: a bell rings when it reopens", "warn")


async def _markets(desk: Desk, alert: Alert) -> None:
    if not desk.watched:
        return
    markets = await call_service(desk.service.markets, tuple(sorted(desk.watched)))
    for market in markets.data:
        if market.market_name in desk.watched and is_open(market):
            desk.watched.discard(market.market_name)
            alert(f"{market.market_name} is open", "good")


async def _trades(desk: Desk, alert: Alert) -> None:
    for trade_id, account_id in tuple(desk.watched_trades.items()):
        try:
            trade = await call_service(desk.service.trade, account_id, trade_id)
        except NotFound:
            del desk.watched_trades[trade_id]
            continue
        _tell_trade(desk, trade, partial(alert, account_id=account_id))


def _tell_trade(desk: Desk, trade: "Trade", alert: Alert) -> None:
    if trade.status in TERMINAL:
        del desk.watched_trades[trade.id]
        told, tone = f"trade {trade.status}", "good" if trade.status == "settled" else "bad"
        alert(f"{told}  {trade.id}", tone, briefly=told)
    elif trade.id not in desk.warned and seconds_since(trade.created, desk.now) > SLOW_S:
        desk.warned.add(trade.id)
        waited = countdown(seconds_since(trade.created, desk.now))
        told = f"SLOW: trade still {trade.status} after {waited}"
        alert(f"{told}  {trade.id}", "warn", briefly=told)


async def _transfers(desk: Desk, alert: Alert) -> None:
    for transfer in tuple(desk.watched_transfers.values()):
        name, service = direction(transfer), desk.service
        read = service.deposit_record if name == "deposit" else service.withdrawal_record
        account_id = transfer.trading_account_id or ""
        try:
            found = await call_service(read, account_id, transfer.id)
        except NotFound:
            del desk.watched_transfers[transfer.id]
            continue
        if is_transfer_over(found):
            del desk.watched_transfers[transfer.id]
            tone = "good" if found.status == TransferStatus.COMPLETED else "bad"
            text = f"{name} of {transferred(found)} {found.status}  {found.id}"
            alert(text, tone, account_id, f"{name} {found.status}")


def _challenges(desk: Desk, alert: Alert) -> None:
    """Those that this desk issued and that run out within five minutes; nothing is asked."""
    for challenge_id, expires_at in tuple(desk.challenges.items()):
        left = seconds_between(desk.now, expires_at)
        if left > CHALLENGE_WARNING_S:
            continue
        del desk.challenges[challenge_id]
        if left >= 0:
            told = f"a message to sign expires in {countdown(left)}"
            alert(f"{told}  {challenge_id}", "warn", _owner_of(desk, challenge_id), told)


def hear_of_service(desk: Desk, events: "Iterable[Event]") -> None:
    """The service's newest words on whether it is certain what time it is there, and on whether a
    dispute of the books stops withdrawals; each told once.
    """
    newest = {event.type.partition(".")[0]: event for event in events}
    clock, books = newest.get("clock"), newest.get("books")
    if clock is not None and (clock.type == "clock.uncertain") != desk.time_uncertain:
        desk.time_uncertain = not desk.time_uncertain
        stops = "Time is uncertain: quotes, trades and payments are paused. Tell the operator."
        _tell_service(desk, "" if desk.time_uncertain else "The time is confirmed again.", stops)
    if books is not None and bool(books.data.get("payoutsStopped")) != desk.payouts_stopped:
        desk.payouts_stopped = not desk.payouts_stopped
        stops = "Withdrawals are stopped: the books are in dispute. Tell the operator."
        _tell_service(desk, "" if desk.payouts_stopped else "Withdrawals go on again.", stops)


def _tell_service(desk: Desk, goes_on: str, stops: str) -> None:
    desk.notify(goes_on or stops, "good" if goes_on else "bad", account_id="")


def hear_of(desk: Desk, record_id: str, new: str) -> None:
    """Tell a new status of a trade, deposit or withdrawal that was requested here, once. One that
    is watched has a line of its own.
    """
    asked = desk.requested.get(record_id)
    if asked is None or new in {"", asked.told}:
        return
    desk.requested[record_id] = asked._replace(told=new, told_at=desk.now)
    if record_id not in desk.watched_transfers and record_id not in desk.watched_trades:
        text, briefly = f"{asked.what} {new}  {record_id}", f"{asked.kind} {new}"
        desk.notify_about(_owner_of(desk, record_id), text, status(new)[1], briefly=briefly)


async def ask_about_trades(desk: Desk) -> None:
    """What became of the trades that the status line speaks of, where no events tell it. Raises
    TellerError.
    """
    for trade_id, asked in tuple(desk.requested.items()):
        if asked.kind == TRADE and asked.told not in TERMINAL and desk.is_news(asked.told_at):
            owner = _owner_of(desk, trade_id)
            found = await call_service(desk.service.trade, owner, trade_id)
            hear_of(desk, trade_id, found.status)


def _owner_of(desk: Desk, record_id: str) -> str:
    return desk.session.ownership.owner_of(record_id) if desk.session is not None else ""


def follow_trade(desk: Desk, trade: "Trade") -> str:
    """Tell what becomes of a trade that was requested here; returns what it is."""
    what = f"{trade.side} {trade.market} {grouped(trade.amount)}"
    desk.requested[trade.id] = Requested(TRADE, what, trade.status, desk.now)
    return what


def take_notice(desk: Desk, operation: str, answer: Any) -> None:
    """Challenges that were issued here are watched until they are claimed or run out; transfers
    that were requested here are followed.
    """
    if operation == "create_challenge" and answer.value.expires is not None:
        desk.challenges[answer.value.id] = from_datetime(answer.value.expires)
    elif operation == "submit_claim":
        desk.challenges.pop(answer.value.challenge_id or "", None)
    elif operation in {"deposit", "withdraw", "cancel_withdrawal"}:
        transfer = answer.value
        kind = direction(transfer)
        what = f"{kind} {transferred(transfer)}"
        desk.requested[transfer.id] = Requested(kind, what, transfer.status, desk.now)
