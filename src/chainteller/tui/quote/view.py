"""The quote screen as lines: its state and what of it is shown."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Context, Decimal
from enum import StrEnum
from typing import TYPE_CHECKING

from chainteller.domain.clock import from_datetime
from chainteller.tui.formats import (
    Piece,
    clock_time,
    countdown,
    grouped,
    live_age,
    percent_between,
    seconds_between,
    seconds_since,
    short_id,
    when,
)
from chainteller.tui.queries import FormSheet
from chainteller.tui.quote.unknown_outcome import Search
from chainteller.tui.widgets.lines import Line, line

if TYPE_CHECKING:
    from chainteller.service.models.markets import Market
    from chainteller.service.models.quotes import Quote

EXPIRING_S = 30
_FRESH_S = 5
_BAR_CELLS = 20
_EXACT = Context(prec=200)


class Phase(StrEnum):
    FORM = "form"
    ASKING = "asking"
    QUOTED = "quoted"
    SENDING = "sending"
    UNKNOWN = "unknown"
    USED = "used"


UNANSWERED = frozenset({Phase.ASKING, Phase.SENDING, Phase.UNKNOWN})


@dataclass(slots=True)
class QuoteState:
    """``amount`` is of the asset sold, as typed; ``previous`` is the quote that was renewed."""

    side: str = "buy"
    market: str = ""
    amount: str = ""
    phase: Phase = Phase.FORM
    quote: "Quote | None" = None
    previous: "Quote | None" = None
    sheet: FormSheet | None = None
    search: Search = field(default_factory=Search)
    earlier: "list[Quote]" = field(default_factory=list)

    @property
    def base(self) -> str:
        return self.market.partition("-")[0].upper()

    @property
    def sold_unit(self) -> str:
        return "USD" if self.side == "buy" else self.base

    def seconds_left(self, now: int) -> int:
        if self.quote is None:
            return 0
        return seconds_between(now, from_datetime(self.quote.expires))

    def is_live(self, now: int) -> bool:
        if self.quote is None or self.phase is not Phase.QUOTED:
            return False
        return now <= from_datetime(self.quote.expires)


def life(state: QuoteState, now: int) -> Piece:
    """The quote's state in words and tone."""
    if state.phase is Phase.UNKNOWN:
        return "UNKNOWN: LOOKING FOR THE TRADE", "bad strong"
    if state.phase is Phase.SENDING:
        return "BEING EXECUTED", "warn strong"
    if state.phase is Phase.USED:
        return "EXECUTED", "good strong"
    if not state.is_live(now):
        return "EXPIRED", "bad strong"
    if state.seconds_left(now) < EXPIRING_S:
        return "EXPIRING, NOT EXECUTED", "expiring"
    return "QUOTED, NOT EXECUTED", "accent strong"


def word_of_enter(state: QuoteState, now: int) -> str:
    """What enter does outside the field, for the footer."""
    if not state.amount:
        return "amount"
    if state.quote is None:
        return "get quote"
    return "renew" if state.phase is Phase.QUOTED and not state.is_live(now) else "new quote"


def why_not_executed(state: QuoteState, now: int) -> str:
    """Why a quote cannot be executed now; empty when it can, or as soon as it has come."""
    if state.phase is Phase.UNKNOWN:
        return "locked: what became of the last execution is being looked for"
    if state.phase is Phase.SENDING:
        return "it is being executed"
    return "" if state.phase is Phase.ASKING or state.is_live(now) else "no live quote"


def choices(state: QuoteState, markets: tuple[str, ...]) -> list[Line]:
    """Side and market, the chosen ones in brackets."""
    sides = [_choice(side, chosen=side == state.side) for side in ("buy", "sell")]
    names = [_choice(name, chosen=name == state.market) for name in markets]
    return [
        line((" side    ", "muted"), *sides, right=(("tab ", "muted"),)),
        line((" market  ", "muted"), *names, right=(("left/right ", "muted"),)),
    ]


def _choice(name: str, *, chosen: bool) -> Piece:
    return (f"[{name}] ", "key") if chosen else (f" {name}  ", "muted")


def amount_line(state: QuoteState) -> Line:
    word = "spend" if state.side == "buy" else "sell"
    if not state.amount:
        return line((f" {word:<7} ", "muted"), ("b buy   s sell", "muted"))
    return line(
        (f" {word:<7} ", "muted"),
        (f"{grouped(state.amount)} ", "strong"),
        (state.sold_unit, "muted"),
        right=(("backspace: change ", "muted"),),
    )


