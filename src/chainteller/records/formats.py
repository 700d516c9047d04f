"""How values are written: pure functions from the wire's text and instants to what people read."""

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime
from decimal import Context, Decimal, localcontext
from typing import TYPE_CHECKING

from chainteller.domain.clock import SECOND, from_datetime, to_datetime
from chainteller.domain.ids import short
from chainteller.domain.money import ungrouped
from chainteller.domain.trades import TradeStatus
from chainteller.domain.transfers import TransferStatus
from chainteller.domain.untrusted import printable

if TYPE_CHECKING:
    from chainteller.service.models.funding import Transfer

_DIGITS = 100
DEPOSIT_TOKEN = "deposit-token-currency"  # noqa: S105 - a currency's type (specification 2.2)
REPLACEMENT = "\ufffd"
RECORD_ID = re.compile(r"(TDA|TXN|QTE|CPT|BCA|DDA|CUS|CHG|CLM|STM)[_-][A-Za-z0-9]{1,40}")
"""An id of a record, or of a customer or bank account of the core bank."""
_AMOUNT = re.compile(r"\b\d{4,}\.\d+\b")
MOST_OF_A_YEAR_S = 300 * 86_400
_COMBINING = "([\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{4})+"

Piece = tuple[str, str]
"""A run of text and its tone (see ``widgets/lines.py``)."""

_GLYPHS: dict[str, Piece] = {
    **{each.value: (each.facts.mark, each.facts.tone) for each in (*TradeStatus, *TransferStatus)},
    "active": ("[ok]", "good"),
    "expired": ("[-]", "muted"),
    "revoked": ("[x]", "bad"),
    "frozen": ("[x]", "bad"),
}
_MOST_DECIMALS, _LISTED_DECIMALS = 8, 6


def is_clean(text: str) -> bool:
    """Whether nothing of ``text`` can do harm, told quickly: what is not ASCII counts as no."""
    return text.isascii() and text.isprintable()


def clean(text: str) -> str:
    """``text`` without anything that a terminal would act on or that would hide or reorder it;
    a flood of combining marks would cover the lines around it.
    """
    if is_clean(text):
        return text
    return re.sub(_COMBINING, REPLACEMENT, printable(text))


def exact() -> AbstractContextManager[Context]:
    """Decimal arithmetic in which no sum or product of amounts is rounded."""
    return localcontext(prec=_DIGITS)


def grouped(amount: str) -> str:
    """``1234567.50`` as ``1,234,567.50``; anything that is no plain number stays as it is."""
    sign, digits = ("-", amount[1:]) if amount.startswith("-") else ("", amount)
    whole, point, fraction = digits.partition(".")
    if not (whole.isascii() and whole.isdigit()):
        return amount
    return f"{sign}{int(whole):,}{point}{fraction}"


def approximate(amount: str) -> str:
    """An amount for a list: what has more than 8 decimals is cut to 6 and gets a ``~``."""
    whole, _, fraction = amount.partition(".")
    if len(fraction) <= _MOST_DECIMALS or not fraction[:_LISTED_DECIMALS].strip("0"):
        return grouped(amount)
    return f"~{grouped(f'{whole}.{fraction[:_LISTED_DECIMALS]}')}"


def grouped_in(text: str) -> str:
    """A text with its amounts grouped."""
    return _AMOUNT.sub(lambda found: grouped(found[0]), text)


def money(amount: str, currency: str) -> str:
    """``1,234.50 USD``."""
    return f"{grouped(amount)} {currency}"


def currency_name(kind: str, symbol: str | None, identifier: str | None) -> str:
    """What customers call a currency: the bank's own deposit token is dollars to them.

    Args:
        kind: the ``type`` of the currency object (specification 2.2).
        symbol: such as USDC; left out for a deposit token.
        identifier: of a deposit token.
    """
    return "USD" if kind == DEPOSIT_TOKEN else symbol or identifier or ""


def transferred(transfer: "Transfer", shown: Callable[[str], str] = grouped) -> str:
    """``1,000.00 USD``; ``shown`` writes the amount."""
    currency = transfer.currency
    name = currency_name(currency.type, currency.symbol, currency.id)
    return f"{shown(transfer.amount)} {name}".rstrip()


