"""Who calls in a training session: customers of the sample bank, drawn by the seed."""

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import TypeVar

from chainteller.domain.preconditions import Control
from chainteller.domain.randomness import SeededRandomness, below
from chainteller.service.interface import Service
from chainteller.service.models.accounts import Customer, TradingAccount
from chainteller.service.models.pages import MAXIMUM_LIMIT, ListQuery, Page
from chainteller.training.scenarios import (
    DRAWN,
    DRAWN_FROZEN,
    DRAWN_WITHOUT_IDENTIFICATION,
    DRAWN_WITHOUT_TERMS,
    Caller,
)

Item = TypeVar("Item")

_LEAST_BALANCE = Decimal(9_000)
"""What the setup of every scenario can deposit."""
_ENHANCED = "enhanced"


def draw_caller(service: Service, scenario: str, seed: str, kind: str = DRAWN) -> Caller:
    """A customer of a kind, one of ``DRAWN_CALLERS``, with enough money in the bank account.

    Raises:
        LookupError: the bank has no such customer.
    """
    possible = _frozen(service) if kind == DRAWN_FROZEN else _unserved(service, kind)
    found = sorted(possible, key=lambda caller: caller.bank_account)
    if not found:
        raise LookupError(f"this bank has no customer for a caller who is {kind}")
    return found[below(SeededRandomness(f"caller of {scenario} {seed}"), len(found))]


def _unserved(service: Service, kind: str) -> Iterator[Caller]:
    """Customers without a trading account who can open one, or lack what the kind says."""
    needs_terms, needs_identity = kind == DRAWN_WITHOUT_TERMS, kind == DRAWN_WITHOUT_IDENTIFICATION
    for customer in _customers(service):
        main = customer.bank_accounts[0] if customer.bank_accounts else None
        is_free = main is not None and not any(
            each.trading_account_id for each in customer.bank_accounts
        )
        if (
            main is not None
            and is_free
            and customer.terms_accepted is not needs_terms
            and (customer.kyc_level == _ENHANCED) is not needs_identity
            and not customer.controls
            and main.type == "checking"
            and (kind != DRAWN or Decimal(main.balance) >= _LEAST_BALANCE)
        ):
            yield Caller(customer.name, main.id)


def _frozen(service: Service) -> Iterator[Caller]:
    """Customers with a trading account that is frozen and nothing else."""
    names = {customer.id: customer.name for customer in _customers(service)}
    for account in _accounts(service):
        if account.controls == (Control.FROZEN,) and account.customer_id in names:
            yield Caller(names[account.customer_id], account.bank_account_id)


def _customers(service: Service) -> Iterator[Customer]:
    return _every(service.customers)


def _accounts(service: Service) -> Iterator[TradingAccount]:
    return _every(service.trading_accounts)


def _every(fetch: Callable[[ListQuery], Page[Item]]) -> Iterator[Item]:
    page = 1
    while True:
        found = fetch(ListQuery(page=page, limit=MAXIMUM_LIMIT))
        yield from found.data
        if page * MAXIMUM_LIMIT >= found.pagination.total or not found.data:
            return
        page += 1
