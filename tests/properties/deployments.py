"""Deployments under audit. One more implementation of the service is one more class here."""

from pathlib import Path

from tests.properties.auditor import Auditor
from tests.properties.books import Rules
from tests.world.customers import CustomerSeed
from tests.world.engines import make_world

from chainteller.adapters.venue_simulated import SimulatedVenue
from chainteller.domain.limits import DestinationClass
from chainteller.domain.options import EngineOptions
from chainteller.service.interface import Service

RULES = Rules()
BANK_ACCOUNTS = ("DDA-1", "DDA-2", "DDA-3")
OPENING_CENTS = 1_000_000
LIMITS = {DestinationClass.OWN_BANK: (100_000, 200_000, 500_000)}


class EmbeddedDeployment:
    """The engine on a file or a database URL, a manual clock; one in ten trades is rejected."""

    def __init__(self, place: Path | str, seed: str) -> None:
        self.world = make_world(
            place,
            options=EngineOptions(limits=LIMITS),
            venue=SimulatedVenue(seed, rejects_per_mille=100),
            customers=[CustomerSeed(name, balance_cents=OPENING_CENTS) for name in BANK_ACCOUNTS],
            seed=seed,
        )
        self.service: Service = self.world.engine

    def now(self) -> int:
        return self.world.clock.now()

    def advance(self, microseconds: int) -> None:
        self.world.clock.advance(microseconds)
        while self.world.engine.run_due():
            pass

    def close(self) -> None:
        self.world.close()


def audited(deployment: EmbeddedDeployment) -> Auditor:
    return Auditor(deployment, dict.fromkeys(BANK_ACCOUNTS, OPENING_CENTS), RULES)
