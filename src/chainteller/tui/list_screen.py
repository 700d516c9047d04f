"""Screens around one paged list: fetching its pages, moving in it, filtering and exporting it.

A list screen is declared by a ``Listing``: its columns, rows and pages, its orders (``o``), what it
can be narrowed to (``f``) and the blocks of its detail; ``opens`` and its like make the commands
that lists share.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import count
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar, cast

from rich.cells import cell_len
from textual import on
from textual.containers import Container
from textual.widget import Widget

from chainteller.records.formats import Piece
from chainteller.service.errors import NotOffered, TellerError
from chainteller.tui.answer import answered, say, work_title
from chainteller.tui.commands import IS_OPEN, AnyCommand, Command, always
from chainteller.tui.desk import Desk
from chainteller.tui.desk_screen import DeskScreen, is_detail_alone, shows_all
from chainteller.tui.messages import PageWanted, RowChosen, RowOpened
from chainteller.tui.service_calls import Later, OneAtATime, call_service
from chainteller.tui.widgets.bars import StatusLine
from chainteller.tui.widgets.detail import Detail, OfWidth
from chainteller.tui.widgets.ground import titled
from chainteller.tui.widgets.lines import EMPTY, Line, Lines, line
from chainteller.tui.widgets.paged_list import PAGE_ROWS, Column, PagedList, Row

if TYPE_CHECKING:
    from textual.timer import Timer

    from chainteller.service.models.accounts import TradingAccount
    from chainteller.service.models.pages import Page
    from chainteller.tui.exports import Export

Record = TypeVar("Record")
_LONGEST_WAIT_S = 3.0
MOST_EXPORTED = 10_000
"""Rows of one export: two hundred pages, a minute or so at a far deployment."""


Caller = Callable[..., Awaitable[Any]]
"""``call_service``, or what sends one request at a time."""


class Stopped(TellerError):
    """An export that another filter or order ended."""

    code = "EXPORT_STOPPED"
    next_step = "e: export it again"


class Listed(NamedTuple, Generic[Record]):
    """One page: its records with their rows, and how many there are in all."""

    records: tuple[tuple[Row, Record], ...]
    total: int


class Pages(Generic[Record]):
    """The records behind a list, fetched page by page.

    Args:
        fetch: asks the service for a page; runs in a thread.
        view: the list on the screen.
        shown: called with the number of all records when a page has come.
    """

    def __init__(
        self,
        fetch: Callable[[int], Listed[Record]],
        view: Callable[[], PagedList],
        shown: Callable[[int], None],
    ) -> None:
        self._fetch, self._view, self._shown = fetch, view, shown
        self.records: dict[str, Record] = {}
        self.came = asyncio.Event()
        """Set while a page of the present list is there, or cannot be had."""
        self.is_preview = False
        """Whether the rows were read before the engine stood: an untouched cursor stays on top."""
        self.is_choice_gone = False
        """Whether the cursor was on one of those rows that isn't among the fresh ones."""
        self._version = 0
        self._typed = OneAtATime()

    def forget(self) -> None:
        """Drop all records, also those on their way: they are of another list."""
        self._version += 1
        self.records.clear()
        self._view().reset()

    async def load_window(self) -> None:
        """Fetch the pages around what is shown. Raises TellerError."""
        for page in self._view().pages_in_window():
            await self.load(page)

    async def load_typed(self) -> None:
        """Fetch them while a filter is typed: one request at a time, however quick the letters
        come. Raises TellerError.
        """
        for page in self._view().pages_in_window():
            await self.load(page, self._typed.call)

    async def load(self, page: int, call: "Caller" = call_service) -> None:
        """Fetch one page. Raises TellerError."""
        version = self._version
        listed = await call(self._fetch, page)
        if version != self._version:
            return
        for row, record in listed.records:
            self.records[row.key] = record
        view = self._view()
        if self.is_preview and view.is_touched:
            self.is_choice_gone = view.cursor_key not in self.records
            if self.is_choice_gone:
                view.reset()
        follow = not self.is_preview or view.is_touched
        self.is_preview = False
        view.put(page, [row for row, _ in listed.records], listed.total, follow=follow)
        self._shown(listed.total)
        self.came.set()

    async def gather(self, told: Callable[[str], None]) -> tuple[list[list[str]], int]:
        """Every row, page by page, with how many the deployment counts at the end.

        A record that moves while the pages are fetched stands once; one that moved on to a page
        that was fetched before is missing, which the count then shows.

        Args:
            told: shows how far it is, page by page.

        Raises:
            Stopped: another filter or order has been chosen meanwhile.
        """
        version, rows, total = self._version, dict[str, list[str]](), 0
        for page in count(1):
            if page > 1:
                told(f"exporting: {len(rows):,} of {total:,} rows   changing the filter stops it")
            listed = await call_service(self._fetch, page)
            total = listed.total
            if version != self._version:
                raise Stopped("The list changed during the export.")
            for row, _ in listed.records:
                rows[row.key] = [row.key, *(text for text, _ in row.cells)]
            if not listed.records or page * PAGE_ROWS >= min(total, MOST_EXPORTED):
                break
        return list(rows.values()), total


