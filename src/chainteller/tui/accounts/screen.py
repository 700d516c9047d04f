"""Accounts screen: find and select a customer, see the account, move money, start a trade."""

from collections.abc import Sequence
from functools import cached_property, partial
from time import monotonic
from typing import TYPE_CHECKING

from textual.timer import Timer
from textual.widget import Widget

from chainteller.records.formats import short_id, transferred
from chainteller.service.errors import ReadOnlyProfile
from chainteller.tui import lazy
from chainteller.tui.accounts import view as accounts_view
from chainteller.tui.accounts.commands import COMMANDS
from chainteller.tui.customer import CustomerRequest
from chainteller.tui.desk import Connection, Desk
from chainteller.tui.list_screen import Listed, ListScreen
from chainteller.tui.messages import FieldStepped
from chainteller.tui.service_calls import call_service
from chainteller.tui.widgets.ground import Ground
from chainteller.tui.widgets.lines import Lines, line
from chainteller.tui.widgets.paged_list import PAGE_ROWS, PagedList

if TYPE_CHECKING:
    from chainteller.service.models.accounts import TradingAccount
    from chainteller.service.models.funding import Transfer
    from chainteller.tui.accounts.detail import AccountDetail, Frame
    from chainteller.tui.queries import AccountSheet
    from chainteller.tui.start import Glimpse

SORTS = (("-lastActivity", "last activity"), ("-created", "newest"), ("created", "oldest"))
_DETAIL_DELAY_S = 0.06
_ROOM_FOR_ID = 96
"""Columns at which the whole id fits beside an amount; below it is in the summary."""
_REST_S = 5.0
"""Seconds between reloads: every trade of the bank and every price changes this list."""


