"""Everything that an operation may reach, made once and shared by all of them."""

from dataclasses import dataclass, field

from chainteller.domain.clock import Clock, SystemClock
from chainteller.domain.options import EngineOptions
from chainteller.domain.randomness import Randomness
from chainteller.domain.rules import Rule, rule_of
from chainteller.domain.simulated import Part
from chainteller.engine.core.kept_heads import KeptHeads
from chainteller.engine.core.ports import (
    Arrivals,
    Chain,
    ExecutionVenue,
    PegFeed,
    Ports,
    PriceFeed,
    Provider,
    WebhookSender,
)
from chainteller.engine.core.signers import Signers
from chainteller.engine.core.timekeeping import Timekeeper, TimeSource
from chainteller.storage.database import Database
from chainteller.storage.log.verified_state import VerifiedState


@dataclass(frozen=True, slots=True)
class EngineContext:
    database: Database
    clock: Clock
    randomness: Randomness
    feed: PriceFeed
    venue: ExecutionVenue
    options: EngineOptions = field(default_factory=EngineOptions)
    pegs: PegFeed | None = None
    """Left out, every stablecoin is taken for its dollar."""
    keeper: Timekeeper = field(default_factory=Timekeeper)
    signers: Signers = field(default_factory=Signers)
    """Who signs the heads of the logs. Left out, nobody does."""

    chain: Chain | None = None
    """Who says whether contract wallets accept signatures. Left out, nobody does."""

    kept: KeptHeads | None = None
    """The heads that are kept outside the database. Left out, none are."""

    state: VerifiedState = field(default_factory=VerifiedState)
    """What the logs say of what a payout rests on. Left out, this process alone knows it."""

    arrivals: Arrivals | None = None
    """Who says what arrived on chains, for small transfers. Left out, they aren't offered."""

    simulated: tuple[Part, ...] = ()
    """The parts of the bank that are simulated, as far as whoever made it says so."""

    provider: Provider | None = None
    """Whom a gateway is in front of. Left out, the bank's records are its own."""

    ports: Ports = field(default_factory=Ports)
    """The bank's other systems. Those that are left out are simulated."""

    webhooks: WebhookSender | None = None
    """Who sends events to endpoints. Left out, nobody does."""

    rule: Rule = field(init=False)
    """The version of the settings that the options are."""

    time: TimeSource = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rule", rule_of(self.options))
        # Those of several servers never agree quite.
        by_server = self.database.is_postgres and isinstance(self.clock, SystemClock)
        time = TimeSource(by_server, self.clock, self.keeper)
        object.__setattr__(self, "time", time)

    def accept_logs(self) -> None:
        """Take the logs as they are now for good, because a person says so. Raises
        ServiceUnavailable: the file of kept heads can't be written, or the database be read."""
        if self.kept is not None:
            self.kept.accept(self.database)
        with self.database.read() as connection:
            self.state.forget(connection)