class Blocks(NamedTuple):
    """What is shown of the selected record: what is so now, and its facts and steps."""

    now: OfWidth
    rest: OfWidth


def headline(
    screen: "ListScreen[Any]",
    total: int,
    account: "TradingAccount | None" = None,
    *notes: Piece,
) -> Line:
    """The title of a list: its screen, whose it is, what narrows it, the count and the order. What
    is counted is named where nothing has to give way to it.
    """
    noun, order = screen.KEY if total != 1 else screen.KEY.removesuffix("s"), order_of(screen)[1]

    def counted(count: str) -> Line:
        right = f"{count}   order: {order} " if order else f"{count} "
        narrow = narrowed(screen)
        return work_title(screen.KEY.upper(), account, narrow, *notes, right=((right, "muted"),))

    whole = counted(f"{total:,} {noun}")
    cells = sum(cell_len(text) for text, _ in (*whole.left, *whole.right))
    return whole if cells < screen.size.width else counted(f"{total:,}")


class Listing(NamedTuple):
    """What a screen lists, and how. Functions get the screen first."""

    columns: Sequence[Column]
    row: Callable[[Any, int], Row]
    """The row of a record, at a time."""
    read: "Callable[[Any, int], Page[Any]]"
    """Asks the service for a page; runs in a thread and may raise TellerError."""
    blocks: Callable[[Any, Any], Blocks]
    empty: Callable[[Any], Iterable[Piece]]
    """What an empty list says instead of rows; it names the next key."""
    titles: tuple[str, str]
    """Of the frames around the list and the detail."""
    orders: Sequence[tuple[str, str]] = ()
    """What ``o`` steps through, as the service's order and in words; the first holds until then."""
    shown: Sequence[tuple[str, Any]] = (("", None),)
    """What ``f`` steps through, in words and as the service needs it; first all that there is."""
    headline: Callable[[Any, int], Line] = headline
    told: Callable[[Any, Any], str] | None = None
    """The text for the customer about a record."""
    columns_of_all: Sequence[Column] = ()
    """The columns where all accounts are listed, if they're others."""
    least_gap: int = 1
    """Cells between two columns where there is little room."""


