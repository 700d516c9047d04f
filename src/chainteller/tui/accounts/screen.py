"""Accounts screen: find and select a customer, see the account, move money, start a trade."""

from asyncio import Future
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

from textual.timer import Timer
from textual.widget import Widget

from chainteller.domain.clock import to_datetime
from chainteller.records.formats import transferred
from chainteller.service.errors import TellerError
from chainteller.tui.accounts import view as accounts_view
from chainteller.tui.customer import CustomerRequest
from chainteller.tui.desk import HIDING, Desk
from chainteller.tui.desk_screen import give_back_amount, has_room, refusal_text
from chainteller.tui.list_screen import Listed, ListScreen, list_beside_detail, order_of
from chainteller.tui.messages import FieldStepped
from chainteller.tui.textual_fixes.screen import HELD_S, hold_frame, show_frame
from chainteller.tui.widgets.detail import Detail
from chainteller.tui.widgets.lines import Lines
from chainteller.tui.widgets.paged_list import PAGE_ROWS, WIDE_GAP

if TYPE_CHECKING:
    from chainteller.service.models.accounts import TradingAccount
    from chainteller.service.models.funding import Transfer
    from chainteller.tui.queries import AccountSheet
    from chainteller.tui.start import Glimpse

_RESTED_S = 0.15
"""Seconds without a step, after which the detail is read."""


