"""Wallets: registering a customer's wallet, having a text signed, and linking what was proved."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Union

from textual import events
from textual.containers import Container, VerticalScroll
from textual.widget import Widget

from chainteller.paths import shipped
from chainteller.service.errors import TellerError
from chainteller.tui.desk import Desk
from chainteller.tui.formats import RECORD_ID
from chainteller.tui.list_screen import Listed, ListScreen
from chainteller.tui.messages import Pasted
from chainteller.tui.service_calls import call_service
from chainteller.tui.wallets import view as wallets_view
from chainteller.tui.wallets.book import Book, Session, Wallet, account_of, accounts_page, read_book
from chainteller.tui.wallets.commands import COMMANDS
from chainteller.tui.wallets.pane import WalletPane
from chainteller.tui.wallets.paste import Kind, Paste, Verdict, load_libraries, look_at
from chainteller.tui.wallets.steps import SECRET, WalletSteps
from chainteller.tui.wallets.withdrawal import PURPOSE, WalletWithdrawal
from chainteller.tui.widgets.challenge_box import ChallengeBox
from chainteller.tui.widgets.failure_panel import FailurePanel
from chainteller.tui.widgets.lines import Lines
from chainteller.tui.widgets.paged_list import PAGE_ROWS, Column, PagedList
from chainteller.tui.widgets.paste_field import SIGNATURE, PasteFieldBar

if TYPE_CHECKING:
    from chainteller.service.models.counterparties import BlockchainAccount
    from chainteller.service.models.funding import LimitUsage
    from chainteller.tui.exports import Export

Shown = Union[Wallet, "BlockchainAccount"]
_TICK = 2_000_000
"""Microseconds: a text that ran out just now is drawn once more."""
_MOST_WORDS = 2
"""An address has no words; more of them are a sentence or a recovery phrase."""


class WalletsScreen(ListScreen[Shown]):
    KEY = "wallets"
    OWN_COMMANDS = COMMANDS
    CSS_PATH = "wallets.tcss"
    HAS_OWN_FIELD = True
    ORDERS = wallets_view.ORDERS
    REMEMBERED = ("_sort",)

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.session = Session()
        self.verdicts: dict[str, Verdict] = {}
        self.book = Book((), ())
        self.limits: tuple[LimitUsage, ...] = ()
        self.created: dict[str, datetime | None] = {}
        self._all = False
        self.wanted = ""
        self._shown_account = ""
        self._wanted_key: str | None = None
        self._is_placed = False
        self.checking = ""
        self.steps = WalletSteps(self)
        self.pane = WalletPane(self)
        self.withdrawal = WalletWithdrawal(self)

    def columns(self) -> Sequence[Column]:
        return wallets_view.COLUMNS

    def body(self) -> Sequence[Widget]:
        left = Container(
            PagedList(wallets_view.COLUMNS, id="list"),
            ChallengeBox(id="challenge-wide", classes="empty"),
            classes="list-side",
        )
        right = VerticalScroll(
            Lines(id="wallet-head"),
            ChallengeBox(id="challenge-narrow", classes="empty"),
            Lines(id="wallet-rest"),
            classes="detail-side",
            can_focus=False,
        )
        return [
            Container(left, right, classes="pair", id="wallet-pair"),
            PasteFieldBar(id="field-bar"),
        ]

    @property
    def field_bar(self) -> PasteFieldBar:
        return self.query_one("#field-bar", PasteFieldBar)

    def on_mount(self) -> None:
        super().on_mount()
        self.run_worker(call_service(load_libraries), group="libraries")
        if self.desk.settings.poll_interval_s > 0:
            self.set_interval(1.0, self._tick)
        self.pane.draw_title()

    # -- the list -----------------------------------------------------------------------------

    @property
    def wallet(self) -> Wallet | None:
        """The selected wallet, as the service last told it."""
        chosen = self.selected
        return chosen if isinstance(chosen, Wallet) else None

    @property
    def blockchain_account(self) -> "BlockchainAccount | None":
        """The one that is selected, or that of the selected wallet."""
        chosen = self.selected
        return chosen.account if isinstance(chosen, Wallet) else chosen

    @property
    def whose(self) -> str:
        """The trading account whose wallets are listed; empty: every blockchain account."""
        account = self.desk.choice.account
        return "" if self._all or account is None else account.id

    def on_screen_resume(self) -> None:
        if self.whose != self._shown_account:
            self.start_over()
        super().on_screen_resume()

    def start_over(self) -> None:
        """Another account or another filter: the cursor finds its place anew."""
        self._shown_account, self._is_placed = self.whose, False
        self.remove_class("detail-open")
        self.pages.forget()

    def fetch(self, page: int) -> Listed[Shown]:
        if not self.whose:
            found, total = accounts_page(self.desk.service, self.wanted, page, PAGE_ROWS)
            return Listed(tuple((wallets_view.account_row(row), row) for row in found), total)
        self.book = read_book(self.desk.service, self.whose, self.session)
        shown = (self.verdicts, self.desk.now, self.wanted, self._sort)
        rows = wallets_view.book_rows(self.book, *shown)
        start = (page - 1) * PAGE_ROWS
        return Listed(tuple(rows[start : start + PAGE_ROWS]), len(rows))

    def listed(self, total: int) -> None:
        self.paged.say_empty(*self.pane.empty_text())
        if self._wanted_key is not None and self.paged.move_to_key(self._wanted_key):
            self._wanted_key, self._is_placed = None, True
        elif not self._is_placed and total:
            self._place()
        self._draw_running(self.desk.now)  # and what was judged while these rows were on their way
        self.row_chosen()

    def _place(self) -> None:
        """On the wallet that waits for something, else on the first one."""
        self._is_placed = True
        now = self.desk.now
        wallets = list(self.book.wallets) if self.whose else []
        waiting = [row for row in wallets if row.state(now) in {"signing", "claimed"}]
        any(self.paged.move_to_key(row.key) for row in (*waiting, *wallets))

    def row_chosen(self) -> None:
        self.read("limits", self._load_limits)
        self.pane.draw()

    async def _load_limits(self) -> None:
        """What may leave to the selected wallet, and since when it is known (for its hold)."""
        account, wallet = self.blockchain_account, self.wallet
        if account is None:
            return
        try:
            found = await call_service(self.desk.service.limits, account.trading_account_id)
            if wallet is not None and wallet.counterparty.created is None:
                known = await call_service(self.desk.service.counterparty, wallet.counterparty.id)
                self.created[known.id] = known.created
        except TellerError:
            self.limits = ()
        else:
            self.limits = found.data
        self.pane.draw()

    # -- drawing ------------------------------------------------------------------------------

    def _tick(self) -> None:
        """Once a second, and only where a text is running out."""
        if self.is_current and self._draw_running(self.desk.now):
            self.pane.draw()

    def _draw_running(self, now: int) -> bool:
        """The rows whose text is running out, as they are judged now; whether there are any."""
        running = [row for row in self.book.wallets if row.challenge_state(now - _TICK) == "open"]
        for row in running:
            judged = wallets_view.verdict_of(row, self.verdicts)
            self.paged.replace_row(wallets_view.wallet_row(row, judged, now))
        return bool(running)

    def _changed(self, kinds: tuple[str, ...]) -> None:
        if not all(kind.startswith(("quote.", "market.", "trade.")) for kind in kinds):
            super()._changed(kinds)

    def on_resize(self) -> None:
        self.call_after_refresh(self.pane.draw)

    # -- places -------------------------------------------------------------------------------

    def action_all_accounts(self) -> None:
        if self.desk.choice.account is None:
            self.desk.notify("no account is selected yet   1: choose one", "warn")
            return
        self._all = not self._all
        self.start_over()
        self.reload()

    def find(self, text: str) -> None:
        """A blockchain account, a wallet or a challenge, from the palette or a paste."""
        self.read("find", lambda: self._find(text))

    async def _find(self, text: str) -> None:
        found = await call_service(account_of, self.desk, text)
        if found is None:
            self.desk.notify(f"{text} belongs to no account that was searched", "warn")
            return
        await self._go_to(*found)

    async def _go_to(self, account: "BlockchainAccount", counterparty_id: str = "") -> None:
        owner = await call_service(self.desk.service.trading_account, account.trading_account_id)
        self.desk.choice.account = owner
        self._all, self.wanted = False, ""
        self._wanted_key = f"{account.id}/{counterparty_id}" if counterparty_id else account.id
        self.start_over()
        self.reload()

    def show_wallet(self, key: str) -> None:
        self._wanted_key = key
        self.reload()

    def action_open(self) -> None:
        """Enter: the detail first where it is hidden, then the wallet's next step."""
        chosen = self.selected
        if chosen is None:
            return
        if not isinstance(chosen, Wallet) and not self.whose:
            self.read("go", lambda: self._go_to(chosen))
        elif not self.has_class("-wide") and not self.has_class("detail-open"):
            self.add_class("detail-open")
            self.pane.draw()
        elif self.checking:
            self.desk.notify("the signature is still being looked at", "muted")
        elif isinstance(chosen, Wallet):
            self.steps.next_step(chosen)

    def step_back(self) -> bool:
        closed = super().step_back()
        if closed:
            self.pane.draw()
        elif self.wanted:
            self.wanted = ""
            self.start_over()
            self.reload()
            return True
        return closed

    def move_cursor(self, step: int) -> None:
        if self.has_class("detail-open") and not self.has_class("-wide"):
            self.query_one(".detail-side", VerticalScroll).scroll_relative(y=step, animate=False)
        else:
            super().move_cursor(step)

    # -- the field and pastes -----------------------------------------------------------------

    def action_filter(self) -> None:
        note = (("address, id or network   esc: all", "muted"),)
        self.field_bar.open("filter", (("/ ", "key"),), value=self.wanted, note=note)

    def action_new(self) -> None:
        self.clear_failure()
        self.steps.begin_new()

    def action_paste_signature(self) -> None:
        self.clear_failure()
        self.steps.open_signature_field()

    def field_changed(self, purpose: str, value: str) -> None:
        if purpose == "filter":
            self.wanted = value.strip()
            self.start_over()
            self.reload()
        elif purpose == "address" and value:
            self.steps.guard_typed_address(value, words_allowed=_MOST_WORDS)

    def field_submitted(self, purpose: str, value: str) -> None:
        self.close_field()
        self._given(purpose, value)

    def field_closed(self, purpose: str) -> None:
        if purpose == "filter":
            self.field_changed("filter", "")

    def on_pasted(self, message: Pasted) -> None:
        self.close_field()
        self._given(message.purpose, message.text)

    def _given(self, purpose: str, text: str) -> None:
        if purpose == SIGNATURE:
            self.take_signature(text)
        elif purpose == PURPOSE:
            self.withdrawal.submitted(text)
        elif purpose == "address":
            self.steps.register(text)

    def on_paste(self, event: events.Paste) -> None:
        """Anything that looks like a signature is judged; an address is looked for or offered."""
        if RECORD_ID.fullmatch(event.text.strip()):
            return
        event.stop()
        text = event.text
        self.read("paste", lambda: self._sort_paste(text))

    async def _sort_paste(self, text: str) -> None:
        wallet = self.wallet
        paste: Paste = await call_service(look_at, text, wallet.network if wallet else "")
        if paste.kind is Kind.ADDRESS:
            address = "".join(text.split())
            known = [row for row in self.book.wallets if row.counterparty.address == address]
            if not (known and self.paged.move_to_key(known[0].key)):
                self.steps.begin_new(address)
        elif paste.kind in {Kind.SIGNATURE, Kind.SECRET}:
            self.take_signature(text)
        elif paste.kind is Kind.TEXT:
            self.desk.notify("the pasted text is no signature   v: judge it all the same", "muted")

    def take_signature(self, text: str) -> None:
        """Judge a signature for the selected wallet, without submitting it."""
        self.clear_failure()
        wallet = self.wallet
        if wallet is None or wallet.challenge is None:
            self.steps.refuse_early(wallet, text)
            return
        if not self.has_class("-wide"):
            self.add_class("detail-open")
        self.checking = wallet.challenge.id
        self.pane.draw()
        self.read("diagnosis", lambda: self._judge(wallet, text))

    async def _judge(self, wallet: Wallet, text: str) -> None:
        try:
            verdict = await self.steps.judged(self.book, wallet, text)
        finally:
            self.checking = ""
        self.show_verdict(wallet, verdict)

    def show_verdict(self, wallet: Wallet, verdict: Verdict) -> None:
        self.verdicts[verdict.challenge_id] = verdict
        self.paged.replace_row(wallets_view.wallet_row(wallet, verdict, self.desk.now))
        self.pane.draw()

    # -- what every screen has ----------------------------------------------------------------

    def object_id(self) -> str:
        chosen = self.selected
        if isinstance(chosen, Wallet):
            return chosen.counterparty.id
        return chosen.id if chosen else ""

    def main_text(self) -> str:
        """The text to be signed, byte for byte, while it waits for its signature."""
        wallet = self.wallet
        if wallet is not None and wallet.challenge_state(self.desk.now) == "open":
            return wallet.challenge.challenge if wallet.challenge else ""
        return self.query_one("#wallet-head", Lines).plain_text

    def customer_text(self) -> str:
        failure = self.query_one(FailurePanel).failure
        if failure is not None and failure.code == SECRET:
            return self.texts.fill("wallet.secret", {})
        return self.refusal_text() or self.steps.customer_text(self.wallet)

    def exports(self) -> "Sequence[Export]":
        """The text to be signed first, while one is open."""
        return [*self.steps.challenge_exports(self.wallet), *super().exports()]

    def action_code(self) -> None:
        self.steps.show_code(self.wallet)

    def action_withdraw(self) -> None:
        self.clear_failure()
        if self.wallet is not None:
            self.withdrawal.begin(self.wallet)
        else:
            self.desk.notify("a withdrawal goes to a wallet: choose one first", "warn")

    def palette_entries(self) -> list[tuple[str, str]]:
        return self.steps.palette_entries(self.wallet)

    def action_reverify(self, reason: str) -> None:
        self.steps.require_reverification(self.wallet, reason)

    def action_simulate(self, mistake: str) -> None:
        self.steps.simulate(self.wallet, mistake, shipped("sample_data") / "wallets.toml")

    def action_open_account(self) -> None:
        self.steps.open_account()
