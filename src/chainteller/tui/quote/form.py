"""The form of the quote screen: side, market and the amount that is typed."""

from collections.abc import Sequence

from textual.containers import Container
from textual.widget import Widget

from chainteller.domain.assets import MARKETS_BY_NAME, USD, Asset
from chainteller.tui import confirmations as questions
from chainteller.tui.desk import Connection, Desk
from chainteller.tui.desk_screen import DeskScreen
from chainteller.tui.formats import dollars, grouped, plain
from chainteller.tui.messages import FieldStepped
from chainteller.tui.queries import form_sheet
from chainteller.tui.quote import balance_after as quote_after
from chainteller.tui.quote import view as quote_view
from chainteller.tui.quote.commands import COMMANDS
from chainteller.tui.quote.view import QuoteState
from chainteller.tui.service_calls import call_service
from chainteller.tui.widgets.field import FieldBar
from chainteller.tui.widgets.lines import Lines, StatedLines, line


class QuoteForm(DeskScreen):
    """Subclasses say what becomes of the filled form: ``ask_for_quote`` and ``look_for_trade``."""

    KEY = "quote"
    CSS_PATH = "quote.tcss"
    HAS_OWN_FIELD = True
    OWN_COMMANDS = COMMANDS

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.state = QuoteState(side=desk.choice.side, market=desk.choice.market)
        self._prefilled = ""
        self.is_loading = False
        self._submit_when_loaded: str | None = None

    def body(self) -> Sequence[Widget]:
        form = Container(
            Lines([line(), line()], id="choices"),
            Lines([line()], id="amount"),
            FieldBar(id="field-bar"),
            Lines([line()], id="after"),
            Lines(id="plan"),
            Lines(id="earlier"),
            id="form",
        )
        return [Container(form, StatedLines(id="quote"), id="quote-pair")]

    def ask_for_quote(self) -> None:
        """The form is filled."""
        raise NotImplementedError

    def look_for_trade(self) -> None:
        """Whatever is in doubt is looked for whenever the screen fetches."""
        raise NotImplementedError

    # -- drawing ------------------------------------------------------------------------------

    def draw(self) -> None:
        state, now = self.state, self.desk.now
        markets = tuple(row.market_name for row in state.sheet.markets) if state.sheet else ()
        self.query_one("#choices", Lines).show(quote_view.choices(state, markets))
        self.query_one("#amount", Lines).show([quote_view.amount_line(state)])
        self._draw_after()
        self.query_one("#plan", Lines).show(quote_view.plan(state, now))
        earlier = quote_view.earlier_lines(state, now, self.size.width)
        self.query_one("#earlier", Lines).show(earlier)
        panel = quote_view.quote_lines(
            state, now, quote_after.of_quote(state, self.desk.privacy.balance)
        )
        self.query_one("#quote", Lines).show(panel)
        self._draw_title()
        self.draw_footer()

    def _draw_after(self) -> None:
        """What is left, also while the amount is being typed."""
        typed = self.field_bar.value if self.field_bar.is_open else None
        after = quote_after.of_form(self.state, typed, self.desk.privacy.balance)
        self.query_one("#after", Lines).show([after])

    def _connection_changed(self, reach: Connection) -> None:
        """Also told when balances are hidden or shown."""
        super()._connection_changed(reach)
        self.draw()

    def _draw_title(self) -> None:
        account = self.desk.choice.account
        if account is None:
            self.title_line(line((" QUOTE", "strong"), ("   choose an account first: 1", "warn")))
            return
        power = account.buying_power
        right = ((f"USD {grouped(power)} available ", "muted"),) if power else ()
        bank = f"  {account.bank_account_type} {account.bank_account_id}"
        self.title_line(line((" QUOTE", "strong"), f"  {account.id}", (bank, "muted"), right=right))

    # -- what it stands on --------------------------------------------------------------------

    def reload(self) -> None:
        self.look_for_trade()
        self.read("form", self.load)

    async def load(self) -> None:
        account = self.desk.choice.account
        if account is None:
            self.draw()
            return
        sheet = await call_service(form_sheet, self.desk.service, account.id, self.state.sheet)
        self.state.sheet = sheet
        self.desk.choice.account = sheet.account
        if not self.state.market and sheet.markets:
            self.state.market = self.desk.choice.market = sheet.markets[0].market_name
        self.draw()

    # -- the amount ---------------------------------------------------------------------------

    def open_form(self, side: str) -> None:
        """``b`` or ``s``: the amount gets the keyboard, filled with all there is."""
        self.clear_failure()
        self.state.side = self.desk.choice.side = side
        if self.desk.choice.market:
            self.state.market = self.desk.choice.market
        if self.desk.choice.account is None:
            self.draw()
            return
        self.is_loading, self._submit_when_loaded = True, None
        self._open_field("")
        self.read("prefill", self._prefill)

    async def _prefill(self) -> None:
        """What can be spent is known when no deposit is on its way any more."""
        try:
            await self.desk.quiet.wait()
            await self.load()
        finally:
            self.is_loading = False
        if self.field_bar.is_open and self.field_bar.value in {"", self._prefilled}:
            self._fill_field()
        sheet, wanted = self.state.sheet, self._submit_when_loaded
        if wanted is not None and sheet is not None:
            all_of_it = sheet.spendable(self.state.market, self.state.side)
            self.field_submitted("amount", wanted or all_of_it)

    def _fill_field(self) -> None:
        sheet = self.state.sheet
        self._prefilled = sheet.spendable(self.state.market, self.state.side) if sheet else ""
        self._open_field(self._prefilled)

    def _open_field(self, value: str) -> None:
        self.add_class("editing")
        word = "spend" if self.state.side == "buy" else "sell"
        self.field_bar.open(
            "amount",
            ((f"{word:<7} ", "muted"),),
            value=value,
            note=((f"{self.state.sold_unit}   enter: get quote", "muted"),),
            amount=True,
        )
        self._draw_after()

    def close_field(self) -> None:
        super().close_field()
        self.remove_class("editing")

    def action_amount(self) -> None:
        if self.state.amount:
            self._prefilled = ""
            self._open_field(self.state.amount)
        else:
            self.open_form(self.state.side)

    def action_trade(self, side: str) -> None:
        self.open_form(side)

    def action_other_side(self) -> None:
        self.state.side = self.desk.choice.side = "sell" if self.state.side == "buy" else "buy"
        self.state.amount = ""
        if self.field_bar.is_open:
            self._fill_field()
        self.draw()

    def action_step_market(self, step: int) -> None:
        sheet = self.state.sheet
        if sheet is None or not sheet.markets:
            return
        names = [row.market_name for row in sheet.markets]
        place = names.index(self.state.market) if self.state.market in names else 0
        self.state.market = self.desk.choice.market = names[(place + step) % len(names)]
        if self.state.side == "sell":
            self.state.amount = ""
            if self.field_bar.is_open:
                self._fill_field()
        self.draw()

    def on_field_stepped(self, message: FieldStepped) -> None:
        self.action_step_market(message.step)

    def field_changed(self, purpose: str, value: str) -> None:  # noqa: ARG002 - one field here
        self._draw_after()

    def field_closed(self, purpose: str) -> None:  # noqa: ARG002 - one field here
        self.draw()

    def field_submitted(self, purpose: str, value: str) -> None:  # noqa: ARG002 - one field here
        self.close_field()
        if self.is_loading and not (value and self.state.market):
            self._submit_when_loaded = value
            return
        if self._amount_is_good(value):
            is_buy = self.state.side == "buy"
            self.state.amount = dollars(value) if is_buy else plain(value)
            self.ask_for_quote()
        self.draw()

    def _amount_is_good(self, value: str) -> bool:
        base = MARKETS_BY_NAME.get(self.state.market)
        sold = USD if self.state.side == "buy" else base.base if base else Asset("", "", 18)
        failure = questions.amount_failure(value, sold, "backspace: the amount again")
        if failure is not None:
            self.show_failure(failure)
        return failure is None
