"""The embedded deployment: the service over a database, one transaction for each operation."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, TypeVar

from chainteller.domain.actors import Actor
from chainteller.engine.core import timekeeping
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.table import TABLE
from chainteller.engine.core.unit_of_work import now
from chainteller.service import operations as op
from chainteller.service.entered_secrets import refuse_secrets
from chainteller.service.errors import ServiceUnavailable
from chainteller.service.interface import Service
from chainteller.service.operations import Call, Operation
from chainteller.storage.queries import jobs

__all__ = ["EngineContext", "Engine"]

Answer = TypeVar("Answer")

_MODULES: Mapping[str, tuple[str, ...]] = {
    "Agents": ("operations.agents",),
    "Counterparties": ("operations.counterparties",),
    "Customers": ("operations.customer_imports", "operations.erasures"),
    "Decisions": ("operations.decisions",),
    "Deployment": ("operations.records", "operations.disputes", "heads.signed_heads"),
    "Funding": (
        "operations.transactions",
        "operations.transfers",
        "operations.deposits",
        "operations.withdrawals",
    ),
    "Markets": ("operations.markets",),
    "Notes": ("operations.notes",),
    "Quotes": ("operations.quotes",),
    "Trades": ("operations.trades",),
    "Trading accounts": (
        "operations.accounts",
        "operations.limits",
        "operations.statements",
        "operations.finding",
    ),
    "Wallet ownership": (
        "operations.blockchain_accounts",
        "operations.challenges",
        "operations.claims",
        "heads.attestations",
        "operations.ownership_statements",
        "operations.small_transfers",
    ),
    "Webhooks": ("operations.webhooks",),
}
"""The modules that register the functions of operations, by the tag of these. One is imported
when it's needed first: a command needs one or two."""


def load(operations: Iterable[Operation[Any]] | None = None) -> None:
    """Import the functions of operations: of all of them in what serves."""
    for operation in op.OPERATIONS if operations is None else operations:
        for name in _MODULES[operation.tag]:
            if operation in TABLE:
                break
            import_module(f"chainteller.engine.{name}")


@dataclass(frozen=True, slots=True)
class Engine(Service):
    """``Service`` over a database, in the name of one actor; threads may share it."""

    context: EngineContext
    actor: Actor = field(default_factory=Actor)

    def call(self, call: Call[Answer]) -> Answer:
        refuse_secrets(call)
        if self.context.provider is not None:
            from chainteller.engine.forwarding import calls  # noqa: PLC0415 - few are gateways

            if calls.is_forwarded(call.operation):
                return calls.answer(self.context, self.actor, call)  # type: ignore[no-any-return]  # checked there
        if call.operation not in TABLE:
            load((call.operation,))
        answer = TABLE[call.operation](self, call)
        if self.context.ports.core_bank is not None and call.operation is op.DEPOSIT:
            from chainteller.engine.forwarding import outside_requests  # noqa: PLC0415 - as above

            outside_requests.debit_at_once(self.context, answer)  # type: ignore[arg-type]  # a deposit
        return answer

    def acting_as(self, actor: Actor) -> "Engine":
        return Engine(self.context, actor)

    def close(self) -> None:
        """Keep the heads of what this process wrote, and disconnect."""
        context = self.context
        if context.kept is not None and context.database.has_written:
            with suppress(ServiceUnavailable):  # whoever needs the database has said so
                context.kept.follow(context.database)
        if context.provider is not None:
            context.provider.close()
        context.ports.close()
        context.database.close()

    def run_due(self, limit: int = 1_000) -> int:
        """Do what is due now; returns how many pieces of work were done."""
        with self.context.database.read() as connection:
            first = jobs.next_due(connection)
            time = timekeeping.read(self.context.time, connection)
        if time.doubt is None and (first is None or first > time.now):
            return 0
        from chainteller.engine.upkeep import due  # noqa: PLC0415 - most commands find nothing due

        return due.run(self.context, limit)

    def next_due(self) -> int | None:
        """The instant at which the next work is due."""
        with self.context.database.read() as connection:
            return jobs.next_due(connection)

    def now(self) -> int:
        with self.context.database.read() as connection:
            return now(self.context, connection)
