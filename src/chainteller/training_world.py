"""The temporary bank of a training session; implements ``training.world.TrainingWorld``.

It creates its own SQLite file in an empty folder, so it can't be pointed at a remote deployment or
at an existing database. It works under the sample bank's policy, and the trainee and a colleague
are two of its agents.
"""

import hashlib
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from nacl.signing import SigningKey

from chainteller.adapters.arrivals_simulated import SampleArrivals
from chainteller.adapters.prices_simulated import SimulatedPrices
from chainteller.adapters.venue_simulated import SimulatedVenue
from chainteller.domain.actors import DEFAULT_ORGANISATION, Actor
from chainteller.domain.agents import public_key_text, scopes_of_roles
from chainteller.domain.assets import Asset
from chainteller.domain.challenges import SharedWallets
from chainteller.domain.clock import ManualClock, format_instant
from chainteller.domain.options import EngineOptions
from chainteller.domain.policy import Policy
from chainteller.domain.prices import PricePoint
from chainteller.domain.randomness import SeededRandomness
from chainteller.engine.core.context import EngineContext
from chainteller.engine.engine import Engine
from chainteller.engine.operations import transfer_reports
from chainteller.engine.operations.transfer_reports import Report
from chainteller.paths import shipped
from chainteller.sample_worlds import TRAINING_BEGINS
from chainteller.service.models.agents import ApproveAgent, EnrolAgent
from chainteller.service.models.counterparties import ReverificationRequest
from chainteller.service.models.decisions import Approval, OpenDecision
from chainteller.service.models.pages import ListQuery
from chainteller.storage.database import open_database
from chainteller.storage.log.writer_keys import PublicKey

if TYPE_CHECKING:
    from chainteller.service.interface import Service

_DUE_BATCH = 500
_BASIS = 10_000
_MONITORING = Actor(name="monitoring")
_CORE_BANK = Actor(name="core-bank")
_OPERATOR = Actor(name="operator")
_TRAINEE, _COLLEAGUE = "trainee", "s.iyer"
_ROLES = ("supervisor",)
"""What both may do, by the sample bank's policy."""
_FILE = "training.db"


@dataclass(slots=True)
class _ShiftedPrices:
    """Simulated prices, shifted by a scenario from an instant on."""

    course: SimulatedPrices
    shifts: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    checks_staleness: bool = False

    def answers_at_once(self) -> bool:
        return True

    def price(self, market: str, at: int) -> PricePoint:
        point = self.course.price(market, at)
        bps = _newest_shift(self.shifts.get(market, []), at)
        cents = point.mid_micros * (_BASIS + bps) // (_BASIS * 10_000)
        return PricePoint(max(1, cents) * 10_000, point.at) if bps else point

    def samples(self, market: str, start: int, end: int, step: int) -> tuple[PricePoint, ...]:
        return tuple(self.price(market, at) for at in range(start, end + 1, step))


@dataclass(slots=True)
class _ShiftedPegs:
    shifts: dict[str, list[tuple[int, int]]] = field(default_factory=dict)

    def deviation_bps(self, asset: Asset, at: int) -> int:
        return _newest_shift(self.shifts.get(asset.key, []), at)


def _newest_shift(shifts: list[tuple[int, int]], at: int) -> int:
    return next((bps for since, bps in reversed(shifts) if since <= at), 0)


class NotEmpty(ValueError):
    """The folder isn't empty; training only uses a bank that it created."""


class ThrowawayWorld:
    """A bank with the sample data on a new file in ``folder``."""

    def __init__(self, folder: Path, seed: str, made: Path, policy: Policy) -> None:
        """Copy ``made``, a file created by ``make_base`` with the same seed, into ``folder``.
        Raises NotEmpty: the folder isn't empty."""
        if any(folder.iterdir()):
            raise NotEmpty(f"{folder.name} is not empty")
        file = folder / _FILE
        shutil.copyfile(made, file)
        self._prices = _ShiftedPrices(SimulatedPrices(seed))
        self._pegs = _ShiftedPegs()
        self.clock = ManualClock(TRAINING_BEGINS)
        context = EngineContext(
            database=open_database(f"sqlite:///{file}", PublicKey()),
            clock=self.clock,
            randomness=SeededRandomness(f"training {seed}"),
            feed=self._prices,
            venue=SimulatedVenue(),
            options=EngineOptions(shared_wallets=SharedWallets.ASK, policy=policy),
            pegs=self._pegs,
            arrivals=SampleArrivals(shipped("sample_data") / "wallets.toml"),
        )
        self._engine = Engine(context, _OPERATOR)
        self.service: Service = self._agent(_TRAINEE, seed)
        self.colleague: Service = self._agent(_COLLEAGUE, seed)

    def _agent(self, name: str, seed: str) -> Engine:
        """The bank in the name of an agent who is enrolled and approved for it."""
        key = SigningKey(hashlib.sha256(f"{name} {seed}".encode()).digest()).verify_key
        asked = EnrolAgent(name=name, public_key=public_key_text(key.encode()))
        agent = self._engine.enrol_agent(asked).value
        self._engine.approve_agent(agent.id, ApproveAgent(roles=_ROLES))
        scopes = scopes_of_roles(self._engine.context.options.policy.granted, _ROLES)
        return self._engine.acting_as(
            Actor(DEFAULT_ORGANISATION, name, scopes=scopes, agent_id=agent.id)
        )

    def close(self) -> None:
        self._engine.close()

    def run_due(self) -> int:
        return self._engine.run_due(_DUE_BATCH)

    def next_due(self) -> int | None:
        return self._engine.next_due()

    def close_market(self, market: str, reason: str, until: int | None) -> None:
        ends = None if until is None else format_instant(until)
        asked = OpenDecision(kind="market", subject=market, reason=reason, until=ends)
        self._engine.open_decision(asked)

    def open_market(self, market: str) -> None:
        for closed in self._engine.decisions(ListQuery(text=market, status="open")).data:
            self._engine.approve_decision(closed.id, Approval())

    def move_price(self, market: str, bps: int) -> None:
        self._prices.shifts.setdefault(market, []).append((self.clock.now(), bps))

    def move_peg(self, asset: str, bps: int) -> None:
        self._pegs.shifts.setdefault(asset, []).append((self.clock.now(), bps))

    def require_reverification(
        self, blockchain_account_id: str, counterparty_id: str, reason: str
    ) -> None:
        self._engine.acting_as(_MONITORING).require_reverification(
            blockchain_account_id, counterparty_id, ReverificationRequest(reason=reason)
        )

    def report(self, transfer_id: str, status: str, reason: str) -> None:
        transfer_reports.record(
            self._engine.context, _CORE_BANK, Report(transfer_id, status, reason)
        )