def same_amount(one: str, other: str) -> bool:
    """Whether two texts, perhaps grouped, are the same number."""
    try:
        return Decimal(ungrouped(one)) == Decimal(ungrouped(other))
    except ArithmeticError:
        return False


def seconds_between(earlier: int, later: int) -> int:
    return (later - earlier) // SECOND


def seconds_since(moment: datetime, now: int) -> int:
    return seconds_between(from_datetime(moment), now)


def clock_time(moment: datetime) -> str:
    return moment.strftime("%H:%M:%S")


def when(moment: datetime, now: int) -> str:
    """The time of day of today, the date of any other day, month and year long ago.

    Yesterday's evening isn't shown as a time: it would be read as one of today.
    """
    if moment.date() == to_datetime(now).date():
        return clock_time(moment)
    seconds = abs(seconds_since(moment, now))
    return moment.strftime("%d %b" if seconds < MOST_OF_A_YEAR_S else "%b %Y")


def age(moment: datetime, now: int) -> str:
    """By the minute: ``now``, ``2m``, ``5h``, ``3d``; nothing here changes each second."""
    seconds = max(0, seconds_since(moment, now))
    if seconds < 60:
        return "now"
    if seconds < 3_600:
        return f"{seconds // 60}m"
    if seconds < 86_400:
        return f"{seconds // 3_600}h"
    return f"{seconds // 86_400}d"


def live_age(moment: datetime, now: int) -> str:
    """To the second: ``3s``, ``3m21s``."""
    seconds = max(0, seconds_since(moment, now))
    if seconds < 60:
        return f"{seconds}s"
    if seconds < 3_600:
        return f"{seconds // 60}m{seconds % 60:02d}s"
    return age(moment, now)


def countdown(seconds: int) -> str:
    """``4:41``; from an hour on ``1:00:00``."""
    seconds = max(0, seconds)
    if seconds >= 3_600:
        return f"{seconds // 3_600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"{seconds // 60}:{seconds % 60:02d}"


def both_times(moment: datetime, *, dated: bool = True) -> str:
    """``20 November 2026, 12:09 UTC (13:09 local)``, the date left out for what ends today.

    One time where the local zone agrees with UTC.
    """
    local = moment.astimezone()
    day = f"{moment.day} {moment:%B %Y}, " if dated else ""
    here = "" if local.utcoffset() == moment.utcoffset() else f" ({local:%H:%M} local)"
    return f"{day}{moment:%H:%M} UTC{here}"


def status(word: str | None) -> Piece:
    """A wire status with its sign; an unknown one stands as it came."""
    word = word or "-"
    glyph, tone = _GLYPHS.get(word.lower(), ("[?]", "muted"))
    return f"{glyph} {word}", tone


def reason_words(reason: str) -> str:
    """Why something waits, in words: ``unverified wallet`` for ``REVIEW_UNVERIFIED_WALLET``."""
    return reason.removeprefix("REVIEW_").replace("_", " ").lower()


def change(price: str, yesterday: str) -> tuple[Piece, str]:
    """The day's change as ``+1.24% up`` with its tone, and in dollars."""
    now, then = Decimal(price), Decimal(yesterday)
    if not then:
        return ("-", "muted"), "-"
    percent, difference = (now - then) / then * 100, now - then
    word, tone = ("up", "up") if difference > 0 else ("down", "down")
    if not difference:
        word, tone = "even", "muted"
    return (f"{percent:+.2f}% {word}", tone), f"{difference:+,.2f}"


def percent_between(price: str, other: str) -> str:
    """How far ``price`` lies from ``other``: ``-0.02%``."""
    base = Decimal(other)
    return f"{(Decimal(price) - base) / base * 100:+.2f}%" if base else "-"


def short_id(identifier: str) -> str:
    return short(identifier)


def short_address(address: str) -> str:
    """``0x52ae..91C4``, for lists only: an address is compared where it stands whole."""
    return f"{address[:6]}..{address[-4:]}" if len(address) > 14 else address


_BLOCKS = "▁▂▃▄▅▆▇█"


def sparkline(values: list[Decimal], width: int) -> str:
    """The last ``width`` values as blocks between their lowest and highest."""
    shown = values[-width:]
    if not shown:
        return ""
    low, high = min(shown), max(shown)
    if low == high:
        return _BLOCKS[3] * len(shown)
    return "".join(_BLOCKS[int((value - low) / (high - low) * 7)] for value in shown)