class AccountsScreen(ListScreen["TradingAccount"]):
    """The account under the cursor is the customer being served."""

    KEY = "accounts"
    ORDERS = (("-lastActivity", "last activity"), ("-created", "newest"), ("created", "oldest"))
    REMEMBERED = ("sort",)
    EVERYTHING = {"only": 0}  # noqa: RUF012 - is never changed
    REST_S = 5.0
    FIELDS_OF_NOBODY = frozenset({"filter", "known"})

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.is_similar = False
        """Whether nothing has the filter's text, so that what is like it is listed."""
        self._detail_timer: Timer | None = None
        self._chosen_at = 0.0
        self.read_id = ""
        """Id of the account whose detail was asked for last."""
        self.is_detail_quick = True
        """Whether the last detail came soon enough for its row's frame to wait for it."""
        self.wanted_id: str | None = None
        """Id of the account that the cursor is moved to when the list has come."""
        self.followed_id = ""
        """Id of the account being served when the cursor chose or followed it last."""
        self.serves_found = False
        """Whether the first row found is served, wherever the agent has gone meanwhile."""
        self.transfer_account: TradingAccount | None = None
        """Whose deposit or withdrawal is being typed."""
        self.field_returned = partial(_take_up_transfer, self)
        self.cursor_moved = partial(_follow_cursor, self)
        self.core_of_text = lambda _: _told(self, to_datetime(0))
        self.first_rows: Glimpse = ((), 0)
        """What was read before the engine had started."""

    def body(self) -> Sequence[Widget]:
        return [list_beside_detail(("Accounts", "Account"), accounts_view.LIST.columns, WIDE_GAP)]

    @property
    def sheet(self) -> "AccountSheet | None":
        """The account as the detail shows it; None while the engine has not started."""
        return self.desk.customer.sheet if self.desk.started is not None else None

    def mounted(self) -> None:
        super().mounted()
        self.paged.moved = partial(hold_frame, self)
        self.field_bar.whole = partial(_withdrawable, self)
        self.draw_title(None)

    # -- the list -----------------------------------------------------------------------------

    def fetch(self, page: int) -> "Listed[TradingAccount]":
        from chainteller.tui.queries import accounts_like, query

        text, sort = self.typed or None, order_of(self)[0]
        asked = query(page=page, limit=PAGE_ROWS, text=text, sort=sort)
        service, now = self.desk.service, self.desk.now
        found = service.trading_accounts(asked)
        data, total = found.data, found.pagination.total
        self.is_similar = bool(self.typed) and not total
        if self.is_similar and self.desk.offers("find"):
            data = accounts_like(service, self.typed)
            total = len(data)
        return Listed(tuple((accounts_view.row(row, now), row) for row in data), total)

    def glimpse(self, found: "Glimpse") -> None:
        """Show rows that were read before the engine has started; keys wait for it."""
        self.pages.is_preview = True
        self.first_rows = found
        _show_first_rows(self)

    def listed(self, total: int) -> None:
        gone, self.pages.is_choice_gone = self.pages.is_choice_gone, False
        self.desk.shell.release_keys(forget=gone, by_rows=True)
        if gone:
            self.desk.notify("The account chosen isn't on this page any more", "warn")
        self.draw_title(total)
        if self.wanted_id is not None:
            _move_to_wanted(self, self.wanted_id)
        if total == 0:
            self.desk.customer.learn(None)
            self.draw()
        self.draw_footer()
        self.row_chosen()

    def fail(self, error: TellerError, doing: str = "") -> None:
        """Without a list, keys that wait for its rows have nothing to act on."""
        super().fail(error, doing)
        if self.paged.total is None:
            self.desk.shell.release_keys(forget=True)

    def recall(self) -> None:
        if not (self._recalled or self.paged.is_touched) and self.desk.customer.last_id:
            self.wanted_id = self.desk.customer.last_id
        super().recall()

    def resumed(self) -> None:
        """Back from a screen that turned to another customer: the cursor follows."""
        _follow_served(self)
        super().resumed()

    def _changed(self, kinds: tuple[str, ...]) -> None:
        """Hide amounts at once."""
        if HIDING in kinds:
            self.draw()
        super()._changed(kinds)

    def draw_title(self, total: int | None) -> None:
        can_list, order = self.desk.offers("trading-accounts"), order_of(self)[1]
        wanted = f"{self.typed}  similar" if self.is_similar and total else self.typed
        self.title_line(accounts_view.title(wanted, total, order, can_list=can_list))
        can_load = self.desk.can_load_samples
        says = accounts_view.empty_text(self.typed, can_list=can_list, can_load=can_load)
        self.paged.say_empty(*says)

    def find(self, text: str, wanted_id: str | None = None) -> None:
        """Show what matches ``text``, typed or pasted, and serve the account wanted, or else the
        first that is found.
        """
        self.typed, self.wanted_id, self.serves_found = text, wanted_id, True
        self.followed_id = self.desk.customer.account_id
        if self.pages.is_preview and self.desk.started is None:
            _show_first_rows(self)
        else:
            self.restart()

    def step_back(self) -> bool:
        if super().step_back():
            return True
        shown = bool(self.typed)
        if shown:
            self._list_everything()
        return shown

    def _list_everything(self) -> None:
        """Leave the filter, but not who is served; somebody further down stays filtered for."""
        served = self.desk.customer.account_id
        self.find("", None if self.typed == served else served or None)

    # -- the selected account -----------------------------------------------------------------

    def row_chosen(self) -> None:
        """Serve the selected customer; the detail only where the cursor rests.

        The cursor decides who is served not while another screen is shown, unless somebody was
        looked for here or nobody is served yet. Where somebody else has been served since it came
        to its row, it follows instead.
        """
        show_frame(self)
        _turn_to_served(self)
        account, served = self.selected, self.desk.customer.account_id
        if self.desk.awaits_choice and not (self.paged.is_touched or self.serves_found):
            self.draw()
            return
        selects = self.is_current or self.serves_found or not served
        if account is not None and self.wanted_id is None and selects:
            self.serves_found = False
            self.followed_id = account.id
            self.desk.customer.serve(account)
        if self._detail_timer is not None:
            self._detail_timer.stop()
        rested, is_other = monotonic() - self._chosen_at, self.sheet is None
        if is_other:
            self._chosen_at = monotonic()
        if rested < _RESTED_S:
            self._detail_timer = self.set_timer(_RESTED_S, partial(_read_detail, self))
            return
        if is_other and self.is_detail_quick and self.paged.is_touched:
            hold_frame(self)
        _read_detail(self)

    def _customer_changed(self, before: str) -> None:
        """Put away the detail of the customer before, and an amount typed for them. The cursor
        follows to somebody who was found, before the list comes again and decides who is served;
        a list that was asked for earlier doesn't decide any more.
        """
        super()._customer_changed(before)
        _turn_to_served(self)
        self.query_one("#detail", Detail).scroll_to_start()
        self.draw()

    def draw(self) -> None:
        if self.desk.started is None:
            return
        from chainteller.tui.accounts.detail import nobody_selected, panes

        pane = self.query_one("#detail", Detail)
        if self.desk.awaits_choice:
            shown, summary = nobody_selected()
        else:
            is_beside_day = self.has_class("-vast") and self.has_class("-tall")
            widths = (pane.size.width, self.size.width)
            shown, summary = panes(self.desk, self.selected, widths, is_beside_day=is_beside_day)
        pane.tell(shown)
        self.query_one("#summary", Lines).show(summary)
        self.draw_footer()

    def action_open(self) -> None:
        serve_selected(self)
        super().action_open()
        self.row_chosen()

    def zoom(self, *, on: bool) -> None:
        if on:
            serve_selected(self)
        super().zoom(on=on)
        self.resized()

    def resized(self) -> None:
        super().resized()
        self.paged.reshape(accounts_view.columns(is_roomy=has_room(self)))

    def object_id(self) -> str:
        return self.selected.id if self.selected else ""

    def main_text(self) -> str:
        return self.query_one("#detail", Detail).plain_text if self.sheet else ""

    def record(self) -> object:
        return self.sheet

    def customer_text(self) -> str:
        return _told(self)

    # -- the field ----------------------------------------------------------------------------

    def on_field_stepped(self, message: FieldStepped) -> None:
        """Right in the amount of a withdrawal: withdraw to a wallet instead of the bank."""
        from chainteller.tui.steps import take
        from chainteller.tui.wallets import flow as wallet_flow

        account = self.transfer_account
        if message.purpose == "withdraw" and message.step > 0 and account is not None:
            self.close_field()
            limit = self.desk.settings.confirm_above_cents
            take(self, wallet_flow.choose_wallet(account.id, self.desk.now, limit))

    def close_field(self) -> None:
        super().close_field()
        self.transfer_account = None

    def field_submitted(self, purpose: str, value: str) -> None:
        account = self.transfer_account
        self.close_field()
        if purpose == "filter":
            self.find(value.strip())
        elif purpose == "known":
            self.write("account", partial(_add, self, value.strip()))
        elif account is not None:
            _submit_transfer(self, purpose, account, value)

    def field_changed(self, purpose: str, value: str) -> None:
        if purpose == "filter":
            self.find(value.strip())

    def field_closed(self, purpose: str) -> None:
        if purpose == "filter" and self.typed:
            self._list_everything()


