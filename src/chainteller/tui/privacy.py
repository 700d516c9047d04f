"""``:hide``: customers' names, balances and what they moved are masked while the screen is shared.

Names and amounts are learned from what the service answers; the last gate before the terminal
masks them wherever they stand, also where a column cut them short. Only where the agent is asked
about an amount, or offers one to the customer, it stays: nobody says yes to dots.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter
from textual.widget import Widget

from chainteller.records.accounts import (
    BALANCE,
    CUSTOMER,
    LIMIT,
    LISTED_ACCOUNT,
    ListedAccount,
)
from chainteller.records.fields import FieldList
from chainteller.records.formats import approximate, clean, grouped

if TYPE_CHECKING:
    from chainteller.service.models.trades import Transaction

Record = TypeVar("Record")
_MOST = 20_000
_AMOUNT = re.compile(r"\d[\d,]*\.(?:\d*…|\d+)")
_CUT = "…"
_LEAST_CUT = 2
_DOTS = "•••••"
"""What stands for any name or amount: as many dots for each, or their number would tell."""
_COLUMN_GAP, _FLOWING_GAP = 2, 4


class Hidden(NamedTuple):
    """A stretch of a text that is not shown."""

    start: int
    end: int
    is_amount: bool


class Privacy:
    """What is private, and whether it is hidden now."""

    def __init__(self, fields_of: "Callable[[Transaction], FieldList[Any]]") -> None:
        """``fields_of`` gives the fields of a trade, deposit or withdrawal."""
        self.hidden = False
        self._fields_of = fields_of
        self._names: dict[str, None] = {}
        self._amounts: dict[str, None] = {}
        self._pattern: re.Pattern[str] | None = None

    def learn(self, answer: Any) -> None:
        """Take names and amounts from the records in an answer of the service."""
        answered = getattr(answer, "value", answer)
        for record in getattr(answered, "data", (answered,)):
            kind = type(record).__name__
            if kind in _FIELDS:
                self._record(_FIELDS[kind], record)
            elif kind in _TRANSACTIONS:
                self._record(self._fields_of(record), record)
            elif kind == "LimitUsage" and record.used.strip("0."):
                self._record(LIMIT, record)
            elif kind == "Found" and record.name:
                self._name(record.name)

    def would_show(self, text: str) -> bool:
        """Whether ``text`` holds what is hidden now."""
        return self.hidden and self.mask(text) != text

    def balance(self, amount: str) -> str:
        """A balance that was worked out here, as it may be shown: the gate has not learned it."""
        return _DOTS if self.hidden else amount

    def figures(self, text: str) -> str:
        """A line with amounts that the gate may not have learned, as it may be shown."""
        return _AMOUNT.sub(_DOTS, text) if self.hidden else text

    def mask(self, text: str) -> str:
        """``text`` with the same dots for every known name and amount."""
        shown, end = "", 0
        for hidden in self.find(text):
            shown += text[end : hidden.start] + _DOTS
            end = hidden.end
        return shown + text[end:]

    def find(self, text: str, *, amounts: bool = True) -> list[Hidden]:
        """Where known names, and amounts, stand in ``text``, in order and without overlaps."""
        if self._pattern is None:
            self._pattern = _pattern(self._names)
        found = [Hidden(*name.span(), is_amount=False) for name in self._pattern.finditer(text)]
        if _CUT in text:
            found += self._cut_name(text)
        if amounts:
            spans = ((row.span(), self._is_amount(row[0])) for row in _AMOUNT.finditer(text))
            found += [Hidden(*span, is_amount=True) for span, is_known in spans if is_known]
        found.sort()
        return [each for at, each in enumerate(found) if not at or each.start >= found[at - 1].end]

    def _is_amount(self, written: str) -> bool:
        """Whether it's a known amount, or the begin of one that a column cut short."""
        if not written.endswith(_CUT):
            return written in self._amounts
        return any(each.startswith(written[:-1]) for each in self._amounts)

    def _cut_name(self, text: str) -> list[Hidden]:
        """A name cut short by a column: it begins like a known one and ends in the cut sign."""
        for start in range(len(text)):
            end = text.find(_CUT, start)
            begun = text[start:end]
            if len(begun) < _LEAST_CUT or not begun[0].isalpha() or text[:start][-1:].isalnum():
                continue
            if any(name.startswith(begun) for name in self._names):
                return [Hidden(start, end + 1, is_amount=False)]
        return []

    def account(self, account: ListedAccount) -> None:
        """Take the name and the balances of one account."""
        self._record(LISTED_ACCOUNT, account)

    def _record(self, fields: FieldList[Record], record: Record) -> None:
        for name in fields.private_names(record):
            self._name(name)
        self._money(fields.private_amounts(record))

    def _name(self, name: str) -> None:
        shown = clean(name)
        if shown and shown not in self._names and len(self._names) < _MOST:
            self._names[shown] = None
            self._pattern = None

    def _money(self, amounts: Iterable[str]) -> None:
        for amount in amounts:
            if amount.strip("0.") and len(self._amounts) < _MOST:
                listed = approximate(amount).removeprefix("~")
                self._amounts |= {amount: None, grouped(amount): None, listed: None}


