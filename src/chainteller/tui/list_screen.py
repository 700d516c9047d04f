"""A screen around one paged list: fetching its pages, moving in it, filtering and exporting it."""

import asyncio
import contextlib
from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar

from chainteller.service.errors import NotOffered, TellerError
from chainteller.tui import lazy
from chainteller.tui.desk import Desk
from chainteller.tui.desk_screen import DeskScreen
from chainteller.tui.messages import PageWanted, RowChosen, RowOpened
from chainteller.tui.service_calls import Later, call_service
from chainteller.tui.widgets.bars import StatusLine
from chainteller.tui.widgets.paged_list import PAGE_ROWS, Column, PagedList, Row

if TYPE_CHECKING:
    from chainteller.tui.exports import Export

Record = TypeVar("Record")
_LONGEST_WAIT_S = 3.0
MOST_EXPORTED = 10_000
"""Rows of one export: two hundred pages, a minute or so at a far deployment."""


class Stopped(TellerError):
    """An export that another filter or order ended."""

    code = "EXPORT_STOPPED"
    next_step = "e: export it again"


class Listed(NamedTuple, Generic[Record]):
    """One page: its records with their rows, and how many there are in all."""

    records: tuple[tuple[Row, Record], ...]
    total: int


class ListScreen(DeskScreen, Generic[Record]):
    """Subclasses give the list, ``fetch`` (in a thread) and ``show_detail``."""

    LIST_ID = "list"
    ORDERS: ClassVar[tuple[str, ...]] = ()
    """What ``o`` steps through; the first holds until then."""
    REMEMBERED: ClassVar[tuple[str, ...]] = ()
    """Attributes that say how the list is shown (order, status): kept per table on this machine."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.records: dict[str, Record] = {}
        self._sort = 0
        self._generation = 0
        self._recalled = False
        self.is_preview = False
        """Whether the rows were read before the engine stood: an untouched cursor stays on top."""
        self._came = asyncio.Event()

    @abstractmethod
    def columns(self) -> Sequence[Column]:
        """The list's columns."""

    @abstractmethod
    def fetch(self, page: int) -> Listed[Record]:
        """Ask the service for a page; runs in a thread and may raise TellerError."""

    def list_view(self) -> PagedList:
        return self.paged

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

    def action_sort(self) -> None:
        self._sort = (self._sort + 1) % len(self.ORDERS)
        self.desk.notify(f"order: {self.ORDERS[self._sort]}", "muted")
        self.restart()

    def reload(self) -> None:
        """Fetch the pages in the window again; the cursor stays on its record."""
        self.recall()
        self.paged.say_waiting(("loading", "muted"))
        self.read("list", self._fetch_window)

    def restart(self) -> None:
        """Another filter, order or account: from the top."""
        if self.REMEMBERED:
            shown = {name: getattr(self, name) for name in self.REMEMBERED}
            self.desk.remember(f"list.{self.KEY}", shown)
        self._generation += 1
        self._came.clear()
        self.records.clear()
        self.paged.reset()
        self.reload()

    async def _fetch_window(self) -> None:
        for page in self.paged.pages_in_window():
            await self._fetch(page)

    async def _fetch(self, page: int) -> None:
        generation = self._generation
        listed = await call_service(self.fetch, page)
        if generation != self._generation:
            return
        for row, record in listed.records:
            self.records[row.key] = record
        follow = not self.is_preview or self.paged.cursor > 0
        self.is_preview = False
        self.paged.put(page, [row for row, _ in listed.records], listed.total, follow=follow)
        self.listed(listed.total)
        self._came.set()

    async def ready(self) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._came.wait(), _LONGEST_WAIT_S)

    def let_keys_go_on(self) -> None:
        """What was typed behind a filter is meant for a row of it, and waits until they come."""
        if self._came.is_set():
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
        self._came.set()

    def on_page_wanted(self, message: PageWanted) -> None:
        async def fetch() -> None:
            await self._fetch(message.page)

        self.read(f"page-{message.page}", fetch)

    # -- the selected record ------------------------------------------------------------------

    def on_row_chosen(self, message: RowChosen) -> None:
        if message.list_id == self.LIST_ID:
            self.row_chosen()

    def on_row_opened(self, message: RowOpened) -> None:
        if message.list_id == self.LIST_ID:
            self.action_open()

    def row_chosen(self) -> None:
        """The cursor stands on another record, or its record changed."""

    def why_not_opened(self) -> str:
        """Why enter has no detail to open; empty when it has."""
        is_open = self.has_class("detail-open") or self.has_class("-wide")
        return "its detail is open" if is_open else ""

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
        was_open = self.has_class("detail-open") and not self.has_class("-wide")
        self.remove_class("detail-open")
        self.draw_footer()
        return was_open

    # -- export -------------------------------------------------------------------------------

    def exports(self) -> "Sequence[Export]":
        """The whole list as it is filtered and ordered now, then what stands in the detail."""
        total = self.paged.total or 0
        if not total:
            return super().exports()
        titles = ["ID", *(column.title for column in self.columns())]
        counted = f"all {total:,} rows" if total <= MOST_EXPORTED else f"first {MOST_EXPORTED:,}"
        return [*lazy.Table(self.KEY, titles, self.gather).exports(counted), *super().exports()]

    def record(self) -> object:
        return self.selected

    async def gather(self) -> tuple[list[list[str]], int]:
        """Every row, page by page, with how many the deployment counts at the end.

        A record that moves while the pages are fetched stands once; one that moved on to a page
        that was fetched before is missing, which the count then shows.
        """
        generation, rows, total = self._generation, dict[str, list[str]](), 0
        for page in count(1):
            if page > 1:
                told = f"exporting: {len(rows):,} of {total:,} rows   another filter stops it"
                # On the status line only: it moves too fast for the log.
                self.query_one(StatusLine).tell(told, "muted", self.desk.unread)
            listed = await call_service(self.fetch, page)
            total = listed.total
            if generation != self._generation:
                raise Stopped("The list was changed while it was being exported.")
            for row, _ in listed.records:
                rows[row.key] = [row.key, *(text for text, _ in row.cells)]
            if not listed.records or page * PAGE_ROWS >= min(total, MOST_EXPORTED):
                break
        return list(rows.values()), total


async def _when_ready(screen: ListScreen[Any], then: Callable[[], None]) -> None:
    await screen.ready()
    then()
