"""Lists of one customer's records, or of all accounts': the trades and the transfers."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from chainteller.records.formats import RECORD_ID, Piece, short_id
from chainteller.tui.commands import AnyCommand, Command
from chainteller.tui.desk import Desk
from chainteller.tui.desk_screen import draw_around, leave_refusal, refusal_text
from chainteller.tui.exports import Export, receipt_exports
from chainteller.tui.list_screen import (
    FilteredListScreen,
    Listed,
    chosen,
    headline,
    only_of,
    order_of,
)
from chainteller.tui.notifications import hear_of
from chainteller.tui.queries import attempt, query
from chainteller.tui.steps import Step, take
from chainteller.tui.typed_filter import Named, Wanted, wanted
from chainteller.tui.widgets.lines import Line
from chainteller.tui.widgets.paged_list import Row

if TYPE_CHECKING:
    from chainteller.service.models.pages import ListQuery, Page
    from chainteller.service.models.trades import Transaction
    from chainteller.tui.failures import Failure

CustomerRecord = TypeVar("CustomerRecord", bound="Transaction")


_IDS = 2
"""Columns before the customer's name."""
_RECENT = 100
NEWEST_OLDEST = (("-created", "newest"), ("created", "oldest"))


class CustomerListScreen(FilteredListScreen[CustomerRecord], Generic[CustomerRecord]):
    """Subclasses give their ``listing``, which tells the customer of a record."""

    REMEMBERED = ("sort", "only")

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.names: dict[str, str] = {}
        """Customers' names by account, as far as records of all accounts were listed; empty where
        the deployment doesn't tell one."""
        self.listed_account = ""
        """Id of the customer whose records are listed."""
        self.listed_all = False
        """Whether those of all accounts were listed."""
        self.typed_for = ""
        """Id of the customer who was served when ``typed`` was looked for."""
        self.left = partial(_forget_opened, self)
        self.filters_put_away: dict[str, str] = {}
        """The filters of customers who aren't served now, by their accounts."""

    @property
    def shows_all(self) -> bool:
        customer = self.desk.customer
        return self.KEY in customer.lists_all or not customer.account_id

    def resumed(self) -> None:
        _bind_to_customer(self)
        if self.KEY in self.desk.customer.to_show:
            self.only = 0
            self.paged.move_to(0)
        super().resumed()

    def listed(self, total: int) -> None:
        """A page came; it may tell what became of what was requested here."""
        for record in self.records.values():
            hear_of(self.desk, record.id, record.status)
        to_show = self.desk.customer.to_show
        wanted = to_show.get(self.KEY)
        if wanted is not None:
            is_here = self.paged.move_to_key(wanted)
            is_looked_for = not is_here and _is_far_down(self, wanted)
            if is_here or is_looked_for:
                del to_show[self.KEY]
            if is_looked_for:
                self.find(wanted)
                return
        super().listed(total)

    def _customer_changed(self, before: str) -> None:
        super()._customer_changed(before)
        if self.is_current:
            _bind_to_customer(self)
            self.reload()

    def row_chosen(self) -> None:
        leave_refusal(self)
        super().row_chosen()

    def show_failure(self, failure: "Failure") -> None:
        """The text for the customer is about a refusal while that is shown."""
        super().show_failure(failure)
        self.draw()

    def clear_failure(self) -> None:
        super().clear_failure()
        self.draw()

    # -- its filters --------------------------------------------------------------------------

    def toggle_all(self) -> None:
        """List the records of all accounts, or of the customer being served."""
        self.desk.customer.lists_all ^= {self.KEY}
        self.listed_all = self.shows_all
        _bind_filter(self)
        self.restart()
        draw_around(self)

    def find(self, text: str) -> None:
        self.typed_for = self.desk.customer.account_id
        super().find(text)

    # -- whose it is --------------------------------------------------------------------------

    def fetch(self, page: int) -> Listed[CustomerRecord]:
        found = self.listing.read(self, page)
        rows = tuple((self.row_of(record), record) for record in found.data)
        return Listed(rows, found.pagination.total)

    def row_of(self, record: CustomerRecord) -> Row:
        """Among the records of all accounts it names the customer."""
        row = self.listing.row(record, self.desk.now)
        if not self.shows_all:
            return row
        whose = self.name_of(record) or short_id(self.owner_of(record))
        wholes = tuple((at + (at >= _IDS), text) for at, text in row.whole)
        return Row(row.key, (*row.cells[:_IDS], (whose, ""), *row.cells[_IDS:]), wholes)

    def name_of(self, record: CustomerRecord) -> str:
        """Its customer's name; empty where it isn't known."""
        owner, served = self.owner_of(record), self.desk.customer.account
        if served is not None and served.id == owner:
            return served.customer_name or ""
        return self.names.get(owner, "")

    # -- what can be copied, exported and told ------------------------------------------------

    def owner_of(self, record: CustomerRecord) -> str:
        """Id of its account: where records don't name theirs, that of the customer listed. Empty in
        a list of all accounts whose records don't name theirs.
        """
        session = self.desk.session
        seen = session.ownership.owner_of(record.id) if session is not None else ""
        return record.trading_account_id or seen or ("" if self.shows_all else self.listed_account)

    def record(self) -> object:
        """None: a record is exported as its receipt."""
        return None

    def exports(self) -> Sequence[Export]:
        """The selected record's receipt first."""
        record, key = self.selected, self.paged.cursor_key
        owner = self.owner_of(record) if record is not None else ""
        receipt = receipt_exports(self.desk, owner, key) if owner and key else []
        return [*receipt, *super().exports()]

    def customer_text(self) -> str:
        refused, record, told = refusal_text(self), self.selected, self.listing.told
        return told(self, record) if told and record is not None and not refused else refused


