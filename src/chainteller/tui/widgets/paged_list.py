"""A list that never holds a whole table: it asks for the pages that its window shows."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.strip import Strip

from chainteller.records.formats import Piece, clean
from chainteller.tui.messages import PageWanted, RowChosen, RowOpened
from chainteller.tui.widgets.lines import Toned, pad

PAGE_ROWS = 50
_PAGES_KEPT = 8


class Column(NamedTuple):
    """``rank`` 0 always stands; the highest rank goes first when the width is short.

    Without a ``width`` it is only exported. One with ``most`` is as wide as the widest of what is
    loaded, up to so many cells, so that nothing in it is cut. ``tone`` is of cells that have none.
    ``whole`` is how many cells it takes to show what is abbreviated as a whole, where no other
    column needs them.
    """

    title: str
    width: int
    align: str = "left"
    rank: int = 0
    grows: bool = False
    most: int = 0
    tone: str = ""
    whole: int = 0


class Row(NamedTuple):
    """``whole`` has what some of the cells abbreviate, by their places."""

    key: str
    cells: tuple[Piece, ...]
    whole: tuple[tuple[int, str], ...] = ()


class Placed(NamedTuple):
    """The columns that stand, as (index, width), and the cells between two of them."""

    columns: tuple[tuple[int, int], ...]
    gap: int


WIDE_GAP = 2
_CUT, _LEAST_END = "..", 4
_WORTH_IT = 4
"""Letters more for which an abbreviation is another one than elsewhere."""


def fit(columns: Sequence[Column], width: int, least_gap: int = WIDE_GAP) -> Placed:
    """What fits into ``width``: columns move together before one of them goes."""
    kept = [index for index, column in enumerate(columns) if column.width]
    while kept and _needed(columns, kept, least_gap) > width:
        worst = max(kept, key=lambda index: (columns[index].rank, index))
        if columns[worst].rank == 0:
            break
        kept.remove(worst)
    gap = WIDE_GAP if _needed(columns, kept, WIDE_GAP) <= width else least_gap
    spare = max(0, width - _needed(columns, kept, gap))
    widths = {index: columns[index].width for index in kept}
    stand = [index for index, column in enumerate(columns) if column.width]
    for index in sorted(kept, key=lambda index: -columns[index].rank) if kept == stand else ():
        more = columns[index].whole - columns[index].width
        if 0 < more <= spare:
            widths[index] += more
            spare -= more
    growing = [index for index in kept if columns[index].grows]
    for index in growing:
        widths[index] += spare // len(growing)
    return Placed(tuple(widths.items()), gap)


def as_room_allows(text: str, whole: str, room: int) -> str:
    """``whole``, or as much of both its ends as there is room for, or else ``text``."""
    if len(whole) <= room:
        return whole
    at_end = max(_LEAST_END, (room - len(_CUT)) // 3)
    longer = f"{whole[: room - len(_CUT) - at_end]}{_CUT}{whole[-at_end:]}"
    return longer if len(longer) >= len(text) + _WORTH_IT else text


def _whole(rows: Sequence[Row], at: int, most: int) -> int:
    """Cells that the widest of a column's whole texts takes, up to ``most``."""
    texts = (text for row in rows for place, text in row.whole if place == at)
    return min(most, max((cell_len(text) for text in texts), default=0))


def _widest(rows: Sequence[Row], at: int, column: Column) -> int:
    shown = [cell_len(clean(row.cells[at][0])) for row in rows if at < len(row.cells)]
    return min(column.most, max([column.width, *shown]))


def _needed(columns: Sequence[Column], kept: Sequence[int], gap: int) -> int:
    return sum(columns[index].width for index in kept) + gap * max(0, len(kept) - 1)


def wrapped(pieces: Sequence[Piece], width: int) -> list[list[Piece]]:
    """The pieces on as many lines of ``width`` cells as they need; a key stays with its words."""
    lines: list[list[Piece]] = []
    left = 0
    for index, piece in enumerate(pieces):
        follows_key = index > 0 and pieces[index - 1][1] == "key"
        words = pieces[index + 1][0] if piece[1] == "key" and index + 1 < len(pieces) else ""
        if not lines or (not follows_key and len((piece[0] + words).rstrip()) > left):
            lines.append([])
            left = width
        lines[-1].append(piece)
        left -= len(piece[0])
    return lines


