"""Markets screen: live prices with their age, and one market's recent prices."""

from collections.abc import Sequence
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING

from textual.containers import Container
from textual.timer import Timer
from textual.widget import Widget

from chainteller.records.markets import is_open
from chainteller.service.errors import NotOffered, TellerError
from chainteller.tui.desk import Desk
from chainteller.tui.desk_screen import DeskScreen, refusal_text
from chainteller.tui.exports import Export, Table
from chainteller.tui.markets import view as markets_view
from chainteller.tui.messages import RowChosen, RowOpened
from chainteller.tui.queries import market_sheet
from chainteller.tui.service_calls import call_service
from chainteller.tui.widgets.ground import Ground, titled
from chainteller.tui.widgets.lines import Lines, line
from chainteller.tui.widgets.paged_list import PagedList

if TYPE_CHECKING:
    from chainteller.service.models.markets import Market, PriceSample
    from chainteller.tui.widgets.lines import Line

SAMPLES_EVERY = 10
"""Polls between two redraws of charts, which are the most expensive thing on the screen."""
_DETAIL_DELAY_S = 0.25
"""How long the cursor rests on a market before its chart is drawn."""


class MarketsScreen(DeskScreen):
    KEY = "markets"
    CSS_PATH = "markets.tcss"

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.markets: dict[str, Market] = {}
        self._samples: dict[str, tuple[PriceSample, ...]] = {}
        self._polls = 0
        self._has_new_samples = False
        """Whether the chart that is shown doesn't have the newest prices."""
        self._detail_timer: Timer | None = None
        self.core_of_text = partial(_without_price, self)

    def body(self) -> Sequence[Widget]:
        return [
            Ground(
                titled("Prices", PagedList(markets_view.COLUMNS, id="list")),
                titled(
                    "Market",
                    Container(
                        Lines([line()], id="headline"),
                        Lines(id="chart"),
                        Lines([line()], id="notes"),
                        id="market-detail",
                    ),
                ),
                id="market-pair",
            )
        ]

    def mounted(self) -> None:
        super().mounted()
        self.desk.on_poll.subscribe(self, self._polled)
        if self.desk.settings.poll_interval_s > 0:
            self.set_interval(1.0, self._tick)
        self.draw_title()

    def _polled(self, nothing: None) -> None:  # noqa: ARG002 - the signal's value
        if self.is_current:
            self.read("markets", self._fetch)

    def _tick(self) -> None:
        """Redraw the age of prices that can't be fetched."""
        if self.desk.connection.state == "failed" and self.is_current and self.markets:
            self.draw()

    def reload(self) -> None:
        self._polls = 0
        self.read("markets", self._fetch)

    def _changed(self, kinds: tuple[str, ...]) -> None:
        """Prices come with the poll; only a market's own news is worth a fetch."""
        if any(kind.startswith(("market", "decision")) for kind in kinds):
            super()._changed(kinds)

    def _customer_changed(self, before: str) -> None:
        super()._customer_changed(before)
        self.draw_title()

    async def _fetch(self) -> None:
        names = tuple(self.markets) if self._polls % SAMPLES_EVERY == 0 else ()
        first, before = not self.markets, perf_counter()
        sheet = await call_service(market_sheet, self.desk.service, names)
        self.desk.heard(round((perf_counter() - before) * 1000))
        self.markets = {row.market_name: row for row in sheet.markets}
        self._samples |= sheet.samples
        self._has_new_samples |= bool(sheet.samples)
        self._polls = 0 if first else self._polls + 1
        self.draw()
        if first and self.markets:
            self.read("markets", self._fetch)  # with their samples

    def fail(self, error: TellerError, doing: str = "") -> None:
        """Say that the prices couldn't be fetched when none ever came."""
        super().fail(error, doing)
        if self.paged.total is None:
            self.paged.say_failed(offered=not isinstance(error, NotOffered))

    # -- drawing ------------------------------------------------------------------------------

    @property
    def paged(self) -> PagedList:
        return self.query_one("#list", PagedList)

    def draw(self) -> None:
        now = self.desk.now
        rows = [
            markets_view.market_row(market, self._samples.get(market.market_name, ()), now)
            for market in self.markets.values()
        ]
        first = self.paged.total is None
        self.paged.say_empty(*markets_view.NO_PRICES)
        self.paged.put(1, rows, len(rows))
        if first and self.desk.customer.market:
            self.paged.move_to_key(self.desk.customer.market)
        if self._detail_timer is None:
            self._draw_market()
        self.draw_title()

    def draw_title(self) -> None:
        desk = self.desk
        shown = markets_view.title(desk.customer.account, desk.settings.poll_interval_s)
        self.title_line(shown)

    @property
    def market(self) -> "Market | None":
        """The selected market."""
        return self.markets.get(self.paged.cursor_key or "")

    def _draw_market(self) -> None:
        market = self.market
        self.draw_footer()
        if market is None:
            return
        self.query_one("#headline", Lines).show([markets_view.headline(market)])
        chart = self.query_one("#chart", Lines)
        if chart.display and (self._has_new_samples or not chart.lines):
            self._draw_chart(market.market_name)
        self.query_one("#notes", Lines).show(self._notes())

    def _notes(self) -> "list[Line]":
        """What stands under the chart: an indication, and until when the market is closed."""
        market = self.market
        if market is None:
            return []
        indication = markets_view.indicative(market)
        if is_open(market):
            return [indication]
        return [indication, markets_view.closed_line(market, self.desk.now)]

    def on_row_chosen(self, message: RowChosen) -> None:
        """Choose the market now; its detail is drawn where the cursor rests."""
        self.desk.customer.market = message.key
        if self._detail_timer is not None:
            self._detail_timer.stop()
        if self.query_one("#chart", Lines).lines:
            self._detail_timer = self.set_timer(_DETAIL_DELAY_S, self._draw_detail)
        else:
            self._draw_detail()

    def _draw_detail(self) -> None:
        self._detail_timer = None
        if self.market is not None:
            self._draw_chart(self.market.market_name)
        self._draw_market()

    def _draw_chart(self, market_name: str) -> None:
        samples = self._samples.get(market_name, ())
        room = markets_view.chart_room(self.query_one("#market-detail").size, len(self._notes()))
        drawn = markets_view.chart(samples, room)
        self.query_one("#chart", Lines).show(drawn)
        self._has_new_samples = False

    def on_row_opened(self, message: RowOpened) -> None:  # noqa: ARG002 - one list here
        open_market(self)

    def resized(self) -> None:
        super().resized()
        self.call_after_refresh(self._draw_chart_again)

    def zoom(self, *, on: bool) -> None:
        super().zoom(on=on)
        self.call_after_refresh(self._draw_chart_again)

    def _draw_chart_again(self) -> None:
        if self.paged.cursor_key:
            self._draw_chart(self.paged.cursor_key)

    # -- what can be copied, exported and told ------------------------------------------------

    def customer_text(self) -> str:
        market = self.market
        said = _said_first(self)
        if said or market is None:
            return said
        return self.desk.customer_texts.of_market(market, self.desk.settings.bank_name)

    def object_id(self) -> str:
        return self.paged.cursor_key or ""

    def record(self) -> object:
        market = self.market
        if market is None:
            return None
        return {"market": market, "samples": self._samples.get(market.market_name, ())}

    def exports(self) -> Sequence[Export]:
        titles = [column.title for column in markets_view.COLUMNS]
        table = Table(self.KEY, titles, partial(_rows_of, self.paged))
        return [*table.exports(f"all {len(self.markets)} rows"), *super().exports()]

    def main_text(self) -> str:
        return "\n".join(
            f"{row.market_name} {row.current_price} {row.at.isoformat()}"
            for row in self.markets.values()
        )


async def _rows_of(listed: PagedList) -> tuple[list[list[str]], int]:
    rows = [[text for text, _ in row.cells] for row in listed.rows_held]
    return rows, len(rows)


def _without_price(screen: MarketsScreen, text: str) -> str:
    """A price that names its time stays true when it moves."""
    market = screen.market
    if market is None or _said_first(screen):
        return text
    return f"{market.market_name} {market.status} {market.estimated_resolution}"


def _said_first(screen: MarketsScreen) -> str:
    """What to say before anything of a market: why something was refused, or that a control is on
    the customer's account, who can't trade in any.
    """
    desk, account = screen.desk, screen.desk.customer.account
    controlled = account is not None and desk.customer_texts.of_control(
        account, desk.settings.bank_name
    )
    return refusal_text(screen) or controlled or ""


def open_market(screen: MarketsScreen) -> None:
    """Show the market and its chart on the whole screen."""
    if screen.paged.cursor_key is not None:
        screen.zoom(on=True)