def reads(
    named: Named, page_of: "Callable[[Any, str | None, Wanted, ListQuery], Page[Any]]"
) -> "Callable[[CustomerListScreen[Any], int], Page[Any]]":
    """Reads a page of one account's records, or of all, by what is typed; ``named`` are the words
    of a filter that the service filters by.
    """

    def read(screen: CustomerListScreen[Any], number: int) -> "Page[Any]":
        account_id = None if screen.shows_all else screen.listed_account
        typed = wanted(screen.typed, named, screen.desk.today)
        asked = typed.as_query(only_of(screen)[1], order_of(screen)[0], number)
        found = page_of(screen, account_id, typed, asked)
        if account_id is None:
            _learn_names(screen, found.data)
        return found

    return read


def _learn_names(screen: CustomerListScreen[Any], records: "Sequence[Transaction]") -> None:
    """Read the names that a list of all accounts shows: mostly of those that were active last."""
    desk, names = screen.desk, screen.names
    unknown = {screen.owner_of(each) for each in records} - names.keys() - {""}
    if unknown:
        recent = query(limit=_RECENT, sort="-lastActivity")
        active = attempt(lambda: desk.service.trading_accounts(recent).data, ())
        names |= {each.id: each.customer_name or "" for each in active}
    for account_id in unknown - names.keys():
        account = attempt(partial(desk.service.trading_account, account_id), None)
        names[account_id] = (account.customer_name if account is not None else None) or ""


def titles(part: Callable[[Any], Piece]) -> Callable[[Any, int], Line]:
    """The title of a list of one account or of all; ``part`` says which of the records are listed,
    where that isn't all of them.
    """

    def titled(screen: CustomerListScreen[Any], total: int) -> Line:
        served, (words, tone) = screen.desk.customer.account, part(screen)
        account = None if screen.shows_all else served
        return headline(screen, total, account, (words, tone))

    return titled


def cancels(flow: "Callable[[Any, str], Step]") -> "Callable[[CustomerListScreen[Any]], None]":
    """What cancels the selected record, by the flow that its kind has."""

    def cancel(screen: CustomerListScreen[Any]) -> None:
        record = chosen(screen)
        screen.clear_failure()
        take(screen, flow(record, screen.owner_of(record)))

    return cancel


def lists_all(key: str, feature: str = "") -> AnyCommand:
    """0: the records of all accounts, or of one."""
    run, why_not = CustomerListScreen[Any].toggle_all, _no_single_account
    return Command(f"{key}.all", "0", "All accounts, or the selected one", run, why_not,
        footer="all", footer_now=other_list, rank=2, feature=feature, of_list=True)  # fmt: skip


def other_list(screen: Any) -> str:
    """What ``0`` lists, in the footer's words; empty for all accounts."""
    return "one account" if screen.shows_all else ""


def _no_single_account(screen: CustomerListScreen[Any]) -> str:
    return "" if screen.desk.customer.account_id else "no account is selected, so all are shown"


def _is_far_down(screen: CustomerListScreen[Any], key: str) -> bool:
    """Whether a record has to be searched for: not listed, and no trade just started here."""
    is_known = key in screen.typed or key in screen.desk.requested
    return not is_known and screen.desk.offers("transaction-by-id")


def _bind_to_customer(screen: CustomerListScreen[Any]) -> None:
    """List the records of the customer being served; nothing of another one stays, nor what was
    looked for among all accounts. The record on which that customer was selected stays selected.
    """
    served, key = screen.desk.customer.account_id, screen.paged.cursor_key
    before = screen.listed_account, screen.listed_all
    if before == (served, screen.shows_all) or (screen.listed_all and screen.shows_all):
        screen.listed_account = served
        return
    selected = screen.selected
    if selected is not None and served == screen.owner_of(selected):
        screen.desk.customer.to_show.setdefault(screen.KEY, key or "")
    else:
        screen.remove_class("detail-open")
    if screen.listed_all:
        screen.typed = ""
    screen.listed_account, screen.listed_all = served, screen.shows_all
    _bind_filter(screen)
    screen.pages.forget()
    screen.row_chosen()


def _forget_opened(screen: CustomerListScreen[Any]) -> None:
    """A record that was opened by its id is not what the list opens on next time."""
    if RECORD_ID.fullmatch(screen.typed):
        screen.typed = ""
        screen.remove_class("detail-open")
        screen.pages.forget()


def _bind_filter(screen: CustomerListScreen[Any]) -> None:
    """Put away what was looked for while another customer was served, and bring back what was
    looked for for this one; among all accounts it stays.
    """
    served = screen.desk.customer.account_id
    if screen.shows_all or screen.typed_for == served:
        return
    if screen.typed:
        screen.filters_put_away[screen.typed_for] = screen.typed
    screen.typed, screen.typed_for = screen.filters_put_away.pop(served, ""), served
