"""Lines of toned text, drawn line by line: only a line that differs is painted again.

No markup is ever interpreted: text is data here. A tone is one or more words of ``TONES``.
"""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from rich.cells import cell_len, chop_cells
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from chainteller.records.formats import Piece, clean
from chainteller.tui.privacy import Stated

TONES: dict[str, tuple[str, bool]] = {
    "muted": ("muted", False),
    "good": ("success", False),
    "bad": ("error", False),
    "warn": ("warning", False),
    "up": ("up", False),
    "down": ("down", False),
    "buy": ("accent", False),
    "sell": ("training", False),
    "expiring": ("expiring", True),
    "accent": ("accent", False),
    "key": ("accent", True),
    "rule": ("line", False),
    "training": ("training", True),
    "production": ("production", True),
    "strong": ("", True),
}
"""A tone's theme variable ("" keeps the widget's colour) and whether it is bold."""


class Line(NamedTuple):
    """Pieces from the left and pieces that end at the right edge; the left gives way."""

    left: tuple[Piece, ...] = ()
    right: tuple[Piece, ...] = ()

    @property
    def plain(self) -> str:
        """As text to copy."""
        left = "".join(clean(text) for text, _ in self.left)
        right = "".join(clean(text) for text, _ in self.right)
        return f"{left}  {right}".rstrip() if right else left.rstrip()


def line(*pieces: str | Piece, right: Sequence[str | Piece] = ()) -> Line:
    return Line(_pieces(pieces), _pieces(right))


def heading(title: str, note: str = "") -> Line:
    return line((title, "strong"), right=((note, "muted"),) if note else ())


def _pieces(parts: Sequence[str | Piece]) -> tuple[Piece, ...]:
    return tuple((part, "") if isinstance(part, str) else part for part in parts)


EMPTY = Line()
_WHEEL_LINES, _LEAST_SCROLLED = 3, 4


def pad(text: str, width: int, align: str = "left") -> str:
    """``text`` in exactly ``width`` cells; what does not fit ends in an ellipsis."""
    text = clean(text)
    length = cell_len(text)
    if length > width:
        text = _crop(text, width)
        length = cell_len(text)
    space = " " * (width - length)
    return space + text if align == "right" else text + space


def _crop(text: str, width: int) -> str:
    """``text`` as far as it fits, and an ellipsis; a number in which it would end is left out."""
    if width <= 0:
        return ""
    kept = text[: width - 1] if text.isascii() else text[: 4 * width]
    while kept and cell_len(kept) >= width:
        kept = kept[:-1]
    if text[len(kept) : len(kept) + 1] in _OF_NUMBERS:
        kept = kept.rstrip("".join(_OF_NUMBERS))
    return kept + "…"


_OF_NUMBERS = frozenset("0123456789.,:")


def cut(text: str, width: int) -> list[str]:
    """``text`` in parts of ``width`` characters, wherever its words end."""
    width = max(1, width)  # a window may leave nothing
    return [text[at : at + width] for at in range(0, len(text), width)]


def wrapped(text: str, width: int) -> list[str]:
    """Words of ``text`` in lines of at most ``width`` cells; its own line breaks are kept."""
    rows: list[str] = []
    width = max(1, width)  # a window may leave nothing
    for paragraph in text.splitlines() or [""]:
        row = ""
        for word in _short_words(paragraph, width):
            if row and cell_len(row) + 1 + cell_len(word) > width:
                rows.append(row)
                row = word
            else:
                row = f"{row} {word}" if row else word
        rows.append(row)
    return rows


def labelled(label: str, text: str, label_cells: int, text_cells: int) -> list[Line]:
    """A muted label, and a text beside it in as many lines as it needs."""
    first, *more = wrapped(text, text_cells)
    below = [line(" " * label_cells, row) for row in more]
    return [line((f"{label:<{label_cells}}", "muted"), first), *below]


def _short_words(paragraph: str, width: int) -> Iterator[str]:
    """The words of a paragraph; a path or a hash that is wider than a line is cut into lines."""
    for word in paragraph.split(" "):
        yield from chop_cells(word, width) or ("",)


class Toned(Widget):
    """A widget that paints pieces in the theme's tones; the styles are kept per theme."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, classes=classes)
        self._styles_of_theme: tuple[str, dict[str, Style]] = ("", {})
        self._base_of_pass: Style | None = None

    def render_lines(self, crop: Region) -> list[Strip]:
        """Textual works the base style out anew at each access: once for a pass is enough."""
        self._base_of_pass = self.rich_style
        try:
            return super().render_lines(crop)
        finally:
            self._base_of_pass = None

    @property
    def base_style(self) -> Style:
        """The colours under every piece."""
        return self._base_of_pass or self.rich_style

    def tone(self, words: str) -> Style:
        theme, known = self._styles_of_theme
        if theme != self.app.theme:
            known = {}
            self._styles_of_theme = (self.app.theme, known)
        style = known.get(words)
        if style is None:
            style = known[words] = self._tone_style(words)
        return style

    def _tone_style(self, words: str) -> Style:
        variables = self.app.theme_variables
        style = Style()
        for word in words.split():
            variable, bold = TONES[word]
            color = variables.get(variable) if variable else None
            style += Style(color=color, bold=bold or None)
        return style

    def strip_of(self, shown: Line, width: int, base: Style) -> Strip:
        """One line of ``width`` cells."""
        right = [(clean(text), tone) for text, tone in shown.right]
        room = width - sum(cell_len(text) for text, _ in right)
        whole = "".join(clean(text) for text, _ in shown.left)
        over = cell_len(whole) - room
        has_gap = not right or right[0][0].startswith(" ") or (over == 0 and whole.endswith(" "))
        left = room - (over >= 0 and not has_gap)  # the parts don't touch each other
        segments: list[Segment] = []
        used = 0
        for raw, tone in shown.left:
            text = clean(raw)
            is_cut = used + cell_len(text) > left
            if is_cut:
                text = _crop(text, left - used)
            segments.append(Segment(text, base + self.tone(tone)))
            used += cell_len(text)
            if is_cut or used >= left:
                break
        if right:
            segments.append(Segment(" " * max(0, room - used), base + self.tone("")))
        segments.extend(Segment(text, base + self.tone(tone)) for text, tone in right)
        return Strip(segments).adjust_cell_length(width, base)


_KEYS_SHOWN = {
    "enter": "enter", "esc": "escape", "up": "up", "down": "down",
    ":": "colon", "?": "question_mark", "/": "slash", "+": "plus", "!": "exclamation_mark",
}  # fmt: skip
"""Textual's names of the keys that are shown with other words; letters and digits are their own."""


