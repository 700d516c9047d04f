"""Quote state: each customer's form, quote, execution and search for an unknown outcome."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from chainteller.domain.assets import base_symbol
from chainteller.domain.clock import from_datetime
from chainteller.records.formats import seconds_between
from chainteller.service.errors import OutcomeUnknown, QuoteAlreadyUsed
from chainteller.tui.queries import FormSheet
from chainteller.tui.quote.unknown_outcome import Search

if TYPE_CHECKING:
    from chainteller.service.models.quotes import Quote
    from chainteller.service.models.trades import Trade


class Phase(StrEnum):
    FORM = "form"
    ASKING = "asking"
    QUOTED = "quoted"
    SENDING = "sending"
    UNKNOWN = "unknown"
    USED = "used"


IN_FLIGHT = frozenset({Phase.SENDING, Phase.UNKNOWN})
"""An execution was sent and its outcome isn't known: nothing may replace or hide its quote."""
UNANSWERED = IN_FLIGHT | {Phase.ASKING}


@dataclass(slots=True)
class QuoteState:
    """One customer's order.

    Attributes:
        account_id: Whose order it is; empty while no customer is selected.
        amount: Of the asset sold, as typed.
        quote: The newest quote, whether the form still asks for its market and side or not.
        previous: The quote that ``quote`` renewed.
        execute_when_quoted: Whether ``X`` was pressed before the quote came.
    """

    account_id: str = ""
    side: str = "buy"
    market: str = ""
    amount: str = ""
    phase: Phase = Phase.FORM
    quote: "Quote | None" = None
    previous: "Quote | None" = None
    sheet: FormSheet | None = None
    search: Search = field(default_factory=Search)
    earlier: "list[Quote]" = field(default_factory=list)
    execute_when_quoted: bool = False

    @property
    def owner(self) -> str:
        """Whose order it is, in words: the customer's name, where it's known, and the account."""
        name = self.sheet.account.customer_name if self.sheet is not None else None
        return f"{name}, {self.account_id}" if name else self.account_id

    @property
    def base(self) -> str:
        return base_symbol(self.market)

    @property
    def sold_unit(self) -> str:
        return "USD" if self.side == "buy" else self.base

    @property
    def spendable(self) -> str:
        """All there is of what is sold; empty while it isn't known."""
        return self.sheet.spendable(self.market, self.side) if self.sheet is not None else ""

    @property
    def is_in_flight(self) -> bool:
        return self.phase in IN_FLIGHT

    @property
    def shown_quote(self) -> "Quote | None":
        """The quote, while it is what the form asks for: another market or side puts it away."""
        quote, asked = self.quote, (self.market, self.side)
        if quote is None or (quote.market_name, quote.side) != asked:
            return None
        return quote

    @property
    def shown_phase(self) -> Phase:
        """What the panel is about: the form's own phase while the quote is put away."""
        is_about_quote = self.shown_quote is not None or self.phase is Phase.ASKING
        return self.phase if is_about_quote else Phase.FORM

    def seconds_left(self, now: int) -> int:
        if self.quote is None:
            return 0
        return seconds_between(now, from_datetime(self.quote.expires))

    def is_live(self, now: int) -> bool:
        """Whether the quote on the screen can be executed."""
        quote = self.shown_quote
        if quote is None or self.phase is not Phase.QUOTED:
            return False
        return now <= from_datetime(quote.expires)

    # -- the form -----------------------------------------------------------------------------

    def turn_to(self, *, side: str = "", market: str = "") -> None:
        """Ask for another side or market. An amount of an asset no longer sold is dropped.

        Nothing is turned while a quote is in flight: the form stays what the quote was for.
        """
        if self.is_in_flight:
            return
        before = self.sold_unit
        self.side, self.market = side or self.side, market or self.market
        if self.sold_unit != before:
            self.amount = ""
        quote = self.shown_quote
        if quote is not None and not self.amount:
            self.amount = quote.asset_sold.amount

    # -- the quote ----------------------------------------------------------------------------

    def may_be_executed_elsewhere(self, now: int) -> bool:
        """Whether a quote of an earlier session, or of a colleague, is still live."""
        known = self.sheet.quotes if self.sheet is not None else ()
        return any(row.trade_id is None and from_datetime(row.expires) >= now for row in known)

    def show(self, quote: "Quote") -> None:
        """Turn the form to a quote that was looked up."""
        self.quote, self.previous, self.amount = quote, None, quote.asset_sold.amount
        self.side, self.market = quote.side, quote.market_name
        self.phase = Phase.USED if quote.trade_id else Phase.QUOTED

    def take(self, quote: "Quote", *, renews: bool) -> None:
        """A requested quote came; ``renews``: the one before was on the screen until then."""
        before = self.quote
        same = before is not None and (before.market_name, before.side) == (
            quote.market_name,
            quote.side,
        )
        self.previous = before if same and renews else None
        self.quote, self.phase = quote, Phase.QUOTED
        self.earlier.append(quote)

    def become(self, trade: "Trade") -> None:
        """The quote became ``trade``."""
        if self.quote is None:
            return
        used = self.quote.model_copy(update={"trade_id": trade.id, "status": "executed"})
        self.earlier = [used if row.id == used.id else row for row in self.earlier]
        self.quote, self.phase = used, Phase.USED

    def end_execution(self, error: BaseException, *, is_resent: bool = True) -> None:
        """The execution failed or wasn't sent; one that wasn't answered is settled from here on."""
        if isinstance(error, QuoteAlreadyUsed):
            self.phase = Phase.USED
        elif self.phase is Phase.SENDING and isinstance(error, OutcomeUnknown):
            self.phase, self.search = Phase.UNKNOWN, Search(error.idempotency_key, is_resent)
        elif self.phase is Phase.SENDING:
            self.phase = Phase.QUOTED


class QuoteStates:
    """The quote state of every customer who was served in this session."""

    def __init__(self) -> None:
        self._by_account: dict[str, QuoteState] = {}

    def of(self, account_id: str, market: str) -> QuoteState:
        """The customer's state; a new one starts in ``market``."""
        return self._by_account.setdefault(account_id, QuoteState(account_id, market=market))

    def in_doubt(self) -> list[QuoteState]:
        """Those whose execution has an unknown outcome, whoever is being served."""
        return [state for state in self._by_account.values() if state.phase is Phase.UNKNOWN]
