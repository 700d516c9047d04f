"""What search opens besides the main screens: a customer's page, a new account, notes."""

from functools import partial
from typing import TYPE_CHECKING

from chainteller.records.formats import RECORD_ID
from chainteller.tui.accounts.new_account import CustomersScreen
from chainteller.tui.audit.screen import OF_CASE
from chainteller.tui.customers.screen import CustomerPage
from chainteller.tui.found import Found

if TYPE_CHECKING:
    from chainteller.tui.console.shell import ConsoleShell


def open_page(console: "ConsoleShell", found: Found) -> None:
    """Show what was found, whose account is served now, if it has one."""
    if found.place == "note":
        _open_note(console, found.text)
    elif found.place == "case":
        console.desk.shell.audit_of(f"{OF_CASE}{found.text}")
    elif found.place == "customers" and found.account_id:
        if not isinstance(console.screen, CustomerPage):
            console.push_screen(CustomerPage(console.desk))
    elif console.desk.offers("customers"):
        wanted = found.reference if found.place == "customers" else found.text
        opened = partial(_opened, console)
        console.push_screen(CustomersScreen(console.desk, wanted), opened)
    else:
        console.desk.notify("This deployment doesn't show customers without an account", "warn")


def _open_note(console: "ConsoleShell", about: str) -> None:
    if RECORD_ID.fullmatch(about):
        console.find(about)
    else:
        console.take_note(about)


def _opened(console: "ConsoleShell", account_id: str | None) -> None:
    if account_id is not None:
        console.find(account_id)
