"""Charts of prices and balances, drawn as lines of block characters.

Price charts don't begin at zero: they are labelled with the lowest and the highest price, and a
gap between samples is left empty. Balance charts begin at zero and change in steps.
"""

from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise

from chainteller.domain.clock import to_datetime
from chainteller.records.formats import clock_time
from chainteller.tui.widgets.lines import Line, line

Sample = tuple[int, Decimal]
"""Microseconds since the epoch, and the price then."""

_EIGHTHS = " ▁▂▃▄▅▆▇█"
_GAP_STEPS = 3
"""A pause longer than this many median steps is a gap."""


def by_time(samples: Sequence[Sample], cells: int) -> Sequence[Decimal | None]:
    """One price per cell of equal duration: the last known one, None in a gap."""
    if len(samples) < 2 or cells < 2:
        return [price for _, price in samples][:cells]
    first, last = samples[0][0], samples[-1][0]
    columns = min(cells, len(samples))
    width = max(1, (last - first) // (columns - 1))
    steps = sorted(after[0] - before[0] for before, after in pairwise(samples))
    longest = max(width, steps[len(steps) // 2]) * _GAP_STEPS
    shown: list[Decimal | None] = []
    place = 0
    for column in range(columns):
        at = first + column * width
        while place + 1 < len(samples) and samples[place + 1][0] <= at:
            place += 1
        shown.append(samples[place][1] if at - samples[place][0] < longest else None)
    shown[-1] = samples[-1][1]
    return shown


def price_chart(samples: Sequence[Sample], width: int, rows: int) -> list[Line]:
    """``rows`` lines of blocks under the highest and over the lowest price, then the times."""
    if len(samples) < 2:
        return [line((" no recent prices yet", "muted"))]
    prices = [price for _, price in samples]
    low, high = min(prices), max(prices)
    labels = max(len(f"{price:,.2f}") for price in (low, high)) + 2
    shown = by_time(samples, max(10, width - labels - 2))
    levels = [_level(price, low, high, rows) for price in shown]
    chart = []
    for row in range(rows - 1, -1, -1):
        label = {rows - 1: f"{high:,.2f}", 0: f"{low:,.2f}"}.get(row, "")
        blocks = "".join(_EIGHTHS[min(8, max(0, level - row * 8))] for level in levels)
        chart.append(line((f"{label:>{labels - 1}} ", "muted"), ("│", "rule"), (blocks, "accent")))
    return [*chart, _times(samples, labels, len(shown))]


def step_blocks(
    before: Decimal, steps: Sequence[Sample], begin: int, end: int, cells: int, rows: int
) -> list[str]:
    """``rows`` lines of blocks from zero to the highest value, one cell per equal time.

    A cell shows the value at its end. A value above zero is at least one eighth high.
    """
    highest = max([before, *(value for _, value in steps)])
    levels, place, value = [], 0, before
    for cell in range(1, cells + 1):
        until = begin + (end - begin) * cell // cells
        while place < len(steps) and steps[place][0] <= until:
            value = steps[place][1]
            place += 1
        whole = int(value * rows * 8 / highest) if highest > 0 else 0
        levels.append(max(1, whole) if value > 0 else 0)
    return [
        "".join(_EIGHTHS[min(8, max(0, level - row * 8))] for level in levels)
        for row in range(rows - 1, -1, -1)
    ]


def _level(price: Decimal | None, low: Decimal, high: Decimal, rows: int) -> int:
    """Eighths of a line, at least one for a known price; a constant price is in the middle."""
    if price is None:
        return 0
    if low == high:
        return rows * 4
    return int((price - low) / (high - low) * (rows * 8 - 1)) + 1


def _times(samples: Sequence[Sample], labels: int, cells: int) -> Line:
    first, last = (clock_time(to_datetime(at)) for at in (samples[0][0], samples[-1][0]))
    gap = " " * max(1, cells - len(first) - len(last))
    return line((f"{' ' * (labels + 1)}{first}{gap}{last}", "muted"))
