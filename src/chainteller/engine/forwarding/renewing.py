"""What became of trades at the provider: asked whenever somebody reads one, and in between.

A provider with the specification's calls tells nobody that a trade was filled or settled. So the
lists, the events and the webhooks of a gateway know it within seconds, or within minutes of a
provider that takes long.
"""

import logging
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from chainteller.domain.actors import DEFAULT_ORGANISATION, WORKER, Actor
from chainteller.domain.clock import DAY
from chainteller.domain.provider_requests import RequestStatus
from chainteller.engine.core import outcome
from chainteller.engine.core.background import Background
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.outcome import AuditEntry, Outcome
from chainteller.engine.core.unit_of_work import UnitOfWork, act, now
from chainteller.engine.forwarding import kept, requests, settling
from chainteller.engine.forwarding.requests import provider_of
from chainteller.engine.operations import accounts, provider_requests
from chainteller.service import operations
from chainteller.service.errors import TellerError
from chainteller.service.models.base import WireModel
from chainteller.service.models.trades import Trade
from chainteller.service.operations import Call
from chainteller.service.told import Told
from chainteller.storage.db.query import Record
from chainteller.storage.queries import provider_requests as rows
from chainteller.storage.queries import quotes, trades

EVERY_S = 5.0
FOUND = "execute_quote.found"
"""The action of the entry for the trade of an execution that was settled without it."""
_LOOKED_FOR = DAY
"""How long the trade of an execution is looked for, once a person has settled it."""
_LONGEST_S = 600.0
_MOST = 100
"""Trades that are asked about in one turn, the newest first."""
_AFTER_A_FAULT_S = 30.0
_log = logging.getLogger(__name__)


def keep_trade(tx: UnitOfWork, call: Call[Any], told: Told, row: Record | None) -> WireModel:
    """The trade of a quote that is kept here; one with other terms is a person's to look at."""
    trade: Trade = told.value
    quote = quotes.find(tx.connection, tx.organisation_id, call.ids[0], lock=True)
    known = trades.find_any(tx.connection, trade.id)
    if known is not None and known.quote_id != call.ids[0]:
        raise kept.of_another("trade")
    if quote is not None and known is None:
        account = accounts.locked(tx, str(getattr(call.request, "trading_account_id", "")))
        kept.add_trade(tx, account, quote, trade, told.body)
        if row is not None and not kept.has_terms(trade, quote):
            tx.event("trade.other_terms", trade.id, tradingAccountId=account.id)
    return trade


def renew(
    context: EngineContext, actor: Actor, account_id: str, found: Iterable[tuple[Trade, str]]
) -> None:
    """Keep what a provider says of an account's trades now, and in which words, of those that are
    kept here."""
    told = list(found)
    with context.database.read() as connection:
        rows = trades.of_ids(connection, account_id, [trade.id for trade, _ in told])
        known = {row.id: row.status for row in rows}
    for trade, body in told:
        if known.get(trade.id, trade.status) != trade.status and kept.has_form(trade):
            act(context, actor, partial(_renew_one, trade=trade, body=body))


def _renew_one(tx: UnitOfWork, trade: Trade, body: str) -> None:
    seen = trades.find_any(tx.connection, trade.id)
    if seen is None:
        return
    accounts.locked_by_id(tx, seen.trading_account_id)
    row = trades.find_any(tx.connection, trade.id, lock=True)
    if row is not None and row.status != trade.status:
        kept.update_trade(tx, row, trade, body)


def _keep_found(tx: UnitOfWork, request_id: str, told: Told) -> None:
    """Keep the trade of an execution that was carried out, as a person says."""
    seen = rows.find(tx.connection, request_id)
    if seen is None:
        return
    kept.account(tx, str(seen.trading_account_id))
    row = provider_requests.locked(tx, request_id)
    if row.subject is not None:
        return
    provider_requests.require_request_as_logged(tx, row)
    requests.keep_answer(keep_trade, tx, settling.call_of(row), told, row)
    update = provider_requests.changed(row, RequestStatus.DONE, tx.now, subject=told.value.id)
    tx.audited_account = row.trading_account_id
    outcome.apply(tx, Outcome(row.id, rows=(update,), audit=(AuditEntry(FOUND, row.id),)))


class Renewer(Background):
    """Asks the provider about trades that aren't final, and for those of executions that a person
    settled, each at growing intervals.

    Args:
        context: the gateway.
        leads: whether it's this process that does it now.
        elapsed: the elapsed time in seconds.
    """

    def __init__(
        self,
        context: EngineContext,
        leads: Callable[[], bool] = lambda: True,
        elapsed: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__("provider", EVERY_S)
        self._context, self._leads, self._elapsed = context, leads, elapsed
        self._next: dict[str, tuple[float, float]] = {}
        """When each one is asked about again, by the elapsed time, and how long is waited then;
        both in seconds."""

    def _turn(self) -> float:
        try:
            if self._leads():
                self.ask()
        except TellerError as error:
            _log.warning("trades at the provider aren't known: %s", error.code)
            return _AFTER_A_FAULT_S
        return EVERY_S

    def ask(self) -> None:
        """Ask about what is due now.

        Raises:
            TellerError: the database or the provider can't be used.
        """
        context, of = self._context, DEFAULT_ORGANISATION
        with context.database.read() as connection:
            since = now(context, connection) - _LOOKED_FOR
            done = rows.without_trade(connection, of, since, _MOST)
            found = trades.unsettled_at_provider(connection, of, _MOST)
        wanted = {row.id: partial(_renew, context, row) for row in found}
        wanted |= {row.id: partial(_find, context, row, done) for row in done}
        self._next = {each: self._next.get(each, (0.0, EVERY_S)) for each in wanted}
        for each, look in wanted.items():
            due_s, pause_s = self._next[each]
            if self._stopping.is_set():
                return
            if self._elapsed() < due_s:
                continue
            self._next[each] = self._elapsed() + pause_s, min(_LONGEST_S, 2 * pause_s)
            look()


def _renew(context: EngineContext, trade: Record) -> None:
    ids = (trade.trading_account_id, trade.id)
    told = provider_of(context).ask(Call(operations.SHOW_TRADE, ids))
    renew(context, WORKER, trade.trading_account_id, [(told.value, told.body)])


def _find(context: EngineContext, request: Record, done: list[Record]) -> None:
    told = settling.trade_of(context, request, done)
    if told is not None:
        act(context, WORKER, partial(_keep_found, request_id=request.id, told=told))
