"""Transfers screen: find deposits and withdrawals, follow each, cancel a withdrawal in time."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from textual.timer import Timer

from chainteller.records.formats import RECORD_ID
from chainteller.tui.customer_list import SORTS, CustomerListScreen, columns, show_detail
from chainteller.tui.desk import Desk
from chainteller.tui.desk_screen import refusal_text
from chainteller.tui.exports import Export, receipt_exports
from chainteller.tui.list_screen import Listed
from chainteller.tui.service_calls import call_service
from chainteller.tui.steps import follow
from chainteller.tui.transfers import filter as transfers_filter
from chainteller.tui.transfers import flow
from chainteller.tui.transfers import view as transfers_view
from chainteller.tui.transfers.detail import TransferBackground
from chainteller.tui.widgets.detail import OfWidth
from chainteller.tui.widgets.lines import Lines, line
from chainteller.tui.widgets.paged_list import PAGE_ROWS

if TYPE_CHECKING:
    from chainteller.service.models.funding import Transfer

_DELAY_S = 0.06
_MOST_STEPS = 50


class TransfersScreen(CustomerListScreen["Transfer"]):
    KEY = "transfers"
    CSS_PATH = "transfers.tcss"
    COLUMNS, COLUMNS_OF_ALL = transfers_view.COLUMNS, transfers_view.COLUMNS_OF_ALL
    REMEMBERED = ("_sort", "only", "_all")

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.only = 0
        """Index of what ``f`` shows (``view.SHOWN``)."""
        self.background = TransferBackground(desk)
        self._background_timer: Timer | None = None

    def may_recall(self, name: str, value: object) -> bool:
        if name == "only":
            return value in range(len(transfers_view.SHOWN))
        return super().may_recall(name, value)

    # -- the list -----------------------------------------------------------------------------

    def fetch(self, page: int) -> "Listed[Transfer]":
        service, now = self.desk.service, self.desk.now
        account_id = None if self.shows_all else self.listed_account
        typed = transfers_filter.wanted(self.typed, self.desk.today)
        only = transfers_view.SHOWN[self.only][1]
        asked = transfers_filter.as_query(typed, only, SORTS[self._sort][0], page, PAGE_ROWS)
        found = transfers_filter.listed(service, account_id, asked)
        rows = tuple((transfers_view.transfer_row(row, now), row) for row in found.data)
        return Listed(rows, found.pagination.total)

    def listed(self, total: int) -> None:
        is_all, only = self.shows_all, _only_in_words(self)
        part, account = _part_listed(self.desk, all_accounts=is_all), self.desk.customer.account
        self.paged.reshape(columns(self))
        order = SORTS[self._sort][1]
        self.title_line(
            transfers_view.title(account, only, order, total, all_accounts=is_all, part=part)
        )
        self.paged.say_empty(*transfers_view.empty_text(only, all_accounts=is_all, part=part))
        self.row_chosen()

    def row_chosen(self) -> None:
        """Draw the selected transfer; its customer and its trail follow where the cursor rests."""
        self.draw()
        if self._background_timer is not None:
            self._background_timer.stop()
        self._background_timer = self.set_timer(
            _DELAY_S, lambda: self.read("background", partial(_load_background, self))
        )

    def draw(self) -> None:
        transfer, now = self.selected, self.desk.now
        parts: tuple[OfWidth, OfWidth] | None = None
        short = [line(), line()]
        if transfer is not None:
            customer = self.background.customer(self.owner_of(transfer))
            trail, can_cancel = self.background.trail(transfer), may_cancel(self.desk)
            named = customer if self.shows_all else None
            parts = (
                partial(transfers_view.now_lines, transfer, now, can_cancel=can_cancel),
                partial(transfers_view.detail, transfer, named, trail, now),
            )
            short = transfers_view.summary(transfer, customer, now)
        show_detail(self, parts)
        self.query_one("#summary", Lines).show(short)
        self.draw_footer()

    # -- its filters --------------------------------------------------------------------------

    def next_filter(self) -> None:
        self.only = (self.only + 1) % len(transfers_view.SHOWN)
        self.restart()

    def find(self, text: str) -> None:
        """Show what matches: typed, or an id from the palette or a paste, which is opened."""
        if RECORD_ID.fullmatch(text) and not self.field_bar.is_open:
            self.only = 0
            self.add_class("detail-open")
        super().find(text)

    def step_back(self) -> bool:
        if super().step_back():
            return True
        was_narrowed = bool(self.typed or self.only)
        self.only = 0
        if was_narrowed:
            self.typed = ""
            self.restart()
        return was_narrowed

    # -- what can be copied, exported and told ------------------------------------------------

    def owner_of(self, transfer: "Transfer") -> str:
        """Id of its account: where transfers don't name theirs, that of the customer listed."""
        return transfer.trading_account_id or self.listed_account

    def exports(self) -> Sequence[Export]:
        """The selected transfer's receipt first."""
        transfer = self.selected
        if transfer is None or not self.owner_of(transfer):
            return super().exports()
        receipt = receipt_exports(self.desk, self.owner_of(transfer), transfer.key)
        return [*receipt, *super().exports()]

    def customer_text(self) -> str:
        refused = refusal_text(self)
        if refused or self.selected is None:
            return refused
        bank = self.desk.settings.bank_name
        return self.desk.customer_texts.of_transfer(
            self.selected, bank, can_cancel=may_cancel(self.desk)
        )


def may_cancel(desk: Desk) -> bool:
    """Whether withdrawals can be cancelled from this desk."""
    return desk.offers("withdrawal-cancellations") and not desk.read_only


def _part_listed(desk: Desk, *, all_accounts: bool) -> str:
    """Which transfers are listed; empty for all of them."""
    if desk.offers("all-transfers"):
        return ""
    by_account = desk.offers("deposits") and desk.offers("withdrawals") and not all_accounts
    return transfers_view.NEWEST if by_account else transfers_view.REQUESTED_HERE


def _only_in_words(screen: TransfersScreen) -> str:
    """What narrows the list: ``  only sent  /meri``."""
    name = transfers_view.SHOWN[screen.only][0]
    return (f"  only {name}" if name else "") + (f"  /{screen.typed}" if screen.typed else "")


async def _load_background(screen: TransfersScreen) -> None:
    transfer = screen.selected
    if transfer is not None:
        await screen.background.load(transfer, screen.owner_of(transfer))
        screen.draw()


# -- cancelling ------------------------------------------------------------------------------------


async def cancel(screen: TransfersScreen, withdrawal: "Transfer") -> None:
    """Serve the withdrawal's customer, ask, and cancel it.

    Raises:
        TellerError: any error of the service.
    """
    desk, owner = screen.desk, screen.owner_of(withdrawal)
    account = await call_service(desk.service.trading_account, owner)
    if desk.customer.account_id != owner:
        desk.customer.serve(account)
    await follow(screen, flow.cancel(withdrawal, account))
