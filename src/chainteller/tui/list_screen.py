"""Screens around one paged list: fetching its pages, moving in it, filtering and exporting it."""

import asyncio
import contextlib
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar

from textual import on
from textual.containers import Container

from chainteller.service.errors import NotOffered, TellerError
from chainteller.tui.desk import Desk
from chainteller.tui.desk_screen import DeskScreen, is_detail_alone
from chainteller.tui.messages import PageWanted, RowChosen, RowOpened
from chainteller.tui.service_calls import Later, OneAtATime, call_service
from chainteller.tui.widgets.bars import StatusLine
from chainteller.tui.widgets.detail import Detail
from chainteller.tui.widgets.ground import titled
from chainteller.tui.widgets.lines import Lines, line
from chainteller.tui.widgets.paged_list import PAGE_ROWS, Column, PagedList, Row

if TYPE_CHECKING:
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


class ListScreen(DeskScreen, Generic[Record]):
    """Subclasses give ``fetch`` and what ``listed`` and ``row_chosen`` show."""

    LIST_ID = "list"
    ORDERS: ClassVar[tuple[str, ...]] = ()
    """What ``o`` steps through; the first holds until then."""
    REMEMBERED: ClassVar[tuple[str, ...]] = ()
    """Attributes that say how the list is shown (order, status): kept per table on this machine."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.pages = Pages(self.fetch, lambda: self.paged, self.listed)
        self.records = self.pages.records
        self.wanted_key: str | None = None
        """Key of the row that the cursor moves to once it is fetched."""
        self._sort = 0
        self._recalled = False

    @abstractmethod
    def fetch(self, page: int) -> Listed[Record]:
        """Ask the service for a page; runs in a thread and may raise TellerError."""

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
                if type(value) is type(getattr(self, name)) and self.may_recall(name, value):
                    setattr(self, name, value)

    def may_recall(self, name: str, value: object) -> bool:
        """Whether a kept value still means something."""
        return name != "_sort" or value in range(len(self.ORDERS))

    def next_order(self) -> None:
        self._sort = (self._sort + 1) % len(self.ORDERS)
        self.desk.notify(f"order: {self.ORDERS[self._sort]}", "muted")
        self.restart()

    def reload(self) -> None:
        """Fetch the pages in the window again; the cursor stays on its record."""
        self.recall()
        self.paged.say_waiting(("loading", "muted"))
        typing = self.field_bar.is_open
        self.read("list", self.pages.load_typed if typing else self.pages.load_window)

    def restart(self) -> None:
        """Another filter, order or account: from the top."""
        if self.REMEMBERED:
            shown = {name: getattr(self, name) for name in self.REMEMBERED}
            self.desk.remember(f"list.{self.KEY}", shown)
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
            self.row_chosen()

    def row_chosen(self) -> None:
        """The cursor stands on another record, or its record changed."""

    def action_open(self) -> None:
        """Enter: the detail, where it does not stand beside the list already."""
        if self.paged.cursor_row is not None:
            self.add_class("detail-open")
            self.draw_footer()

    def zoom(self, *, on: bool) -> None:
        super().zoom(on=on)
        self.set_class(on, "detail-open")
        self.row_chosen()

    def step_back(self) -> bool:
        if super().step_back():
            return True
        was_open = is_detail_alone(self)
        self.remove_class("detail-open")
        self.draw_footer()
        return was_open

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


class FilteredListScreen(ListScreen[Record], Generic[Record]):
    """A list whose only field is its filter, which applies with each letter."""

    @abstractmethod
    def find(self, text: str) -> None:
        """Show what matches a filter."""

    def field_submitted(self, purpose: str, value: str) -> None:  # noqa: ARG002 - one field here
        self.close_field()
        self.find(value.strip())

    def field_changed(self, purpose: str, value: str) -> None:  # noqa: ARG002 - one field here
        self.find(value.strip())

    def field_closed(self, purpose: str) -> None:  # noqa: ARG002 - one field here
        self.find("")


def list_beside_detail(key: str, columns: Sequence[Column]) -> Container:
    """The list of a screen with a summary under it, and the detail of the chosen record."""
    plural = key.capitalize()
    return Container(
        Container(
            titled(plural, PagedList(columns, id=ListScreen.LIST_ID, least_gap=1)),
            Lines([line(), line()], id="summary", classes="summary"),
            classes="list-side",
        ),
        titled(plural.removesuffix("s"), Detail(id="detail")),
        classes="pair",
    )


def why_not_opened(screen: ListScreen[Any]) -> str:
    """Why enter has no detail to open; empty when it has."""
    is_open = screen.has_class("detail-open") or screen.has_class("-wide")
    return "its detail is open" if is_open else ""


async def _when_ready(screen: ListScreen[Any], then: Callable[[], None]) -> None:
    await screen.ready()
    then()
