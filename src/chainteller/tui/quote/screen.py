"""Quote screen: request a quote, execute it, and resolve executions with an unknown outcome."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from string import digits
from time import perf_counter
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.widget import Widget

from chainteller.domain.money import asset_sold
from chainteller.domain.preconditions import act_of
from chainteller.records.formats import transferred
from chainteller.service.errors import (
    AccountRestricted,
    InsufficientFunds,
    LimitExceeded,
    OutcomeUnknown,
    TellerError,
)
from chainteller.service.models.trades import Trade
from chainteller.service.operations import IDEMPOTENCY
from chainteller.tui.accounts.flow import deposit_token
from chainteller.tui.answer import say as say_lines
from chainteller.tui.commands import SCREENS, control_against
from chainteller.tui.desk import Connection, Desk, Settled
from chainteller.tui.desk_screen import DeskScreen, has_room, refusal_text, say
from chainteller.tui.messages import FieldStepped, FieldSubmitted
from chainteller.tui.notifications import follow_trade
from chainteller.tui.queries import form_sheet
from chainteller.tui.quote import flow
from chainteller.tui.quote import view as quote_view
from chainteller.tui.quote.state import Phase, QuoteState, QuoteStates
from chainteller.tui.quote.view import MaskBalance
from chainteller.tui.service_calls import call_service
from chainteller.tui.widgets.detail import Filled
from chainteller.tui.widgets.field import FieldBar
from chainteller.tui.widgets.ground import Ground, titled
from chainteller.tui.widgets.lines import Lines, StatedLines, line, piece_at
from chainteller.workspace.outcomes import Fate, Outcome

if TYPE_CHECKING:
    from chainteller.service.models.accounts import TradingAccount


_DIGITS_OF_SCREENS = digits[1 : len(SCREENS) + 1]


class Choices(Lines):
    """The sides and the markets, each of which can be clicked."""

    def on_click(self, event: events.Click) -> None:
        event.prevent_default()
        shown, screen = self.lines[event.y], self.screen
        index = piece_at(shown, event.x, self.size.width)
        if index is not None and 0 < index < len(shown.left) and isinstance(screen, QuoteScreen):
            chosen = shown.left[index][0].strip(" []")
            screen.turn_to(**({"side": chosen} if event.y == 0 else {"market": chosen}))


class OrderForm(Container):
    """Side, market, amount, and what the account has left after it."""

    def __init__(self) -> None:
        super().__init__(id="form")

    def compose(self) -> ComposeResult:
        yield Choices([line(), line()], id="choices")
        yield Lines([line()], id="amount")
        yield FieldBar(id="field-bar")
        yield Lines([line()], id="after")
        yield Lines(id="plan")
        yield Lines(id="earlier")

    def show(
        self, state: QuoteState, now: int, mask: MaskBalance, *, takes_digits: bool, forbidden: str
    ) -> None:
        markets = tuple(row.market_name for row in state.sheet.markets) if state.sheet else ()
        self.query_one("#choices", Lines).show(quote_view.choices(state, markets))
        amount = quote_view.amount_line(state, takes_digits=takes_digits, forbidden=forbidden)
        self.query_one("#amount", Lines).show([amount])
        self.show_after(state, mask)
        self.query_one("#plan", Lines).show(quote_view.plan(state, now))
        earlier = quote_view.earlier_lines(state, now, self.screen.size.width)
        self.query_one("#earlier", Lines).show(earlier)

    def show_after(self, state: QuoteState, mask: MaskBalance) -> None:
        """What is left, also while the amount is being typed."""
        field = self.query_one(FieldBar)
        typed = field.amount if field.is_open else None
        self.query_one("#after", Lines).show([quote_view.after_amount(state, typed, mask)])

    def open_amount(
        self, state: QuoteState, amount: str, *, is_offer: bool = False, goes_on: bool = False
    ) -> None:
        """Open the field with ``amount`` in it."""
        word = "spend" if state.side == "buy" else "sell"
        self.query_one(FieldBar).open(
            "amount",
            ((f"{word:<7} ", "muted"),),
            value=amount,
            note=((f"{state.sold_unit}   enter: get quote", "muted"),),
            asset=asset_sold(state.market, state.side),
            is_offer=is_offer,
            goes_on=goes_on,
        )

    def offer_all(self, state: QuoteState) -> None:
        """Open the field with all there is in it."""
        self.open_amount(state, state.spendable, is_offer=True)


class QuoteScreen(DeskScreen):
    """The order form and the quote of the customer being served.

    A command works on the state of the customer it was given for, also after another customer
    has been selected.
    """

    KEY = "quote"
    CSS_PATH = "quote.tcss"
    HAS_OWN_FIELD = True
    OWN_BINDINGS: ClassVar[Sequence[BindingType]] = [
        Binding(digit, f"begin_amount({digit!r})", show=False) for digit in digits
    ]
    """While an amount stands, a digit begins a new one; otherwise it opens its screen."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.states = QuoteStates()
        self._form_of = self.state
        """Whose form is open, and the rest is about."""
        self.is_loading = False
        self.submit_when_loaded: str | None = None
        """The amount that was entered before the form's data came."""
        self.takes_digits = False
        """Whether every digit begins a new amount: from a request for a quote until ``esc``."""
        self.field_returned = partial(_take_up_amount, self)

    @property
    def state(self) -> QuoteState:
        """The order of the customer being served."""
        customer = self.desk.customer
        return self.states.of(customer.account_id, customer.market)

    def body(self) -> Sequence[Widget]:
        side = Ground(
            titled("Quote", StatedLines(id="quote")),
            titled("Market", Filled(id="quoted-market")),
            id="quote-side",
        )
        return [Container(titled("Order", OrderForm()), side, id="quote-pair")]

    @property
    def form(self) -> OrderForm:
        return self.query_one(OrderForm)

    def mounted(self) -> None:
        super().mounted()
        if self.desk.settings.poll_interval_s > 0:
            self.set_interval(1.0, self._tick)
        self.field_bar.whole = lambda: self.state.spendable
        self.desk.on_poll.subscribe(self, self._polled)
        self.desk.on_served.subscribe(self, partial(_draw_market, self))
        self.add_class("with-market")
        self.desk.on_settled.subscribe(self, partial(_settled, self))
        self.desk.unknown_outcomes = partial(_unknown_outcomes, self.states)
        self.draw()

    # -- news ---------------------------------------------------------------------------------

    def _customer_changed(self, before: str) -> None:
        """Put the other customer's order away, and what was being typed for it."""
        if self._form_of is not self.state:
            self._form_of = self.state
            self.is_loading, self.submit_when_loaded = False, None
            self.takes_digits = False
        super()._customer_changed(before)
        self.draw()
        if self.is_current:
            self.reload()

    def _connection_changed(self, reach: Connection) -> None:
        """Also called when balances are hidden or shown."""
        super()._connection_changed(reach)
        self.draw()

    def _polled(self, nothing: None) -> None:  # noqa: ARG002 - the signal's value
        """Also while a question is open: what it asks about may change."""
        if self.state.sheet is not None and self in self.app.screen_stack:
            self.read("prices", partial(_renew_prices, self, self.state))

    def _tick(self) -> None:
        for state in self.states.in_doubt():
            if state.search.is_due():
                _start_search(self, state)
        if self.is_current:
            self.draw()

    def fail(self, error: TellerError, doing: str = "") -> None:
        """Show a refusal; one for a control that a colleague set meanwhile, with the control."""
        super().fail(error, doing)
        if isinstance(error, AccountRestricted):
            self.read("form", partial(self.load, self.state))

    def reload(self) -> None:
        self.look_for_trades()
        self.read("form", partial(self.load, self.state))

    async def load(self, state: QuoteState) -> None:
        """Fetch what the form shows."""
        if state.account_id:
            service = self.desk.service_for(state.account_id)
            before = None if state.may_be_executed_elsewhere(self.desk.now) else state.sheet
            sheet = await call_service(form_sheet, service, state.account_id, before)
            state.sheet = sheet
            self.desk.customer.refresh(sheet.account)
            if not state.market and sheet.markets:
                state.market = sheet.markets[0].market_name
                self.desk.customer.market = self.desk.customer.market or state.market
        self.draw()

    # -- drawing ------------------------------------------------------------------------------

    def draw(self) -> None:
        state, now, forbidden = self.state, self.desk.now, forbidden_by(self)
        takes_digits, mask = self.takes_digits and not state.is_in_flight, self.desk.privacy.balance
        self.form.show(state, now, mask, takes_digits=takes_digits, forbidden=forbidden)
        after = quote_view.after_quote(state, mask)
        takes_keys = not self.has_class("editing")
        panel, words = self.query_one("#quote", Lines), self.customer_text()
        said = say_lines(words, panel.size.width) if has_room(self) else []
        lines = quote_view.quote_lines(
            state, now, said, after, takes_keys=takes_keys, forbidden=forbidden
        )
        panel.show(lines)
        side, market = self.query_one("#quote-side"), self.query_one("#quoted-market")
        needed = len(lines) + quote_view.CHART_BOX_ROWS + 2  # with the frame
        market.set_class(needed > side.size.height > 0, "-no-room")
        self.title_line(quote_view.title(self.desk.customer.account, state))
        self.draw_footer()

    def resized(self) -> None:
        super().resized()
        self.call_after_refresh(self.draw)  # the words and the chart share the new room

    # -- the form -----------------------------------------------------------------------------

    def open_form(self, side: str) -> None:
        """``b`` or ``s``: open the amount, filled with all there is."""
        self.clear_failure()
        state = self.state
        state.turn_to(side=side, market=self.desk.customer.market)
        if not state.account_id:
            self.draw()
            return
        self._form_of = state
        self.is_loading, self.submit_when_loaded = True, None
        self.open_amount("")
        self.field_bar.expect(asset_sold(state.market, state.side), optional=True)
        self.read("prefill", partial(_prefill, self, state))

    def open_amount(self, amount: str | None, *, goes_on: bool = False) -> None:
        """Open the field with an amount in it, which may go on, or with all there is."""
        self.add_class("editing")
        if amount is None:
            self.form.offer_all(self.state)
        else:
            self.form.open_amount(self.state, amount, goes_on=goes_on)
        self.form.show_after(self.state, self.desk.privacy.balance)
        self.draw()

    def close_field(self) -> None:
        super().close_field()
        self.remove_class("editing")
        self.draw()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "begin_amount":
            begins = self.takes_digits or str(parameters[0]) not in _DIGITS_OF_SCREENS
            return begins and bool(self.state.amount) and not self.state.is_in_flight
        return super().check_action(action, parameters)

    def action_begin_amount(self, digit: str) -> None:
        """Open the field with the first digit of a new amount."""
        self.clear_failure()
        self.open_amount(digit, goes_on=True)

    def step_back(self) -> bool:
        """Leave the amount: digits open their screens again."""
        if super().step_back():
            return True
        left, self.takes_digits = self.takes_digits, False
        self.draw()
        return left

    def field_changed(self, purpose: str, value: str) -> None:  # noqa: ARG002 - one field here
        self.form.show_after(self.state, self.desk.privacy.balance)

    def field_closed(self, purpose: str) -> None:  # noqa: ARG002 - one field here
        self.draw()

    def field_submitted(self, purpose: str, value: str) -> None:  # noqa: ARG002 - one field here
        self.close_field()
        state = self.state
        if self.is_loading and not (value and state.market):
            self.submit_when_loaded = value
            return
        state.amount = value
        self.ask_for_quote(state)
        self.draw()

    def on_field_stepped(self, message: FieldStepped) -> None:
        step_market(message.step, self)

    def turn_to(self, *, side: str = "", market: str = "") -> None:
        if _is_in_flight(self):
            return
        self.clear_failure()
        if market:
            self.desk.customer.market = market
        sold = self.state.sold_unit
        self.state.turn_to(side=side, market=market)
        if self.field_bar.is_open and self.state.sold_unit != sold:
            self.open_amount(None)
        self.draw()

    # -- the quote ----------------------------------------------------------------------------

    def ask_for_quote(self, state: QuoteState) -> None:
        if state.sheet is not None and not state.market:
            self.show_failure(flow.NO_MARKET)
        elif state.account_id and not _is_in_flight(self):
            self.takes_digits = True
            self.write("quote", partial(_get_quote, self, state))

    # -- its execution ------------------------------------------------------------------------

    def execute(self) -> None:
        """Execute the quote; one that is being asked for, as soon as it comes."""
        state = self.state
        reason = quote_view.why_not_executed(state, self.desk.now, forbidden_by(self))
        if state.phase is Phase.ASKING or (self.is_loading and not state.is_in_flight):
            state.execute_when_quoted = True
        elif state.is_in_flight:
            self.desk.notify(reason, "bad")
        elif reason:
            say(self, reason)
        else:
            self.write("execution", partial(_execute, self, state))

    def look_for_trades(self) -> None:
        """Search for the outcome of every execution that wasn't answered, whoever is served."""
        for state in self.states.in_doubt():
            if not state.search.looking:
                _start_search(self, state)

    # -- the rest -----------------------------------------------------------------------------

    def find(self, text: str) -> None:
        """Show a pasted quote, for the customer that it was made for."""
        self.read("find", partial(_find, self, text))

    def customer_text(self) -> str:
        refused, quote = refusal_text(self), self.state.shown_quote
        account, bank = self.desk.customer.account, self.desk.settings.bank_name
        is_undecided = not self.state.is_in_flight and self.state.phase is not Phase.USED
        if not refused and account is not None and forbidden_by(self) and is_undecided:
            return self.desk.customer_texts.of_control(account, bank)
        if refused or quote is None:
            return refused
        named = {Phase.USED: "executed", Phase.UNKNOWN: "unknown", Phase.SENDING: "unknown"}
        live = "live" if self.state.is_live(self.desk.now) else "expired"
        state = named.get(self.state.phase, live)
        return self.desk.customer_texts.of_quote(quote, state, bank)

    def object_id(self) -> str:
        quote = self.state.shown_quote
        return quote.id if quote else ""

    def record(self) -> object:
        return quote_view.record(self.state)

    def main_text(self) -> str:
        return self.query_one("#quote", Lines).plain_text if self.state.shown_quote else ""


