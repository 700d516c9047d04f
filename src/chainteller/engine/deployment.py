"""The embedded engine as what ``serve`` needs: keys, callers, health, and the due work."""

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from chainteller.domain.actors import Actor
from chainteller.domain.sign_ins import is_access_token
from chainteller.domain.signed_requests import Signed
from chainteller.engine.core import timekeeping
from chainteller.engine.core.background import Background
from chainteller.engine.core.table import SHORT
from chainteller.engine.engine import Engine, load
from chainteller.engine.heads.checkpointing import Checkpointer
from chainteller.engine.operations import disputes, signing_pages
from chainteller.engine.operations.agent_requests import KnownAgents, SignedRequests
from chainteller.engine.operations.keys import Authenticator
from chainteller.engine.operations.sign_ins import SignIns
from chainteller.engine.upkeep import epochs, figures
from chainteller.engine.upkeep.leases import ServerLease
from chainteller.engine.upkeep.noted_callers import NotedCallers
from chainteller.engine.upkeep.worker import Worker
from chainteller.engine.verification.in_rounds import Process, Verifier
from chainteller.service.deployment import DeploymentOptions, Figure, Health, Principal
from chainteller.service.errors import ServiceError, ServiceUnavailable
from chainteller.service.models.counterparties import PageSignature, SigningPage
from chainteller.service.operations import Operation
from chainteller.storage.database import Database, Unwaiting
from chainteller.storage.db.faults import NotAtOnce, driver_missing, require_current
from chainteller.storage.log import marks, views
from chainteller.storage.schema import ddl

if TYPE_CHECKING:
    from chainteller.engine.core.ports import Issuer
    from chainteller.service.interface import Service
    from chainteller.storage.loop import LoopReads

Answer = TypeVar("Answer")


