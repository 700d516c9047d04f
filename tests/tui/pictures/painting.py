"""A screen of the running console as a small SVG that reads well in a diff.

One line of the file is one row of the screen; colours stand where they are used and nothing in it
depends on anything else, so a changed word is a changed line.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import groupby

from rich.cells import cell_len
from rich.color import Color, blend_rgb
from rich.segment import Segment
from rich.style import Style
from textual._context import visible_screen_stack
from textual.app import App

CELL, ROW, SIZE, MARGIN = 8, 16, 13.3, 10
"""Pixels: width of a cell, height of a row, the letters (0.6 of them is a cell), the frame."""
BASELINE = 13
_FONTS = "'DejaVu Sans Mono', Menlo, Consolas, 'Liberation Mono', monospace"


@dataclass(frozen=True, slots=True)
class _Run:
    """Cells of one look, from the column ``at``."""

    at: int
    text: str
    front: str
    ground: str
    is_bold: bool
    is_underlined: bool


def paint(app: App[None]) -> str:
    """What stands on the terminal now, after the line filters."""
    width, height = app.size
    visible_screen_stack.set(app._background_screens)
    strips = app.screen._compositor.render_strips(app.size)
    rows = [list(_runs(list(strip))) for strip in strips[:height]]
    ground = _commonest(rows)
    wide, high = width * CELL + 2 * MARGIN, height * ROW + 2 * MARGIN
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}"'
        f' viewBox="0 0 {wide} {high}"'
        f' font-family="{_FONTS}" font-size="{SIZE}">',
        f'<rect width="{wide}" height="{high}" rx="8" fill="{ground}"/>',
    ]
    for y, runs in enumerate(rows):
        drawn.append("".join([*_grounds(runs, y, ground), *_texts(runs, y)]))
    return "\n".join([*(row for row in drawn if row), "</svg>", ""])


def _runs(segments: list[Segment]) -> Iterator[_Run]:
    at = 0
    for segment in segments:
        if segment.control:
            continue
        style = segment.style or Style()
        front, ground = _hex(style.color, "#c0c0c0"), _hex(style.bgcolor, "#000000")
        if style.reverse:
            front, ground = ground, front
        if style.dim:
            front = _half(front, ground)
        bold, underlined = bool(style.bold), bool(style.underline)
        yield _Run(at, segment.text, front, ground, bold, underlined)
        at += cell_len(segment.text)


def _hex(color: Color | None, default: str) -> str:
    return color.get_truecolor().hex if color is not None and not color.is_default else default


def _half(front: str, ground: str) -> str:
    first, second = Color.parse(front).get_truecolor(), Color.parse(ground).get_truecolor()
    return blend_rgb(first, second).hex


def _commonest(rows: list[list[_Run]]) -> str:
    cells: dict[str, int] = {}
    for run in (run for row in rows for run in row):
        cells[run.ground] = cells.get(run.ground, 0) + len(run.text)
    return max(sorted(cells), key=lambda ground: cells[ground])


def _grounds(runs: list[_Run], y: int, commonest: str) -> Iterator[str]:
    for ground, group in groupby(runs, key=lambda run: run.ground):
        same = list(group)
        width = sum(cell_len(run.text) for run in same)
        if ground != commonest and width:
            x, top = MARGIN + same[0].at * CELL, MARGIN + y * ROW
            yield (
                f'<rect x="{x}" y="{top}" width="{width * CELL}" height="{ROW}" fill="{ground}"/>'
            )


def _texts(runs: list[_Run], y: int) -> Iterator[str]:
    words = [word for run in runs for word in _words(run)]
    if words:
        yield f'<text y="{MARGIN + y * ROW + BASELINE}">{"".join(words)}</text>'


def _words(run: _Run) -> Iterator[str]:
    """Words with one space between them stay together; wider gaps are only a new place."""
    look = f' fill="{run.front}"'
    look += ' font-weight="bold"' if run.is_bold else ""
    look += ' text-decoration="underline"' if run.is_underlined else ""
    at = run.at
    for part in run.text.replace("\u00a0", " ").split("  "):
        text = part.strip(" ")
        if text:
            x = MARGIN + (at + cell_len(part) - cell_len(part.lstrip(" "))) * CELL
            length = cell_len(text) * CELL
            yield (
                f'<tspan x="{x}" textLength="{length}"{look}>{escape(text, quote=False)}</tspan>'
            )
        at += cell_len(part) + 2