def _pattern(names: Iterable[str]) -> re.Pattern[str]:
    longest_first = sorted(names, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")


_FIELDS: dict[str, FieldList[Any]] = {
    "TradingAccount": LISTED_ACCOUNT,
    "TokenBalance": BALANCE,
    "Customer": CUSTOMER,
}
_TRANSACTIONS = frozenset({"Trade", "Transfer", "KeptTransfer"})
"""What is learned from a record, by the name of its model: the models are imported later. Of a
trade or transfer it is what was moved, with its fee, which tells it too; of a limit, what is used.
"""


class PrivacyFilter(LineFilter):
    """Masks painted lines while ``privacy.hidden``."""

    def __init__(self, privacy: Privacy, *, amounts: bool = True) -> None:
        super().__init__()
        self._privacy, self._amounts = privacy, amounts

    def names_only(self) -> "PrivacyFilter":
        return PrivacyFilter(self._privacy, amounts=False)

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 - Textual's signature
        if not self._privacy.hidden:
            return segments
        pieces: list[_Piece] = []
        for segment in segments:
            if not segment.control:
                hidden = self._privacy.find(segment.text, amounts=self._amounts)
                follows_gap = bool(pieces) and pieces[-1].text.endswith("  ")
                pieces += _pieces(segment, hidden, follows_gap=follows_gap)
        if any(piece.hides for piece in pieces):
            _keep_width(pieces)
        return [Segment(piece.text, piece.style) for piece in pieces]


class _Piece:
    """A part of a painted line.

    Attributes:
        hides: What the dots stand for, if they are any.
        wider: By how many cells that is wider than the dots.
        ends_cell: Whether it's an amount at the end of a cell that is aligned to the right.
    """

    __slots__ = ("ends_cell", "hides", "style", "text", "wider")

    def __init__(
        self,
        text: str,
        style: Style | None,
        hides: Hidden | None = None,
        wider: int = 0,
        *,
        ends_cell: bool = False,
    ) -> None:
        self.text, self.style, self.hides = text, style, hides
        self.wider, self.ends_cell = wider, ends_cell


def _pieces(segment: Segment, hidden: Sequence[Hidden], *, follows_gap: bool) -> Iterator[_Piece]:
    text, end = segment.text, 0
    for each in hidden:
        yield _Piece(text[end : each.start], segment.style)
        end = each.end
        wider = cell_len(text[each.start : end]) - len(_DOTS)
        is_cell = text.startswith(" ") or (follows_gap and each.start == 0)
        ends_cell = each.is_amount and end == len(text) and is_cell
        yield _Piece(_DOTS, segment.style, each, wider, ends_cell=ends_cell)
    yield _Piece(text[end:], segment.style)


def _keep_width(pieces: list[_Piece]) -> None:
    """Let blanks take what the dots are narrower or wider by: those before an amount in a column,
    those behind a name, and those far behind an amount in a sentence, which moves the words
    between them. Where a text ends at the right edge it's the blanks before it.
    """
    is_at_the_edge = not "".join(piece.text for piece in pieces).endswith("  ")
    for at, piece in enumerate(pieces):
        if piece.hides is None or not piece.wider:
            continue
        before, behind = pieces[:at][::-1], pieces[at + 1 :]
        gap = _FLOWING_GAP if piece.hides.is_amount else _COLUMN_GAP
        if piece.ends_cell and _stretch(before[:2], piece.wider, 1):
            continue
        if _stretch(behind, piece.wider, gap):
            continue
        if not (is_at_the_edge and _stretch(before, piece.wider, _FLOWING_GAP)):
            last = pieces[-1]
            last.text = (
                last.text + " " * piece.wider if piece.wider > 0 else last.text[: piece.wider]
            )


def _stretch(pieces: Sequence[_Piece], cells: int, gap: int) -> bool:
    """Add blanks to the first run of at least ``gap``, or take some; whether there is one."""
    for piece in pieces:
        run = re.search(f" {{{max(gap, 1 - cells)},}}", piece.text)
        if run is not None:
            start, end = run.span()
            piece.text = piece.text[:start] + " " * (end - start + cells) + piece.text[end:]
            return True
    return False


class Stated(Widget):
    """What the agent is asked, or offers the customer now: its amounts are shown all the same."""

    def get_line_filters(self) -> Sequence[LineFilter]:
        return [
            each.names_only() if isinstance(each, PrivacyFilter) else each
            for each in super().get_line_filters()
        ]
