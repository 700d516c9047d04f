"""Quote and execute: a price, how long it stands, and the one key that uses it."""

from typing import TYPE_CHECKING

from chainteller.service.errors import (
    InsufficientFunds,
    OutcomeUnknown,
    QuoteAlreadyUsed,
    TellerError,
)
from chainteller.tui import confirmations as questions
from chainteller.tui import writes
from chainteller.tui.desk import Desk
from chainteller.tui.formats import grouped, transferred
from chainteller.tui.notifications import watch_market
from chainteller.tui.quote import view as quote_view
from chainteller.tui.quote.form import QuoteForm
from chainteller.tui.quote.prices import renew_prices
from chainteller.tui.quote.unknown_outcome import UNHEARD, Search
from chainteller.tui.quote.view import Phase
from chainteller.tui.service_calls import call_service
from chainteller.tui.widgets.lines import Lines

if TYPE_CHECKING:
    from chainteller.service.models.quotes import Quote
    from chainteller.service.models.trades import Trade


class QuoteScreen(QuoteForm):
    """What becomes of the filled form: a quote, its execution, and the search for one in doubt."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._execute_when_quoted = False

    def on_mount(self) -> None:
        super().on_mount()
        if self.desk.settings.poll_interval_s > 0:
            self.set_interval(1.0, self._tick)
        self.desk.on_poll.subscribe(self, self._polled)
        self.draw()

    def _polled(self, nothing: None) -> None:  # noqa: ARG002 - the signal's value
        """Also while a question stands over it: what it asks about may change."""
        if self.state.sheet is not None and self in self.app.screen_stack:
            self.read("prices", self._renew_prices)

    async def _renew_prices(self) -> None:
        await renew_prices(self.desk, self.state)
        self.draw()

    def _tick(self) -> None:
        if self.state.phase is Phase.UNKNOWN and self.state.search.is_due():
            self.look_for_trade()
        if self.is_current or self.app.screen.is_modal:
            self.draw()

    # -- the quote ----------------------------------------------------------------------------

    def action_submit(self) -> None:
        """Enter outside the field: a new quote with the same inputs."""
        if self.state.phase in quote_view.UNANSWERED:
            self.desk.notify("wait: the last request is not answered yet", "warn")
        elif self.state.amount:
            self.ask_for_quote()
        else:
            self.open_form(self.state.side)

    def ask_for_quote(self) -> None:
        if not self._is_waiting():
            self.write("quote", self._get_quote)

    def _is_waiting(self) -> bool:
        """Nothing takes the place of a quote whose execution is not answered."""
        waiting = self.state.phase in {Phase.UNKNOWN, Phase.SENDING}
        if waiting:
            self.desk.notify("wait: the last execution is not answered yet", "warn")
        return waiting

    async def _get_quote(self) -> None:
        state, account = self.state, self.desk.choice.account
        if account is None:
            return
        self.clear_failure()
        before, phase = state.quote, state.phase
        state.phase = Phase.ASKING
        self.draw()
        service, key = self.desk.service, self.desk.new_key()
        order = (state.market, state.side, state.amount, account.id)
        try:
            quote = await call_service(writes.create_quote, service, *order, key)
        except BaseException:
            state.phase, self._execute_when_quoted = phase, False
            self.draw()
            raise
        same = before is not None and (before.market_name, before.side) == (
            quote.market_name,
            quote.side,
        )
        state.previous = before if same and phase is Phase.QUOTED else None
        state.quote, state.phase = quote, Phase.QUOTED
        state.earlier.append(quote)
        await self.load()
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
        limit = self.desk.settings.confirm_above_cents
        asked = questions.shortfall_question(account, short, limit)
        if not await self.confirm(asked):
            return
        service, key = self.desk.service, self.desk.new_key()
        token = await call_service(writes.deposit_token, service)
        done = await call_service(writes.deposit, service, account.id, short, token, key)
        self.desk.notify(f"deposit {transferred(done)} {done.status}  {done.id}", "good")
        self.clear_failure()
        await self.load()
        self.desk.on_change.publish(("deposit.completed",))

    # -- execute ------------------------------------------------------------------------------

    def action_execute(self) -> None:
        state = self.state
        if state.phase is Phase.UNKNOWN:
            self.desk.notify("locked: what became of the last execution is being looked for", "bad")
        elif state.phase is Phase.ASKING or self.is_loading:
            self._execute_when_quoted = True
        elif state.is_live(self.desk.now):
            self.write("execution", self._execute)
        else:
            self.desk.notify("no live quote   enter: get one", "warn")

    async def _execute(self) -> None:
        state, account, quote = self.state, self.desk.choice.account, self.state.quote
        if account is None or quote is None:
            return
        left, limit = state.seconds_left(self.desk.now), self.desk.settings.confirm_above_cents
        if not await self.confirm(questions.execution_question(account, quote, left, limit)):
            return
        state.phase = Phase.SENDING
        self.draw()
        key = self.desk.new_key()
        try:
            trade = await call_service(
                writes.execute_quote, self.desk.service, quote.id, account.id, key
            )
        except OutcomeUnknown as error:
            state.phase, state.search = Phase.UNKNOWN, Search()
            self.draw()
            self.fail(error)
        except InsufficientFunds as error:
            state.phase = Phase.QUOTED
            self.fail(error)
            await self.load()
            await self._offer_shortfall(questions.difference(error))
        except QuoteAlreadyUsed as error:
            state.phase = Phase.USED
            self.draw()
            self.fail(error)
        except BaseException:
            state.phase = Phase.QUOTED
            self.draw()
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
        self.draw()
        words = f"{how}{trade.side} {trade.market} {grouped(trade.amount)}"
        self.desk.notify(f"{words} {trade.status}  {trade.id}", "good")
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
            self.desk.notify("it was not executed: the quote ran out unused", "warn")
        self.draw()

    def fail(self, error: TellerError, doing: str = "") -> None:
        """In doubt the panel itself says that nothing answers; the words about the doubt stay."""
        if self.state.phase is not Phase.UNKNOWN or not isinstance(error, UNHEARD):
            super().fail(error, doing)

    # -- the rest -----------------------------------------------------------------------------

    def action_watch(self) -> None:
        sheet = self.state.sheet
        watch_market(self.desk, sheet.market(self.state.market) if sheet else None)

    def find(self, text: str) -> None:
        """A pasted quote id."""

        async def show() -> None:
            quote = await call_service(self.desk.service.quote, text)
            if self._is_waiting():
                return
            self.state.quote = quote
            self.state.side, self.state.market = quote.side, quote.market_name
            self.state.phase = Phase.USED if quote.trade_id else Phase.QUOTED
            self.draw()

        self.read("find", show)

    def customer_text(self) -> str:
        refused, quote = self.refusal_text(), self.state.quote
        if refused or quote is None:
            return refused
        named = {Phase.USED: "executed", Phase.UNKNOWN: "unknown", Phase.SENDING: "unknown"}
        live = "live" if self.state.is_live(self.desk.now) else "expired"
        state = named.get(self.state.phase, live)
        return self.texts.of_quote(quote, state, self.desk.settings.bank_name)

    def object_id(self) -> str:
        return self.state.quote.id if self.state.quote else ""

    def record(self) -> object:
        return quote_view.record(self.state)

    def main_text(self) -> str:
        return self.query_one("#quote", Lines).plain_text if self.state.quote else ""
