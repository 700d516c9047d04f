"""Trades screen: list trades, follow each to its end, cancel one before it executes."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from chainteller.records.formats import grouped, status
from chainteller.records.trades import is_over
from chainteller.tui.customer_list import SORTS, CustomerListScreen, columns, show_detail
from chainteller.tui.desk import Desk
from chainteller.tui.desk_screen import refusal_text
from chainteller.tui.exports import Export, receipt_exports
from chainteller.tui.list_screen import Listed
from chainteller.tui.trades import filter as trades_filter
from chainteller.tui.trades import view as trades_view
from chainteller.tui.widgets.lines import Lines, line
from chainteller.tui.widgets.paged_list import PAGE_ROWS

if TYPE_CHECKING:
    from chainteller.service.models.trades import Trade


class TradesScreen(CustomerListScreen["Trade"]):
    KEY = "trades"
    CSS_PATH = "trades.tcss"
    COLUMNS, COLUMNS_OF_ALL = trades_view.COLUMNS, trades_view.COLUMNS_OF_ALL
    REMEMBERED = ("_sort", "_status", "_all")

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._status = 0

    def mounted(self) -> None:
        super().mounted()
        if self.desk.settings.poll_interval_s > 0:
            self.set_interval(1.0, partial(_tick, self))

    def resumed(self) -> None:
        if self.desk.customer.trade_to_show is not None:
            self._status = 0
            self.paged.move_to(0)
        super().resumed()

    def may_recall(self, name: str, value: object) -> bool:
        if name == "_status":
            return value in range(len(trades_view.STATUSES))
        return super().may_recall(name, value)

    # -- the list -----------------------------------------------------------------------------

    def fetch(self, page: int) -> "Listed[Trade]":
        account_id = None if self.shows_all else self.listed_account
        if not account_id and not self.desk.offers("all-trades"):
            return Listed((), 0)
        service, now = self.desk.service_for(account_id or ""), self.desk.now
        looked_for = trades_filter.wanted(self.typed, self.desk.today)
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
        self.paged.reshape(columns(self))
        order = SORTS[self._sort][1]
        shown = (self.desk.customer.account, self._status, self.typed, order, total)
        self.title_line(
            trades_view.title(
                *shown,
                all_accounts=self.shows_all,
                can_list_all=self.desk.offers("all-trades"),
            )
        )
        wanted = self.desk.customer.trade_to_show
        if wanted is not None and self.paged.move_to_key(wanted):
            self.desk.customer.trade_to_show = None
        elif wanted is not None and _is_far_down(self, wanted):
            self.desk.customer.trade_to_show = None
            self.find(wanted)
            return
        nobody = not (self.desk.customer.account_id or self.desk.offers("all-trades"))
        self.paged.say_empty(*trades_view.empty_text(self.typed, self._status, nobody=nobody))
        _tell_progress(self)
        self.row_chosen()

    def draw(self) -> None:
        trade, now = self.selected, self.desk.now
        shown = (trades_view.now_lines, partial(trades_view.detail, is_of_all=self.shows_all))
        first, rest = (partial(each, trade, now) for each in shown) if trade else (None, None)
        show_detail(self, (first, rest) if first and rest else None)
        short = trades_view.summary(trade, now) if trade else [line(), line()]
        self.query_one("#summary", Lines).show(short)
        self.draw_footer()

    # -- its filters --------------------------------------------------------------------------

    def next_status(self) -> None:
        self._status = (self._status + 1) % len(trades_view.STATUSES)
        self.restart()

    def step_back(self) -> bool:
        if super().step_back():
            return True
        shown = bool(self.typed)
        self.find("")
        return shown

    # -- what can be copied, exported and told ------------------------------------------------

    def owner_of(self, trade: "Trade") -> str:
        """Id of its account: where trades don't name theirs, that of the customer listed. Empty in
        a list of all accounts whose trades don't name theirs.
        """
        session = self.desk.session
        seen = session.ownership.owner_of(trade.id) if session is not None else ""
        return trade.trading_account_id or seen or ("" if self.shows_all else self.listed_account)

    def exports(self) -> Sequence[Export]:
        """The selected trade's receipt first."""
        trade = self.selected
        if trade is None or not self.owner_of(trade):
            return super().exports()
        return [*receipt_exports(self.desk, self.owner_of(trade), trade.id), *super().exports()]

    def customer_text(self) -> str:
        refused = refusal_text(self)
        if refused or self.selected is None or not self.owner_of(self.selected):
            return refused
        return self.desk.customer_texts.of_trade(self.selected, self.desk.settings.bank_name)


def _is_far_down(screen: TradesScreen, trade_id: str) -> bool:
    """Whether it has to be searched for: not listed, and not just started here."""
    is_known = trade_id in screen.typed or trade_id in screen.desk.followed
    return not is_known and screen.desk.offers("transaction-by-id")


def _tell_progress(screen: TradesScreen) -> None:
    """Report each new status of a trade that was started in this session."""
    for trade_id, before in screen.desk.followed.items():
        trade = screen.records.get(trade_id)
        if trade is not None and trade.status != before:
            screen.desk.followed[trade_id] = trade.status
            tone = status(trade.status)[1]
            words = f"{trade.side} {trade.market} {grouped(trade.amount)}"
            text, briefly = f"{words} {trade.status}  {trade.id}", f"trade {trade.status}"
            screen.desk.notify_about(screen.owner_of(trade), text, tone, briefly=briefly)


def _tick(screen: TradesScreen) -> None:
    """Redraw the age of open trades."""
    if not screen.is_current:
        return
    for row in screen.paged.rows_held:
        trade = screen.records.get(row.key)
        if trade is not None and not is_over(trade):
            screen.paged.replace_row(trades_view.trade_row(trade, screen.desk.now))
    if screen.selected is not None and not is_over(screen.selected):
        screen.row_chosen()
