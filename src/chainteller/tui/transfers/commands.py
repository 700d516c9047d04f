"""Commands of the transfers screen."""

from typing import TYPE_CHECKING

from chainteller.records.formats import short_id
from chainteller.records.transfers import is_over, why_not_cancelled
from chainteller.tui.commands import Command
from chainteller.tui.customer_list import cancels, lists_all
from chainteller.tui.list_screen import chosen, filters, narrows, opens, orders
from chainteller.tui.transfers import flow as transfers_flow

if TYPE_CHECKING:
    from chainteller.tui.transfers.screen import TransfersScreen


def _why_final(screen: "TransfersScreen") -> str:
    transfer = screen.selected
    return why_not_cancelled(transfer) if transfer is not None else "no transfer is selected"


_cancel = cancels(transfers_flow.cancel)


def _nothing_to_wait_for(screen: "TransfersScreen") -> str:
    transfer = screen.selected
    if transfer is None or is_over(transfer):
        return "there is nothing to wait for"
    return "" if transfer.as_of is None else "this deployment doesn't report its progress"


def _watch(screen: "TransfersScreen") -> None:
    transfer = chosen(screen)
    screen.desk.watched_transfers[transfer.id] = transfer
    screen.desk.notify(f"watching {short_id(transfer.id)}: a bell rings when it ends", "warn")


# fmt: off
COMMANDS: tuple[Command["TransfersScreen"], ...] = (
    opens("transfers", "transfer"),
    Command("transfers.cancel", "C", "Cancel a withdrawal that hasn't been sent",
        _cancel, _why_final, footer="cancel", rank=1, scope="transfers:write",
        feature="withdrawal-cancellations"),
    lists_all("transfers"),
    narrows("transfers.status", "Show deposits, withdrawals or one status only"),
    orders("transfers", "order"),
    Command("transfers.watch", "m", "Notify me when it ends",
        _watch, _nothing_to_wait_for, footer="watch", rank=4),
    filters("transfers", "Find a transfer",
        "customer, amount, day, address, id, status   esc: all", "find"),
)
# fmt: on
