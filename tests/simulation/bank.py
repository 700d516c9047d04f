"""The deployment under simulation: a database, its engine, and everything that may befall it."""

import os
import pickle
import resource
import select
import shutil
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import psycopg
from tests.simulation.calls import Answered, Asked, Client
from tests.simulation.records import Sent, Settings
from tests.simulation.turns import JointTurns, Turns
from tests.world.customers import CustomerSeed, add_customers
from tests.world.explaining import FEW, explain_with
from tests.world.files import open_fresh, sealed

from chainteller.adapters.prices_simulated import SimulatedPrices
from chainteller.adapters.venue_simulated import SimulatedVenue
from chainteller.domain.clock import ManualClock
from chainteller.domain.decisions import AtDeadline, ReviewCondition
from chainteller.domain.decisions import ReviewLine as Line
from chainteller.domain.evidence import EvidenceLevel
from chainteller.domain.limits import DestinationClass
from chainteller.domain.options import EngineOptions
from chainteller.domain.policy import Needing, Policy, TwoPersons
from chainteller.domain.randomness import SeededRandomness, SystemRandomness
from chainteller.domain.second_method import ArrivalsUnavailable, Awaited, Seen
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.outcome import Outcome, apply
from chainteller.engine.core.unit_of_work import UnitOfWork, work_unit
from chainteller.engine.engine import Engine
from chainteller.engine.operations.keys import ApiKeys, Authenticator
from chainteller.engine.upkeep import due, upkeep
from chainteller.engine.verification.full_pass import Breach, verify
from chainteller.sqlite import sqlite3
from chainteller.storage.database import Database
from chainteller.storage.db.query import Session
from chainteller.storage.log import rows
from chainteller.storage.queries import organisations

SECOND = 1_000_000
LONGEST_S = 60.0
ORGANISATIONS = ("default", "other")
REJECTS_PER_MILLE = 100


def options(settings: Settings) -> EngineOptions:
    """The same settings as the engine takes them."""
    return EngineOptions(
        quote_window_s=settings.window / SECOND,
        deposit_delay_s=settings.deposit_delay / SECOND,
        fill_delay_s=settings.fill_delay / SECOND,
        settle_delay_s=settings.settle_delay / SECOND,
        withdrawal_delay_s=settings.withdrawal_delay / SECOND,
        review_delay_s=settings.review_delay / SECOND,
        challenge_ttl_s=settings.challenge_life / SECOND,
        maintenance=settings.maintenance,
        test_networks=settings.test_networks,
        rate_limits=settings.rate_limits,
        open_quotes_per_account=settings.open_quotes,
        hold_premium_bps_per_minute=settings.premium,
        limits={DestinationClass(name): amounts for name, amounts in settings.limits.items()},
        policy=Policy(
            tuple(
                Line(
                    ReviewCondition(line.condition),
                    line.over,
                    line.within_s,
                    AtDeadline(line.then),
                    line.to,
                )
                for line in settings.review
            ),
            two=TwoPersons(
                settings.two.over,
                settings.two.within_s,
                frozenset(map(Needing, settings.two.always)),
            ),
        ),
        level_limits={EvidenceLevel.MEDIUM: settings.medium},
    )


@dataclass(frozen=True)
class World:
    """What no deployment decides: prices, and which trades the venue refuses."""

    seed: str

    @cached_property
    def prices(self) -> SimulatedPrices:
        return SimulatedPrices(self.seed)

    @cached_property
    def venue(self) -> SimulatedVenue:
        return SimulatedVenue(self.seed, rejects_per_mille=REJECTS_PER_MILLE)

    def mid(self, market: str, at: int) -> int:
        return self.prices.price(market, at).mid_micros

    def rejects(self, trade_id: str) -> str | None:
        found = self.venue.decide(trade_id)
        return None if found is None else found.code


@dataclass
class Chains:
    """Every transfer on any chain; ``is_down`` while nothing can be read of them."""

    sent: list[Sent] = field(default_factory=list)
    is_down: bool = False

    def since(self, awaited: Awaited) -> Sequence[Seen]:
        if self.is_down:
            raise ArrivalsUnavailable("the chain is down")
        return [Seen(*each) for each in self.sent if each.recipient == awaited.address]


