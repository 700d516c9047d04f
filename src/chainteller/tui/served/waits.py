"""What is about to expire or waits: for the customer being served, and on the whole desk.

Times are told by the minute until the last minute of what ends first, and by the second then.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len

from chainteller.domain.assets import spoken_symbol
from chainteller.domain.clock import MINUTE, SECOND, from_datetime
from chainteller.domain.transfers import HOLDING, TransferStatus
from chainteller.records.formats import Piece, countdown, grouped, money, status, transferred
from chainteller.records.markets import is_open
from chainteller.records.trades import can_be_executed, is_trade
from chainteller.records.trades import is_over as is_trade_over
from chainteller.records.transfers import direction
from chainteller.tui.queries import Gap
from chainteller.tui.widgets.lines import Line, line

if TYPE_CHECKING:
    from chainteller.service.models.counterparties import Challenge
    from chainteller.service.models.trades import Transaction
    from chainteller.tui.queries import CustomerView, DeskView

_IN_SECONDS_S = 60
_GAP: Piece = ("  ·  ", "rule")
_OPEN = frozenset({*HOLDING, TransferStatus.SENT})
_ROOM_FOR_MORE = 10


class Item(NamedTuple):
    """Something that waits; ``ends_at`` in microseconds since the epoch, None without an end."""

    text: str
    tone: str = ""
    ends_at: int | None = None

    def waits(self, now: int) -> bool:
        """Whether it hasn't ended yet."""
        return self.ends_at is None or self.ends_at >= now

    def told(self, now: int) -> Piece:
        """In words, with the time that is left; every second in the last minute."""
        if self.ends_at is None:
            return self.text, self.tone
        left = max(0, self.ends_at - now) // SECOND
        if left > _IN_SECONDS_S:
            return f"{self.text}, {_by_the_minute(left)}", self.tone
        return f"{self.text}, {countdown(left)}", "expiring"


def _by_the_minute(seconds: int) -> str:
    minutes = -(-seconds // 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h"


def of_customer(view: "CustomerView", now: int, shown: str = "") -> list[Item]:
    """What waits for one customer, what ends first before the rest, without what the screen
    ``shown`` lists itself: the customer's page has all of it."""
    if shown == "customers":
        return []
    found = [
        *(() if shown == "quote" else _quotes(view, now)),
        *(() if shown == "wallets" else to_sign(view.challenges)),
        *_transactions(view, shown),
        *(() if shown == "accounts" else _holds(view)),
    ]
    waiting = (item for item in found if item.waits(now))
    return sorted(waiting, key=lambda item: (item.ends_at is None, item.ends_at or 0))


def _quotes(view: "CustomerView", now: int) -> Iterator[Item]:
    for quote in view.quotes:
        if can_be_executed(quote, now):
            sold = money(quote.asset_sold.amount, quote.asset_sold.symbol)
            text = f"quote {quote.side} {quote.market_name} for {sold}"
            yield Item(text, "accent", from_datetime(quote.expires))


def to_sign(challenges: "Iterable[Challenge]") -> Iterator[Item]:
    """The texts that wait for a signature."""
    for challenge in challenges:
        ends_at = from_datetime(challenge.expires) if challenge.expires is not None else None
        yield Item(f"message to sign {challenge.network or ''}".rstrip(), "warn", ends_at)


def is_under_way(row: "Transaction") -> bool:
    """Whether a trade or a transfer isn't over yet."""
    return not is_trade_over(row) if is_trade(row) else row.status in _OPEN


def _transactions(view: "CustomerView", shown: str) -> Iterator[Item]:
    for row in filter(is_under_way, view.transactions):
        if is_trade(row):
            if shown != "trades":
                amount = grouped(row.amount)
                yield Item(f"{row.side} {row.market} {amount} {row.status}", status(row.status)[1])
        elif shown != "transfers":
            yield Item(f"{direction(row)} {transferred(row)} {row.status}", status(row.status)[1])


def _holds(view: "CustomerView") -> Iterator[Item]:
    balances = () if isinstance(view.sheet.balances, Gap) else view.sheet.balances
    for row in balances:
        if row.held and row.held.strip("0."):
            yield Item(f"{money(row.held, spoken_symbol(row.token.symbol))} on hold", "muted")


def of_desk(view: "DeskView", challenges: Iterable[int], now: int) -> list[Item]:
    """What waits on the whole desk; ``challenges`` are the ends of those issued here."""
    open_until = sorted(each for each in challenges if each >= now)
    found = [Item(_counted(words, count)) for words, count in view.waiting if count]
    if open_until:
        count = len(open_until)
        words = "message to sign issued here" if count == 1 else "messages to sign issued here"
        found.insert(0, Item(f"{count} {words}, the first", "warn", open_until[0]))
    closed = [row for row in view.markets if not is_open(row)]
    found += [Item(f"{row.market_name} {row.status}", "bad") for row in closed]
    return found


def _counted(words: str, count: int) -> str:
    """``3 trades processing``, of the words ``trade processing``."""
    noun, _, state = words.partition(" ")
    return f"{count:,} {noun}{'' if count == 1 else 's'} {state}"


def strip_line(whose: Piece, items: Sequence[Item], now: int, width: int) -> Line:
    """One line of the strip; what has no room is counted at its end."""
    pieces: list[Piece] = [whose]
    room = width - cell_len(whose[0]) - 1
    for place, item in enumerate(items):
        told = item.told(now)
        gap = _GAP if place else ("", "")
        needed = cell_len(gap[0]) + cell_len(told[0])
        is_last = place == len(items) - 1
        if needed > room - (0 if is_last else _ROOM_FOR_MORE):
            pieces.append((f"{'  ' if place else ''}+{len(items) - place} more", "muted"))
            break
        pieces += [gap, told]
        room -= needed
    return line(*pieces)


def next_repaint(items: Iterable[Item], now: int) -> int:
    """Microseconds until the strip says something else: a second in the last minute of its first
    item; else until that item's minute is over, or a whole minute where nothing ends.
    """
    ends = [item.ends_at for item in items if item.ends_at is not None and item.ends_at >= now]
    if not ends:
        return MINUTE
    left = min(ends) - now
    if left <= _IN_SECONDS_S * SECOND:
        return SECOND
    return (left - _IN_SECONDS_S * SECOND) % MINUTE or MINUTE
