"""Charts of prices, drawn as lines of braille dots, eight in each cell.

The axis rarely begins at zero; its labels are the highest, the middle and the lowest price. A gap
between samples is left empty.
"""

from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise

from chainteller.domain.clock import MINUTE, to_datetime
from chainteller.records.formats import Piece, clock_time
from chainteller.tui.widgets.lines import Line, line

Sample = tuple[int, Decimal]
"""Microseconds since the epoch, and the price then."""

_GAP_STEPS = 3
"""A pause longer than this many median steps is a gap."""
_DOTS_ACROSS, _DOTS_DOWN = 2, 4
_BRAILLE = 0x2800
_DOTS = ((0x40, 0x04, 0x02, 0x01), (0x80, 0x20, 0x10, 0x08))
"""Bits of a braille cell: its left and its right column, from the lowest dot up."""
_MOST_DOTS_PER_SAMPLE = 4
_GRID = "┈"
_TIMES_EVERY = 30
"""Cells between two times below a chart, at least."""
_HOUR_MINUTES = 60
LEAST_ROWS = 3
AXIS_ROWS = 2
"""Lines below a chart: its times, and what its axis shows."""


def by_time(
    samples: Sequence[Sample], cells: int, most_per_sample: int = 1
) -> Sequence[Decimal | None]:
    """One price per cell of equal duration, None in a gap: the last known one, or one between two
    samples where a sample has several cells.
    """
    if len(samples) < 2 or cells < 2:
        return [price for _, price in samples][:cells]
    first, last = samples[0][0], samples[-1][0]
    columns = min(cells, len(samples) * most_per_sample)
    width = max(1, (last - first) // (columns - 1))
    steps = sorted(after[0] - before[0] for before, after in pairwise(samples))
    longest = max(width, steps[len(steps) // 2]) * _GAP_STEPS
    shown: list[Decimal | None] = []
    place = 0
    for column in range(columns):
        at = first + column * width
        while place + 1 < len(samples) and samples[place + 1][0] <= at:
            place += 1
        known_at, price = samples[place]
        if most_per_sample > 1 and place + 1 < len(samples):
            next_at, following = samples[place + 1]
            price += (following - price) * (at - known_at) / max(1, next_at - known_at)
            is_gap = next_at - known_at >= longest and at > known_at
        else:
            is_gap = at - known_at >= longest
        shown.append(None if is_gap else price)
    shown[-1] = samples[-1][1]
    return shown


def price_chart(samples: Sequence[Sample], width: int, rows: int) -> list[Line]:
    """``rows`` lines of dots between the highest and the lowest price, the times, and the axis."""
    if len(samples) < 2:
        return [line((" no recent prices yet", "muted"))]
    prices = [price for _, price in samples]
    low, high = min(prices), max(prices)
    named = {rows - 1: f"{high:,.2f}", rows // 2: f"{(low + high) / 2:,.2f}", 0: f"{low:,.2f}"}
    if low == high:
        named = {rows // 2: f"{low:,.2f}"}
    labels = max(map(len, named.values())) + 2
    cells = max(5, width - labels - 2)
    shown = by_time(samples, cells * _DOTS_ACROSS, _MOST_DOTS_PER_SAMPLE)
    dots = [None if price is None else _dot(price, low, high, rows) for price in shown]
    chart = []
    for row, text in zip(range(rows - 1, -1, -1), braille_lines(dots, rows), strict=True):
        label = named.get(row, "")
        drawn = _on_grid(text) if label else [(text, "accent")]
        chart.append(line((f"{label:>{labels - 1}} ", "muted"), ("│", "rule"), *drawn))
    across = -(-len(dots) // _DOTS_ACROSS)
    return [*chart, _times(samples, labels, across), _axis(samples, low, high, labels)]


def braille_lines(dots: Sequence[int | None], rows: int) -> list[str]:
    """A line through one dot per column, counted from the bottom; None leaves a gap."""
    cells = [[0] * (-(-len(dots) // _DOTS_ACROSS)) for _ in range(rows)]
    before: int | None = None
    for column, dot in enumerate(dots):
        if dot is not None:
            start = dot if before is None else before + (dot > before) - (dot < before)
            for height in range(min(start, dot), max(start, dot) + 1):
                row, within = divmod(height, _DOTS_DOWN)
                bit = _DOTS[column % _DOTS_ACROSS][within]
                cells[rows - 1 - row][column // _DOTS_ACROSS] |= bit
        before = dot
    return ["".join(chr(_BRAILLE + bits) if bits else " " for bits in row) for row in cells]


def _dot(price: Decimal, low: Decimal, high: Decimal, rows: int) -> int:
    """The dot that stands for a price; a constant price is in the middle."""
    if low == high:
        return rows * _DOTS_DOWN // 2
    return int((price - low) / (high - low) * (rows * _DOTS_DOWN - 1))


def _on_grid(text: str) -> list[Piece]:
    """A labelled line of a chart: a thin rule wherever there are no dots."""
    pieces: list[Piece] = []
    for letter in text:
        shown, tone = (_GRID, "rule") if letter == " " else (letter, "accent")
        if pieces and pieces[-1][1] == tone:
            pieces[-1] = (pieces[-1][0] + shown, tone)
        else:
            pieces.append((shown, tone))
    return pieces


def _times(samples: Sequence[Sample], labels: int, cells: int) -> Line:
    """The first time, the last, and as many between as there is room for."""
    first, last = samples[0][0], samples[-1][0]
    between = max(1, cells // _TIMES_EVERY)
    text = " " * (labels + 1)
    for number in range(between + 1):
        word = clock_time(to_datetime(first + (last - first) * number // between))
        at = labels + 1 + cells * number // between
        at -= {0: 0, between: len(word)}.get(number, len(word) // 2)
        text = text.ljust(at if number == 0 else max(at, len(text) + 1)) + word
    return line((text, "muted"))


def _axis(samples: Sequence[Sample], low: Decimal, high: Decimal, labels: int) -> Line:
    """What the chart shows: how long; the ends of the other axis are labelled."""
    minutes = max(1, round((samples[-1][0] - samples[0][0]) / MINUTE))
    span = f"last {minutes} min" if minutes != _HOUR_MINUTES else "last hour"
    told = "   unchanged" if low == high else ""
    return line((f"{' ' * (labels + 1)}{span}{told}", "muted"))
