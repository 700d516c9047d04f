"""Trade flow: cancelling a trade before it executes."""

from typing import TYPE_CHECKING

from chainteller.records.formats import grouped, seconds_since, status
from chainteller.records.trades import is_over
from chainteller.tui import writes
from chainteller.tui.customer import CustomerRequest
from chainteller.tui.dialogs.question import Ask
from chainteller.tui.steps import Result, Step, Write, notice
from chainteller.tui.trades.view import why_it_stands

if TYPE_CHECKING:
    from chainteller.service.interface import Service
    from chainteller.service.models.trades import Trade


def cancel(trade: "Trade", account_id: str, now: int, *, any_customer: bool) -> Step:
    """Cancel a trade of ``account_id``: the customer being served, or anybody's where all accounts
    are listed.
    """
    if is_over(trade):
        return notice(why_it_stands(trade))
    base = trade.market.partition("-")[0].upper()
    question = Ask(
        f"CANCEL the trade {trade.id}?",
        (
            f"{trade.side} {grouped(trade.amount)} {base} at {grouped(trade.price)}, "
            f"{trade.status} for {seconds_since(trade.created, now)} s",
            f"account {trade.trading_account_id or '-'}",
        ),
    )

    def call(service: "Service", key: str) -> Step:
        done = writes.cancel_trade(service, account_id, trade.id, key)
        return Result(
            notice=(f"trade {done.status}  {done.id}", status(done.status)[1]),
            changed=f"trade.{done.status}",
            clears_failure=True,
        )

    asked = CustomerRequest("" if any_customer else account_id, call, question)
    return Write("cancellation", asked)
