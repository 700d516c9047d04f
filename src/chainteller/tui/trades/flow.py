"""Trade flow: cancelling a trade before it executes."""

from typing import TYPE_CHECKING

from chainteller.records.formats import grouped, seconds_since
from chainteller.tui import writes
from chainteller.tui.customer import CustomerRequest
from chainteller.tui.dialogs.question import Ask

if TYPE_CHECKING:
    from chainteller.service.models.trades import Trade


def cancellation_request(
    trade: "Trade", account_id: str, now: int, *, any_customer: bool
) -> CustomerRequest["Trade"]:
    """Cancel a trade of ``account_id``: the customer being served, or anybody's where all accounts
    are listed.
    """
    base = trade.market.partition("-")[0].upper()
    question = Ask(
        f"CANCEL the trade {trade.id}?",
        (
            f"{trade.side} {grouped(trade.amount)} {base} at {grouped(trade.price)}, "
            f"{trade.status} for {seconds_since(trade.created, now)} s",
            f"account {trade.trading_account_id or '-'}",
        ),
    )
    return CustomerRequest(
        "" if any_customer else account_id,
        lambda service, key: writes.cancel_trade(service, account_id, trade.id, key),
        question,
    )
