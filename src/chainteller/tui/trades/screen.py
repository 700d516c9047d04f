"""Trades screen: list trades, follow each to its end, cancel one before it executes."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from textual.containers import Container
from textual.widget import Widget

from chainteller.records.formats import grouped, short_id, status
from chainteller.records.trades import is_over
from chainteller.tui.desk import Desk
from chainteller.tui.desk_screen import refusal_text
from chainteller.tui.exports import Export, receipt_exports
from chainteller.tui.list_screen import Listed, ListScreen
from chainteller.tui.trades import filter as trades_filter
from chainteller.tui.trades import flow
from chainteller.tui.trades import view as trades_view
from chainteller.tui.trades.commands import COMMANDS
from chainteller.tui.widgets.detail import Detail
from chainteller.tui.widgets.lines import Lines, line
from chainteller.tui.widgets.paged_list import PAGE_ROWS, Column, PagedList

if TYPE_CHECKING:
    from chainteller.service.models.trades import Trade
    from chainteller.tui.failures import Failure

SORTS = (("-created", "newest"), ("created", "oldest"))


class TradesScreen(ListScreen["Trade"]):
    KEY = "trades"
    CSS_PATH = "trades.tcss"
    ORDERS = tuple(name for _, name in SORTS)
    REMEMBERED = ("_sort", "_status", "_all")
    OWN_COMMANDS = COMMANDS

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._all = False
        self._listed_account = ""
        """Id of the customer whose trades are listed."""
        self._status = 0
        self._typed = ""

    def columns(self) -> Sequence[Column]:
        return trades_view.COLUMNS_OF_ALL if self._shows_all else trades_view.COLUMNS_OF_ONE

    @property
    def _shows_all(self) -> bool:
        return self._all or not self.desk.customer.account_id

    def body(self) -> Sequence[Widget]:
        return [
            Container(
                Container(
                    PagedList(self.columns(), id="list", least_gap=1),
                    Lines([line(), line()], id="summary", classes="summary"),
                    classes="list-side",
                ),
                Detail(id="detail"),
                classes="pair",
            )
        ]

    def on_mount(self) -> None:
        super().on_mount()
        if self.desk.settings.poll_interval_s > 0:
            self.set_interval(1.0, self._tick)

    def on_screen_resume(self) -> None:
        self._bind_to_customer()
        if self.desk.customer.trade_to_show is not None:
            self._status = 0
            self.paged.move_to(0)
        super().on_screen_resume()

    def _bind_to_customer(self) -> None:
        """List the trades of the customer being served; nothing of another one stays."""
        served = self.desk.customer.account_id
        if served != self._listed_account:
            self._listed_account = served
            self.pages.forget()
            self._show_selected()

    def _customer_changed(self, before: str) -> None:
        super()._customer_changed(before)
        if self.is_current:
            self._bind_to_customer()
            self.reload()

    def may_recall(self, name: str, value: object) -> bool:
        if name == "_status":
            return value in range(len(trades_view.STATUSES))
        return super().may_recall(name, value)

    # -- the list -----------------------------------------------------------------------------

    def fetch(self, page: int) -> "Listed[Trade]":
        service, now = self.desk.service, self.desk.now
        account_id = None if self._shows_all else self.desk.customer.account_id
        looked_for = trades_filter.wanted(self._typed)
        status, sort = trades_view.STATUSES[self._status], SORTS[self._sort][0]
        if looked_for.words:
            matching = trades_filter.search(service, account_id, looked_for, status, sort)
            shown = matching[(page - 1) * PAGE_ROWS : page * PAGE_ROWS]
            total = len(matching)
        else:
            asked = looked_for.as_query(status, sort, page, PAGE_ROWS)
            found = trades_filter.listed(service, account_id, asked)
            shown, total = found.data, found.pagination.total
        return Listed(tuple((trades_view.trade_row(row, now), row) for row in shown), total)

    def listed(self, total: int) -> None:
        self.paged.reshape(self.columns())
        self._draw_title(total)
        wanted = self.desk.customer.trade_to_show
        if wanted is not None and self.paged.move_to_key(wanted):
            self.desk.customer.trade_to_show = None
        elif wanted is not None and self._is_far_down(wanted):
            self.desk.customer.trade_to_show = None
            self.find(wanted)
            return
        self._draw_empty()
        self._tell_progress()
        self._show_selected()

    def _is_far_down(self, trade_id: str) -> bool:
        """Whether it has to be searched for: not listed, and not just started here."""
        began_here = trade_id in self.desk.followed
        return (
            trade_id not in self._typed and not began_here and self.desk.offers("transaction-by-id")
        )

    def _tell_progress(self) -> None:
        """Report each new status of a trade that was started in this session."""
        for trade_id, before in self.desk.followed.items():
            trade = self.records.get(trade_id)
            if trade is not None and trade.status != before:
                self.desk.followed[trade_id] = trade.status
                tone = status(trade.status)[1]
                words = f"{trade.side} {trade.market} {grouped(trade.amount)}"
                self.desk.notify(f"{words} {trade.status}  {trade.id}", tone)

    def _draw_title(self, total: int) -> None:
        whose = "all accounts" if self._shows_all else self.desk.customer.account_id
        other = "one account" if self._all else "all accounts"
        switch = f"  (0 {other})" if self.desk.customer.account_id else ""
        only = trades_view.STATUSES[self._status]
        shown = f"  only {only}" if only else ""
        searched = trades_filter.wanted(self._typed).words
        if self._typed:
            shown += f"  /{self._typed}"
            switch = f"  in the newest {trades_filter.SEARCHED}" if searched else ""
        order = f"{total:,}   order: {SORTS[self._sort][1]} "
        self.title_line(
            line(
                (" TRADES", "strong"),
                f"  {whose}",
                (switch, "muted"),
                (shown, "accent"),
                right=((order, "muted"),),
            )
        )

    def _draw_empty(self) -> None:
        if self._typed:
            nothing = (f"nothing matches {self._typed}   ", "muted")
            self.paged.say_empty(nothing, ("esc", "key"), (" all trades", "muted"))
        elif trades_view.STATUSES[self._status]:
            self.paged.say_empty(("none like that   ", "muted"), ("f", "key"), (" status", "muted"))
        else:
            self.paged.say_empty(("No trades yet.  ", ""), ("b", "key"), (" buy", "muted"))

    def _tick(self) -> None:
        """Redraw the age of open trades."""
        if not self.is_current:
            return
        now, listed = self.desk.now, self.paged
        for row in listed.rows_held:
            trade = self.records.get(row.key)
            if trade is not None and not is_over(trade):
                listed.replace_row(trades_view.trade_row(trade, now))
        selected = self.selected
        if selected is not None and not is_over(selected):
            self._show_selected()

    def row_chosen(self) -> None:
        self._show_selected()

    def _show_selected(self) -> None:
        trade = self.selected
        self._show_detail(trade)
        short = trades_view.summary(trade, self.desk.now) if trade else [line(), line()]
        self.query_one("#summary", Lines).show(short)
        self.draw_footer()

    def _show_detail(self, trade: "Trade | None") -> None:
        detail = self.query_one("#detail", Detail)
        if trade is None:
            detail.tell([])
            return
        words = self.customer_text()
        below, otherwise = partial(trades_view.told, words), trades_view.told_by_key(words)
        detail.tell(trades_view.detail(trade, self.desk.now), below, otherwise)

    def show_failure(self, failure: "Failure") -> None:
        """The text for the customer is about a refusal while that is shown."""
        super().show_failure(failure)
        self._show_selected()

    def clear_failure(self) -> None:
        super().clear_failure()
        self._show_selected()

    # -- actions ------------------------------------------------------------------------------

    def action_all_accounts(self) -> None:
        self._all = not self._all
        self.restart()

    def action_next_status(self) -> None:
        self._status = (self._status + 1) % len(trades_view.STATUSES)
        self.restart()

    def action_filter(self) -> None:
        note = (("side, market, status, id   esc: all", "muted"),)
        self.field_bar.open("filter", (("/ ", "key"),), value=self._typed, note=note)

    def field_submitted(self, purpose: str, value: str) -> None:  # noqa: ARG002 - one field here
        self.close_field()
        self.find(value.strip())

    def field_changed(self, purpose: str, value: str) -> None:  # noqa: ARG002 - one field here
        self.find(value.strip())

    def field_closed(self, purpose: str) -> None:  # noqa: ARG002 - one field here
        self.find("")

    def find(self, text: str) -> None:
        """Show what matches: typed, or an id from the palette or a paste."""
        if text != self._typed:
            self._typed = text
            self.restart()

    def step_back(self) -> bool:
        if super().step_back():
            return True
        shown = bool(self._typed)
        self.find("")
        return shown

    def action_trade(self, side: str) -> None:
        self.desk.shell.start_trade(side)

    def action_watch(self) -> None:
        trade = self.selected
        if trade is None or is_over(trade):
            self.desk.notify("nothing to wait for: choose a trade that is not over", "muted")
            return
        self.desk.watched_trades[trade.id] = self._owner_of(trade)
        self.desk.notify(f"watching {short_id(trade.id)}: a bell when it ends or is slow", "warn")

    def action_cancel(self) -> None:
        trade = self.selected or self.newest_open
        if trade is None:
            self.desk.notify("no trade is selected", "warn")
        elif is_over(trade):
            self.desk.notify(trades_view.why_it_stands(trade), "warn")
        else:
            self.write("cancellation", lambda: self._cancel(trade))

    @property
    def newest_open(self) -> "Trade | None":
        held = (self.records.get(row.key) for row in self.paged.rows_held)
        return next((row for row in held if row is not None and row.status == "processing"), None)

    def _owner_of(self, trade: "Trade") -> str:
        """Id of its account: where trades don't name theirs, that of the customer listed."""
        return trade.trading_account_id or self._listed_account

    async def _cancel(self, trade: "Trade") -> None:
        owner, now = self._owner_of(trade), self.desk.now
        asked = flow.cancellation_request(trade, owner, now, any_customer=self._shows_all)
        done = await self.desk.send(asked, self.confirm)
        if done is None:
            return
        self.clear_failure()
        self.desk.notify(f"trade {done.status}  {done.id}", status(done.status)[1])
        self.desk.on_change.publish((f"trade.{done.status}",))

    def exports(self) -> Sequence[Export]:
        """The selected trade's receipt first."""
        trade = self.selected
        if trade is None or not self._owner_of(trade):
            return super().exports()
        return [*receipt_exports(self.desk, self._owner_of(trade), trade.id), *super().exports()]

    def record(self) -> object:
        """None: a trade is exported as its receipt."""
        return None

    def object_id(self) -> str:
        return self.selected.id if self.selected else ""

    def main_text(self) -> str:
        return self.query_one("#detail", Detail).facts_text if self.selected else ""

    def customer_text(self) -> str:
        refused = refusal_text(self)
        if refused or self.selected is None:
            return refused
        return self.desk.customer_texts.of_trade(self.selected, self.desk.settings.bank_name)
