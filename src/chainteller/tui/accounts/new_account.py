"""New account dialog: find a customer in the core bank and open a trading account."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input

from chainteller.domain.search_texts import NAMES_ALONE, is_too_short
from chainteller.records.formats import Piece, grouped, short_id
from chainteller.service.errors import Conflict, TellerError
from chainteller.service.operations import FIND
from chainteller.tui.accounts.flow import has_enhanced_kyc, opening_request
from chainteller.tui.desk import Desk
from chainteller.tui.dialogs.list_dialog import ListDialog
from chainteller.tui.failures import explain
from chainteller.tui.queries import query
from chainteller.tui.service_calls import Later, OneAtATime
from chainteller.tui.widgets.failure_panel import FailurePanel
from chainteller.tui.widgets.lines import Line, Lines, line
from chainteller.tui.widgets.ordered_input import OrderedInput
from chainteller.tui.widgets.paged_list import Column, PagedList, Row

if TYPE_CHECKING:
    from chainteller.service.models.accounts import BankAccount, Customer

_MOST_LIKE = 8
"""Customers whose names are only like what was typed."""
COLUMNS = (
    Column("CUSTOMER", 18, grows=True),
    Column("REFERENCE", 11, rank=2),
    Column("BANK ACCT", 10),
    Column("TYPE", 8, rank=3),
    Column("BALANCE USD", 12, "right", rank=1),
    Column("TRADING ACCOUNT", 17),
)


class CustomersScreen(ListDialog[str]):
    """Returns the id of the customer's trading account, new or existing, or None."""

    AUTO_FOCUS = "#search"
    CSS_PATH = "new_account.tcss"

    def __init__(self, desk: Desk, text: str = "") -> None:
        """``text`` is looked for at once."""
        super().__init__()
        self._desk, self._text = desk, text
        self._searches = OneAtATime()
        self._found: dict[str, tuple[Customer, BankAccount]] = {}
        self._opening = False
        self._asked = ""
        self._shown: str | None = None
        """The text that the list was found by; None until the first list has come."""
        self._enter_waits = False
        """Whether Enter was pressed before the list for the typed text had come."""

    def compose(self) -> ComposeResult:
        hint = "name, reference or bank account"
        search = OrderedInput(self._text, placeholder=hint, id="search", compact=True)
        search.cursor_blink = False
        keys = (("enter", "key"), (" open   ", "muted"), ("esc", "key"), (" cancel", "muted"))
        with Vertical(id="customers-box"):
            yield Lines([line(("OPEN A TRADING ACCOUNT", "strong"), right=keys)])
            yield search
            yield PagedList(COLUMNS, id="customers")
            yield Lines([line(), line()], id="checks")
            yield FailurePanel()

    def on_mount(self) -> None:
        self._search(self._text)

    def on_input_changed(self, event: Input.Changed) -> None:
        self._search(event.value.strip())

    def on_row_chosen(self) -> None:
        self._draw_checks()

    def _search(self, text: str) -> None:
        self.query_one(FailurePanel).hide()
        self._asked, self._enter_waits = text, False
        self.run_worker(Later(partial(self._fetch, text)), group="customers", exclusive=True)

    async def _fetch(self, text: str) -> None:
        try:
            customers = await self._searches.call(_customers, self._desk, text)
        except TellerError as error:
            self._enter_waits = False
            self.query_one(FailurePanel).explain(explain(error))
            return
        self._shown = text
        self._found = {
            account.id: (customer, account)
            for customer in customers
            for account in customer.bank_accounts
        }
        rows = [_row(customer, account) for customer, account in self._found.values()][:50]
        listed = self.query_one(PagedList)
        listed.reset()
        listed.put(1, rows, len(rows), follow=False)
        listed.say_empty(*_nobody(text, can_load=self._desk.can_load_samples))
        self._draw_checks()
        if self._enter_waits and (len(rows) == 1 or listed.move_to_key(text.upper())):
            self._take()
        self._enter_waits = False

    def _draw_checks(self) -> None:
        chosen = self._found.get(self.query_one(PagedList).cursor_key or "")
        self.query_one("#checks", Lines).show(_checks(*chosen) if chosen else [line(), line()])

    def on_input_submitted(self) -> None:
        """Open the selected customer's account, once the list is that of the typed text.

        When it comes later, only a single match or the exact bank account is taken: any other
        customer has to be seen first.
        """
        if self._shown == self._asked:
            self._take()
        else:
            self._enter_waits = True

    def _take(self) -> None:
        chosen = self._found.get(self.query_one(PagedList).cursor_key or "")
        if chosen is None or self._opening or self.answered:
            return
        customer, account = chosen
        if account.trading_account_id is not None:
            self.dismiss(account.trading_account_id)
            return
        self._opening = True
        self.run_worker(self.opening(partial(self._open, customer, account)), group="ask-open")

    async def _open(self, customer: "Customer", account: "BankAccount") -> None:
        request = opening_request(account.id, account.type, customer)
        try:
            opened = await self._desk.send(request)
        except Conflict as error:
            self.dismiss(str(error.details.get("id", "")))
        except TellerError as error:
            failure = explain(error)
            self.query_one(FailurePanel).explain(failure)
            self._desk.notify(f"{failure.code}  {failure.what}", "bad", failure.detail)
        else:
            if opened is None:
                return
            told = f"account {opened.id} opened for {account.id}"
            self._desk.notify(told, "good", account_id=opened.id)
            self.dismiss(opened.id)
        finally:
            self._opening = False


def _customers(desk: Desk, text: str) -> "Sequence[Customer]":
    """The bank's customers by a text; where none has it, those who are like it, the best first."""
    found = desk.service.customers(query(text=text or None, limit=50)).data
    if found or not text or not desk.offers(FIND.feature or ""):
        return found
    like = [row for row in desk.service.find(text).data if row.kind == "customer"][:_MOST_LIKE]
    return [
        customer
        for row in like
        for customer in desk.service.customers(query(text=row.reference, limit=1)).data
        if customer.id == row.id
    ]


def _nobody(text: str, *, can_load: bool) -> tuple[Piece, ...]:
    if text:
        why = f"; {NAMES_ALONE}" if is_too_short(text) else ""
        return ((f'no customer matches "{text}"{why}', "muted"),)
    sample = ((": sample", "key"), (" loads some", "muted")) if can_load else ()
    return ("the bank has no customers yet   ", ""), *sample


def _row(customer: "Customer", account: "BankAccount") -> Row:
    taken = account.trading_account_id
    return Row(
        account.id,
        (
            (customer.name, ""),
            (customer.reference, "muted"),
            (account.id, ""),
            (account.type, "muted"),
            (grouped(account.balance), ""),
            (short_id(taken) if taken else "none: enter opens", "muted" if taken else "accent"),
        ),
    )


def _checks(customer: "Customer", account: "BankAccount") -> list[Line]:
    terms = (
        ("[ok] terms accepted", "good")
        if customer.terms_accepted
        else ("[x] terms not accepted", "bad")
    )
    enhanced = has_enhanced_kyc(customer)
    kyc = (f"[{'ok' if enhanced else 'x'}] KYC {customer.kyc_level}", "good" if enhanced else "bad")
    controls = tuple((f"  [x] {control}", "bad") for control in customer.controls)
    return [
        line(
            (customer.name, "strong"),
            f"  {account.id} {account.type}  {grouped(account.balance)} USD",
        ),
        line(terms, "   ", kyc, *controls),
    ]
