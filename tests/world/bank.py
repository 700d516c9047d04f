"""A bank with a few customers on a SQLite file, its clock moved by hand."""

from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from tests.world.customers import CustomerSeed, add_customers
from tests.world.files import kept_file, open_fresh, sealed

from chainteller.adapters.arrivals_simulated import SampleArrivals
from chainteller.adapters.prices_simulated import SimulatedPrices
from chainteller.adapters.venue_simulated import SimulatedVenue
from chainteller.domain.actors import Actor
from chainteller.domain.clock import Clock, ManualClock, parse_instant
from chainteller.domain.options import EngineOptions
from chainteller.domain.randomness import SystemRandomness
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.ports import Arrivals, Chain
from chainteller.engine.engine import Engine
from chainteller.engine.operations.keys import ApiKeys
from chainteller.storage.database import Database
from chainteller.storage.queries import organisations

START = parse_instant("2026-11-20T12:00:00Z")
OTHER = "other"
MONEYED = 20
"""How many customers have 1,000,000.00 USD each, DDA-1 ... DDA-20 and DDA-1001; odd
ones are checking."""


_WALLETS = Path(__file__).parents[2] / "sample_data" / "wallets.toml"


@dataclass(frozen=True, slots=True)
class World:
    """``engine`` acts for the organisation ``default``, whose bank accounts are DDA-n; those of
    the other organisation are ODA-n. ``clock`` is None where the machine's own runs."""

    engine: Engine
    clock: ManualClock | None = None
    options: EngineOptions = field(default_factory=EngineOptions)

    @property
    def context(self) -> EngineContext:
        return self.engine.context

    def key(
        self,
        *scopes: str,
        organisation: str = "default",
        expires: str | None = None,
        name: str = "test",
    ) -> str:
        """A fresh API key's text; no scopes means every one but ``admin``."""
        made = ApiKeys(self.context, environment="test")
        return made.create(name, scopes, organisation, expires).text

    def advance(self, seconds: float) -> None:
        """Let time pass and do what comes due."""
        if self.clock is None:
            raise AssertionError("this world runs on the machine's clock")
        self.clock.advance(round(seconds * 1_000_000))
        self.engine.run_due()


def build(
    url: str,
    *,
    clock: Clock | None = None,
    options: EngineOptions | None = None,
    chain: Chain | None = None,
    arrivals: Arrivals | None = None,
) -> World:
    """Open the database and let its customers in; a second opening finds them there."""
    chosen = clock or ManualClock(START)
    settings = options or EngineOptions(rate_limits=False)
    database = open_fresh(url, _with_customers)
    bank = EngineContext(
        database, chosen, SystemRandomness(), SimulatedPrices("test"), SimulatedVenue(), settings
    )
    bank = replace(bank, chain=chain, arrivals=arrivals or SampleArrivals(_WALLETS))
    _populate(database)
    manual = chosen if isinstance(chosen, ManualClock) else None
    return World(Engine(bank, Actor(name="test")), manual, settings)


def sqlite_url(folder: Path) -> str:
    return f"sqlite:///{folder / 'bank.db'}"


@cache
def _with_customers() -> Path:
    """A file of a bank that nobody has used yet."""
    file = kept_file("customers.db")
    database = open_fresh(f"sqlite:///{file}")
    _populate(database)
    database.close()
    return file


def _populate(database: Database) -> None:
    with sealed(database, START) as rows:
        if organisations.find(rows.connection, OTHER) is not None:
            return
        organisations.create(rows, OTHER, START)
        for organisation, letters in (("default", "DDA"), (OTHER, "ODA")):
            moneyed = [
                _seed(organisation, letters, each) for each in (*range(1, MONEYED + 1), 1001)
            ]
            no_terms = replace(_seed(organisation, letters, 98), terms_version=None)
            no_kyc = replace(_seed(organisation, letters, 99), kyc_level="basic")
            add_customers(rows, [*moneyed, no_terms, no_kyc])


def _seed(organisation: str, letters: str, number: int) -> CustomerSeed:
    return CustomerSeed(
        bank_account_id=f"{letters}-{number}",
        type="checking" if number % 2 else "savings",
        organisation=organisation,
        name=f"Customer {number}",
        reference=f"REF-{letters}-{number}",
    )