def _unknown_outcomes(states: QuoteStates) -> list[str]:
    """The executions with an unknown outcome, whoever is being served."""
    return [f"{state.side} {state.market} for {state.owner}" for state in states.in_doubt()]


# -- the form --------------------------------------------------------------------------------------


async def _renew_prices(screen: QuoteScreen, state: QuoteState) -> None:
    """Fetch the markets; when nothing answers, their prices stay and grow old."""
    before = perf_counter()
    try:
        found = await call_service(screen.desk.service.markets)
    except TellerError:
        return
    screen.desk.heard(round((perf_counter() - before) * 1000))
    if state.sheet is not None:
        state.sheet = replace(state.sheet, markets=found.data)
    screen.draw()


def _take_up_amount(screen: QuoteScreen) -> None:
    """Go on with the amount that was being typed."""
    screen.add_class("editing")
    screen.form.show_after(screen.state, screen.desk.privacy.balance)


async def _prefill(screen: QuoteScreen, state: QuoteState) -> None:
    """Fill the amount once no deposit is on its way any more."""
    try:
        await screen.desk.balance_settled()
        await screen.load(state)
    except TellerError:
        screen.is_loading = False
        raise
    if state is not screen.state:
        return
    screen.is_loading = False
    if screen.field_bar.is_untouched:
        screen.open_amount(None)
    elif screen.field_bar.is_open:
        screen.field_bar.expect(asset_sold(state.market, state.side))
    if screen.submit_when_loaded is not None and state.sheet is not None:
        screen.open_amount(screen.submit_when_loaded or state.spendable)
        screen.field_event(FieldSubmitted("amount", screen.field_bar.value))


