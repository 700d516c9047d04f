"""What is known of a customer: who they are, and each of their accounts."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from chainteller.records.trades import can_be_executed
from chainteller.service.errors import TellerError
from chainteller.tui.queries import (
    AccountSheet,
    Gap,
    account_sheet,
    gap,
    is_over,
    newest_quotes,
    open_challenges,
    query,
    team_notes,
)

if TYPE_CHECKING:
    from chainteller.service.interface import Service
    from chainteller.service.models.accounts import Customer, TradingAccount
    from chainteller.service.models.counterparties import Challenge
    from chainteller.service.models.notes import Note
    from chainteller.service.models.quotes import Quote
    from chainteller.service.models.trades import Transaction
    from chainteller.tui.desk import Desk

_MOST_CUSTOMERS = 20
_MOST_ACCOUNTS = 20
"""Accounts of one customer that are shown."""


@dataclass(frozen=True, slots=True)
class CustomerAccount:
    """One account with what is pending in it."""

    sheet: AccountSheet
    quotes: "tuple[Quote, ...]" = ()
    """Those that could be executed when they were read."""
    challenges: "tuple[Challenge, ...]" = ()
    """The texts that wait for a signature."""

    @property
    def id(self) -> str:
        return self.sheet.account.id

    @property
    def pending(self) -> "list[Transaction]":
        """Trades and transfers among the newest that aren't over."""
        activity = self.sheet.activity
        return [] if isinstance(activity, Gap) else [row for row in activity if not is_over(row)]


@dataclass(frozen=True, slots=True)
class CustomerSheet:
    """A customer and their accounts, the one being served first.

    ``customer`` is a gap where the deployment doesn't tell who the customer is: then the account
    is the only one that is known to be theirs.
    """

    customer: "Customer | Gap"
    accounts: tuple[CustomerAccount, ...]
    own_notes: "tuple[Note, ...] | None" = None
    """The team's notes about the customer and none of their accounts; None where the deployment
    keeps none."""

    @property
    def notes(self) -> "list[Note] | None":
        """The team's notes about the customer, newest first."""
        if self.own_notes is None:
            return None
        found = [
            *self.own_notes,
            *(note for each in self.accounts for note in each.sheet.notes or ()),
        ]
        return sorted(found, key=lambda each: each.created, reverse=True)

    @property
    def account_ids(self) -> tuple[str, ...]:
        return tuple(each.id for each in self.accounts)

    @property
    def customer_id(self) -> str:
        return "" if isinstance(self.customer, Gap) else self.customer.id

    @property
    def first(self) -> "TradingAccount":
        return self.accounts[0].sheet.account


def customer_sheet(desk: "Desk", account_id: str) -> CustomerSheet:
    """The customer of an account. Raises NotFound; every part but the account may be a gap."""
    first = _account(desk, account_id)
    account = first.sheet.account
    customer = _customer(desk.service, account)
    others = []
    if not isinstance(customer, Gap):
        ids = [row.trading_account_id for row in customer.bank_accounts]
        for other_id in [each for each in ids if each and each != account_id][:_MOST_ACCOUNTS]:
            other = _account(desk, other_id)
            if other.sheet.account.customer_id == customer.id:
                others.append(other)
    if isinstance(customer, Gap):
        return CustomerSheet(customer, (first, *others), None if first.sheet.notes is None else ())
    own = team_notes(desk.service, customer.id, desk.offers)
    return CustomerSheet(customer, (first, *others), own)


def _account(desk: "Desk", account_id: str) -> CustomerAccount:
    service = desk.service_for(account_id)
    now = desk.now
    sheet = account_sheet(service, account_id, now, desk.offers)
    waiting = tuple(row for row in newest_quotes(service, account_id) if can_be_executed(row, now))
    texts = open_challenges(service, sheet) if desk.offers("challenges") else ()
    return CustomerAccount(sheet, waiting, texts)


def _customer(service: "Service", account: "TradingAccount") -> "Customer | Gap":
    if account.customer_id is None:
        return Gap("not provided by this deployment")
    try:
        asked = query(text=account.bank_account_id, limit=_MOST_CUSTOMERS)
        found = service.customers(asked).data
    except TellerError as error:
        return gap(error)
    mine = (row for row in found if row.id == account.customer_id)
    return next(mine, Gap("not found in the core bank"))
