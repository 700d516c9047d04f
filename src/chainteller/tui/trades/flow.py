"""Trade flow: cancelling a trade before it executes."""

from typing import TYPE_CHECKING

from chainteller.tui import confirmations as questions
from chainteller.tui import writes
from chainteller.tui.customer_requests import CustomerRequest
from chainteller.tui.formats import seconds_since

if TYPE_CHECKING:
    from chainteller.service.models.trades import Trade


def cancellation_request(
    trade: "Trade", account_id: str, now: int, *, any_customer: bool
) -> CustomerRequest["Trade"]:
    """Cancel a trade of ``account_id``: the customer being served, or anybody's where all accounts
    are listed.
    """
    return CustomerRequest(
        "" if any_customer else account_id,
        lambda service, key: writes.cancel_trade(service, account_id, trade.id, key),
        questions.cancellation_question(trade, seconds_since(trade.created, now)),
    )