def piece_at(shown: Line, x: int, width: int) -> int | None:
    """Index of the piece of ``shown`` at the column ``x``, counted through left and right."""
    at = 0
    for index, (text, _) in enumerate(shown.left):
        at += cell_len(clean(text))
        if x < at:
            return index
    at = width - sum(cell_len(clean(text)) for text, _ in shown.right)
    for index, (text, _) in enumerate(shown.right, start=len(shown.left)):
        if at <= x < at + cell_len(clean(text)):
            return index
        at += cell_len(clean(text))
    return None


def key_at(shown: Line, x: int, width: int) -> str:
    """The key that is named at the column ``x``, or by the words before it; empty without one."""
    pieces, index = (*shown.left, *shown.right), piece_at(shown, x, width)
    for at in (index, index - 1) if index else (index,):
        if at is not None and pieces[at][1] == "key":
            text = pieces[at][0].strip()
            is_plain = len(text) == 1 and text.isascii() and text.isalnum()
            return text if is_plain else _KEYS_SHOWN.get(text, "")
    return ""


class Lines(Toned):
    """A block of lines; its height follows their number where the style sheet says auto.

    A click on a key that is named in it, or on what the key does, is as good as the key.
    """

    DEFAULT_CSS = "Lines { height: auto; }"

    def __init__(
        self,
        lines: Sequence[Line] = (),
        *,
        id: str | None = None,  # noqa: A002 - Textual's name
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self._lines: tuple[Line, ...] = tuple(lines)

    @property
    def lines(self) -> tuple[Line, ...]:
        return self._lines

    @property
    def plain_text(self) -> str:
        """What stands here, as text to copy."""
        return "\n".join(shown.plain for shown in self._lines)

    def show(self, lines: Sequence[Line]) -> None:
        """Show other lines; only those that differ are painted."""
        before, after = self._lines, tuple(lines)
        self._lines = after
        if len(before) != len(after) and self.styles.is_auto_height:
            self.refresh(layout=True)
            return
        both = enumerate(zip_longest(before, after, fillvalue=EMPTY))
        if differing := [Region(0, y, self.size.width, 1) for y, (was, now) in both if was != now]:
            self.refresh(*differing)

    def on_click(self, event: events.Click) -> None:
        x, y = event.x - self.gutter.left, event.y - self.gutter.top
        key = key_at(self._lines[y], x, self.size.width) if 0 <= y < len(self._lines) else ""
        if key:
            event.stop()
            self.app.simulate_key(key)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002 - Textual's signature
        return len(self._lines)

    def render_line(self, y: int) -> Strip:
        base = self.base_style
        shown = self._lines[y] if y < len(self._lines) else EMPTY
        return self.strip_of(shown, self.size.width, base)


class ScrolledLines(Lines):
    """Lines in a pane of fixed height: what doesn't fit is scrolled to, and said to be there."""

    def __init__(self, *, id: str, classes: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, classes=classes)
        self._whole: tuple[Line, ...] = ()
        self.top = 0

    @property
    def whole(self) -> tuple[Line, ...]:
        """All lines, in view or not."""
        return self._whole

    @property
    def plain_text(self) -> str:
        return "\n".join(shown.plain for shown in self._whole)

    @property
    def is_cut(self) -> bool:
        """Whether there is more than the pane has room for."""
        return len(self._whole) > self.size.height > 0

    def show(self, lines: Sequence[Line]) -> None:
        """Show other lines, from where the pane is scrolled to."""
        self._whole = tuple(lines)
        self._show_window()

    def scroll(self, step: int) -> bool:
        """Move by lines; False where there is nothing to move to."""
        before = self.top
        self.top += step
        self._show_window()
        return self.top != before

    def scroll_to_start(self) -> None:
        self.top = 0
        self._show_window()

    def on_resize(self) -> None:
        self._show_window()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.scroll(_WHEEL_LINES)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.scroll(-_WHEEL_LINES)

    def _show_window(self) -> None:
        height, whole = self.size.height, self._whole
        if not self.is_cut or height < _LEAST_SCROLLED:
            self.top = 0
            super().show((*whole, *[EMPTY] * (height - len(whole))))  # never another height
            return
        self.top = max(0, min(self.top, len(whole) - height))
        shown = [*whole[self.top : self.top + height]]
        below = len(whole) - self.top - height
        if self.top:
            shown[0] = _more(self.top + 1, "above", "up")
        if below:
            shown[-1] = _more(below + 1, "below", "down")
        super().show(shown)


def _more(count: int, where: str, key: str) -> Line:
    return line((f"{count} more lines {where}  ", "muted"), (key, "key"))


class StatedLines(Stated, Lines):
    """Lines whose amounts are never hidden."""
