"""Trade flow: cancelling a trade before it executes."""

from functools import partial
from typing import TYPE_CHECKING

from chainteller.domain.assets import base_symbol
from chainteller.records.formats import grouped, money, seconds_since, status
from chainteller.records.trades import why_not_cancelled
from chainteller.service.errors import TradeNotCancellable
from chainteller.tui.customer import CustomerRequest
from chainteller.tui.dialogs.question import Ask
from chainteller.tui.steps import Result, Serve, Step, Write, notice

if TYPE_CHECKING:
    from chainteller.service.interface import Service
    from chainteller.service.models.trades import Trade


def cancel(trade: "Trade", account_id: str) -> Step:
    """Cancel a trade of ``account_id``, which is selected first where another one is.

    ``account_id`` is empty where nobody says whose trade it is.
    """
    if not account_id:
        return notice("this deployment doesn't say whose trade it is   1: select its account")
    reason = why_not_cancelled(trade)
    if reason:
        return notice(reason)
    request = CustomerRequest(
        account_id,
        partial(_cancel, account_id, trade.id),
        renew=partial(_question, account_id, trade.id),
        words=f"cancellation of the trade {trade.id}",
    )
    return Serve(account_id, Write("cancellation", request))


def _question(account_id: str, trade_id: str, service: "Service") -> Ask:
    """Raises TradeNotCancellable: it has been executed, or is over."""
    trade = service.trade(account_id, trade_id)
    reason = why_not_cancelled(trade)
    if reason:
        raise TradeNotCancellable(f"{reason}.", {"tradeId": trade.id, "status": trade.status})
    sold = trade.asset_sold
    paid = f" for {money(sold.amount, sold.symbol)}" if sold and trade.side == "buy" else ""
    amount = money(trade.amount, base_symbol(trade.market))
    return Ask(
        f"CANCEL the trade {trade.id}?",
        (
            f"{trade.side} {amount}{paid} at {grouped(trade.price)} USD",
            lambda now: f"{trade.status} for {seconds_since(trade.created, now)} s",
        ),
    )


def _cancel(account_id: str, trade_id: str, service: "Service", key: str) -> Step:
    done = service.cancel_trade(account_id, trade_id, idempotency_key=key).value
    return Result(
        notice=(f"trade {done.status}  {done.id}", status(done.status)[1]),
        changed=f"trade.{done.status}",
        clears_failure=True,
    )