# -- the quote -------------------------------------------------------------------------------------


def _is_in_flight(screen: QuoteScreen) -> bool:
    """Whether an execution wasn't answered yet, so that nothing may replace its quote."""
    if screen.state.is_in_flight:
        screen.desk.notify("wait: the last execution has no answer yet", "warn")
    return screen.state.is_in_flight


async def _get_quote(screen: QuoteScreen, state: QuoteState) -> None:
    screen.clear_failure()
    phase, renews = state.phase, state.shown_phase is Phase.QUOTED
    request = flow.quote_request(state)
    state.phase = Phase.ASKING
    screen.draw()
    try:
        quote = await screen.desk.send(request)
    except BaseException as error:
        state.phase, state.execute_when_quoted = phase, False
        screen.draw()
        if isinstance(error, LimitExceeded):
            flow.require_held(state)
        raise
    screen.sent_amount = None
    if quote is not None:
        state.take(quote, renews=renews)
    await screen.load(state)
    execute_now, state.execute_when_quoted = state.execute_when_quoted, False
    if flow.shortfall(state):
        await _offer_shortfall(screen, state)
    elif execute_now and state is screen.state:
        screen.write("execution", partial(_execute, screen, state))


async def _offer_shortfall(screen: QuoteScreen, state: QuoteState) -> None:
    """``y`` deposits exactly the difference, and the quote goes on."""
    account, short = _account_of(screen, state), flow.shortfall(state)
    if account is None or not short:
        return
    limit = screen.desk.settings.confirm_above_cents
    token = deposit_token(screen.desk.capabilities)
    request = flow.shortfall_deposit(account, state.quote, short, token, limit)
    done = await screen.desk.send(request)
    if done is None:
        return
    told = f"deposit {transferred(done)} {done.status}  {done.id}".rstrip()
    screen.desk.notify(told, "good")
    screen.clear_failure()
    await screen.load(state)
    screen.desk.on_change.publish(("deposit.completed",))


