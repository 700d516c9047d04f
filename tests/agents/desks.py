"""Desks of a served bank whose policy has roles: each agent has a key, and signs with it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from nacl.signing import SigningKey
from tests.world.bank import World, build, sqlite_url
from tests.world.serving import served

from chainteller.domain.actors import DESK_SCOPES
from chainteller.domain.agents import Permission, public_key_text
from chainteller.domain.clock import Clock
from chainteller.domain.options import EngineOptions, Rates
from chainteller.domain.policy import CasePolicy, CaseWanted, Policy
from chainteller.engine.core.ports import Issuer
from chainteller.engine.deployment import EmbeddedDeployment
from chainteller.remote.client import RemoteService
from chainteller.remote.signing import AgentSigner
from chainteller.service.deployment import DeploymentOptions
from chainteller.service.models.agents import Agent, ApproveAgent, EnrolAgent

SERVE, READ, DECIDE, CONTROL, AGENTS, _ = Permission
ROLES = (
    ("agent", (SERVE,)),
    ("reviewer", (SERVE, DECIDE)),
    ("supervisor", (SERVE, READ, DECIDE, CONTROL, AGENTS)),
    ("auditor", (READ,)),
)
POLICY = Policy(roles=ROLES)
CASES = POLICY._replace(case=CasePolicy(CaseWanted.REQUIRED, "INC-[0-9]{4,}"))


class Bank:
    """A server on a real port; ``desk_key`` is the API key of its desks."""

    def __init__(self, world: World, address: str) -> None:
        self.world, self.address = world, address
        self.desk_key = world.key(*DESK_SCOPES, name="branch")

    @property
    def clock(self) -> Clock:
        return self.world.context.clock

    def enrol(self, name: str, seed: bytes | None = None) -> "Desk":
        """A machine with a key that waits to be approved."""
        return Desk(self, name, seed or SigningKey.generate().encode())

    def desk(self, name: str, *roles: str, expires: str | None = None) -> "Desk":
        """A machine whose key is approved at the database."""
        desk = self.enrol(name)
        asked = ApproveAgent(roles=roles or ("agent",), expires=expires)
        self.world.engine.approve_agent(desk.id, asked)
        return desk

    def remote(self, key: str) -> RemoteService:
        """A client that nobody signs for."""
        return RemoteService(self.address, key)


class Desk:
    """An agent's machine: ``service`` signs its requests."""

    def __init__(self, bank: Bank, name: str, seed: bytes) -> None:
        public_key = public_key_text(SigningKey(seed).verify_key.encode())
        client = bank.remote(bank.desk_key)
        self.agent: Agent = client.enrol_agent(EnrolAgent(name=name, public_key=public_key)).value
        client.close()
        self.id = self.agent.id
        self.sign = AgentSigner(self.id, seed, bank.clock)
        self.service = RemoteService(bank.address, bank.desk_key, sign=self.sign)


@contextmanager
def served_bank(
    folder: Path,
    policy: Policy = POLICY,
    *,
    starts: bool = False,
    ping_s: float = 15.0,
    issuer: Issuer | None = None,
    rates: Rates | None = None,
    **more: Any,
) -> Iterator[Bank]:
    """A bank with a policy and further options of the engine, on a real port; its threads run only
    if it ``starts``, people may sign in with an ``issuer``, and nothing is limited without
    ``rates``."""
    world = build(
        sqlite_url(folder), options=EngineOptions(rate_limits=False, policy=policy, **more)
    )
    options = DeploymentOptions(
        "0.0.test", rate_limits=rates is not None, rates=rates or Rates(), needs_agents=True
    )
    deployment = EmbeddedDeployment(replace(world.engine), options, issuer=issuer)
    if starts:
        deployment.start()
    with served(deployment, ping_s=ping_s) as address:
        yield Bank(world, address)
