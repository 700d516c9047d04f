"""Open a session: the seed draws who calls, how they react, and the scenario's amounts."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from chainteller.domain.preconditions import Control
from chainteller.domain.randomness import SeededRandomness, below
from chainteller.service.interface import Service
from chainteller.service.models.pages import ListQuery
from chainteller.service.paging import every
from chainteller.training.reactions import Temperament, caller
from chainteller.training.scenarios import (
    DRAWN,
    DRAWN_CALLERS,
    DRAWN_FROZEN,
    DRAWN_WITHOUT_IDENTIFICATION,
    DRAWN_WITHOUT_TERMS,
    Caller,
    Scenario,
    load,
)
from chainteller.training.session import Session
from chainteller.training.world import TrainingWorld
from chainteller.wallets.simulated import SampleWallet

_LEAST_BALANCE = Decimal(9_000)
"""What the setup of every scenario can deposit."""
_ENHANCED = "enhanced"


def open_session(
    scenario: Scenario,
    world: TrainingWorld,
    seed: str,
    wallets: Sequence[SampleWallet],
    temperaments: tuple[Temperament, ...],
) -> Session:
    """A session of the scenario that has begun, as the seed draws it. Raises ScenarioInvalid: a
    step of the scenario's setup fails."""
    if scenario.file is not None:
        kind = scenario.customer.bank_account
        is_drawn = kind in DRAWN_CALLERS
        who = _draw_caller(world.service, scenario.name, seed, kind) if is_drawn else None
        scenario = load(scenario.file, wallets, seed, who)
    session = Session(scenario, world, seed, wallets, caller(temperaments, scenario.name, seed))
    session.begin()
    return session


def _draw_caller(service: Service, scenario: str, seed: str, kind: str = DRAWN) -> Caller:
    """A customer of a kind, one of ``DRAWN_CALLERS``; who begins to trade has enough money for it.
    Raises LookupError: the bank has no such customer."""
    possible = _frozen(service) if kind == DRAWN_FROZEN else _unserved(service, kind)
    found = sorted(possible, key=lambda caller: caller.bank_account)
    if not found:
        raise LookupError(f"this bank has no customer for a caller who is {kind}")
    return found[below(SeededRandomness(f"caller of {scenario} {seed}"), len(found))]


def _unserved(service: Service, kind: str) -> Iterator[Caller]:
    """Customers without a trading account who can open one, or lack what the kind says."""
    needs_terms, needs_identity = kind == DRAWN_WITHOUT_TERMS, kind == DRAWN_WITHOUT_IDENTIFICATION
    for customer in every(service.customers, ListQuery()):
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
    names = {customer.id: customer.name for customer in every(service.customers, ListQuery())}
    for account in every(service.trading_accounts, ListQuery()):
        if account.controls == (Control.FROZEN,) and account.customer_id in names:
            yield Caller(names[account.customer_id], account.bank_account_id)
