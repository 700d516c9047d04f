"""Quote and execute: a price, how long it stands, and the one key that uses it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.containers import Container
from textual.widget import Widget

from chainteller.domain.assets import MARKETS_BY_NAME, USD, Asset
from chainteller.service.errors import (
    InsufficientFunds,
    OutcomeUnknown,
    QuoteAlreadyUsed,
    TellerError,
)
from chainteller.tui import writes
from chainteller.tui.calls import ask
from chainteller.tui.desk import Desk
from chainteller.tui.formats import dollars, grouped, plain
from chainteller.tui.in_doubt import UNHEARD, Search
from chainteller.tui.messages import FieldStepped
from chainteller.tui.reads import form_sheet
from chainteller.tui.screens import questions, quote_view
from chainteller.tui.screens.base import DeskScreen
from chainteller.tui.screens.quote_view import Phase, QuoteState
from chainteller.tui.widgets.field import FieldBar
from chainteller.tui.widgets.lines import Lines, line

if TYPE_CHECKING:
    from chainteller.service.models.quotes import Quote
    from chainteller.service.models.trades import Trade


class QuoteScreen(DeskScreen):
    KEY = "quote"
    CSS_PATH = "quote.tcss"
    HAS_OWN_FIELD = True

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.state = QuoteState(side=desk.choice.side, market=desk.choice.market)
        self._prefilled = ""
        self._loading = False
        self._submit_when_loaded: str | None = None
        self._execute_when_quoted = False

    def body(self) -> Sequence[Widget]:
        form = Container(
            Lines([line(), line()], id="choices"),
            Lines([line()], id="amount"),
            FieldBar(id="field-bar"),
            Lines(id="plan"),
            Lines(id="earlier"),
            id="form",
        )
        return [Container(form, Lines(id="quote"), id="quote-pair")]

    def on_mount(self) -> None:
        super().on_mount()
        if self.desk.look.poll_interval_s > 0:
            self.set_interval(1.0, self._tick)
        self._draw()

    # -- drawing ------------------------------------------------------------------------------

    def _tick(self) -> None:
        if self.state.phase is Phase.UNKNOWN and self.state.search.is_due():
            self.look_for_trade()
        if self.is_current or self.app.screen.is_modal:
            self._draw()

    def _draw(self) -> None:
        state, now = self.state, self.desk.now
        markets = tuple(row.market_name for row in state.sheet.markets) if state.sheet else ()
        self.query_one("#choices", Lines).show(quote_view.choices(state, markets))
        self.query_one("#amount", Lines).show([quote_view.amount_line(state)])
        self.query_one("#plan", Lines).show(quote_view.plan(state))
        earlier = quote_view.earlier_lines(state, now, self.size.width)
        self.query_one("#earlier", Lines).show(earlier)
        self.query_one("#quote", Lines).show(quote_view.quote_lines(state, now))
        self._draw_title()

    def _draw_title(self) -> None:
        account = self.desk.choice.account
        if account is None:
            self.title_line(line((" QUOTE", "strong"), ("   choose an account first: 1", "warn")))
            return
        power = account.buying_power
        right = ((f"USD {grouped(power)} available ", "muted"),) if power else ()
        bank = f"  {account.bank_account_type} {account.bank_account_id}"
        self.title_line(line((" QUOTE", "strong"), f"  {account.id}", (bank, "muted"), right=right))

    # -- the form -----------------------------------------------------------------------------

    def reload(self) -> None:
        self.look_for_trade()
        self.read("form", self._load)

    async def _load(self) -> None:
        account = self.desk.choice.account
        if account is None:
            self._draw()
            return
        sheet = await ask(form_sheet, self.desk.service, account.id, self.state.sheet)
        self.state.sheet = sheet
        self.desk.choice.account = sheet.account
        if not self.state.market and sheet.markets:
            self.state.market = self.desk.choice.market = sheet.markets[0].market_name
        self._draw()

    def open_form(self, side: str) -> None:
        """``b`` or ``s``: the amount gets the keyboard, filled with all there is."""
        self.clear_failure()
        self.state.side = self.desk.choice.side = side
        if self.desk.choice.market:
            self.state.market = self.desk.choice.market
        if self.desk.choice.account is None:
            self._draw()
            return
        self._loading, self._submit_when_loaded = True, None
        self._open_field("")
        self.read("prefill", self._prefill)

    async def _prefill(self) -> None:
        """What can be spent is known when no deposit is on its way any more."""
        try:
            await self.desk.quiet.wait()
            await self._load()
        finally:
            self._loading = False
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
        self._draw()

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
        self._draw()

    def on_field_stepped(self, message: FieldStepped) -> None:
        self.action_step_market(message.step)

    def field_submitted(self, purpose: str, value: str) -> None:  # noqa: ARG002 - one field here
        self.close_field()
        if self._loading and not (value and self.state.market):
            self._submit_when_loaded = value
            return
        if self._amount_is_good(value):
            is_buy = self.state.side == "buy"
            self.state.amount = dollars(value) if is_buy else plain(value)
            self._ask_for_quote()
        self._draw()

    def _amount_is_good(self, value: str) -> bool:
        base = MARKETS_BY_NAME.get(self.state.market)
        sold = USD if self.state.side == "buy" else base.base if base else Asset("", "", 18)
        failure = questions.amount_failure(value, sold, "backspace: the amount again")
        if failure is not None:
            self.show_failure(failure)
        return failure is None

    # -- the quote ----------------------------------------------------------------------------

    def action_submit(self) -> None:
        """Enter outside the field: a new quote with the same inputs."""
        if self.state.phase in {Phase.UNKNOWN, Phase.SENDING, Phase.ASKING}:
            self.desk.tell("wait: the last request is not answered yet", "warn")
        elif self.state.amount:
            self._ask_for_quote()
        else:
            self.open_form(self.state.side)

    def _ask_for_quote(self) -> None:
        if not self._is_waiting():
            self.write("quote", self._get_quote)

    def _is_waiting(self) -> bool:
        """Nothing takes the place of a quote whose execution is not answered."""
        waiting = self.state.phase in {Phase.UNKNOWN, Phase.SENDING}
        if waiting:
            self.desk.tell("wait: the last execution is not answered yet", "warn")
        return waiting

    async def _get_quote(self) -> None:
        state, account = self.state, self.desk.choice.account
        if account is None:
            return
        self.clear_failure()
        before, phase = state.quote, state.phase
        state.phase = Phase.ASKING
        self._draw()
        service, key = self.desk.service, self.desk.new_key()
        order = (state.market, state.side, state.amount, account.id)
        try:
            quote = await ask(writes.create_quote, service, *order, key)
        except BaseException:
            state.phase, self._execute_when_quoted = phase, False
            self._draw()
            raise
        same = before is not None and (before.market_name, before.side) == (
            quote.market_name,
            quote.side,
        )
        state.previous = before if same and phase is Phase.QUOTED else None
        state.quote, state.phase = quote, Phase.QUOTED
        state.earlier.append(quote)
        await self._load()
        short = quote_view.shortfall(state)
        if short:
            await self._offer_shortfall(short)
        elif self._execute_when_quoted:
            self.write("execution", self._execute)
        self._execute_when_quoted = False

    async def _offer_shortfall(self, short: str) -> None:
        """``y`` deposits exactly the difference, and the quote goes on."""
        account = self.desk.choice.account
        if account is None:
            return
        limit = self.desk.look.confirm_above_cents
        asked = questions.shortfall_question(account, short, limit)
        if not await self.confirm(asked):
            return
        service, key = self.desk.service, self.desk.new_key()
        token = await ask(writes.deposit_token, service)
        done = await ask(writes.deposit, service, account.id, short, token, key)
        amount = f"{grouped(done.amount)} {done.currency.symbol or 'USD'}"
        self.desk.tell(f"deposit {amount} {done.status}  {done.id}", "good")
        self.clear_failure()
        await self._load()
        self.desk.on_change.publish(("deposit.completed",))

    # -- execute ------------------------------------------------------------------------------

    def action_execute(self) -> None:
        state = self.state
        if state.phase is Phase.UNKNOWN:
            self.desk.tell("locked: what became of the last execution is being looked for", "bad")
        elif state.phase is Phase.ASKING or self._loading:
            self._execute_when_quoted = True
        elif state.is_live(self.desk.now):
            self.write("execution", self._execute)
        else:
            self.desk.tell("no live quote   enter: get one", "warn")

    async def _execute(self) -> None:
        state, account, quote = self.state, self.desk.choice.account, self.state.quote
        if account is None or quote is None:
            return
        left, limit = state.seconds_left(self.desk.now), self.desk.look.confirm_above_cents
        if not await self.confirm(questions.execution_question(account, quote, left, limit)):
            return
        state.phase = Phase.SENDING
        self._draw()
        key = self.desk.new_key()
        try:
            trade = await ask(writes.execute_quote, self.desk.service, quote.id, account.id, key)
        except OutcomeUnknown as error:
            state.phase, state.search = Phase.UNKNOWN, Search()
            self._draw()
            self.fail(error)
        except InsufficientFunds as error:
            state.phase = Phase.QUOTED
            self.fail(error)
            await self._load()
            await self._offer_shortfall(questions.difference(error))
        except QuoteAlreadyUsed as error:
            state.phase = Phase.USED
            self._draw()
            self.fail(error)
        except BaseException:
            state.phase = Phase.QUOTED
            self._draw()
            raise
        else:
            self._executed(quote, trade)

    def _executed(self, quote: "Quote", trade: "Trade", how: str = "") -> None:
        """Trades opens by itself and follows it."""
        state = self.state
        state.phase = Phase.USED
        state.quote = quote.model_copy(update={"trade_id": trade.id, "status": "executed"})
        state.earlier = [state.quote if row.id == quote.id else row for row in state.earlier]
        self.clear_failure()
        self._draw()
        words = f"{how}{trade.side} {trade.market} {grouped(trade.amount)}"
        self.desk.tell(f"{words} {trade.status}  {trade.id}", "good")
        self.desk.choice.trade_id = trade.id
        self.desk.followed[trade.id] = trade.status
        if self.is_current or self.app.screen.is_modal:
            self.desk.shell.go("trades")

    def look_for_trade(self) -> None:
        """In doubt: ask what became of the quote until it is found or can no longer happen."""
        if self.state.phase is Phase.UNKNOWN and not self.state.search.looking:
            self.read("unknown", self._look_for_trade)

    async def _look_for_trade(self) -> None:
        state, account, quote = self.state, self.desk.choice.account, self.state.quote
        if account is None or quote is None:
            return
        account_id = quote.trading_account_id or account.id
        found = await state.search.look(self.desk.service, account_id, quote, self.desk.now)
        if found.trade is not None:
            self._executed(quote, found.trade, "found: ")
            self.desk.shell.poll_now()
        elif found.over:
            state.phase = Phase.QUOTED
            self.clear_failure()
            self.desk.tell("it was not executed: the quote ran out unused", "warn")
        self._draw()

    def fail(self, error: TellerError, doing: str = "") -> None:
        """In doubt the panel itself says that nothing answers; the words about the doubt stay."""
        if self.state.phase is not Phase.UNKNOWN or not isinstance(error, UNHEARD):
            super().fail(error, doing)

    # -- the rest -----------------------------------------------------------------------------

    def action_watch(self) -> None:
        self.desk.watched.add(self.state.market)
        self.desk.tell(f"watching {self.state.market}: a bell when it reopens", "muted")

    def find(self, text: str) -> None:
        """A pasted quote id."""

        async def show() -> None:
            quote = await ask(self.desk.service.quote, text)
            if self._is_waiting():
                return
            self.state.quote = quote
            self.state.side, self.state.market = quote.side, quote.market_name
            self.state.phase = Phase.USED if quote.trade_id else Phase.QUOTED
            self._draw()

        self.read("find", show)

    def customer_text(self) -> str:
        refused, quote = self.refusal_text(), self.state.quote
        if refused or quote is None:
            return refused
        named = {Phase.USED: "executed", Phase.UNKNOWN: "unknown", Phase.SENDING: "unknown"}
        live = "live" if self.state.is_live(self.desk.now) else "expired"
        state = named.get(self.state.phase, live)
        return self.texts.of_quote(quote, state, self.desk.look.bank_name)

    def object_id(self) -> str:
        return self.state.quote.id if self.state.quote else ""

    def main_text(self) -> str:
        return self.query_one("#quote", Lines).plain_text if self.state.quote else ""