def _account_of(screen: QuoteScreen, state: QuoteState) -> "TradingAccount | None":
    """The customer being served, when ``state`` is theirs."""
    return screen.desk.customer.account if state is screen.state else None


# -- its execution ---------------------------------------------------------------------------------


async def _execute(screen: QuoteScreen, state: QuoteState) -> None:
    account = _account_of(screen, state)
    if account is None:
        return
    await screen.desk.balance_settled()
    limit = screen.desk.settings.confirm_above_cents
    request = flow.execution_request(state, account, limit)

    def sending() -> None:
        state.phase = Phase.SENDING
        screen.draw()

    try:
        trade = await screen.desk.send(request, sending)
    except BaseException as error:
        state.end_execution(error, is_resent=screen.desk.offers(IDEMPOTENCY))
        screen.draw()
        if isinstance(error, InsufficientFunds):
            await _refused_for_funds(screen, state, error)
        elif not (isinstance(error, OutcomeUnknown) and state is screen.state):
            raise  # else the first line says so, and the quote what is done
    else:
        if trade is not None:
            _executed(screen, state, trade)


async def _refused_for_funds(
    screen: QuoteScreen, state: QuoteState, error: InsufficientFunds
) -> None:
    """Say what is missing and offer to deposit it, where it's dollars."""
    if _account_of(screen, state) is None:
        raise error
    screen.fail(error, "execution")
    await screen.load(state)
    await _offer_shortfall(screen, state)


