"""Open a session: the seed draws who calls, how they react, and the scenario's amounts."""

from collections.abc import Sequence

from chainteller.training.callers import draw_caller
from chainteller.training.reactions import Temperament, caller
from chainteller.training.scenarios import DRAWN_CALLERS, Scenario, load
from chainteller.training.session import Session
from chainteller.training.world import TrainingWorld
from chainteller.wallets.simulated import SampleWallet


def open_session(
    scenario: Scenario,
    world: TrainingWorld,
    seed: str,
    wallets: Sequence[SampleWallet],
    temperaments: tuple[Temperament, ...],
) -> Session:
    """A session of the scenario that has begun, as the seed draws it.

    Raises:
        ScenarioInvalid: a step of the scenario's setup fails.
    """
    if scenario.file is not None:
        kind = scenario.customer.bank_account
        is_drawn = kind in DRAWN_CALLERS
        who = draw_caller(world.service, scenario.name, seed, kind) if is_drawn else None
        scenario = load(scenario.file, wallets, seed, who)
    session = Session(scenario, world, seed, wallets, caller(temperaments, scenario.name, seed))
    session.begin()
    return session
