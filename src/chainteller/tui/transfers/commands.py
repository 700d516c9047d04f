"""Commands of the transfers screen."""

from functools import partial
from typing import TYPE_CHECKING

from chainteller.records.formats import short_id
from chainteller.records.transfers import is_over, why_not_cancelled
from chainteller.tui.commands import Command, always
from chainteller.tui.customer_list import no_single_account, open_filter
from chainteller.tui.list_screen import why_not_opened
from chainteller.tui.transfers.screen import cancel as cancel_withdrawal

if TYPE_CHECKING:
    from chainteller.tui.transfers.screen import TransfersScreen


def _no_transfer(screen: "TransfersScreen") -> str:
    return "" if screen.selected is not None else "no transfer is selected"


def _why_final(screen: "TransfersScreen") -> str:
    transfer = screen.selected
    return why_not_cancelled(transfer) if transfer is not None else "no transfer is selected"


def _cancel(screen: "TransfersScreen") -> None:
    transfer, why = screen.selected, _why_final(screen)
    if transfer is None or why:
        screen.desk.notify(why, "warn")
    else:
        screen.write("cancellation", partial(cancel_withdrawal, screen, transfer))


def _nothing_to_wait_for(screen: "TransfersScreen") -> str:
    transfer = screen.selected
    if transfer is None or is_over(transfer):
        return "there is nothing to wait for"
    return "" if transfer.as_of is None else "this deployment doesn't report its progress"


def _watch(screen: "TransfersScreen") -> None:
    transfer, why = screen.selected, _nothing_to_wait_for(screen)
    if transfer is None or why:
        screen.desk.notify(why, "muted")
        return
    screen.desk.watched_transfers[transfer.id] = transfer
    screen.desk.notify(f"watching {short_id(transfer.id)}: a bell rings when it ends", "warn")


def _filter(screen: "TransfersScreen") -> None:
    open_filter(screen, (("customer, amount, day, address, id, status   esc: all", "muted"),))


# fmt: off
COMMANDS: tuple[Command["TransfersScreen"], ...] = (
    Command("transfers.open", "enter", "Open the transfer's detail",
        lambda screen: screen.action_open(),
        lambda screen: _no_transfer(screen) or why_not_opened(screen), footer="open", rank=3),
    Command("transfers.cancel", "C", "Cancel a withdrawal that hasn't been sent",
        _cancel, _why_final, footer="cancel", rank=1, scope="transfers:write",
        feature="withdrawal-cancellations"),
    Command("transfers.all", "0", "All accounts, or the selected one",
        lambda screen: screen.toggle_all(), no_single_account, footer="all", rank=2, of_list=True),
    Command("transfers.status", "f", "Show deposits, withdrawals or one status only",
        lambda screen: screen.next_filter(), always, footer="only", rank=3, of_list=True),
    Command("transfers.sort", "o", "Change the order of the list",
        lambda screen: screen.next_order(), always, footer="order", rank=4, of_list=True),
    Command("transfers.watch", "m", "Notify me when it ends",
        _watch, _nothing_to_wait_for, footer="watch", rank=4),
    Command("transfers.filter", "slash,ctrl+f", "Find a transfer",
        _filter, always, footer="find", rank=2, of_list=True),
)
# fmt: on
