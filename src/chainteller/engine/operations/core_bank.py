"""Customers as a connected core bank says them: taken over when they are searched for, and before
an account is opened or a deposit is made."""

from itertools import islice
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from chainteller.domain.actors import Actor
from chainteller.domain.customer_lines import FORGOTTEN
from chainteller.domain.simulated import Part
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.ports import Outside
from chainteller.engine.core.unit_of_work import UnitOfWork, act
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.funding import DepositRequest
from chainteller.service.models.pages import ListQuery
from chainteller.storage.queries import accounts

if TYPE_CHECKING:
    from chainteller.service.models.customers import CustomerLine, LineFinding

_SHORTEST_SEARCH = 3
_PATH = "/customers"
_BY_ACCOUNT = "bankAccountId"
_OTHER_FORM = "its customers aren't as the contract says"


def before_search(context: EngineContext, organisation_id: str, query: ListQuery) -> None:
    """Take over the customers that a text finds. Raises ServiceUnavailable."""
    text = (query.text or "").strip()
    if len(text) >= _SHORTEST_SEARCH:
        _take_over(context, organisation_id, "query", text)


def before_opening(
    context: EngineContext, organisation_id: str, request: OpenTradingAccount
) -> None:
    """Take over the customer of a bank account. Raises ServiceUnavailable."""
    _take_over(context, organisation_id, _BY_ACCOUNT, request.bank_account_id)


def before_deposit(
    context: EngineContext, organisation_id: str, account_id: str, _request: DepositRequest
) -> None:
    """Take over the balance of an account's bank account. Raises ServiceUnavailable."""
    if context.ports.core_bank is None:
        return
    with context.database.read() as connection:
        account = accounts.find(connection, organisation_id, account_id)
    if account is not None:
        _take_over(context, organisation_id, _BY_ACCOUNT, account.bank_account_id)


def _take_over(context: EngineContext, organisation_id: str, name: str, value: str) -> None:
    port = context.ports.core_bank
    if port is None:
        return
    lines = _lines(port, port.read(_PATH, {name: value}))
    if not lines:
        return

    from chainteller.engine.operations import customer_imports  # noqa: PLC0415 - few have the port

    refused: list[LineFinding] = []

    def work(tx: UnitOfWork) -> None:
        refused[:] = customer_imports.take_over(tx, lines)

    act(context, Actor(organisation_id, str(Part.CORE_BANK)), work, timeless=True)
    for each in refused:
        is_asked_for = name == _BY_ACCOUNT and lines[each.line].bank_account_id == value
        if is_asked_for and each.error != FORGOTTEN:
            raise port.unavailable(f"what it says of the bank account is refused ({each.error})")


def _lines(port: Outside, told: Any) -> "list[CustomerLine]":
    """A line for each bank account of each customer, of as many as one import takes. Raises
    ServiceUnavailable."""
    from chainteller.service.models.customers import (  # noqa: PLC0415 - as above
        MOST_LINES,
        CustomerLine,
    )

    try:
        accounts = (
            (each, account) for each in told["customers"] for account in each["bankAccounts"]
        )
        return [
            CustomerLine.model_validate(
                {
                    "line": number,
                    **{name: each[name] for name in ("reference", "name", "kycLevel")},
                    "termsAccepted": each["termsAccepted"],
                    "bankAccountId": account["id"],
                    "bankAccountType": account["type"],
                    "bankAccountBalance": account["balance"],
                }
            )
            for number, (each, account) in enumerate(islice(accounts, MOST_LINES))
        ]
    except (ValidationError, LookupError, TypeError):
        raise port.unavailable(_OTHER_FORM) from None