def plan(state: QuoteState, now: int) -> list[Line]:
    """What the form will do, in words."""
    if state.sheet is None:
        return []
    name = state.sheet.account.customer_name
    held = grouped(state.sheet.spendable(state.market, state.side))
    rows = [line((f" available  {held} {state.sold_unit}", "muted"))]
    if name:
        rows.append(line((f" customer   {name}", "muted")))
    market = state.sheet.market(state.market)
    if market is not None:
        closed = market.status not in {None, "open"}
        tone = "bad" if closed else "muted"
        word = f" {market.status}" if closed else ""
        price = grouped(market.current_price)
        at = when_priced(market, now)
        rows.append(line((" market     ", "muted"), (f"{price} USD {at}{word}", tone)))
    return rows


def when_priced(market: "Market", now: int) -> str:
    """``now``, or how old the price is."""
    fresh = seconds_since(market.at, now) < _FRESH_S
    return "now" if fresh else f"{live_age(market.at, now)} ago"


def earlier_quotes(state: QuoteState) -> "list[Quote]":
    """Of the account, the newest first; one of this session as it stands now."""
    if state.sheet is None:
        return state.earlier[::-1]
    account_id = state.sheet.account.id
    known = {row.id: row for row in state.sheet.quotes[::-1]}
    known |= {row.id: row for row in state.earlier if row.trading_account_id in {None, account_id}}
    return sorted(known.values(), key=lambda row: row.created, reverse=True)


def record(state: QuoteState) -> object:
    """The quote and those before it, for a file; None where there is none."""
    earlier = earlier_quotes(state)
    return {"quote": state.quote, "earlier": earlier} if state.quote or earlier else None


def earlier_lines(state: QuoteState, now: int, width: int) -> list[Line]:
    rows = [line((" EARLIER QUOTES", "strong"), (" (of this account)", "muted"))]
    for quote in earlier_quotes(state)[:5]:
        left = seconds_between(now, from_datetime(quote.expires))
        word: Piece = ("expired", "muted")
        if quote.trade_id:
            word = ("executed", "good")
        elif _is_in_doubt(state, quote):
            word = ("unknown", "bad")
        elif left >= 0:
            word = (f"live {countdown(left)}", "accent")
        sold = f"{quote.side} {quote.market_name} {grouped(quote.asset_sold.amount)}"
        rows.append(line((f" {when(quote.created, now):<8}  ", "muted"), sold, right=(word, " ")))
    return rows if width and len(rows) > 1 else []


def _is_in_doubt(state: QuoteState, quote: "Quote") -> bool:
    sent = state.phase in {Phase.SENDING, Phase.UNKNOWN}
    return sent and state.quote is not None and state.quote.id == quote.id


def quote_lines(state: QuoteState, now: int, after: Sequence[Line] = ()) -> list[Line]:
    """The panel of the quote: life, terms, what is left ``after`` it, checks, keys."""
    quote = state.quote
    if state.phase is Phase.ASKING and quote is None:
        return [line(("asking for a price", "muted"))]
    if quote is None:
        return [line(("No quote yet.", "muted")), line(("enter gets one.", "muted"))]
    rows = [line((quote.id, "strong"), right=(life(state, now),)), _expiry(state, now), line()]
    rows += [*_terms(state, now), *after]
    if state.phase is not Phase.UNKNOWN:
        rows += [line(), _checks(state, now)]
    rows += [line(), *_keys(state, now)]
    return rows