def _executed(screen: QuoteScreen, state: QuoteState, trade: Trade, how: str = "") -> None:
    """Open Trades, which follows the trade; unless another customer is being served now."""
    state.become(trade)
    screen.takes_digits = screen.takes_digits and state is not screen.state
    what = follow_trade(screen.desk, trade)
    text = f"{how}{what} {trade.status}  {trade.id}"
    briefly = f"execution found, trade {trade.status}"
    screen.desk.notify_about(state.account_id, text, "good", briefly=briefly)
    if state is not screen.state:
        return
    screen.clear_failure()
    screen.draw()
    screen.desk.customer.to_show["trades"] = trade.id
    if screen.is_current:
        screen.desk.shell.go("trades", closes_page=True)


def _start_search(screen: QuoteScreen, state: QuoteState) -> None:
    screen.read(f"unknown-{state.account_id}", partial(_search, screen, state))


async def _search(screen: QuoteScreen, state: QuoteState) -> None:
    session = screen.desk.session
    if state.quote is None or session is None:
        return
    _take_outcome(screen, state, await state.search.look(session))


def _settled(screen: QuoteScreen, settled: Settled) -> None:
    """The outcome was found elsewhere."""
    for state in screen.states.in_doubt():
        if state.search.key == settled.key:
            _take_outcome(screen, state, settled.outcome)


def _take_outcome(screen: QuoteScreen, state: QuoteState, outcome: Outcome) -> None:
    if state.phase is not Phase.UNKNOWN:  # it was found elsewhere while this search ran
        return
    trade = outcome.records[0] if outcome.fate is Fate.DONE else None
    if isinstance(trade, Trade):
        _executed(screen, state, trade, "found: ")
        screen.desk.shell.poll_now()
    elif outcome.fate is Fate.NOT_DONE:
        state.phase = Phase.QUOTED
        if state is screen.state:
            screen.clear_failure()
        told = f"it was not executed: {outcome.text}"
        screen.desk.notify_about(state.account_id, told, "warn", briefly=told)
    screen.draw()


# -- a quote by its id -----------------------------------------------------------------------------


async def _find(screen: QuoteScreen, quote_id: str) -> None:
    service, customer = screen.desk.service, screen.desk.customer
    quote = await call_service(service.quote, quote_id)
    session = screen.desk.session
    seen = session.ownership.owner_of(quote.id) if session is not None else ""
    owner = quote.trading_account_id or seen or customer.account_id
    if owner != customer.account_id:
        customer.serve(await call_service(service.trading_account, owner))
    if not _is_in_flight(screen):
        screen.state.show(quote)
        screen.draw()


def forbidden_by(screen: QuoteScreen) -> str:
    """What a control on the account of the customer being served has against the order."""
    return control_against(screen.desk.customer.account, act_of(screen.state.side))


def step_market(step: int, screen: QuoteScreen) -> None:
    """Turn the form to the next market of the deployment, or the one before."""
    sheet = screen.state.sheet
    if sheet is None or not sheet.markets:
        return
    names = [row.market_name for row in sheet.markets]
    place = names.index(screen.state.market) if screen.state.market in names else 0
    screen.turn_to(market=names[(place + step) % len(names)])


def _draw_market(screen: QuoteScreen, _: None = None) -> None:
    """The recent prices of the quote's market."""
    served, fill = screen.desk.served, None
    if served is not None and served.desk_view.looked_at == screen.state.market:
        fill = partial(quote_view.market_chart, served.desk_view.samples)
    screen.query_one("#quoted-market", Filled).fill_with(fill)