class PagedList(Toned):
    """The first line is the header. The screen moves the cursor; the list scrolls to it."""

    DEFAULT_CSS = "PagedList { height: 1fr; }"

    def __init__(
        self,
        columns: Sequence[Column],
        *,
        id: str,  # noqa: A002 - Textual's name
        least_gap: int = WIDE_GAP,
    ) -> None:
        super().__init__(id=id)
        self._asked_for = tuple(columns)
        self._columns = self._bare()
        self._least_gap = least_gap
        self._pages: OrderedDict[int, tuple[Row, ...]] = OrderedDict()
        self._asked: set[int] = set()
        self._empty: tuple[Piece, ...] = ()
        self._waiting: Piece = ("loading", "muted")
        self.total: int | None = None
        self.cursor = 0
        self.top = 0
        self.is_touched = False
        """Whether the cursor was moved since the list began anew."""
        self.moved: Callable[[], None] = lambda: None
        """Called when the cursor was moved, before its row is painted."""

    def _bare(self) -> tuple[Column, ...]:
        """The columns before there are rows."""
        return tuple(column._replace(whole=0) for column in self._asked_for)

    @property
    def titles(self) -> list[str]:
        return [column.title for column in self._columns]

    @property
    def window_rows(self) -> int:
        return max(1, self.size.height - 1)

    @property
    def cursor_row(self) -> Row | None:
        return self._row(self.cursor)

    @property
    def cursor_key(self) -> str | None:
        row = self.cursor_row
        return row.key if row else None

    @property
    def rows_held(self) -> tuple[Row, ...]:
        """What is loaded, in order; for exports of what is seen and for tests."""
        return tuple(row for page in sorted(self._pages) for row in self._pages[page])

    def pages_in_window(self) -> tuple[int, ...]:
        """The pages to fetch again when something changed."""
        last = max(self.top, min(self.top + self.window_rows, self.total or 1) - 1)
        return tuple(range(self.top // PAGE_ROWS + 1, last // PAGE_ROWS + 2))

    def say_empty(self, *pieces: Piece) -> None:
        """What stands instead of rows when there are none; it names the next key."""
        if self._empty != pieces:
            self._empty = pieces
            if not self.total:
                self.refresh()

    def say_failed(self, *, offered: bool) -> None:
        """That no page will come: the fetch failed, or the deployment does not offer the list."""
        words = "failed   r: retry" if offered else "not offered by this deployment   esc: back"
        self.say_waiting((words, "bad" if offered else "muted"))

    def say_waiting(self, words: Piece) -> None:
        """What stands while no page has come: that it loads, or that it could not be fetched."""
        self._waiting = words
        if self.total is None:
            self.refresh()

    def reshape(self, columns: Sequence[Column]) -> None:
        """Other columns for the same cells."""
        if self._asked_for != tuple(columns):
            self._asked_for = tuple(columns)
            self._columns = self._bare()
            self._widen(self.rows_held)
            self.refresh()

    def _widen(self, rows: Sequence[Row]) -> bool:
        """Make room for the widest of ``rows``, in the columns that fit what they hold; they
        become narrower with other rows only, so that nothing moves to and fro.
        """
        wider = tuple(
            column._replace(
                width=_widest(rows, at, column) if column.most else column.width,
                whole=max(column.whole, _whole(rows, at, asked.whole)),
            )
            for at, (column, asked) in enumerate(zip(self._columns, self._asked_for, strict=True))
        )
        differs = wider != self._columns
        self._columns = wider
        return differs

    def reset(self) -> None:
        """Forget all rows and go to the top: another filter, order or account."""
        self._columns = self._bare()
        self._pages.clear()
        self._asked.clear()
        self.total = None
        self.cursor = self.top = 0
        self.is_touched = False
        self.refresh()

    def put(self, page: int, rows: Sequence[Row], total: int, *, follow: bool = True) -> None:
        """Take a page in; with ``follow`` the cursor stays on its record if that moved."""
        key = self.cursor_key if follow else None
        before, seen = (self.total, self._pages.get(page)), self._lines_seen()
        self._pages[page] = tuple(rows)
        self._pages.move_to_end(page)
        while len(self._pages) > _PAGES_KEPT:
            self._pages.popitem(last=False)
        self._asked.discard(page)
        self.total = total
        if before != (total, self._pages[page]):
            self._settle_cursor(key, page)
            if self._widen(rows) or before[0] != total:
                self.refresh()
            else:
                both = enumerate(zip(seen, self._lines_seen(), strict=True), start=1)
                if lines := [Region(0, y, self.size.width, 1) for y, (a, b) in both if a != b]:
                    self.refresh(*lines)
        if key is None or key != self.cursor_key:
            self._announce()

    def replace_row(self, row: Row) -> None:
        """Show other cells for one record that is loaded; only its line is painted."""
        for page, rows in self._pages.items():
            for offset, old in enumerate(rows):
                if old.key == row.key and old != row:
                    self._pages[page] = (*rows[:offset], row, *rows[offset + 1 :])
                    if self._widen((row,)):
                        self.refresh()
                    else:
                        self._repaint_row((page - 1) * PAGE_ROWS + offset)
                    return

    def _lines_seen(self) -> list[tuple[Row | None, bool]]:
        """What each line of the window shows: its row, and whether the cursor is on it."""
        window = range(self.top, self.top + self.window_rows)
        return [(self._row(at), at == self.cursor) for at in window]

    def _row_strip(self, row: Row, on_cursor: bool) -> Strip:  # noqa: FBT001 - as it is kept
        width, base = self.size.width, self.base_style
        if on_cursor:
            style = base + self._cursor_style()
            return self._strip(">", row.cells, style, width, plain=True, whole=row.whole)
        return self._strip(" ", row.cells, base, width, whole=row.whole)

    def _settle_cursor(self, key: str | None, page: int) -> None:
        if key is not None:
            for offset, row in enumerate(self._pages[page]):
                if row.key == key:
                    self.cursor = (page - 1) * PAGE_ROWS + offset
        self._clamp()

    def _clamp(self) -> None:
        """The cursor within the list, and the window around it without room left at its end."""
        last = max(0, (self.total or 0) - 1)
        self.cursor = min(max(0, self.cursor), last)
        if self.size.height == 0:
            return  # hidden: it comes back where it was
        self.top = min(self.top, self.cursor, max(0, last + 1 - self.window_rows))
        self.top = max(self.top, self.cursor - self.window_rows + 1, 0)

    def move(self, step: int) -> None:
        self.move_to(self.cursor + step)

    def move_pages(self, step: int) -> None:
        self.move(step * (self.window_rows - 1 or 1))

    def move_to(self, index: int, *, is_touched: bool = True) -> None:
        """Put the cursor on a line; by default because the agent asked for it."""
        cursor, top = self.cursor, self.top
        self.cursor = index
        self._clamp()
        if self.top != top:
            self.refresh()
        elif self.cursor != cursor:
            self._repaint_row(cursor)
            self._repaint_row(self.cursor)
        if self.cursor != cursor:
            self.is_touched |= is_touched
            self.moved()
            self._announce()

    def move_to_key(self, key: str) -> bool:
        """Put the cursor on a loaded record, untouched by the agent; False when it isn't loaded."""
        for page, rows in self._pages.items():
            for offset, row in enumerate(rows):
                if row.key == key:
                    self.move_to((page - 1) * PAGE_ROWS + offset, is_touched=False)
                    return True
        return False

    def _repaint_row(self, index: int) -> None:
        y = 1 + index - self.top
        if 0 < y < self.size.height:
            self.refresh(Region(0, y, self.size.width, 1))

    def _announce(self) -> None:
        key = self.cursor_key
        if key is not None:
            self.post_message(RowChosen(self.id or "", key))

    def _row(self, index: int) -> Row | None:
        page, offset = divmod(index, PAGE_ROWS)
        rows = self._pages.get(page + 1)
        return rows[offset] if rows is not None and offset < len(rows) else None

    def _want(self, index: int) -> None:
        page = index // PAGE_ROWS + 1
        if page not in self._pages and page not in self._asked:
            self._asked.add(page)
            self.post_message(PageWanted(self.id or "", page))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002 - Textual's signature
        return 1 + min(self.total or 1, PAGE_ROWS)

    def on_resize(self) -> None:
        self._clamp()

    def render_line(self, y: int) -> Strip:
        width, base = self.size.width, self.base_style
        if y == 0:
            cells = tuple((column.title, "muted") for column in self._columns)
            return self._strip(" ", cells, base, width)
        index = self.top + y - 1
        if not self.total:
            return self._nothing(y, base, width)
        if index >= self.total:
            return Strip.blank(width, base)
        row = self._row(index)
        if row is None:
            self._want(index)
            return self._strip(" ", (("...", "muted"),), base, width)
        return self._row_strip(row, index == self.cursor)

    def _nothing(self, y: int, base: Style, width: int) -> Strip:
        if self.total is None and y == 1:
            text, tone = self._waiting
            said = Segment(f" {text}", base + self.tone(tone))
            return Strip([said]).adjust_cell_length(width, base)
        rows = wrapped(self._empty, width - 2) if self.total == 0 and y > 1 else []
        if rows[y - 2 :]:
            pieces = [Segment(" ", base)]
            pieces += [Segment(text, base + self.tone(tone)) for text, tone in rows[y - 2]]
            return Strip(pieces).adjust_cell_length(width, base)
        return Strip.blank(width, base)

    def _cursor_style(self) -> Style:
        variables = self.app.theme_variables
        return Style(color=variables["cursor-text"], bgcolor=variables["cursor"])

    def _strip(
        self,
        mark: str,
        cells: Sequence[Piece],
        base: Style,
        width: int,
        *,
        plain: bool = False,
        whole: tuple[tuple[int, str], ...] = (),
    ) -> Strip:
        segments, wholes = [Segment(mark, base)], dict(whole)
        placed = fit(self._columns, width - 2, self._least_gap)
        for place, (index, room) in enumerate(placed.columns):
            if index >= len(cells):
                break
            text, tone = cells[index]
            gap = " " * placed.gap if place else ""
            if index in wholes and room > len(text):
                text = as_room_allows(text, wholes[index], room)
            shown = gap + pad(text, room, self._columns[index].align)
            segments.append(Segment(shown, base if plain else base + self.tone(tone)))
        return Strip(segments).adjust_cell_length(width, base)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.move(3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.move(-3)

    def on_click(self, event: events.Click) -> None:
        event.stop()
        y = event.y - self.gutter.top
        index = self.top + y - 1
        if y < 1 or index >= (self.total or 0):
            return
        if index == self.cursor and self.cursor_key:
            self.post_message(RowOpened(self.id or "", self.cursor_key))
        self.move_to(index)