class EmbeddedDeployment:
    """One database behind one ``serve``; implements ``service.deployment.Deployment``."""

    def __init__(
        self,
        engine: Engine,
        options: DeploymentOptions,
        whole_pass: Process | None = None,
        issuer: "Issuer | None" = None,
    ) -> None:
        """``whole_pass`` verifies everything; None for databases that are thrown away. People may
        sign in with the ``issuer``."""
        load()
        self._engine = engine
        self._whole_pass = whole_pass
        self._options = options
        self._process = os.getpid()
        self._authenticator = Authenticator(engine.context)
        self._agents = KnownAgents(engine.context, self._authenticator.uses)
        self._signed = SignedRequests(engine.context, self._agents)
        self._sign_ins: SignIns | None = None
        if issuer is not None:
            longest_s = options.token_age_s
            self._sign_ins = SignIns(engine.context, self._agents, issuer, longest_s)
        self._running: list[Background] = []
        """What runs beside the answers, the first one first."""
        self._lease: ServerLease | None = None
        self._noted: NotedCallers | None = None
        self._loop: LoopReads | None = None
        database = engine.context.database
        unwaiting: Database
        if database.path is None:
            unwaiting = self._loop = _loop_reads(database)
        else:
            unwaiting = Unwaiting(database, database.path)
        self._unwaiting = Engine(replace(engine.context, database=unwaiting))

    @property
    def options(self) -> DeploymentOptions:
        return self._options

    def authenticate(self, bearer: str) -> Principal:
        if self._sign_ins is not None and is_access_token(bearer):
            return self._sign_ins.principal(bearer)
        return self._authenticator.principal(bearer)

    def recognise(self, bearer: str) -> Principal | None:
        if self._sign_ins is not None and is_access_token(bearer):
            return self._sign_ins.recognised(bearer)
        return self._authenticator.recognised(bearer)

    def authenticate_agent(self, principal: Principal, signed: Signed) -> Principal:
        return self._signed.principal(principal, signed)

    def recognise_agent(self, principal: Principal, signed: Signed) -> Principal | None:
        return self._signed.recognised(principal, signed)

    def agent_holds(self, actor: Actor) -> bool:
        return self._agents.still_holds(actor)

    def note_refusal(self, address: str, refusal: ServiceError, actor: Actor | None) -> None:
        if self._noted is not None:
            self._noted.count(address, refusal, actor)

    def note_look(self, actor: Actor, account_id: str, case_id: str) -> None:
        if self._noted is not None:
            self._noted.look(actor, account_id, case_id)

    def acting_as(self, actor: Actor) -> "Service":
        return self._engine.acting_as(actor)

    def newest_event(self) -> int:
        with self._engine.context.database.read() as connection:
            return sum(views.sizes(connection).values())

    async def at_once(
        self, actor: Actor, operation: Operation[Any], work: Callable[["Service"], Answer]
    ) -> Answer | None:
        context = self._unwaiting.context
        if operation not in SHORT or not context.feed.answers_at_once():
            return None
        if context.provider is not None:
            from chainteller.engine.forwarding.calls import (  # noqa: PLC0415 - few are gateways
                is_forwarded,
            )

            if is_forwarded(operation):
                return None
        service = self._unwaiting.acting_as(actor)
        try:
            if self._loop is not None:
                return await self._loop.run(lambda: work(service))
        except NotAtOnce:
            return None
        try:
            return work(service)
        except (NotAtOnce, ServiceUnavailable):
            return None

    def signing_page(self, token: str) -> SigningPage:
        return signing_pages.show(self._engine.context, token)

    def take_signature(self, token: str, sent: PageSignature) -> SigningPage:
        context = self._engine.context
        return signing_pages.receive(context, token, sent.message_id, sent.signature)

    def servers(self) -> int:
        return 1 if self._lease is None else self._lease.servers

    def health(self) -> Health:
        """Ask the database what it holds, whether writes to it succeed, and what time it is; a
        fault is named by its reason, with what to do. The clock is named where there is something
        to say about it.
        """
        context = self._engine.context
        try:
            with context.database.read() as connection:
                require_current(ddl.state(connection), context.database.name)
                reading = timekeeping.read(context.time, connection)
                marks.require_key(connection)
                books = disputes.standing(connection)
            context.database.require_writes()
        except ServiceUnavailable as fault:
            reason = str(fault.details["reason"])
            return Health(
                ready=False,
                checks={"database": reason},
                suggestion=fault.suggestion,
                simulated=context.simulated,
            )
        checks = {"database": "ok"}
        if reading.doubt is not None:
            checks["clock"] = reading.doubt.value
        elif reading.ahead:
            checks["clock"] = epochs.describe_difference(reading.ahead)
        is_certain = reading.doubt is None
        return Health(is_certain, checks, books=books, simulated=context.simulated)

    def figures(self) -> tuple[Figure, ...]:
        return figures.read(self._engine.context)

    def process_figures(self) -> tuple[Figure, ...]:
        return tuple(figures.of_process(self._engine.context))

    def start(self) -> None:
        """After a fork the parent's connections are left to the parent, unclosed."""
        if os.getpid() != self._process:
            self._engine.context.database.sessions.pool.forget()
            self._process = os.getpid()
        for each in self._beside():
            self._running.append(each)
            each.start()

    def _beside(self) -> Iterator[Background]:
        """What runs beside the answers. It's stopped the last one first, so that what is written
        last is signed, and counts as this server's."""
        context = self._engine.context
        if context.database.is_postgres:
            self._lease = ServerLease(context)
            yield self._lease
        self._noted = NotedCallers(context)
        yield self._noted
        if context.signers.key_folder is not None or context.kept is not None:
            yield Checkpointer(context)
        yield Worker(context)
        yield Verifier(context, self._leads, self._whole_pass, self._authenticator.uses)
        if context.provider is not None:
            from chainteller.engine.forwarding.renewing import (  # noqa: PLC0415 - few are gateways
                Renewer,
            )

            yield Renewer(context, self._leads)
        if context.webhooks is not None:
            from chainteller.engine.upkeep.deliveries import (  # noqa: PLC0415 - few have webhooks
                Deliverer,
            )

            yield Deliverer(context, context.webhooks, self.servers)

    def _leads(self) -> bool:
        """Whether this process does what one of several servers has to do."""
        return self._lease is None or self._lease.leads

    def stop(self) -> None:
        for each in reversed(self._running):
            each.stop()
        self._unwaiting.context.database.close()
        self._engine.close()


def _loop_reads(database: Database) -> "LoopReads":
    """Raises ServiceUnavailable: DRIVER_MISSING."""
    try:
        from chainteller.storage.loop import LoopReads  # noqa: PLC0415 - what it needs is an extra
    except ModuleNotFoundError as missing:
        raise driver_missing(str(missing.name)) from None
    return LoopReads(database)
