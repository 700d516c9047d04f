"""Accounts: find one, see all of it, deposit, withdraw, begin a trade."""

from collections.abc import Sequence
from functools import cached_property
from time import monotonic
from typing import TYPE_CHECKING

from textual.timer import Timer
from textual.widget import Widget

from chainteller.service.errors import ReadOnlyProfile
from chainteller.tui import lazy, writes
from chainteller.tui.accounts import view as accounts_view
from chainteller.tui.accounts.commands import COMMANDS
from chainteller.tui.desk import Connection, Desk
from chainteller.tui.formats import short_id
from chainteller.tui.list_screen import Listed, ListScreen
from chainteller.tui.messages import FieldStepped
from chainteller.tui.service_calls import call_service
from chainteller.tui.widgets.ground import Ground
from chainteller.tui.widgets.lines import Lines, line
from chainteller.tui.widgets.paged_list import PAGE_ROWS, PagedList

if TYPE_CHECKING:
    from chainteller.service.models.accounts import TradingAccount
    from chainteller.tui.accounts.balance_chart import Courses
    from chainteller.tui.accounts.transfers import BankTransfers
    from chainteller.tui.queries import AccountSheet
    from chainteller.tui.start import Glimpse

SORTS = (("-lastActivity", "last activity"), ("-created", "newest"), ("created", "oldest"))
_DETAIL_DELAY_S = 0.06
_ROOM_FOR_ID = 96
"""Columns at which the whole id stands beside an amount; below it stands in the summary."""
_REST_S = 5.0
"""Every trade of the bank is news here, and every price moves every balance in dollars."""


