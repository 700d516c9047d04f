"""What became of trades at the provider: asked whenever somebody reads one, and in between.

A provider with the specification's calls tells nobody that a trade was filled or settled. So the
lists, the events and the webhooks of a gateway know it within seconds, or within minutes of a
provider that takes long.
"""

import logging
import time
from collections.abc import Callable, Iterable
from functools import partial

from chainteller.domain.actors import DEFAULT_ORGANISATION, WORKER, Actor
from chainteller.engine.core.background import Background
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.unit_of_work import UnitOfWork, act
from chainteller.engine.forwarding import kept
from chainteller.engine.forwarding.requests import provider_of
from chainteller.engine.operations import accounts
from chainteller.service import operations
from chainteller.service.errors import TellerError
from chainteller.service.models.trades import Trade
from chainteller.service.operations import Call
from chainteller.storage.queries import trades

EVERY_S = 5.0
_LONGEST_S = 600.0
_MOST = 100
"""Trades that are asked about in one turn, the newest first."""
_AFTER_A_FAULT_S = 30.0
_log = logging.getLogger(__name__)


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


class Renewer(Background):
    """Asks the provider about trades that aren't final, each at growing intervals.

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
        """When each trade is asked about again, by the elapsed time, and how long is waited then;
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
        with self._context.database.read() as connection:
            found = trades.unsettled_at_provider(connection, DEFAULT_ORGANISATION, _MOST)
        self._next = {row.id: self._next.get(row.id, (0.0, EVERY_S)) for row in found}
        for row in found:
            due_s, pause_s = self._next[row.id]
            if self._stopping.is_set():
                return
            if self._elapsed() < due_s:
                continue
            self._next[row.id] = self._elapsed() + pause_s, min(_LONGEST_S, 2 * pause_s)
            ids = (row.trading_account_id, row.id)
            told = provider_of(self._context).ask(Call(operations.SHOW_TRADE, ids))
            renew(self._context, WORKER, row.trading_account_id, [(told.value, told.body)])
