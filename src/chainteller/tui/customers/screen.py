"""A customer's page: who they are, all their accounts, and one timeline of what happened."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial

from textual.containers import Container
from textual.widget import Widget

from chainteller.domain.clock import to_datetime
from chainteller.records.formats import RECORD_ID
from chainteller.tui.accounts.detail import notes
from chainteller.tui.customers import view
from chainteller.tui.customers.filter import SHOWN, wanted
from chainteller.tui.customers.sheet import CustomerSheet, customer_sheet
from chainteller.tui.customers.timeline import Entry, Timeline, timeline_of
from chainteller.tui.desk import HIDING, Desk
from chainteller.tui.desk_screen import refusal_text, say
from chainteller.tui.dialogs.boxes import CustomerBox
from chainteller.tui.exports import Export, Table, exports_here, receipt_exports, record_json
from chainteller.tui.found import Found
from chainteller.tui.list_screen import FilteredListScreen, Listed, narrowed, only_of
from chainteller.tui.queries import Gap
from chainteller.tui.service_calls import call_service
from chainteller.tui.widgets.detail import Detail
from chainteller.tui.widgets.ground import titled
from chainteller.tui.widgets.lines import Line, Lines, line, wrapped
from chainteller.tui.widgets.paged_list import PAGE_ROWS, PagedList

_PLACES = {"trade": "trades", "deposit": "transfers", "withdrawal": "transfers",
           "review": "transfers", "quote": "quote", "wallet": "wallets"}  # fmt: skip
_WITH_RECEIPT = frozenset({"trade", "deposit", "withdrawal", "review"})
_THREE_PANES = 170
"""Columns from which the facts stand in two panes."""
_TWO_PANES = 100
"""Columns from which they do so where they stand alone."""


class CustomerPage(FilteredListScreen[Entry]):
    """The page of the customer being served when it was opened. It closes as soon as an account
    that isn't theirs is served.
    """

    KEY = "customers"
    CSS_PATH = "customers.tcss"
    SHOWN = SHOWN
    REST_S = 5.0

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.home_id = desk.customer.account_id
        self.sheet: CustomerSheet | None = None
        self.core_of_text = lambda _: _told(self, to_datetime(0))
        self.timeline: Timeline | None = None

    def body(self) -> Sequence[Widget]:
        return [
            Container(
                Container(
                    Lines(view.summary(None), id="who"),
                    titled("Timeline", PagedList(view.COLUMNS, id="list", least_gap=1)),
                    classes="list-side",
                ),
                titled("Customer", Detail(id="detail")),
                titled("Limits and wallets", Detail(id="more", classes="chart-side")),
                classes="pair",
            )
        ]

    def mounted(self) -> None:
        super().mounted()
        self.paged.say_empty(("No matches", "muted"))
        self.draw()

    # -- whose page it is ---------------------------------------------------------------------

    @property
    def account_ids(self) -> tuple[str, ...]:
        """The customer's accounts, as far as they are known."""
        return self.sheet.account_ids if self.sheet is not None else (self.home_id,)

    @property
    def is_theirs(self) -> bool:
        """Whether the account being served is the customer's."""
        return self.desk.customer.account_id in self.account_ids

    def resumed(self) -> None:
        if self.is_theirs:
            super().resumed()
        else:
            self.dismiss()

    def _customer_changed(self, before: str) -> None:
        super()._customer_changed(before)
        if self.is_theirs:
            self.draw()
        elif self.is_current:
            self.dismiss()
        else:
            _empty(self)

    # -- what it shows ------------------------------------------------------------------------

    def reload(self) -> None:
        self.paged.say_waiting(("loading", "muted"))
        self.read("list", partial(_load, self))

    def _changed(self, kinds: tuple[str, ...]) -> None:
        """Reload at once after any change of a decision, and where amounts are hidden or shown."""
        if any(kind.startswith(("decision", HIDING)) for kind in kinds):
            self.take_news()
        else:
            super()._changed(kinds)

    def restart(self) -> None:
        """Another filter: the facts stay. While they come, it counts as soon as they are here."""
        if self.sheet is None:
            return
        _renew(self, self.sheet)
        self.pages.came.clear()
        self.pages.forget()
        typing = self.field_bar.is_open
        self.read("list", self.pages.load_typed if typing else self.pages.load_window)

    def fetch(self, page: int) -> Listed[Entry]:
        found = self.timeline
        if found is None:
            return Listed((), 0)
        entries, total = found.page(page, PAGE_ROWS)
        now, shown = self.desk.now, self.desk.privacy.figures
        return Listed(tuple((view.entry_row(each, now, shown), each) for each in entries), total)

    def listed(self, total: int) -> None:  # noqa: ARG002 - the number grows while one scrolls
        several = len(self.account_ids) > 1
        self.paged.reshape(view.COLUMNS_OF_SEVERAL if several else view.COLUMNS)
        self.draw()

    def row_chosen(self) -> None:
        self.draw_footer()

    def zoom(self, *, on: bool) -> None:
        super().zoom(on=on)
        self.draw()

    def draw(self) -> None:
        """Draw the title and the facts."""
        sheet, found = self.sheet, self.timeline
        self.title_line(view.title(sheet, self.home_id, narrowed(self), found))
        self.query_one("#who", Lines).show(view.summary(sheet, self.desk.now))
        first: list[Line] = [line(("loading", "muted"))]
        second: list[Line] = []
        if sheet is not None:
            problems = found.problems if found is not None else []
            shown = self.desk.privacy.balance
            noted = _noted(self.desk, sheet)
            first, second = view.facts(sheet, self.desk.now, noted, problems, shown)
        has_two = self.size.width >= (_TWO_PANES if self.is_zoomed else _THREE_PANES)
        self.set_class(has_two, "with-charts")
        self.query_one("#detail", Detail).tell(first if has_two else [*first, line(), *second])
        self.query_one("#more", Detail).tell(second if has_two else [])
        self.draw_footer()

    # -- what can be opened, told, copied and exported ----------------------------------------

    def action_open(self) -> None:
        """Open the record of the selected line."""
        entry = self.selected
        if entry is None:
            return
        shell = self.desk.shell
        if entry.kind == "text":
            rows = [line(row) for row in wrapped(entry.text, 70)]
            self.app.push_screen(CustomerBox("WHAT YOU SAID", rows, again="t", text=entry.text))
        elif entry.kind == "audit":
            shell.audit_of(entry.record_id)
        elif entry.kind == "note":
            shell.take_note(entry.record_id)
        else:
            place = _PLACES[entry.kind]
            shell.open_found(Found(place, entry.record_id, account_id=entry.account_id))

    def object_id(self) -> str:
        return self.selected.record_id if self.selected else self.home_id

    def customer_text(self) -> str:
        """The state of each account, the one being served first."""
        return _told(self)

    def main_text(self) -> str:
        """The facts, and the timeline as far as it was scrolled."""
        if self.sheet is None:
            return ""
        found = view.facts(self.sheet, self.desk.now, _noted(self.desk, self.sheet), ())
        facts = [row.plain for part in found for row in part]
        rows = map(view.plain_row, self.paged.rows_held)
        return "\n".join([*facts, "", "TIMELINE", *rows])

    def exports(self) -> Sequence[Export]:
        """Papers about the customer first, then the timeline and the page."""
        return [*_papers(self), *_lines(self), *exports_here(self), *_page_in_full(self)]

    def record(self) -> object:
        """None: the page is exported under the customer's name (``exports``)."""
        return None


