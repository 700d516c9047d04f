"""Transfers screen: find deposits and withdrawals, follow each, cancel a withdrawal in time."""

from functools import partial
from typing import TYPE_CHECKING

from textual.timer import Timer

from chainteller.records.formats import RECORD_ID, Piece
from chainteller.tui.customer_list import NEWEST_OLDEST, CustomerListScreen, reads, titles
from chainteller.tui.desk import Desk
from chainteller.tui.list_screen import Blocks, Listing, narrowed
from chainteller.tui.queries import attempt, query
from chainteller.tui.service_calls import call_service
from chainteller.tui.transfers import filter as transfers_filter
from chainteller.tui.transfers import view as transfers_view
from chainteller.tui.typed_filter import Wanted

if TYPE_CHECKING:
    from chainteller.service.models.funding import Transfer
    from chainteller.service.models.pages import ListQuery, Page
    from chainteller.service.models.records import AuditRow

_DELAY_S, _MOST_STEPS = 0.06, 50


def _read(
    screen: "TransfersScreen", account_id: str | None, typed: Wanted, asked: "ListQuery"
) -> "Page[Transfer]":
    asked = asked.model_copy(update={"text": typed.text or None})
    return transfers_filter.listed(screen.desk.service, account_id, asked)


def _part(screen: "TransfersScreen") -> Piece:
    listed = _part_listed(screen)
    return f"  {listed}" if listed else "", "warn"


def _part_listed(screen: "TransfersScreen") -> str:
    """Which transfers are listed; empty for all of them."""
    offers = screen.desk.offers
    if offers("all-transfers"):
        return ""
    by_account = offers("deposits") and offers("withdrawals") and not screen.shows_all
    return transfers_view.NEWEST if by_account else transfers_view.REQUESTED_HERE


def _empty(screen: "TransfersScreen") -> tuple[Piece, ...]:
    part = _part_listed(screen)
    return transfers_view.empty_text(narrowed(screen), all_accounts=screen.shows_all, part=part)


def _blocks(screen: "TransfersScreen", transfer: "Transfer") -> Blocks:
    customer = screen.name_of(transfer)
    trail = screen.trail if screen.trail_of == (transfer.id, transfer.status) else ()
    can_cancel = may_cancel(screen.desk)
    named, now = customer if screen.shows_all else None, screen.desk.now
    return Blocks(
        partial(transfers_view.now_lines, transfer, now, can_cancel=can_cancel),
        partial(transfers_view.detail, transfer, named, trail, now),
    )


def _told(screen: "TransfersScreen", transfer: "Transfer") -> str:
    bank, can_cancel = screen.desk.settings.bank_name, may_cancel(screen.desk)
    return screen.desk.customer_texts.of_transfer(transfer, bank, can_cancel=can_cancel)


def may_cancel(desk: Desk) -> bool:
    """Whether withdrawals can be cancelled from this desk."""
    return desk.offers("withdrawal-cancellations") and not desk.read_only


class TransfersScreen(CustomerListScreen["Transfer"]):
    KEY = "transfers"
    listing = Listing(
        titles=("Transfers", "Transfer"),
        columns=transfers_view.LIST.columns,
        columns_of_all=transfers_view.COLUMNS_OF_ALL,
        row=transfers_view.LIST.row,
        read=reads(transfers_filter.NAMED, _read),
        orders=NEWEST_OLDEST,
        shown=transfers_view.SHOWN,
        headline=titles(_part),
        empty=_empty,
        blocks=_blocks,
        told=_told,
    )

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.trail: tuple[AuditRow, ...] = ()
        """The rows of a transfer's audit trail, oldest first; empty where they aren't known."""
        self.trail_of = ("", "")
        """(id, status) of that transfer."""
        self._trail_timer: Timer | None = None

    def row_chosen(self) -> None:
        """Draw the selected transfer; its trail follows where the cursor rests."""
        super().row_chosen()
        if self._trail_timer is not None:
            self._trail_timer.stop()
        load = partial(self.read, "trail", partial(_load_trail, self))
        self._trail_timer = self.set_timer(_DELAY_S, load)

    def find(self, text: str) -> None:
        """Show what matches: typed, or an id from the palette or a paste, which is opened."""
        if RECORD_ID.fullmatch(text) and not self.field_bar.is_open:
            self.only = 0
            self.add_class("detail-open")
        super().find(text)


async def _load_trail(screen: TransfersScreen) -> None:
    """Read what happened to the selected transfer, once in each of its states."""
    transfer, service = screen.selected, screen.desk.service
    of = (transfer.id, transfer.status) if transfer is not None else screen.trail_of
    if of == screen.trail_of or not screen.desk.offers("audit"):
        return
    asked = query(text=of[0], limit=_MOST_STEPS)
    rows = await call_service(attempt, lambda: service.audit(asked).data, ())
    screen.trail_of, screen.trail = of, rows[::-1]
    screen.draw()
