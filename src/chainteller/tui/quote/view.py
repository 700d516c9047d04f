"""Quote view: the form, the quote and the balance after it as lines."""

from collections.abc import Callable, Sequence
from decimal import Context, Decimal
from typing import TYPE_CHECKING

from chainteller.domain.assets import Asset
from chainteller.domain.clock import from_datetime
from chainteller.domain.money import format_atoms
from chainteller.records.fields import chain
from chainteller.records.formats import (
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
from chainteller.records.markets import is_open
from chainteller.records.trades import QUOTE, fee_of
from chainteller.tui.answer import work_title
from chainteller.tui.charts import AXIS_ROWS, LEAST_ROWS, price_chart
from chainteller.tui.commands import SCREENS
from chainteller.tui.quote.state import Phase, QuoteState
from chainteller.tui.quote.unknown_outcome import Search
from chainteller.tui.widgets.lines import Line, line

if TYPE_CHECKING:
    from chainteller.service.models.accounts import TradingAccount
    from chainteller.service.models.markets import Market, PriceSample
    from chainteller.service.models.quotes import AssetAmount, Fees, Quote

EXPIRING_S = 30
_FRESH_S = 5
_BAR_CELLS = 20
_EXACT = Context(prec=200)
_MOST_DIGITS = 200
MaskBalance = Callable[[str], str]
"""Shows a balance as it is, or masked while balances are hidden."""
_CHART_ROWS = 6
CHART_BOX_ROWS = 11
"""Of the market below a quote, with its frame, as the style sheet has them."""


def title(account: "TradingAccount | None", state: QuoteState) -> Line:
    """The customer, and what there is of the asset that the form sells."""
    if account is None:
        return line((" QUOTE", "strong"), ("   choose an account first: 1", "warn"))
    held = account.buying_power if state.side == "buy" else state.spendable
    right = ((f"{state.sold_unit} {grouped(held)} available ", "muted"),) if held else ()
    return work_title("QUOTE", account, right=right)


def life(state: QuoteState, now: int) -> Piece:
    """The state of the quote on the screen, in words and tone."""
    if state.phase is Phase.UNKNOWN:
        return "OUTCOME UNKNOWN", "bad strong"
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
    if state.shown_quote is None:
        return "get quote"
    return "renew" if state.phase is Phase.QUOTED and not state.is_live(now) else "new quote"


def why_not_executed(state: QuoteState, now: int, forbidden: str = "") -> str:
    """Why the quote can't be executed now; empty when it can, or as soon as it has come.

    ``forbidden`` is what a control on the account has against it.
    """
    if state.phase is Phase.UNKNOWN:
        return "locked: the outcome of the last execution isn't known yet"
    if state.phase is Phase.SENDING:
        return "it is being executed"
    if state.phase is Phase.ASKING:
        return ""
    if not state.is_live(now):
        return "no live quote   enter: get one"
    return forbidden or _coins_short(state)


def _coins_short(state: QuoteState) -> str:
    """How much of what is sold is missing; dollars can be deposited."""
    missing = _missing(state) if state.side == "sell" else ""
    return f"{missing} short   backspace: change the amount" if missing else ""


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


def amount_line(state: QuoteState, *, takes_digits: bool, forbidden: str) -> Line:
    word = "spend" if state.side == "buy" else "sell"
    if not state.amount:
        to_type = "" if forbidden else "enter: type the amount   "
        return line((f" {word:<7} {to_type}1-{len(SCREENS)}: screens", "muted"))
    keys = "0-9 new  esc done " if takes_digits else "backspace change "
    return line(
        (f" {word:<7} ", "muted"),
        (f"{grouped(state.amount)} ", "strong"),
        (state.sold_unit, "muted"),
        right=((keys, "muted"),),
    )


def plan(state: QuoteState, now: int) -> list[Line]:
    """The price; a quote has its own."""
    market = state.sheet.market(state.market) if state.sheet is not None else None
    if market is None or state.shown_quote is not None:
        return []
    closed = not is_open(market)
    word = f" {market.status}" if closed else ""
    told = f"{grouped(market.current_price)} USD {when_priced(market, now)}{word}"
    return [line((" market     ", "muted"), (told, "bad" if closed else "muted"))]


def when_priced(market: "Market", now: int) -> str:
    """``now``, or how old the price is."""
    fresh = seconds_since(market.at, now) < _FRESH_S
    return "now" if fresh else f"{live_age(market.at, now)} ago"


def earlier_quotes(state: QuoteState) -> "list[Quote]":
    """The account's newest quotes first; those of this session in their newest state."""
    if state.sheet is None:
        return state.earlier[::-1]
    known = {row.id: row for row in (*state.sheet.quotes[::-1], *state.earlier)}
    return sorted(known.values(), key=lambda row: row.created, reverse=True)


def record(state: QuoteState) -> object:
    """The quote on the screen and the account's earlier ones, for a file; None without any."""
    quote, earlier = state.shown_quote, earlier_quotes(state)
    return {"quote": quote, "earlier": earlier} if quote or earlier else None


def earlier_lines(state: QuoteState, now: int, width: int) -> list[Line]:
    rows = [line((" EARLIER QUOTES", "strong"))]
    shown = state.shown_quote
    earlier = [row for row in earlier_quotes(state) if shown is None or row.id != shown.id]
    for quote in earlier[:3]:
        left = seconds_between(now, from_datetime(quote.expires))
        word: Piece = ("expired", "muted")
        if quote.trade_id:
            word = ("executed", "good")
        elif state.is_in_flight and state.quote is not None and state.quote.id == quote.id:
            word = ("unknown", "bad")
        elif left >= 0:
            word = (f"live {countdown(left)}", "accent")
        sold = f"{quote.side} {quote.market_name} {grouped(quote.asset_sold.amount)}"
        rows.append(line((f" {when(quote.created, now):<8}  ", "muted"), sold, right=(word, " ")))
    return rows if width and len(rows) > 1 else []


def market_chart(samples: "Sequence[PriceSample]", width: int, rows: int) -> list[Line]:
    """Recent prices of a market, oldest first, as far as they fit."""
    if rows < LEAST_ROWS + AXIS_ROWS:
        return []
    shown = [(from_datetime(each.at), Decimal(each.price)) for each in samples]
    return price_chart(shown, width, min(_CHART_ROWS, rows - AXIS_ROWS))


def quote_lines(
    state: QuoteState,
    now: int,
    said: Sequence[Line] = (),
    after: Sequence[Line] = (),
    *,
    takes_keys: bool = True,
    forbidden: str = "",
) -> list[Line]:
    """The panel of the quote: life, what is ``said`` to the customer, terms, what is left ``after``
    it, checks with what is ``forbidden`` by a control on the account, keys that work.

    What it says of a quote comes from the quote, never from the form beside it.
    """
    quote = state.shown_quote
    if state.phase is Phase.ASKING and quote is None:
        return [line(("getting a price", "muted"))]
    if quote is None:
        to_type = "enter: type the amount" if takes_keys else "type the amount, enter"
        next_key = "enter gets one." if state.amount else to_type
        why = line((forbidden, "bad")) if forbidden else line((next_key, "muted"))
        words = [*said, line()] if said else []
        return [line(("No quote yet.", "muted")), why, *words, *_put_away(state, now)]
    rows = [line((quote.id, "strong"), right=(life(state, now),)), *_expiry(state, now), line()]
    if state.phase is Phase.UNKNOWN:
        rows += [*_search_lines(state.search), line()]
    rows += [*said, *([line()] if said else []), *_terms(state, quote, now), *after]
    if not state.is_in_flight and state.phase is not Phase.USED:
        rows += [line(), _checks(state, now, forbidden)]
    if takes_keys and not state.is_in_flight:
        rows += [line(), _keys(state, executes=not why_not_executed(state, now, forbidden))]
    return rows


def _put_away(state: QuoteState, now: int) -> list[Line]:
    """A live quote for another market or side, which the form has been turned away from."""
    quote, left = state.quote, state.seconds_left(now)
    if quote is None or state.phase is not Phase.QUOTED or left < 0:
        return []
    sold = f"{grouped(quote.asset_sold.amount)} {quote.asset_sold.symbol}"
    order = f"{quote.side} {quote.market_name} {sold}"
    return [line(), line((f"Set aside: {order}, expires in {countdown(left)}.", "muted"))]


def _expiry(state: QuoteState, now: int) -> list[Line]:
    quote = state.quote
    if quote is None or state.phase is Phase.USED or state.is_in_flight:
        return []
    left = state.seconds_left(now)
    if left < 0:
        return [line((f"expired at {clock_time(quote.expires)}Z", "muted"))]
    window = max(1, seconds_between(from_datetime(quote.created), from_datetime(quote.expires)))
    full = min(_BAR_CELLS, -(-left * _BAR_CELLS // window))
    tone = "expiring" if left < EXPIRING_S else "accent"
    return [
        line(
            ("expires in ", "muted"),
            (f"{countdown(left):>5}  ", tone),
            ("━" * full, tone),
            ("╌" * (_BAR_CELLS - full), "rule"),
            right=((f"{clock_time(quote.expires)}Z", "muted"),),
        )
    ]


def _terms(state: QuoteState, quote: "Quote", now: int) -> list[Line]:
    bought, sold, fees = quote.asset_bought, quote.asset_sold, quote.fees
    order = f"{quote.side.upper()} {quote.market_name}"
    rows = [
        line((order, "strong"), f" at {grouped(quote.price)}"),
        line((_market_now(state, now), "muted")),
    ]
    if state.previous is not None and state.previous.price != quote.price:
        moved = percent_between(quote.price, state.previous.price)
        last = f"the quote before was at {grouped(state.previous.price)}, this one {moved}"
        rows.append(line((last, "warn")))
    included = fee_of(quote)
    gives, fee, gets = (QUOTE[each].label for each in ("asset_sold", "fees.total", "asset_bought"))
    rows += [
        term(gives, sold.amount, sold.symbol, ""),
        term(
            fee if included else "fee",
            included.amount if included else "not provided",
            included.unit if included else "",
            _rate(fees),
        ),
        term(gets, bought.amount, bought.symbol, chain(bought.network), tone="good strong"),
    ]
    all_in = _all_in(quote)
    if all_in:
        rows.append(term("price with fee", all_in, "USD", f"per {_base(quote).symbol}"))
    return rows


def _rate(fees: "Fees") -> str:
    """``0.5 %``, after a part that doesn't depend on the amount, if there is one."""
    flat = f"{fees.flat} + " if fees.flat.strip("0.") else ""
    return f"{flat}{Decimal(fees.bps) / 100:f} %"


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
    usd = Decimal((quote.asset_sold if quote.side == "buy" else quote.asset_bought).amount)
    units = Decimal(_base(quote).amount)
    return f"{usd / units:.2f}" if units else ""


def _base(quote: "Quote") -> "AssetAmount":
    """The asset that is traded for dollars."""
    return quote.asset_bought if quote.side == "buy" else quote.asset_sold


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
    side, far = "below" if apart.startswith("-") else "above", apart.strip("+-%")
    said = f"market {when_priced(market, now)} {grouped(market.current_price)}"
    return f"{said}, the quote {far} % {side}" if far else said


def missing_amount(state: QuoteState) -> Decimal | None:
    """How much more the quote sells than is available, zero or less when there is enough; None
    while the balances aren't known.
    """
    quote, sheet = state.quote, state.sheet
    if quote is None or sheet is None:
        return None
    held = Decimal(sheet.spendable(quote.market_name, quote.side))
    return _EXACT.subtract(Decimal(quote.asset_sold.amount), held)


def _missing(state: QuoteState) -> str:
    """What ``missing_amount`` is, with its asset; empty when there is enough."""
    short = missing_amount(state)
    if short is None or short <= 0 or state.quote is None:
        return ""
    return f"{grouped(f'{short:f}')} {state.quote.asset_sold.symbol}"


def _checks(state: QuoteState, now: int, forbidden: str) -> Line:
    """What prevents the execution, until it was sent."""
    market, missing = _quoted_market(state), _missing(state)
    control: Piece = (f"[x] {forbidden.rsplit(maxsplit=1)[-1]}  ", "bad") if forbidden else ("", "")
    balance: Piece = ("[ok] balance  ", "good") if missing_amount(state) is not None else ("", "")
    if missing:
        balance = (f"[x] short {missing}  ", "bad")
    is_closed = market is not None and not is_open(market)
    market_piece: Piece = ("[x] market closed", "bad") if is_closed else ("[ok] market", "good")
    if market is None or market.status is None:
        market_piece = ("[-] market: not provided", "muted")
    live: Piece = ("[ok] live", "good") if state.is_live(now) else ("[-] expired", "muted")
    return line(control, balance, market_piece, "  ", live)


def _keys(state: QuoteState, *, executes: bool) -> Line:
    again = (("enter", "key"), (" new quote, same inputs", "muted"))
    if state.phase is Phase.USED and state.quote is not None:
        trade = state.quote.trade_id
        found = f" {short_id(trade)}" if trade else ""
        return line(("4", "key"), (f" the trade{found}   ", "muted"), *again)
    execution = (("X", "key"), (" execute   ", "muted")) if executes else ()
    return line(*execution, *again)


_RESENT = "the same request, with the same key, can't execute it twice."
_SEARCHED = "nothing is sent again; a trade with these terms is looked for."


def _search_lines(search: Search) -> list[Line]:
    times = "Tried once" if search.looks == 1 else f"Tried {search.looks} times"
    is_trying = search.looking or not search.looks
    where = "Trying now." if is_trying else f"{times}, retry in {max(1, search.wait_s)} s."
    found = [line((search.found.text, "warn"))] if search.found is not None else []
    return [
        line("Don't execute it again. The console is looking for the trade:"),
        line((_RESENT if search.is_resent else _SEARCHED, "muted")),
        *found,
        line((where, "warn" if search.fault else "muted")),
    ]


# -- the balance after -----------------------------------------------------------------------------


def total(amount: str, other: str, *, sign: int = 1) -> str | None:
    """``amount`` plus ``other``, or minus it with ``sign`` -1; None where one is no number."""
    parts = [text.partition(".") for text in (amount, other)]
    if not all(_is_number(whole + rest) for whole, _, rest in parts):
        return None
    decimals = max(2, *(len(rest) for _, _, rest in parts))
    one, two = (int(whole + rest.ljust(decimals, "0")) for whole, _, rest in parts)
    return format_atoms(one + sign * two, Asset("", "", decimals))


def _is_number(digits: str) -> bool:
    return digits.isascii() and digits.isdecimal() and len(digits) <= _MOST_DIGITS


def after_amount(state: QuoteState, typed: str | None, shown: MaskBalance) -> Line:
    """What is left after the form's amount; ``typed`` is that in the open field,
    None if closed. A quote says it itself."""
    if state.sheet is None or (typed is None and state.shown_quote is not None):
        return line()
    held = state.sheet.spendable(state.market, state.side)
    left = total(held, state.amount if typed is None else typed, sign=-1)
    if left is None:
        return line()
    if left.startswith("-"):
        offered = "   a deposit is offered" if state.side == "buy" else ""
        missing = (f"{shown(grouped(left[1:]))} {state.sold_unit}", "warn")
        return line((" short   ", "muted"), missing, (offered, "muted"))
    note = "" if left.strip("0.") else "   all of it"
    return line(
        (" after   ", "muted"), f"{shown(grouped(left))} {state.sold_unit}", (note, "muted")
    )


def after_quote(state: QuoteState, shown: MaskBalance) -> list[Line]:
    """What is left of the asset sold, and for a sale the dollars too; until it is executed."""
    quote, sheet = state.shown_quote, state.sheet
    if quote is None or sheet is None or state.phase is not Phase.QUOTED:
        return []
    sold = quote.asset_sold
    left = total(sheet.spendable(quote.market_name, quote.side), sold.amount, sign=-1)
    if left is None or left.startswith("-"):
        return []
    note = ""
    if quote.side == "sell":
        dollars = total(sheet.spendable("", "buy"), quote.asset_bought.amount)
        note = f"and USD {shown(grouped(dollars))}" if dollars else ""
    return [term("available after", shown(grouped(left)), sold.symbol, note)]
