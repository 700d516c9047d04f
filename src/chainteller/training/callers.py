"""Who calls in a training session: customers of the sample bank, drawn by the seed."""

from collections.abc import Iterator
from decimal import Decimal

from chainteller.domain.randomness import SeededRandomness, below
from chainteller.service.interface import Service
from chainteller.service.models.accounts import Customer
from chainteller.service.models.pages import MAXIMUM_LIMIT, ListQuery
from chainteller.training.scenarios import Caller

_LEAST_BALANCE = Decimal(9_000)
"""What the setup of every scenario can deposit."""
_ENHANCED = "enhanced"


def draw_caller(service: Service, scenario: str, seed: str) -> Caller:
    """A customer who can open a trading account and has enough money in the bank account.

    Raises:
        LookupError: the bank has no such customer.
    """
    found = sorted(_able(service), key=lambda caller: caller.bank_account)
    if not found:
        raise LookupError("no customer of this bank can open a trading account")
    return found[below(SeededRandomness(f"caller of {scenario} {seed}"), len(found))]


def _able(service: Service) -> Iterator[Caller]:
    for customer in _customers(service):
        main = customer.bank_accounts[0] if customer.bank_accounts else None
        is_free = main is not None and not any(
            each.trading_account_id for each in customer.bank_accounts
        )
        if (
            main is not None
            and is_free
            and customer.terms_accepted
            and customer.kyc_level == _ENHANCED
            and not customer.controls
            and main.type == "checking"
            and Decimal(main.balance) >= _LEAST_BALANCE
        ):
            yield Caller(customer.name, main.id)


def _customers(service: Service) -> Iterator[Customer]:
    page = 1
    while True:
        found = service.customers(ListQuery(page=page, limit=MAXIMUM_LIMIT))
        yield from found.data
        if page * MAXIMUM_LIMIT >= found.pagination.total or not found.data:
            return
        page += 1
