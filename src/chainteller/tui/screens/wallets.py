"""Wallets: the blockchain accounts of a customer and the wallets linked to them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.containers import Container
from textual.widget import Widget

from chainteller.tui.calls import ask
from chainteller.tui.desk import Desk
from chainteller.tui.reads import LinkedAccount, query
from chainteller.tui.screens import wallets_view
from chainteller.tui.screens.list_screen import Listed, ListScreen
from chainteller.tui.widgets.lines import Lines, line
from chainteller.tui.widgets.paged_list import PAGE_ROWS, Column, PagedList

if TYPE_CHECKING:
    from chainteller.service.models.counterparties import BlockchainAccount


class WalletsScreen(ListScreen["BlockchainAccount"]):
    KEY = "wallets"
    CSS_PATH = "wallets.tcss"

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._all = True
        self._found: str | None = None

    def columns(self) -> Sequence[Column]:
        return wallets_view.COLUMNS

    def body(self) -> Sequence[Widget]:
        return [
            Container(
                Container(PagedList(wallets_view.COLUMNS, id="list"), classes="list-side"),
                Lines(id="detail", classes="detail-side"),
                classes="pair",
            )
        ]

    def on_mount(self) -> None:
        super().on_mount()
        self._draw_title(None)

    # -- the list -----------------------------------------------------------------------------

    def fetch(self, page: int) -> "Listed[BlockchainAccount]":
        account = self.desk.choice.account
        whose = None if self._all or account is None else account.id
        asked = query(page=page, limit=PAGE_ROWS, trading_account_id=whose)
        found = self.desk.service.blockchain_accounts(asked)
        rows = tuple((wallets_view.account_row(row), row) for row in found.data)
        return Listed(rows, found.pagination.total)

    def listed(self, total: int) -> None:
        self._draw_title(total)
        whose = "" if self._all else " for this account   "
        self.paged.say_empty(
            (f"No blockchain account{whose}  ", ""), ("0", "key"), (" all", "muted")
        )
        if self._found is not None and self.paged.move_to_key(self._found):
            self._found = None
        if total == 0:
            self.query_one("#detail", Lines).show([])
        self.row_chosen()

    def _draw_title(self, total: int | None) -> None:
        account = self.desk.choice.account
        whose = "all accounts" if self._all or account is None else account.id
        other = "one account" if self._all else "all accounts"
        count = "" if total is None else f"{total:,} blockchain accounts "
        self.title_line(
            line(
                (" WALLETS", "strong"),
                f"  {whose}",
                (f"  (0 {other})", "muted"),
                right=((count, "muted"),),
            )
        )

    def row_chosen(self) -> None:
        if self.selected is not None:
            self.read("detail", self._show_detail)

    async def _show_detail(self) -> None:
        account = self.selected
        if account is None:
            return
        linked = await ask(self.desk.service.linked_counterparties, account.id)
        found = LinkedAccount(account, linked.data)
        self.query_one("#detail", Lines).show(wallets_view.detail(found, self.desk.now))

    # -- actions ------------------------------------------------------------------------------

    def action_all_accounts(self) -> None:
        self._all = not self._all
        self.restart()

    def find(self, text: str) -> None:
        """A blockchain account's id from the palette or a paste."""
        self._all, self._found = True, text
        self.reload()

    def object_id(self) -> str:
        return self.selected.id if self.selected else ""

    def main_text(self) -> str:
        return self.query_one("#detail", Lines).plain_text