class AccountsScreen(ListScreen["TradingAccount"]):
    """The account under the cursor is the customer being served."""

    KEY = "accounts"
    OWN_COMMANDS = COMMANDS
    ORDERS = tuple(name for _, name in SORTS)
    REMEMBERED = ("_sort",)

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._filter = ""
        self._detail_timer: Timer | None = None
        self._wanted_key: str | None = None
        """Id of the account that the cursor is moved to when the list has come."""
        self._serves_found = False
        """Whether the first row found is served, wherever the agent has gone meanwhile."""
        self._transfer_account: TradingAccount | None = None
        """Whose deposit or withdrawal is being typed."""
        self._hidden = False
        self._told_at = -_REST_S
        self._news_timer: Timer | None = None

    def body(self) -> Sequence[Widget]:
        return [
            Ground(
                Ground(
                    PagedList(accounts_view.COLUMNS, id="list"),
                    Lines([line(), line()], id="summary", classes="summary"),
                    classes="list-side",
                ),
                Lines(id="detail", classes="detail-side"),
                Lines(id="charts", classes="chart-side"),
                classes="pair",
            )
        ]

    def on_mount(self) -> None:
        super().on_mount()
        self._draw_title(None)
        self._draw_empty()

    # -- the list -----------------------------------------------------------------------------

    def fetch(self, page: int) -> "Listed[TradingAccount]":
        asked = lazy.query(
            page=page, limit=PAGE_ROWS, text=self._filter or None, sort=SORTS[self._sort][0]
        )
        found = self.desk.service.trading_accounts(asked)
        now = self.desk.now
        rows = tuple((accounts_view.account_row(row, now), row) for row in found.data)
        return Listed(rows, found.pagination.total)

    def glimpse(self, found: "Glimpse") -> None:
        """Show rows that were read before the engine has started; keys wait for it."""
        self.pages.is_preview = True
        rows, total = found
        now = self.desk.now
        self.paged.put(1, [accounts_view.account_row(row, now) for row in rows], total)
        self._draw_title(total)

    def listed(self, total: int) -> None:
        self.desk.shell.release_keys()
        self._draw_title(total)
        self._draw_empty()
        if self._wanted_key is not None:
            self._to_wanted(self._wanted_key)
        if total == 0:
            self.detail.clear()
            self._draw_detail()
        self.draw_footer()
        self._load_detail()

    def recall(self) -> None:
        if not self._recalled and self.desk.customer.last_id:
            self._wanted_key = self.desk.customer.last_id
        super().recall()

    def on_screen_resume(self) -> None:
        """Back from a screen that turned to another customer: the cursor follows."""
        served, selected = self.desk.customer.account_id, self.selected
        if served and selected is not None and selected.id != served:
            self._wanted_key = served
        super().on_screen_resume()

    def _to_wanted(self, wanted: str) -> None:
        """Move the cursor to an account; one that isn't on this page is filtered for."""
        if self.paged.move_to_key(wanted):
            self._wanted_key = None
        elif self._filter == wanted:
            self.find("")
        elif self._filter or (self.paged.total or 0) > PAGE_ROWS:
            self._filter = wanted
            self.restart()
        else:
            self._wanted_key = None

    def _changed(self, kinds: tuple[str, ...]) -> None:  # noqa: ARG002 - the signal's value
        """Reload at the first change, then at most once in ``_REST_S``."""
        rested = monotonic() - self._told_at
        if rested >= _REST_S:
            self.take_news()
        elif self._news_timer is None:
            self._news_timer = self.set_timer(_REST_S - rested, self.take_news)

    def take_news(self) -> None:
        """Reload now."""
        if self._news_timer is not None:
            self._news_timer.stop()
        self._news_timer, self._told_at = None, monotonic()
        super()._changed(())

    def _draw_title(self, total: int | None) -> None:
        shown = f"/{self._filter}" if self._filter else ""
        count = f"{total:,}" if total is not None else ""
        self.title_line(
            line(
                (" ACCOUNTS", "strong"),
                (f"  {shown}", "accent"),
                ("" if self.desk.offers("trading-accounts") else "  known here", "muted"),
                right=((f"{count}   order: {SORTS[self._sort][1]} ", "muted"),),
            )
        )

    def _draw_empty(self) -> None:
        if not self.desk.offers("trading-accounts"):
            cannot = ("This deployment cannot list accounts.  ", "")
            self.paged.say_empty(cannot, ("+", "key"), (" add TDA_... or open one", "muted"))
        elif self._filter:
            nothing = (f"nothing matches {self._filter}   ", "muted")
            self.paged.say_empty(nothing, ("esc", "key"), (" all accounts", "muted"))
        else:
            opens, keys = ((" open one   ", "muted"), (" keys", "muted"))
            sample = ((": sample", "key"), (" load sample data   ", "muted"))
            no = ("No accounts yet.  ", "")
            self.paged.say_empty(no, ("+", "key"), opens, *sample, ("?", "key"), keys)

    def action_filter(self) -> None:
        self.field_bar.open(
            "filter",
            (("/ ", "key"),),
            value=self._filter,
            note=(("id, customer, bank account   esc: all", "muted"),),
        )

    def find(self, text: str) -> None:
        """Show what matches ``text``, typed or pasted, and serve the first that is found."""
        self._filter, self._wanted_key, self._serves_found = text, None, True
        self.restart()

    def step_back(self) -> bool:
        if super().step_back():
            return True
        shown = bool(self._filter)
        if shown:
            self.find("")
        return shown

    # -- the selected account -----------------------------------------------------------------

    def row_chosen(self) -> None:
        self._load_detail()

    def _load_detail(self) -> None:
        """Serve the selected customer; the detail only where the cursor rests."""
        account = self.selected
        if account is not None and self._wanted_key is None and self._selects:
            self._serves_found = False
            self.desk.customer.serve(account)
        if self._detail_timer is not None:
            self._detail_timer.stop()
        self._detail_timer = self.set_timer(
            _DETAIL_DELAY_S, lambda: self.read("detail", self._show_detail)
        )

    @property
    def _selects(self) -> bool:
        """Whether the cursor decides who is served: not while another screen is shown, unless
        somebody was looked for here or nobody is served yet.
        """
        return self.is_current or self._serves_found or not self.desk.customer.account_id

    def _customer_changed(self, before: str) -> None:
        """Put away the detail of the customer before, and an amount typed for them."""
        super()._customer_changed(before)
        typed_for = self._transfer_account
        if typed_for is not None and typed_for.id != self.desk.customer.account_id:
            self.close_field()
        self._draw_detail()

    async def _show_detail(self) -> None:
        account = self.selected
        if account is not None:
            await self.detail.load(account.id)
            await self._redraw_detail()

    @cached_property
    def detail(self) -> "AccountDetail":
        return lazy.AccountDetail(self.desk)

    @property
    def _frame(self) -> "Frame":
        return lazy.Frame(
            self.size, self.query_one("#detail", Lines).size, self.has_class("zoomed")
        )

    @property
    def _sheet(self) -> "AccountSheet | None":
        """The account as the detail shows it; None while the engine has not started."""
        return self.detail.sheet if self.desk.started is not None else None

    def _draw_detail(self) -> None:
        if self.desk.started is None:
            return
        panes = self.detail.panes(self.selected, self._frame)
        self.set_class(bool(panes.charts), "with-charts")
        self.query_one("#detail", Lines).show(panes.detail)
        self.query_one("#summary", Lines).show(panes.summary)
        self.query_one("#charts", Lines).show(panes.charts)
        self.draw_footer()

    async def _redraw_detail(self) -> None:
        self._draw_detail()
        if await self.detail.follow_back(self._frame):
            self._draw_detail()

    def zoom(self, *, on: bool) -> None:
        super().zoom(on=on)
        self.on_resize()

    def on_resize(self) -> None:
        if self.desk.customer.account_id:
            self.call_after_refresh(self.read, "charts", self._redraw_detail)

    def _connection_changed(self, reach: Connection) -> None:
        super()._connection_changed(reach)
        if self._hidden != self.desk.privacy.hidden:
            self._hidden = self.desk.privacy.hidden
            self.read("charts", self._redraw_detail)

    def action_trade(self, side: str) -> None:
        if self.selected is not None:
            self.desk.customer.serve(self.selected)
            self.desk.shell.start_trade(side)
        else:
            self._nothing_selected()

    def _nothing_selected(self) -> None:
        self.desk.notify("no account is selected yet   + opens one", "warn")

    def object_id(self) -> str:
        return self.selected.id if self.selected else ""

    def main_text(self) -> str:
        return self.query_one("#detail", Lines).plain_text if self._sheet else ""

    def record(self) -> object:
        return self._sheet

    def customer_text(self) -> str:
        refused, sheet = self.refusal_text(), self._sheet
        if refused or sheet is None:
            return refused
        bank = self.desk.settings.bank_name
        return self.texts.of_account_sheet(sheet, self.desk.now, bank)

    # -- money in and out ---------------------------------------------------------------------

    def action_deposit(self) -> None:
        self._open_amount("deposit", "enter: send")

    def action_withdraw(self) -> None:
        self._open_amount("withdraw", "right: wallet")

    def _open_amount(self, purpose: str, note: str) -> None:
        account = self.selected
        if account is None:
            self._nothing_selected()
            return
        if self.desk.read_only:
            self.fail(ReadOnlyProfile("This desk is read-only."))
            return
        self.clear_failure()
        self._transfer_account = account
        way = "into " if purpose == "deposit" else "from "
        bank = "from" if purpose == "deposit" else "to"
        is_wide = self.size.width >= _ROOM_FOR_ID
        shown = f"{way}{account.id}" if is_wide else short_id(account.id)
        self.field_bar.open(
            purpose,
            ((f"{purpose} ", "strong"), (shown, ""), ("  USD ", "muted")),
            note=((f"{bank} {account.bank_account_id}   {note}", "muted"),),
            amount=True,
        )

    def on_field_stepped(self, message: FieldStepped) -> None:
        """Right in the amount of a withdrawal: withdraw to a wallet instead of the bank."""
        account = self._transfer_account
        if message.purpose == "withdraw" and message.step > 0 and account is not None:
            self.close_field()
            limit = self.desk.settings.confirm_above_cents
            lazy.take(self, lazy.wallet_flow.choose_wallet(account.id, self.desk.now, limit))

    def close_field(self) -> None:
        super().close_field()
        self._transfer_account = None

    def field_submitted(self, purpose: str, value: str) -> None:
        account = self._transfer_account
        self.close_field()
        if purpose == "filter":
            self.find(value.strip())
        elif purpose == "known":
            self.write("account", partial(self._add, value.strip()))
        elif account is not None:
            self._submit_transfer(purpose, account, value)

    def _submit_transfer(self, purpose: str, account: "TradingAccount", typed: str) -> None:
        kind = lazy.account_flow.DEPOSIT if purpose == "deposit" else lazy.account_flow.WITHDRAWAL
        limit = self.desk.settings.confirm_above_cents
        asked = lazy.account_flow.transfer_request(kind, account, typed, limit)
        if isinstance(asked, CustomerRequest):
            self.write(kind, partial(self._transfer, kind, asked))
        else:
            self.show_failure(asked)

    async def _transfer(self, kind: str, request: "CustomerRequest[Transfer]") -> None:
        done = await self.desk.send(request, self.confirm)
        if done is None:
            return
        self.clear_failure()
        self.desk.notify(f"{kind} {transferred(done)} {done.status}  {done.id}", "good")
        self.take_news()
        self.desk.on_change.publish((f"{kind}.{done.status}",))

    def field_changed(self, purpose: str, value: str) -> None:
        if purpose == "filter":
            self.find(value.strip())

    def field_closed(self, purpose: str) -> None:
        if purpose == "filter" and self._filter:
            self.find("")

    # -- a new account ------------------------------------------------------------------------

    def action_new_account(self) -> None:
        if self.desk.offers("customers"):
            self.read("new", self._new_account)
            return
        self.field_bar.open(
            "known",
            (("account ", "strong"),),
            note=(("TDA_... to add it, or DDA-1 checking to open one   esc: no", "muted"),),
        )

    async def _add(self, typed: str) -> None:
        """Where customers can't be looked up: an account by its id, or a new one."""
        made = await call_service(
            lazy.account_flow.known_account(typed), self.desk.service, self.desk.new_key()
        )
        self._filter, self._wanted_key, self._serves_found = "", made.id, True
        self.desk.notify(f"account {made.id} is on this desk's list", "good")
        self.restart()

    async def _new_account(self) -> None:
        opened = await self.app.push_screen_wait(lazy.CustomersScreen(self.desk))
        if opened is not None:
            self._filter, self._wanted_key, self._serves_found = "", opened, True
            self.restart()
