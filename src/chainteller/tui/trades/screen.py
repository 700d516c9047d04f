"""Trades screen: list trades, follow each to its end, cancel one before it executes."""

from functools import partial
from typing import TYPE_CHECKING

from chainteller.records.formats import Piece
from chainteller.records.trades import is_over
from chainteller.tui.customer_list import NEWEST_OLDEST, CustomerListScreen, reads, titles
from chainteller.tui.list_screen import Blocks, Listing, narrowed
from chainteller.tui.trades import filter as trades_filter
from chainteller.tui.trades import view as trades_view
from chainteller.tui.typed_filter import Wanted, wanted

if TYPE_CHECKING:
    from chainteller.service.models.pages import ListQuery, Page
    from chainteller.service.models.trades import Trade


def _read(
    screen: "TradesScreen", account_id: str | None, typed: Wanted, asked: "ListQuery"
) -> "Page[Trade]":
    if not account_id and not screen.desk.offers("all-trades"):
        from chainteller.service.models.pages import Page

        return Page.whole(())
    service = screen.desk.service_for(account_id or "")
    return trades_filter.page_of(service, account_id, typed, asked)


def _part(screen: "TradesScreen") -> Piece:
    has_words = bool(wanted(screen.typed, trades_filter.NAMED).words)
    return f"  in the newest {trades_filter.SEARCHED}" if has_words else "", "muted"


def _empty(screen: "TradesScreen") -> tuple[Piece, ...]:
    nobody = not (screen.desk.customer.account_id or screen.desk.offers("all-trades"))
    return trades_view.empty_text(screen.typed, narrowed(screen), nobody=nobody)


def _blocks(screen: "TradesScreen", trade: "Trade") -> Blocks:
    now, is_of_all = screen.desk.now, screen.shows_all
    return Blocks(
        partial(trades_view.now_lines, trade, now),
        partial(trades_view.detail, trade, now, is_of_all=is_of_all),
    )


def _told(screen: "TradesScreen", trade: "Trade") -> str:
    bank = screen.desk.settings.bank_name
    return screen.desk.customer_texts.of_trade(trade, bank) if screen.owner_of(trade) else ""


class TradesScreen(CustomerListScreen["Trade"]):
    KEY = "trades"
    listing = Listing(
        titles=("Trades", "Trade"),
        columns=trades_view.LIST.columns,
        columns_of_all=trades_view.COLUMNS_OF_ALL,
        row=trades_view.LIST.row,
        read=reads(trades_filter.NAMED, _read),
        orders=NEWEST_OLDEST,
        shown=trades_view.SHOWN,
        headline=titles(_part),
        empty=_empty,
        blocks=_blocks,
        told=_told,
    )

    def mounted(self) -> None:
        super().mounted()
        if self.desk.settings.poll_interval_s > 0:
            self.set_interval(1.0, partial(_tick, self))


def _tick(screen: TradesScreen) -> None:
    """Redraw the age of open trades."""
    if not screen.is_current:
        return
    for row in screen.paged.rows_held:
        trade = screen.records.get(row.key)
        if trade is not None and not is_over(trade):
            screen.paged.replace_row(screen.row_of(trade))
    if screen.selected is not None and not is_over(screen.selected):
        screen.row_chosen()