def _expiry(state: QuoteState, now: int) -> Line:
    quote = state.quote
    if quote is None or state.phase in {Phase.USED, Phase.UNKNOWN}:
        return line()
    left = state.seconds_left(now)
    if left < 0:
        return line(
            (f"expired at {clock_time(quote.expires)}Z   ", "muted"),
            ("enter", "key"),
            (" renews it", "muted"),
        )
    window = max(1, seconds_between(from_datetime(quote.created), from_datetime(quote.expires)))
    full = min(_BAR_CELLS, -(-left * _BAR_CELLS // window))
    tone = "expiring" if left < EXPIRING_S else "accent"
    return line(
        ("expires in ", "muted"),
        (f"{countdown(left):>5}  ", tone),
        ("━" * full, tone),
        ("╌" * (_BAR_CELLS - full), "rule"),
        right=((f"{clock_time(quote.expires)}Z", "muted"),),
    )


def _terms(state: QuoteState, now: int) -> list[Line]:
    quote = state.quote
    if quote is None:
        return []
    bought, sold, fees = quote.asset_bought, quote.asset_sold, quote.fees
    rows = [
        line(
            (f"{quote.side.upper()} {quote.market_name}", "strong"),
            f" at {grouped(quote.price)}",
            right=((_market_now(state, now), "muted"),),
        )
    ]
    if state.previous is not None:
        moved = percent_between(quote.price, state.previous.price)
        rows.append(line((f"was {grouped(state.previous.price)}, now {moved}", "warn")))
    fee_unit = fees.currency or "USD"
    rows += [
        line(),
        term("customer gives", sold.amount, sold.symbol, "all-in"),
        term("fee, included", fees.total or "-", fee_unit, f"{fees.flat} + {fees.bps} bps"),
        term("customer gets", bought.amount, bought.symbol, bought.network, tone="good strong"),
    ]
    all_in = _all_in(quote)
    if all_in:
        rows.append(term("all-in price", all_in, "USD", f"per {state.base}"))
    return rows


def term(label: str, amount: str, unit: str, note: str, tone: str = "") -> Line:
    """An amount under the others of the panel."""
    return line(
        (f"{label:<15}", "muted"),
        (f"{grouped(amount):>20} ", tone),
        (f"{unit:<6}", ""),
        (note, "muted"),
    )


def _all_in(quote: "Quote") -> str:
    """What one unit costs or brings with everything counted."""
    usd, units = Decimal(quote.asset_sold.amount), Decimal(quote.asset_bought.amount)
    if quote.side == "sell":
        usd, units = units, usd
    return f"{usd / units:.2f}" if units else ""


def _quoted_market(state: QuoteState) -> "Market | None":
    """The market that the quote is for, whatever the form was moved to since."""
    if state.quote is None or state.sheet is None:
        return None
    return state.sheet.market(state.quote.market_name)


def _market_now(state: QuoteState, now: int) -> str:
    market = _quoted_market(state)
    if market is None or state.quote is None:
        return ""
    apart = percent_between(state.quote.price, market.current_price)
    at = when_priced(market, now)
    return f"market {at} {grouped(market.current_price)} ({apart})"


def held_for_quote(state: QuoteState) -> str | None:
    """What is available of what the quote sells; None where the balances are not those of the
    quote's account.
    """
    quote, sheet = state.quote, state.sheet
    if quote is None or sheet is None or quote.trading_account_id not in {None, sheet.account.id}:
        return None
    return sheet.spendable(quote.market_name, quote.side)


def _missing(state: QuoteState) -> Decimal | None:
    """How much more than what is there the quote sells, zero or less when there is enough; None
    where the balances are not those of the quote's account.
    """
    held = held_for_quote(state)
    if held is None or state.quote is None:
        return None
    return _EXACT.subtract(Decimal(state.quote.asset_sold.amount), Decimal(held))


def shortfall(state: QuoteState) -> str:
    """Dollars that a deposit would have to bring for a buy; empty when there is enough."""
    short = _missing(state)
    is_buy = state.quote is not None and state.quote.side == "buy"
    return f"{short:.2f}" if is_buy and short is not None and short > 0 else ""


def _checks(state: QuoteState, now: int) -> Line:
    """What stands in the way of executing; nothing does once that happened or may have."""
    if state.phase is Phase.USED:
        return line(("[ok] executed", "good"), ("   the price of this quote was kept", "muted"))
    if state.phase is Phase.UNKNOWN:
        return line(("[>] outcome unknown", "warn"))
    market, short = _quoted_market(state), _missing(state)
    balance: Piece = ("[ok] balance   ", "good") if short is not None else ("", "")
    if short is not None and short > 0 and state.quote is not None:
        missing = f"{grouped(f'{short:f}')} {state.quote.asset_sold.symbol}"
        balance = (f"[x] short {missing}   ", "bad")
    is_open = market is None or market.status in {None, "open"}
    market_piece: Piece = ("[ok] market", "good") if is_open else ("[x] market closed", "bad")
    live: Piece = ("[ok] quote live", "good") if state.is_live(now) else ("[-] quote over", "muted")
    return line(balance, market_piece, "   ", live)


def _keys(state: QuoteState, now: int) -> list[Line]:
    if state.phase is Phase.UNKNOWN:
        return state.search.lines()
    if state.phase is Phase.USED and state.quote is not None:
        trade = state.quote.trade_id
        found = f" {short_id(trade)}" if trade else ""
        return [
            line(
                ("4", "key"),
                (f" the trade{found}   ", "muted"),
                ("enter", "key"),
                (" a new quote", "muted"),
            )
        ]
    if state.is_live(now):
        return [
            line(
                ("X", "key"),
                (" execute   ", "muted"),
                ("enter", "key"),
                (" new quote, same inputs", "muted"),
            )
        ]
    return [line(("enter", "key"), (" new quote, same inputs", "muted"))]