# -- the list --------------------------------------------------------------------------------------


def _show_first_rows(screen: AccountsScreen) -> None:
    """Show those of the first rows that match the filter; the service finds the others."""
    rows, total = screen.first_rows
    now, text = screen.desk.now, screen.typed.casefold()
    found = [row for row in rows if not text or accounts_view.matches(row, text)]
    screen.paged.reset()
    if found:
        shown = [accounts_view.row(row, now) for row in found]
        screen.paged.put(1, shown, len(found) if text else total)
    screen.draw_title(None if text else total)


def _move_to_wanted(screen: AccountsScreen, wanted: str) -> None:
    """Move the cursor to an account; one that isn't on this page is filtered for."""
    if screen.paged.move_to_key(wanted):
        screen.wanted_id = None
    elif screen.typed == wanted:
        screen.find("")
    elif screen.typed or (screen.paged.total or 0) > PAGE_ROWS:
        screen.typed = wanted
        screen.restart()
    else:
        screen.wanted_id = None


def _follow_cursor(screen: AccountsScreen) -> None:
    """A list that has come chooses its row by itself, before the cursor tells of it."""
    account = screen.selected
    if account is None or not account.id == screen.read_id == screen.desk.customer.account_id:
        screen.row_chosen()


def _read_detail(screen: AccountsScreen) -> None:
    screen.read_id = screen.selected.id if screen.selected is not None else ""
    screen.read("detail", partial(_load_detail, screen))


async def _load_detail(screen: AccountsScreen) -> None:
    from chainteller.tui.accounts.detail import load

    if screen.selected is not None:
        begun = monotonic()
        await load(screen.desk, screen.selected.id)
        screen.is_detail_quick = monotonic() - begun < HELD_S
        screen.draw()
        show_frame(screen)