class AccountsScreen(ListScreen["TradingAccount"]):
    KEY = "accounts"
    OWN_COMMANDS = COMMANDS
    ORDERS = tuple(name for _, name in SORTS)
    REMEMBERED = ("_sort",)

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._filter = ""
        self._sheet: AccountSheet | None = None
        self._detail_timer: Timer | None = None
        self._wanted_key: str | None = None
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
                Lines(id="courses", classes="course-side"),
                classes="pair",
            )
        ]

    def on_mount(self) -> None:
        super().on_mount()
        self._draw_title(None)
        self._draw_empty()

    # -- the list -----------------------------------------------------------------------------

    def fetch(self, page: int) -> "Listed[TradingAccount]":
        from chainteller.tui.queries import query  # noqa: PLC0415 - after the first frame

        asked = query(
            page=page, limit=PAGE_ROWS, text=self._filter or None, sort=SORTS[self._sort][0]
        )
        found = self.desk.service.trading_accounts(asked)
        now = self.desk.now
        rows = tuple((accounts_view.account_row(row, now), row) for row in found.data)
        return Listed(rows, found.pagination.total)

    def glimpse(self, found: "Glimpse") -> None:
        """Rows read before the engine stands; keys wait for it."""
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
            self._sheet = None
            self.query_one("#detail", Lines).show([])
            self.query_one("#summary", Lines).show([line(), line()])
        self.draw_footer()
        self._load_detail()

    def recall(self) -> None:
        if not self._recalled and self.desk.choice.kept_account:
            self._wanted_key = self.desk.choice.kept_account
        super().recall()

    def _to_wanted(self, wanted: str) -> None:
        """The cursor on an account; one that is not on this page is filtered for."""
        if self.paged.move_to_key(wanted):
            self._wanted_key = None
        elif self._filter == wanted:
            self._wanted_key = None
            self.find("")
        elif not self._filter and (self.paged.total or 0) > PAGE_ROWS:
            self.find(wanted)
        else:
            self._wanted_key = None

    def _changed(self, kinds: tuple[str, ...]) -> None:  # noqa: ARG002 - the signal's value
        """The first news at once; while there are many, a list of balances rests for a while."""
        rested = monotonic() - self._told_at
        if rested >= _REST_S:
            self.take_news()
        elif self._news_timer is None:
            self._news_timer = self.set_timer(_REST_S - rested, self.take_news)

    def take_news(self) -> None:
        """Show what has changed now."""
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
        """Show what matches ``text``: from the palette or a paste."""
        self._filter = text
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
        """Only where the cursor rests: a held arrow key asks for nothing."""
        if self._wanted_key is None:
            self.desk.choice.account = self.selected or self.desk.choice.account
        if self._detail_timer is not None:
            self._detail_timer.stop()
        self._detail_timer = self.set_timer(
            _DETAIL_DELAY_S, lambda: self.read("detail", self._show_detail)
        )

    async def _show_detail(self) -> None:
        account = self.selected
        if account is None:
            return
        from chainteller.tui.accounts import detail as account_detail  # noqa: PLC0415 - after the first frame
        from chainteller.tui.queries import account_sheet  # noqa: PLC0415 - after the first frame

        self._sheet = await call_service(account_sheet, self.desk.service, account.id)
        self.desk.choice.account = self._sheet.account
        summary = account_detail.summary(self._sheet, self.size.width)
        self.query_one("#summary", Lines).show(summary)
        self._draw_detail()
        await self._follow_back()

    def _draw_detail(self) -> None:
        sheet = self._sheet
        if sheet is None:
            return
        from chainteller.tui.accounts import detail as account_detail  # noqa: PLC0415 - after the first frame

        within = self.courses.draw_beside(sheet)
        notes = account_detail.notes(self.desk.note(sheet.account.id))
        detail = account_detail.detail(sheet, self.desk.now, within, self.desk.privacy.balance)
        self.query_one("#detail", Lines).show([*detail, *notes])
        self.draw_footer()

    # -- balances over time -------------------------------------------------------------------

    @cached_property
    def courses(self) -> "Courses":
        from chainteller.tui.accounts.balance_chart import (  # noqa: PLC0415 - after the first frame
            Courses,
        )

        return Courses(self)

    async def _follow_back(self) -> None:
        if self._sheet is not None and await self.courses.follow_back(self._sheet):
            self._draw_detail()

    def zoom(self, *, on: bool) -> None:
        super().zoom(on=on)
        self.on_resize()

    def on_resize(self) -> None:
        if self._sheet is not None:
            self.call_after_refresh(self.read, "courses", self._redrawn)

    async def _redrawn(self) -> None:
        self._draw_detail()
        await self._follow_back()

    def _connection_changed(self, reach: Connection) -> None:
        super()._connection_changed(reach)
        if self._hidden != self.desk.privacy.hidden:
            self._hidden = self.desk.privacy.hidden
            self.read("courses", self._redrawn)

    def action_trade(self, side: str) -> None:
        if self.selected is not None:
            self.desk.choice.account = self.selected
            self.desk.shell.start_trade(side)
        else:
            self._nothing_selected()

    def _nothing_selected(self) -> None:
        self.desk.notify("no account is selected yet   + opens one", "warn")

    def object_id(self) -> str:
        return self.selected.id if self.selected else ""

    def main_text(self) -> str:
        if self._sheet is None:
            return ""
        return self.query_one("#detail", Lines).plain_text

    def record(self) -> object:
        return self._sheet

    def customer_text(self) -> str:
        refused, sheet = self.refusal_text(), self._sheet
        if refused or sheet is None:
            return refused
        from chainteller.tui.accounts.customer_summary import about_account  # noqa: PLC0415 - after the first frame

        return about_account(self.texts, sheet, self.desk.now, self.desk.settings.bank_name)

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
        """Right in the amount of a withdrawal: to a wallet instead of the bank."""
        account = self.selected
        if message.purpose == "withdraw" and message.step > 0 and account is not None:
            self.close_field()
            limit = self.desk.settings.confirm_above_cents
            lazy.take(self, lazy.wallet_flow.choose_wallet(account.id, self.desk.now, limit))

    @cached_property
    def bank_transfers(self) -> "BankTransfers":
        from chainteller.tui.accounts.transfers import (  # noqa: PLC0415 - at the first use
            BankTransfers,
        )

        return BankTransfers(self, self.take_news)

    def field_submitted(self, purpose: str, value: str) -> None:
        self.close_field()
        account = self.selected
        if purpose == "filter":
            self.find(value.strip())
        elif purpose == "known":
            self.write("account", lambda: self._add(value.strip()))
        elif account is not None:
            self.bank_transfers.submitted(purpose, account, value)

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
        """Where customers cannot be looked up: an account by its id, or a new one."""
        bank_account_id, _, kind = typed.partition(" ")
        service, key = self.desk.service, self.desk.new_key()
        if kind:
            made = await call_service(
                writes.open_account, service, bank_account_id, kind.strip(), key
            )
        else:
            made = await call_service(service.trading_account, typed)
        self._filter, self._wanted_key = "", made.id
        self.desk.notify(f"account {made.id} is on this desk's list", "good")
        self.restart()

    async def _new_account(self) -> None:
        opened = await self.app.push_screen_wait(lazy.CustomersScreen(self.desk))
        if opened is not None:
            self._filter = ""
            self._wanted_key = opened
            self.restart()
