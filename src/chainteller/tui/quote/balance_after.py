"""What an account has left after an order, counted in whole atoms."""

from collections.abc import Callable

from chainteller.domain.assets import Asset
from chainteller.domain.money import format_atoms
from chainteller.tui.formats import grouped, plain
from chainteller.tui.quote.view import Phase, QuoteState, held_for_quote, term
from chainteller.tui.widgets.lines import Line, line

Shown = Callable[[str], str]
"""How a balance may be shown: as it is, or masked."""
_MOST_DIGITS = 200
_BEFORE_IT_HAPPENS = frozenset({Phase.FORM, Phase.ASKING, Phase.QUOTED})


def total(amount: str, other: str, *, sign: int = 1) -> str | None:
    """``amount`` plus ``other``, or minus it with ``sign`` -1; None where one is no number."""
    parts = [plain(text).partition(".") for text in (amount, other)]
    if not all(_is_number(whole + rest) for whole, _, rest in parts):
        return None
    decimals = max(2, *(len(rest) for _, _, rest in parts))
    one, two = (int(whole + rest.ljust(decimals, "0")) for whole, _, rest in parts)
    return format_atoms(one + sign * two, Asset("", "", decimals))


def _is_number(digits: str) -> bool:
    return digits.isascii() and digits.isdecimal() and len(digits) <= _MOST_DIGITS


def of_form(state: QuoteState, typed: str | None, shown: Shown) -> Line:
    """Under the amount: ``typed`` so far, or None for the one that was taken."""
    if state.sheet is None or (typed is None and state.phase not in _BEFORE_IT_HAPPENS):
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


def of_quote(state: QuoteState, shown: Shown) -> list[Line]:
    """In the panel: of what is given, and for a sale the dollars too; nothing where they are not
    those of this account, or are counted already.
    """
    quote, sheet = state.quote, state.sheet
    held = held_for_quote(state)
    if quote is None or sheet is None or held is None or state.phase is not Phase.QUOTED:
        return []
    sold = quote.asset_sold
    left = total(held, sold.amount, sign=-1)
    if left is None or left.startswith("-"):
        return []
    note = ""
    if quote.side == "sell":
        dollars = total(sheet.spendable("", "buy"), quote.asset_bought.amount)
        note = f"and USD {shown(grouped(dollars))}" if dollars else ""
    return [term("available after", shown(grouped(left)), sold.symbol, note)]