def _told(screen: CustomerPage, as_of: datetime | None = None) -> str:
    """The text for the customer, with balances as of when they were read, or another instant."""
    refused, sheet = refusal_text(screen), screen.sheet
    if refused or sheet is None:
        return refused
    told = [(each, screen.desk.told_of(each.sheet, as_of)) for each in sheet.accounts]
    if len(told) == 1:
        return told[0][1]
    return "\n\n".join(
        f"{each.sheet.account.bank_account_id}:\n{text}" for each, text in told if text
    )


def _noted(desk: Desk, sheet: CustomerSheet) -> list[Line]:
    return notes(desk, sheet.notes, *filter(None, (sheet.customer_id, *sheet.account_ids)))


def _renew(screen: CustomerPage, sheet: CustomerSheet) -> None:
    """Take newer facts, and begin the timeline anew."""
    screen.sheet = sheet
    typed = wanted(screen.typed, only_of(screen)[1], screen.desk.today)
    screen.timeline = timeline_of(screen.desk, sheet.account_ids, sheet.customer_id, typed)


async def _load(screen: CustomerPage) -> None:
    """Read the facts, then as much of the timeline as is seen."""
    sheet = await call_service(customer_sheet, screen.desk, screen.home_id)
    _renew(screen, sheet)
    if not screen.is_theirs:
        screen.dismiss()
        return
    screen.draw()
    await screen.pages.load_window()


def _empty(screen: CustomerPage) -> None:
    """Show nothing of a customer who isn't served any more; the page closes when it's seen."""
    screen.sheet = screen.timeline = None
    screen.pages.forget()
    screen.draw()


def _papers(screen: CustomerPage) -> list[Export]:
    """Documents for the customer: the receipt of the selected trade or transfer."""
    entry = screen.selected
    if entry is None or entry.kind not in _WITH_RECEIPT or not RECORD_ID.match(entry.record_id):
        return []
    return receipt_exports(screen.desk, entry.account_id, entry.record_id)


def _lines(screen: CustomerPage) -> list[Export]:
    """The timeline as it is filtered now: nobody knows how long it is before all of it is read."""
    if screen.sheet is None:
        return []
    gather = partial(screen.pages.gather, partial(say, screen))
    return Table("timeline", ["KEY", *screen.paged.titles], gather).exports("all lines")


def _page_in_full(screen: CustomerPage) -> list[Export]:
    sheet = screen.sheet
    if sheet is None:
        return []

    async def make() -> str:
        return record_json(sheet)

    who = sheet.first.id if isinstance(sheet.customer, Gap) else sheet.customer.id
    return [Export(f"{who} in full, JSON", f"chainteller-customer-{who}.json", make)]