@dataclass
class Bank:
    """Restarts keep the database alone; ``database`` and ``context`` are new after each. It's the
    file ``path``, or the one on a server that ``url`` names."""

    path: Path
    seed: str
    clock: ManualClock
    settings: Settings
    world: World
    url: str = ""
    restarts: int = 0
    chains: Chains = field(default_factory=Chains)
    database: Database = field(init=False)
    context: EngineContext = field(init=False)
    keys: Authenticator = field(init=False)
    api_keys: ApiKeys = field(init=False)

    def __post_init__(self) -> None:
        self._open()

    def _open(self) -> None:
        self.database = open_fresh(self.url or f"sqlite:///{self.path}")
        self._salt_by_seed()
        begin = self.database.write
        shared = self.database.sessions.shared
        self.database.writers = JointTurns(begin, shared) if self.url else Turns(begin)
        self.context = EngineContext(
            self.database,
            self.clock,
            SeededRandomness(f"{self.seed} {self.restarts}"),
            self.world.prices,
            self.world.venue,
            options(self.settings),
            arrivals=None if self.settings.arrivals == "unwatched" else self.chains,
        )
        self.chains.is_down = self.settings.arrivals == "down"
        self.keys = Authenticator(self.context, elapsed=self._elapsed)
        made_from = SeededRandomness(f"keys {self.seed} {self.restarts}")
        self.api_keys = ApiKeys(self.context, environment="test", randomness=made_from)

    def _salt_by_seed(self) -> None:
        """Salts are the system's randomness; here they come from the seed, for the ids of events
        follow from them, and the layout of the file decides where a full disk ends a write."""
        stream = SeededRandomness(f"salts {self.seed} {self.restarts}")
        vars(rows)["SystemRandomness"] = lambda: stream
        explain_with(FEW)

    def _elapsed(self) -> float:
        """Keys are remembered for no time: each look finds the key as it is now."""
        self._looks = getattr(self, "_looks", 0.0) + 1.0
        return self._looks

    @property
    def turns(self) -> Turns | JointTurns:
        writers = self.database.writers
        assert isinstance(writers, Turns | JointTurns)
        return writers

    def service(self, client: Client) -> Engine:
        return Engine(self.context, client.actor)

    def close(self) -> None:
        self.database.close()
        vars(rows)["SystemRandomness"] = SystemRandomness

    def restart(self, settings: Settings | None = None) -> None:
        self.close()
        self.settings = settings or self.settings
        self.restarts += 1
        self._open()

    def admit(self, seeds: list[CustomerSeed], at: int) -> None:
        """The organisations and their customers, as the core bank knows them."""
        with sealed(self.database, at) as written:
            for name in ORGANISATIONS:
                if organisations.find(written.connection, name) is None:
                    organisations.create(written, name, at)
            add_customers(written, seeds)

    # -- what the deployment does by itself ------------------------------------------------------

    def run_due(self, most: int) -> int:
        return due.run(self.context, most)

    def forget_keys(self) -> None:
        while upkeep.forget_keys(self.context):
            pass

    def operate(self, client: Client, work: Callable[[UnitOfWork], object]) -> None:
        """An act of the core bank or the operator, in a commit of its own."""

        def unit(tx: UnitOfWork) -> bool:
            work(tx)
            return True

        work_unit(self.context, client.actor, unit)

    def change(self, client: Client, outcome: Outcome, account: str | None = None) -> None:
        def work(tx: UnitOfWork) -> None:
            tx.audited_account = account
            apply(tx, outcome)

        self.operate(client, work)

    @contextmanager
    def raw(self) -> Iterator[Any]:
        """The driver's own connection, beside the engine's."""
        if self.url:
            with psycopg.connect(self.url) as connection:
                yield connection
            return
        with closing(sqlite3.connect(f"{self.path.as_uri()}?mode=ro", uri=True)) as connection:
            yield connection

    # -- what befalls it -------------------------------------------------------------------------

    @contextmanager
    def full_disk(self, room: int) -> Iterator[None]:
        """No file may grow beyond ``room`` bytes: writes to the journal or the database fail."""
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    def in_dying_process(self, client: Client, asked: Asked, room: int) -> Answered | None:
        """Send a call in a process that the kernel kills at its first write beyond ``room`` bytes
        of a file; None where it died, or stood still, before it answered. The deployment is
        started again."""
        self.close()
        self.restarts += 1
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                self._open()
                signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
                resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
                hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
                resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
                os.write(writing, pickle.dumps(asked.send(self.service(client))))
            finally:
                os._exit(0)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            # A fork may stand still: a lock of this process's other threads is nobody's there.
            if not select.select([pipe], [], [], LONGEST_S)[0]:
                os.kill(child, signal.SIGKILL)
            said = pipe.read()
        os.waitpid(child, 0)
        self.restarts += 1
        self._open()
        answered: Answered | None = pickle.loads(said) if said else None  # noqa: S301 - our child's
        return answered

    # -- what is checked -------------------------------------------------------------------------

    def breaches(self) -> tuple[Breach, ...]:
        return verify(self.database)

    def trail_length(self, organisation: str) -> int:
        """How many rows the trail of an organisation has."""
        found: int = self.service(Client(organisation, "auditor")).audit().pagination.total
        return found

    def on(self, act: Callable[[Session], Any]) -> Any:
        with self.database.read() as connection:
            return act(connection)


def copy_of(path: Path, to: Path) -> Path:
    """A copy of a closed database."""
    shutil.copyfile(path, to)
    to.chmod(0o600)
    return to