class ListScreen(DeskScreen, Generic[Record]):
    """Subclasses give their ``listing``, or ``fetch`` and what ``listed`` and ``draw`` show."""

    LIST_ID = "list"
    listing: Listing
    ORDERS: ClassVar[Sequence[tuple[str, str]]] = ()
    SHOWN: ClassVar[Sequence[tuple[str, Any]]] = ()
    """As in a ``Listing``, where there is none."""
    EVERYTHING: ClassVar[Mapping[str, object]] = {"only": 0, "typed": ""}
    """The attributes that narrow the list, as they are where everything is listed."""
    REMEMBERED: ClassVar[tuple[str, ...]] = ()
    """Attributes that say how the list is shown (order, status): kept per table on this machine."""

    REST_S: ClassVar[float] = 0.0
    """Seconds between reloads, for lists that every trade of the bank and every price changes."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.cursor_moved: Callable[[], None] = self.row_chosen
        """Called when the cursor stands on another row."""
        self._told_at, self._news_timer = -self.REST_S, cast("Timer | None", None)
        self.pages = Pages(self.fetch, lambda: self.paged, self.listed)
        self.records = self.pages.records
        self.wanted_key: str | None = None
        """Key of the row that the cursor moves to once it is fetched."""
        self.sort = 0
        self.only = 0
        """Indexes of the order and of what ``f`` shows."""
        self.typed = ""
        """The filter."""
        self._recalled = False
        self._shown_alone: str | None = None
        """Key of the record whose detail hides the list."""

    def body(self) -> Sequence[Widget]:
        listing = self.listing
        return [list_beside_detail(listing.titles, columns_of(self), listing.least_gap)]

    def fetch(self, page: int) -> Listed[Record]:
        """A page with its rows; runs in a thread and may raise TellerError."""
        found, row, now = self.listing.read(self, page), self.listing.row, self.desk.now
        return Listed(tuple((row(each, now), each) for each in found.data), found.pagination.total)

    @property
    def paged(self) -> PagedList:
        return self.query_one(f"#{self.LIST_ID}", PagedList)

    @property
    def selected(self) -> Record | None:
        key = self.paged.cursor_key
        return self.records.get(key) if key is not None else None

    # -- pages --------------------------------------------------------------------------------

    def recall(self) -> None:
        """Show the list as it was shown last, once; what is out of range is ignored."""
        if self._recalled or self.desk.session is None:
            return
        self._recalled = True
        kept = self.desk.remembered(f"list.{self.KEY}")
        if isinstance(kept, dict):
            for name in self.REMEMBERED:
                value = kept.get(name)
                if type(value) is type(getattr(self, name)) and _may_recall(self, name, value):
                    setattr(self, name, value)

    def reload(self) -> None:
        """Fetch the pages in the window again; the cursor stays on its record."""
        self.recall()
        self.paged.say_waiting(("loading", "muted"))
        typing = self.field_bar.is_open
        self.read("list", self.pages.load_typed if typing else self.pages.load_window)

    def _changed(self, kinds: tuple[str, ...]) -> None:  # noqa: ARG002 - the signal's value
        """Reload at the first news, then at most once in ``REST_S``."""
        rested = monotonic() - self._told_at
        if rested >= self.REST_S:
            self.take_news()
        elif self._news_timer is None:
            self._news_timer = self.set_timer(self.REST_S - rested, self.take_news)

    def take_news(self) -> None:
        """Reload now."""
        if self._news_timer is not None:
            self._news_timer.stop()
        self._news_timer, self._told_at = None, monotonic()
        super()._changed(())

    def restart(self) -> None:
        """Another filter, order or account: from the top."""
        if self.REMEMBERED:
            shown = {name: getattr(self, name) for name in self.REMEMBERED}
            self.desk.remember(f"list.{self.KEY}", shown)
        self._shown_alone = None
        self.pages.came.clear()
        self.pages.forget()
        self.reload()

    async def ready(self) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.pages.came.wait(), _LONGEST_WAIT_S)

    def let_keys_go_on(self) -> None:
        """What was typed behind a filter is meant for a row of it, and waits until they come."""
        if self.pages.came.is_set():
            super().let_keys_go_on()
        else:
            self.run_worker(
                Later(partial(_when_ready, self, super().let_keys_go_on)), group="go-on"
            )

    def listed(self, total: int) -> None:
        """A page came; the title shows the count."""
        self.paged.reshape(columns_of(self))
        self.title_line(self.listing.headline(self, total))
        self.paged.say_empty(*self.listing.empty(self))
        if self._shown_alone not in {None, self.paged.cursor_key}:
            self.step_back()  # it left the list: nobody turns to another record unseen
        self._shown_alone = self.paged.cursor_key if is_detail_alone(self) else None
        self.row_chosen()

    def fail(self, error: TellerError, doing: str = "") -> None:
        """A list that was never fetched says so, instead of loading for ever."""
        super().fail(error, doing)
        if self.paged.total is None:
            self.paged.say_failed(offered=not isinstance(error, NotOffered))
        self.pages.came.set()

    # -- the selected record ------------------------------------------------------------------

    @on(PageWanted)
    @on(RowChosen)
    @on(RowOpened)
    def list_event(self, message: PageWanted | RowChosen | RowOpened) -> None:
        if isinstance(message, PageWanted):
            if self.desk.started is None:
                return  # all pages in the window are fetched once it has started
            self.read(f"page-{message.page}", partial(self.pages.load, message.page))
        elif message.list_id != self.LIST_ID:
            return
        elif isinstance(message, RowOpened):
            self.action_open()
        else:
            self.cursor_moved()

    def row_chosen(self) -> None:
        """The cursor stands on another record, or its record changed."""
        self.draw()

    def resized(self) -> None:
        super().resized()
        self.call_after_refresh(self.draw)

    def draw(self) -> None:
        """Draw the selected record, or that there is none, and the footer."""
        record, detail = self.selected, self.query_one("#detail", Detail)
        below = self.query_one("#summary", Lines)
        short: Sequence[Line] = _NO_SUMMARY
        if record is None:
            detail.tell(())
        else:
            now, rest = self.listing.blocks(self, record)
            said = self.customer_text() if self.listing.told else ""
            words = self.desk.privacy.figures(said)
            detail.tell(partial(_shown, now, rest, words), partial(_shown, now, rest, ""))
            short = in_short(now, words, (below.size.width or self.size.width) - 2)
        below.show(short)
        self.draw_footer()

    def action_open(self) -> None:
        """Enter: the detail, where it does not stand beside the list already."""
        if self.paged.cursor_row is not None:
            self.add_class("detail-open")
            self._shown_alone = self.paged.cursor_key if is_detail_alone(self) else None
            self.draw_footer()

    def zoom(self, *, on: bool) -> None:
        super().zoom(on=on)
        self.set_class(on, "detail-open")
        self.row_chosen()

    def step_back(self) -> bool:
        if super().step_back():
            return True
        was_open, self._shown_alone = is_detail_alone(self), None
        self.remove_class("detail-open")
        self.draw_footer()
        return was_open or _widen(self)

    # -- export -------------------------------------------------------------------------------

    def exports(self) -> "Sequence[Export]":
        """The whole list as it is filtered and ordered now, then what stands in the detail."""
        from chainteller.tui.exports import Table

        total = self.paged.total or 0
        if not total:
            return super().exports()
        titles = ["ID", *self.paged.titles]
        counted = f"all {total:,} rows" if total <= MOST_EXPORTED else f"first {MOST_EXPORTED:,}"

        def tell(text: str) -> None:
            """On the status line only: it moves too fast for the log."""
            self.query_one(StatusLine).tell(text, "muted", self.desk.unread)

        gather = partial(self.pages.gather, tell)
        return [*Table(self.KEY, titles, gather).exports(counted), *super().exports()]

    def record(self) -> object:
        return self.selected

    def object_id(self) -> str:
        """Id of the selected record."""
        return getattr(self.selected, "id", "")

    def main_text(self) -> str:
        return self.query_one("#detail", Detail).facts_text if self.selected else ""


def _shown(now: OfWidth, rest: OfWidth, words: str, width: int) -> list[Line]:
    return answered(now(width), words, rest(width), width)


class FilteredListScreen(ListScreen[Record], Generic[Record]):
    """A list whose only field is its filter, which applies with each letter."""

    def find(self, text: str) -> None:
        """Show what matches: typed, or an id from the palette or a paste."""
        if text != self.typed:
            self.typed = text
            self.restart()

    def field_submitted(self, purpose: str, value: str) -> None:  # noqa: ARG002 - one field here
        self.close_field()
        self.find(value.strip())

    def field_changed(self, purpose: str, value: str) -> None:  # noqa: ARG002 - one field here
        self.find(value.strip())

    def field_closed(self, purpose: str) -> None:  # noqa: ARG002 - one field here
        self.find("")


def in_short(now: OfWidth, words: str, width: int) -> list[Line]:
    """Two lines for where the detail doesn't fit: how far the record is, and what to tell the
    customer or else what can still be done. What the record is stands in its row.
    """
    _, state, *more = [*now(width), EMPTY, EMPTY]
    said = say(words, width - 1)
    if said:
        said[0] = line(*said[0].left, "…" if said[1:] else "")
        whole = line(*state.left, "   ", *more[0].left[1:])
        state = whole if sum(cell_len(text) for text, _ in whole.left) <= width else state
    elif len(more) > 1 and more[1].left:
        more[0] = line(*more[0].left, " …")
    rows = (state, *said, *more)[:2]
    return [line(" ", *each.left, right=(*each.right, " ")) for each in rows]


_NO_SUMMARY = (line(), line())


def list_beside_detail(
    titles: tuple[str, str], columns: Sequence[Column], least_gap: int
) -> Container:
    """The list of a screen with a summary under it, and the detail of the chosen record."""
    plural, one = titles
    paged = PagedList(columns, id=ListScreen.LIST_ID, least_gap=least_gap)
    summary = Lines(_NO_SUMMARY, id="summary", classes="summary")
    return Container(
        Container(titled(plural, paged), summary, classes="list-side"),
        titled(one, Detail(id="detail")),
        classes="pair",
    )


def columns_of(screen: ListScreen[Any]) -> Sequence[Column]:
    """The columns of what is listed now."""
    listing = screen.listing
    return (shows_all(screen) and listing.columns_of_all) or listing.columns


def _orders(screen: ListScreen[Any]) -> Sequence[tuple[str, str]]:
    return screen.ORDERS or screen.listing.orders or (("", ""),)


def _shown_by(screen: ListScreen[Any]) -> Sequence[tuple[str, Any]]:
    return screen.SHOWN or screen.listing.shown


def order_of(screen: ListScreen[Any]) -> tuple[str, str]:
    """The order for the service, and in words."""
    return _orders(screen)[screen.sort]


def only_of(screen: ListScreen[Any]) -> tuple[str, Any]:
    """What ``f`` shows now, in words and as the service needs it."""
    return _shown_by(screen)[screen.only]


def narrowed(screen: ListScreen[Any]) -> str:
    """What narrows the list: ``  only sent  /meri``."""
    only, typed = only_of(screen)[0], screen.typed
    return (f"  only {only}" if only else "") + (f"  /{typed}" if typed else "")


def _may_recall(screen: ListScreen[Any], name: str, value: object) -> bool:
    """Whether a kept value still means something."""
    if name == "sort":
        return value in range(len(_orders(screen)))
    return name != "only" or value in range(len(_shown_by(screen)))


def _widen(screen: ListScreen[Any]) -> bool:
    """List everything again; whether something was left out."""
    left_out = {name for name, whole in screen.EVERYTHING.items() if getattr(screen, name) != whole}
    for name in left_out:
        setattr(screen, name, screen.EVERYTHING[name])
    if left_out:
        screen.restart()
    return bool(left_out)


async def _when_ready(screen: ListScreen[Any], then: Callable[[], None]) -> None:
    await screen.ready()
    then()


# -- commands of lists -------------------------------------------------------------------------


def nothing_selected(what: str, screen: ListScreen[Any]) -> str:
    """Why a command that needs a record can't run; empty when one is selected."""
    return "" if screen.selected is not None else f"no {what} is selected"


