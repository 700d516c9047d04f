"""What is read of the customer being served, and of all that the desk waits for.

It is read in the background while a screen has room for it: soon after another
customer is served, and at most once in ``_REST_S`` when something changed.
"""

from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING, Any

from chainteller.domain.clock import SECOND, from_datetime
from chainteller.domain.trades import TradeStatus
from chainteller.domain.transfers import HOLDING, WITHDRAWAL_TRANSITIONS, TransferStatus
from chainteller.service.errors import TellerError
from chainteller.service.operations import TRANSACTIONS
from chainteller.tui.desk import Desk
from chainteller.tui.queries import (
    AccountSheet,
    CustomerView,
    DeskView,
    Gap,
    account_sheet,
    attempt,
    newest_quotes,
    open_challenges,
    query,
)
from chainteller.tui.service_calls import Later, call_service

if TYPE_CHECKING:
    from textual.app import App
    from textual.timer import Timer

    from chainteller.service.interface import Service
    from chainteller.service.models.pages import ListQuery, Page
    from chainteller.service.models.trades import Transaction

_NEWEST = 100
"""Transactions that are read of a customer."""
_WORDS = {TransferStatus.REVIEWING: "in review"}
_SETTLED_S = 0.3
"""How long the same customer has to be served before they are read about."""
_REST_S = 5.0
_OLD_S = 30.0
"""Seconds after which prices are read again although nothing is said to have changed."""


class Served:
    """Reads what is known of who is served, and publishes ``desk.on_served``."""

    def __init__(self, app: "App[Any]", desk: Desk) -> None:
        self._app, self._desk = app, desk
        self._customer: CustomerView | None = None
        self.desk_view = DeskView()
        self._read_at = self._desk_read_at = 0.0
        self._old: tuple[AccountSheet | None, int] = (None, 0)
        """What was known when something was said to have changed last, and when that was."""
        self._timer: Timer | None = None
        desk.customer.on_change.subscribe(app, lambda _: self.look_soon())
        desk.on_change.subscribe(app, lambda _: self._news())
        desk.on_poll.subscribe(app, lambda _: self._polled())

    @property
    def customer(self) -> CustomerView | None:
        """What is known of the customer being served; None until it has come."""
        known, served = self._customer, self._desk.customer.account_id
        return known if known is not None and known.sheet.account.id == served else None

    def look_soon(self) -> None:
        """Read everything once the agent has stayed with a customer for a moment."""
        self._look_in(_SETTLED_S)

    def _news(self) -> None:
        self._old, self._desk_read_at = (self._desk.customer.sheet, self._desk.now), 0.0
        if self._timer is None:
            self._look_in(max(_SETTLED_S, _REST_S - (monotonic() - self._read_at)))

    def _polled(self) -> None:
        if monotonic() - self._read_at > _OLD_S and self._timer is None:
            self.look_soon()

    def _look_in(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._timer = self._app.screen_stack[0].set_timer(seconds, self._look)

    def _look(self) -> None:
        self._timer = None
        screen = self._app.screen_stack[0]
        if (
            screen.has_class("-roomy")
            and screen.has_class("-tall")
            and self._desk.connection.state == "live"
        ):
            self._app.run_worker(Later(self._read), group="served", exclusive=True)

    async def _read(self) -> None:
        """Without an answer, what was known stays. What another screen has just read of the account
        isn't read again, nor what the desk waits for because another customer is served.
        """
        self._read_at = monotonic()
        desk, account_id = self._desk, self._desk.customer.account_id
        has_market = self._app.screen_stack[0].has_class("with-market")
        market, sheet = desk.customer.market if has_market else "", desk.customer.sheet
        old, changed_at = self._old
        since = max(changed_at, desk.now - round(_OLD_S * SECOND))
        if sheet is old or (sheet is not None and from_datetime(sheet.read_at) < since):
            sheet = None
        is_old = monotonic() - self._desk_read_at > _OLD_S
        try:
            if is_old or market != self.desk_view.looked_at:
                self._desk_read_at = monotonic()
                self.desk_view = await call_service(_read_desk, desk.service, desk.offers, market)
            if account_id:
                service, before = desk.service_for(account_id), self.customer
                self._customer = await call_service(
                    _read_customer, service, account_id, desk.now, desk.offers, before, sheet
                )
                desk.customer.learn(self._customer.sheet)
        except TellerError:
            return
        desk.on_served.publish(None)


def _read_customer(
    service: "Service",
    account_id: str,
    now: int,
    offers: Callable[[str], bool],
    before: CustomerView | None,
    sheet: AccountSheet | None,
) -> CustomerView:
    """Runs in a thread. ``before`` is the last view: its transactions are read again only when the
    account has changed. ``sheet`` is what was just read of it. Raises NotFound; any other part may
    be missing.
    """
    sheet = sheet or account_sheet(service, account_id, now, offers)
    if before is not None and _course(before.sheet) == _course(sheet):
        transactions = before.transactions
    else:
        transactions = _transactions(service, account_id, offers)
    return CustomerView(
        sheet,
        transactions,
        newest_quotes(service, account_id),
        open_challenges(service, sheet) if offers("challenges") else (),
    )


def _course(sheet: AccountSheet) -> tuple[object, ...]:
    """Two sheets that agree in it have the same transactions in the same states."""
    newest = () if isinstance(sheet.activity, Gap) else sheet.activity
    return (sheet.state, tuple((row.id, row.status) for row in newest))


def _transactions(
    service: "Service", account_id: str, offers: Callable[[str], bool]
) -> "tuple[Transaction, ...]":
    asked = query(limit=_NEWEST)
    if offers(TRANSACTIONS.feature or ""):
        return attempt(lambda: service.transactions(account_id, asked).data, ())
    return attempt(lambda: service.trades(account_id, asked).data, ())


def _read_desk(service: "Service", offers: Callable[[str], bool], market: str) -> DeskView:
    """Runs in a thread; the prices are those of ``market``, if it's one. Raises TellerError: the
    markets can't be read."""
    markets = service.markets().data
    has_prices = bool(market) and offers("prices")
    samples = attempt(lambda: service.prices(market).data, ()) if has_prices else ()
    waiting = []
    if offers("all-trades"):
        waiting.append(("trade processing", _count(service.all_trades, TradeStatus.PROCESSING)))
    if offers("all-transfers"):
        waiting += [
            (f"transfer {_WORDS.get(each, each)}", _count(service.all_transfers, each))
            for each in WITHDRAWAL_TRANSITIONS
            if each in HOLDING
        ]
    return DeskView(tuple(waiting), markets, market, samples)


def _count(read: "Callable[[ListQuery], Page[Any]]", status: str) -> int:
    return attempt(lambda: read(query(status=status, limit=1)).pagination.total, 0)
