"""Lists of one customer's records, or of all accounts': the trades and the transfers."""

from abc import abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from textual.widget import Widget

from chainteller.records.formats import Piece
from chainteller.tui.desk import Desk
from chainteller.tui.desk_screen import leave_refusal
from chainteller.tui.list_screen import FilteredListScreen, list_beside_detail
from chainteller.tui.widgets.detail import Detail, OfWidth
from chainteller.tui.widgets.lines import Line
from chainteller.tui.widgets.paged_list import Column

if TYPE_CHECKING:
    from chainteller.service.models.trades import Transaction
    from chainteller.tui.failures import Failure

CustomerRecord = TypeVar("CustomerRecord", bound="Transaction")
SORTS = (("-created", "newest"), ("created", "oldest"))


class CustomerListScreen(FilteredListScreen[CustomerRecord], Generic[CustomerRecord]):
    """Subclasses give ``draw`` and what ``ListScreen`` asks for."""

    ORDERS = tuple(name for _, name in SORTS)
    COLUMNS: ClassVar[Sequence[Column]] = ()
    COLUMNS_OF_ALL: ClassVar[Sequence[Column]] = ()
    """The columns where all accounts are listed."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._all = False
        self.listed_account = ""
        """Id of the customer whose records are listed."""
        self.typed = ""
        """The filter."""
        self.typed_for = ""
        """Id of the customer who was served when ``typed`` was looked for."""
        self.filters_put_away: dict[str, str] = {}
        """The filters of customers who aren't served now, by their accounts."""

    @property
    def shows_all(self) -> bool:
        return self._all or not self.desk.customer.account_id

    def body(self) -> Sequence[Widget]:
        return [list_beside_detail(self.KEY, columns(self))]

    def resumed(self) -> None:
        _bind_to_customer(self)
        super().resumed()

    def _customer_changed(self, before: str) -> None:
        super()._customer_changed(before)
        if self.is_current:
            _bind_to_customer(self)
            self.reload()

    @abstractmethod
    def draw(self) -> None:
        """Draw the selected record, or that there is none, and the footer."""

    def row_chosen(self) -> None:
        leave_refusal(self)
        self.draw()

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
        self._all = not self._all
        _bind_filter(self)
        self.restart()

    def find(self, text: str) -> None:
        """Show what matches: typed, or an id from the palette or a paste."""
        self.typed_for = self.desk.customer.account_id
        if text != self.typed:
            self.typed = text
            self.restart()

    # -- what can be copied and exported ------------------------------------------------------

    def record(self) -> object:
        """None: a record is exported as its receipt."""
        return None

    def object_id(self) -> str:
        return self.selected.id if self.selected else ""

    def main_text(self) -> str:
        return self.query_one("#detail", Detail).facts_text if self.selected else ""


def columns(screen: CustomerListScreen[Any]) -> Sequence[Column]:
    """The columns of what is listed now."""
    return screen.COLUMNS_OF_ALL if screen.shows_all else screen.COLUMNS


def no_single_account(screen: CustomerListScreen[Any]) -> str:
    """Why the list can't turn to one account; empty when it can."""
    return "" if screen.desk.customer.account_id else "no account is selected, so all are shown"


def show_detail(screen: CustomerListScreen[Any], parts: "tuple[OfWidth, OfWidth] | None") -> None:
    """Fill the detail: what is so now, what to tell the customer, and the rest."""
    detail = screen.query_one("#detail", Detail)
    if parts is None:
        detail.tell(())
        return
    words = screen.desk.privacy.figures(screen.customer_text())
    detail.tell(partial(_shown, *parts, words), partial(_shown, *parts, ""))


def _shown(now: "OfWidth", rest: "OfWidth", words: str, width: int) -> list[Line]:
    from chainteller.tui.answer import answered

    return answered(now(width), words, rest(width), width)


def open_filter(screen: CustomerListScreen[Any], note: tuple[Piece, ...]) -> None:
    """Let the agent type a filter; one for a customer's own list is put away with the customer."""
    purpose = "filter" if screen.shows_all else "customer's filter"
    screen.field_bar.open(purpose, (("/ ", "key"),), value=screen.typed, note=note)


def _bind_to_customer(screen: CustomerListScreen[Any]) -> None:
    """List the records of the customer being served; nothing of another one stays."""
    served = screen.desk.customer.account_id
    if served != screen.listed_account:
        screen.listed_account = served
        _bind_filter(screen)
        if not screen.shows_all:
            screen.pages.forget()
            screen.row_chosen()


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