def _told(screen: AccountsScreen, as_of: datetime | None = None) -> str:
    """The text for the customer, with balances as of when they were read, or another instant."""
    refused, sheet = refusal_text(screen), screen.sheet
    if refused or sheet is None:
        return refused
    return screen.desk.told_of(sheet, as_of)


def _withdrawable(screen: AccountsScreen) -> str:
    """All that a withdrawal can be of; empty for a deposit, or where it isn't told."""
    account = screen.transfer_account
    if account is None or screen.field_bar.purpose != "withdraw":
        return ""
    return account.buying_power or ""


def _take_up_transfer(screen: AccountsScreen) -> None:
    screen.transfer_account = screen.desk.customer.account


# -- what is sent ----------------------------------------------------------------------------------


def _submit_transfer(
    screen: AccountsScreen, purpose: str, account: "TradingAccount", amount: str
) -> None:
    from chainteller.tui.accounts import flow as account_flow

    kind = account_flow.DEPOSIT if purpose == "deposit" else account_flow.WITHDRAWAL
    limit = screen.desk.settings.confirm_above_cents
    desk = screen.desk
    token = account_flow.deposit_token(desk.capabilities)
    request = account_flow.transfer_request(kind, account, amount, token, limit)
    is_held = request.question is None and kind not in desk.writing and not desk.read_only
    leaves = desk.holding.begin(account_flow.held(account, request.words)) if is_held else None
    screen.write(kind, partial(_transfer, screen, request, kind, leaves))


async def _transfer(
    screen: AccountsScreen,
    request: "CustomerRequest[Transfer]",
    kind: str,
    leaves: "Future[bool] | None",
) -> None:
    desk = screen.desk
    try:
        done = await desk.send(request, leaves=leaves)
    except TellerError:
        desk.holding.drop()
        raise
    if done is None:
        if leaves is not None:
            give_back_amount(screen)
        return
    screen.clear_failure()
    told = f"{kind} {transferred(done)} {done.status}  {done.id}".rstrip()
    desk.notify(told, "good")
    if request.account_id == desk.customer.account_id:
        desk.customer.to_show["transfers"] = done.key
    screen.take_news()
    desk.on_change.publish((f"{kind}.{done.status}",))


async def _add(screen: AccountsScreen, typed: str) -> None:
    """Where customers can't be looked up: an account by its id, or a new one by its bank account
    and kind (``DDA-1 checking``); a kind that is left out is asked for.
    """
    from chainteller.domain.customer_lines import BANK_ACCOUNT_TYPES
    from chainteller.tui.accounts import flow as account_flow
    from chainteller.tui.dialogs.choice import Choice

    desk = screen.desk
    bank_account_id, _, kind = typed.partition(" ")
    if typed.startswith("TDA_"):
        request = CustomerRequest(None, lambda service, _key: service.trading_account(typed))
    else:
        if not kind:
            asked = Choice("CHECKING OR SAVINGS?", bank_account_id, BANK_ACCOUNT_TYPES)
            kind = await screen.app.push_screen_wait(asked) or ""
        if not kind:
            return
        request = account_flow.opening_request(bank_account_id, kind.strip())
    made = await desk.send(request)
    if made is None:
        return
    desk.notify(f"account {made.id} was added to the list", "good", account_id=made.id)
    screen.find("", made.id)


def _turn_to_served(screen: AccountsScreen) -> None:
    """Where somebody is served whom the cursor didn't choose: follow, if this is shown."""
    if screen.desk.customer.account_id != screen.followed_id:
        screen.serves_found = False
        if screen.is_current:
            _follow_served(screen)


def _follow_served(screen: AccountsScreen) -> None:
    """Want the account being served under the cursor, where another one is."""
    served, selected = screen.desk.customer.account_id, screen.selected
    is_news, screen.followed_id = served != screen.followed_id, served
    if not served:
        return
    if selected is None or selected.id != served:
        screen.wanted_id = served
        screen.paged.move_to_key(served)
    elif is_news:
        screen.wanted_id = None


def serve_selected(screen: AccountsScreen) -> None:
    """Serve the account under the cursor: a command was meant for it."""
    if screen.selected is not None:
        screen.desk.customer.serve(screen.selected)