def nothing_to_filter(screen: ListScreen[Any]) -> str:
    is_empty = screen.paged.total == 0 and not screen.typed
    return "there is nothing to filter" if is_empty else ""


def chosen(screen: ListScreen[Record]) -> Record:
    """The selected record, for commands that need one."""
    return screen.records[screen.paged.cursor_key or ""]


def opens(key: str, what: str) -> AnyCommand:
    """Enter: the detail, where it doesn't stand beside the list already."""

    def why_not(screen: ListScreen[Any]) -> str:
        is_open = screen.has_class("detail-open") or screen.has_class("-wide")
        return nothing_selected(what, screen) or (IS_OPEN if is_open else "")

    about = f"Open the {what}'s detail"
    return Command(f"{key}.open", "enter", about, _open, why_not, footer="open", rank=3)


def _open(screen: ListScreen[Any]) -> None:
    screen.action_open()


def narrows(command_id: str, about: str, footer: str = "only", rank: int = 3) -> AnyCommand:
    """f: the next of what the list can be narrowed to."""
    return Command(command_id, "f", about, _next_shown, always,
        footer=footer, rank=rank, of_list=True)  # fmt: skip


def _next_shown(screen: ListScreen[Any]) -> None:
    screen.only = (screen.only + 1) % len(_shown_by(screen))
    screen.restart()


def orders(
    key: str,
    footer: str = "",
    unavailable: Callable[[Any], str] = always,
    feature: str = "",
) -> AnyCommand:
    """o: the next order."""
    return Command(f"{key}.sort", "o", "Change the order of the list", _next_order,
        unavailable, footer=footer, rank=4, feature=feature, of_list=True)  # fmt: skip


def _next_order(screen: ListScreen[Any]) -> None:
    screen.sort = (screen.sort + 1) % len(_orders(screen))
    screen.desk.notify(f"order: {order_of(screen)[1]}", "muted")
    screen.restart()


def filters(key: str, about: str, note: str, footer: str = "filter", rank: int = 2) -> AnyCommand:
    """/: type a filter, which ``note`` explains; one for a customer's own list is put away with
    the customer.
    """

    def open_filter(screen: ListScreen[Any]) -> None:
        purpose = "filter" if shows_all(screen) else "customer's filter"
        pieces = ((note, "muted"),)
        screen.field_bar.open(purpose, (("/ ", "key"),), value=screen.typed, note=pieces)

    return Command(f"{key}.filter", "slash,ctrl+f", about, open_filter, always,
        footer=footer, rank=rank, of_list=True)  # fmt: skip
