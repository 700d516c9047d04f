"""Writes to the terminal only the cells that changed, and colours only where they change.

Textual writes whatever was painted anew, and gives every piece of text all its colours and a reset.
Over SSH a price that ticks should cost its own cells: about a tenth of that.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import NamedTuple

from rich.color import Color, ColorSystem
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.strip import Strip

Look = tuple[str, str, str]
"""The SGR parameters of a style: its attributes, its foreground, its background."""

_NONE: Look = ("", "", "")
_RESET = "\x1b[0m"
_ATTRIBUTES = {
    "bold": "1", "dim": "2", "italic": "3", "underline": "4", "blink": "5", "blink2": "6",
    "reverse": "7", "conceal": "8", "strike": "9", "underline2": "21", "frame": "51",
    "encircle": "52", "overline": "53",
}  # fmt: skip
_ON_BLANKS = frozenset({"4", "7", "9", "21", "51", "52", "53"})
"""Attributes that are seen where there is no letter."""
_ERASING = frozenset(
    {"alacritty", "contour", "foot", "ghostty", "konsole", "rio", "vte", "wezterm", "xterm"}
)
"""Terminals, by the first word of ``TERM``, whose erased cells take the background that is set, as
terminfo says with ``bce``. Others, such as GNU screen, are given blanks."""
_LEAST_ERASED, _LEAST_LEFT = 12, 5
"""Blanks that cost more than erasing them and going past, or than erasing alone."""


Piece = tuple[int, int, Strip]
"""Where a strip stands: x, y, and the strip."""


def _changed(update: ChopsUpdate) -> Iterator[Piece]:
    for y, left, right in update.spans:
        for end, (x, strip) in zip(update.chop_ends[y], update.chops[y].items(), strict=False):
            if strip is None or x >= right or end <= left:
                continue
            first, last = max(x, left), min(end, right)
            whole = first == x and last == end
            yield first, y, strip if whole else strip.crop(first - x, last - x)


def _whole(update: LayoutUpdate) -> Iterator[Piece]:
    for y, strips in enumerate(update.strips, update.region.y):
        yield update.region.x, y, Strip.join(strips)


class Picture:
    """The rows that the terminal shows. Of whatever is painted anew, only the cells that differ are
    written: a widget needn't know which of its cells changed.
    """

    def __init__(self) -> None:
        self._rows: dict[int, Strip] = {}
        self._screen: object = None

    def forget(self) -> None:
        """The terminal may show something else by now."""
        self._rows.clear()

    def differing(self, update: CompositorUpdate, screen: object = None) -> CompositorUpdate | None:
        """What of an update isn't on the terminal yet, if anything. Another ``screen`` is written
        whole.
        """
        if screen is not self._screen:
            self._screen = screen
            self.forget()
        if isinstance(update, LayoutUpdate):
            pieces, width = _whole(update), update.region.right
        elif isinstance(update, ChopsUpdate):
            pieces, width = _changed(update), update.chop_ends[0][-1]
        else:
            return update
        newer = [each for piece in pieces for each in self._newer(*piece, width)]
        return Pieces(newer) if newer else None

    def _newer(self, x: int, y: int, strip: Strip, width: int) -> Iterator[Piece]:
        end, before = x + strip.cell_length, self._rows.get(y)
        if before is None and (x, end) == (0, width):
            self._rows[y] = strip
            yield x, y, strip
            return
        before = before or _unknown(width)
        was = before.crop(x, end)
        if was == strip:
            return
        after = [before.crop(0, x), strip, before.crop(end, width)]
        self._rows[y] = Strip.join(after)
        for first, cells in differing(was, strip):
            yield x + first, y, strip.crop(first, first + cells)


def _unknown(width: int) -> Strip:
    """A row of cells that nothing painted is equal to."""
    return Strip([Segment("\ue000" * width)], width)


_LEAST_GAP = 5
"""So many equal cells between two changes cost more than going past them."""


def differing(old: Strip, new: Strip) -> list[tuple[int, int]]:
    """The stretches of cells that differ: (first, how many); none where nothing does."""
    before, after = _cells(old), _cells(new)
    if before is None or after is None or len(before) != len(after):
        return [(0, new.cell_length)]
    spans: list[tuple[int, int]] = []
    for x, (was, now) in enumerate(zip(before, after, strict=True)):
        if was == now:
            continue
        if spans and x - sum(spans[-1]) < _LEAST_GAP:
            spans[-1] = (spans[-1][0], x - spans[-1][0] + 1)
        else:
            spans.append((x, 1))
    return spans


def _cells(strip: Strip) -> list[tuple[str, Style | None]] | None:
    """A strip cell by cell; None where a character is not exactly one cell wide."""
    cells: list[tuple[str, Style | None]] = []
    for text, style, _ in strip:
        ground = _ground(style) if style is not None and " " in text else style
        cells += [(letter, ground if letter == " " else style) for letter in text]
    return cells if len(cells) == strip.cell_length else None


@lru_cache(maxsize=1024)
def _ground(style: Style) -> Style:
    """What is seen of a style where there is no letter."""
    is_seen = any(getattr(style, name) for name, code in _ATTRIBUTES.items() if code in _ON_BLANKS)
    return style if is_seen else Style(bgcolor=style.bgcolor)


class Pieces(CompositorUpdate):
    """Strips at their places."""

    def __init__(self, pieces: Iterable[Piece]) -> None:
        self._pieces = tuple(pieces)

    def render_segments(self, console: Console) -> str:
        """Escape sequences and text; ends without colours.

        Going to another place takes half the bytes of another colour. A picture of many small
        pieces is shorter colour by colour, those of one ground together, than from its top to
        its end.
        """
        colours = _colours(console)
        runs = [run for piece in self._pieces for run in _runs(*piece, colours)]
        first: dict[Look | str, int] = {}
        for run in runs:
            first.setdefault(run.look[2], len(first))
            first.setdefault(run.look, len(first))
        by_colour = sorted(runs, key=lambda run: (first[run.look[2]], first[run.look]))
        return min((_written(each, colours) for each in (runs, by_colour)), key=len)


class _Run(NamedTuple):
    """A text of one look at its place."""

    x: int
    y: int
    segment: Segment
    look: Look


def _colours(console: Console) -> ColorSystem | None:
    names = {"truecolor": ColorSystem.TRUECOLOR, "256": ColorSystem.EIGHT_BIT}
    names |= {"standard": ColorSystem.STANDARD, "windows": ColorSystem.WINDOWS}
    return names.get(console.color_system or "")


def _runs(x: int, y: int, strip: Strip, colours: ColorSystem | None) -> list[_Run]:
    """The texts of a strip. Blanks belong to the text beside them if both have one ground."""
    runs: list[_Run] = []
    for segment in strip:
        style = segment.style
        run = _Run(x, y, segment, look_of(style, colours) if style is not None else _NONE)
        joined = _joined(runs[-1], run) if runs else None
        if joined is None:
            runs.append(run)
        else:
            runs[-1] = joined
        x += segment.cell_length
    return runs


def _joined(left: _Run, right: _Run) -> _Run | None:
    """Both as one text; None where their looks differ, or blanks in it are better erased."""
    if not (_is_joinable(left) and _is_joinable(right) and left.look[2] == right.look[2]):
        return None
    text = left.segment.text.rstrip(" ")
    blanks = len(left.segment.text) - len(text)
    if not right.segment.text.strip(" "):
        style, look = left.segment.style, left.look
    elif blanks < _LEAST_ERASED and (not text or left.look == right.look):
        style, look = right.segment.style, right.look
    else:
        return None
    return _Run(left.x, left.y, Segment(left.segment.text + right.segment.text, style), look)


def _is_joinable(run: _Run) -> bool:
    style = run.segment.style
    is_seen = _ON_BLANKS & {*run.look[0].split(";")}
    return not (run.segment.control or is_seen or style is None or style.link)


def _written(runs: Sequence[_Run], colours: ColorSystem | None) -> str:
    pen = _Pen(colours)
    for (x, y, segment, look), following in zip_longest(runs, runs[1:]):
        pen.move(x, y)
        goes_on = following and following[:2] == (x + segment.cell_length, y)
        pen.write(segment, look, _LEAST_ERASED if goes_on else _LEAST_LEFT)
    return pen.text()


def _erases() -> bool:
    """Whether the terminal can be told to erase cells instead of being sent blanks."""
    return os.environ.get("TERM", "").partition("-")[0] in _ERASING


class _Pen:
    """Knows where the terminal's cursor stands and in what look it writes."""

    def __init__(self, colours: ColorSystem | None) -> None:
        self._colours = colours
        self._parts: list[str] = []
        self._look = _NONE
        self._erases = _erases()
        self._x = self._y = -1

    def move(self, x: int, y: int) -> None:
        if y != self._y:
            self._parts.append(f"\x1b[{y + 1};{x + 1}H")
        elif x != self._x:
            ahead = x - self._x
            self._parts.append(f"\x1b[{ahead}C" if 0 < ahead <= x else f"\x1b[{x + 1}G")
        self._x, self._y = x, y

    def write(self, segment: Segment, wanted: Look, least_erased: int) -> None:
        style = segment.style
        if segment.control or (style is not None and style.link):
            self._take(_NONE)
            system = self._colours
            text = segment.text
            self._parts.append(style.render(text, color_system=system) if style else text)
            self._x += segment.cell_length
            return
        text = segment.text.rstrip(" ")
        blanks = len(segment.text) - len(text)
        if wanted != self._look and not (not text and self._same_blank(wanted)):
            self._take(wanted)
        if blanks >= least_erased and self._can_erase():
            self._parts.append(f"{text}\x1b[{blanks}X")  # the cursor stays
            self._x += segment.cell_length - blanks
            return
        self._parts.append(segment.text)
        self._x += segment.cell_length

    def _same_blank(self, wanted: Look) -> bool:
        """A blank shows its background and few attributes only: the letters' look may stay."""
        seen = self._look[0].split(";") + wanted[0].split(";")
        return wanted[2] == self._look[2] and not _ON_BLANKS & {*seen}

    def _can_erase(self) -> bool:
        is_plain = bool(self._look[2]) and not _ON_BLANKS & {*self._look[0].split(";")}
        return self._erases and is_plain

    def _take(self, wanted: Look) -> None:
        now = self._look
        if wanted == now:
            return
        ends = now[0] == "1" and not wanted[0]  # bold alone can end without the colours
        gone = any(was and not will for was, will in zip(now[ends:], wanted[ends:], strict=True))
        if gone or (now[0] and wanted[0] != now[0] and not ends):
            codes = ["0", *(part for part in wanted if part)]
        else:
            changed = [will for was, will in zip(now, wanted, strict=True) if will != was]
            codes = ["22", *changed[1:]] if ends else changed
        self._parts.append(f"\x1b[{';'.join(codes)}m")
        self._look = wanted

    def text(self) -> str:
        if self._look != _NONE:
            self._parts.append(_RESET)
        return "".join(self._parts)


@lru_cache(maxsize=1024)
def look_of(style: Style, system: ColorSystem | None) -> Look:
    if system is None:
        return _NONE
    attributes = [code for name, code in _ATTRIBUTES.items() if getattr(style, name)]
    return (
        ";".join(attributes),
        _codes(style.color, system, foreground=True),
        _codes(style.bgcolor, system, foreground=False),
    )


def _codes(color: Color | None, system: ColorSystem, *, foreground: bool) -> str:
    if color is None:
        return ""
    return ";".join(color.downgrade(system).get_ansi_codes(foreground=foreground))
