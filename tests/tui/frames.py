"""What a rendered frame wastes: its largest empty rectangle, and texts cut beside free room."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import chop_cells
from textual.app import App

MOST_EMPTY = 0.15
"""Of the screen, while there is data that could stand there."""
_CUT = re.compile(r"\w…( {4,}| *$)")
"""A cut text, and more blanks behind it than there are between two columns."""


class Rectangle(NamedTuple):
    """Cells of a frame: the column and the row of its first one, and its size."""

    x: int
    y: int
    width: int
    height: int

    @property
    def cells(self) -> int:
        return self.width * self.height


def frame_of(app: App[None]) -> list[str]:
    """The rows that stand on the terminal, a letter for each cell."""
    width, height = app.size
    strips = app.screen._compositor.render_strips(app.size)
    rows = ("".join(segment.text for segment in strip if not segment.control) for strip in strips)
    return [_per_cell(row)[:width].ljust(width) for row in rows][:height]


def _per_cell(row: str) -> str:
    """A wide letter takes its two cells, a combining mark none."""
    if row.isascii():
        return row
    return "".join(cell.ljust(1, "?")[0] for cell in chop_cells(row, 1))


def largest_empty(rows: Sequence[str]) -> Rectangle:
    """The rectangle of blanks with the most cells."""
    best = Rectangle(0, 0, 0, 0)
    above = [0] * max(map(len, rows), default=0)
    for y, row in enumerate(rows):
        above = [high + 1 if row[x : x + 1] == " " else 0 for x, high in enumerate(above)]
        open_at: list[tuple[int, int]] = []
        for x, high in enumerate([*above, 0]):
            start = x
            while open_at and open_at[-1][1] >= high:
                start, tall = open_at.pop()
                found = Rectangle(start, y - tall + 1, x - start, tall)
                best = max(best, found, key=lambda each: each.cells)
            open_at.append((start, high))
    return best


def empty_share(rows: Sequence[str]) -> float:
    """The part of the frame that its largest empty rectangle covers, from 0 to 1."""
    return largest_empty(rows).cells / max(1, sum(map(len, rows)))


def cut_beside_room(rows: Sequence[str]) -> list[str]:
    """The rows in which a text is cut although there is free room behind it."""
    return [row for row in rows if _CUT.search(row)]
