"""The embedded deployment: the service over a database, one transaction for each operation."""

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeVar

from chainteller.domain.actors import Actor
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.table import TABLE
from chainteller.engine.core.unit_of_work import now
from chainteller.engine.heads import attestations, signed_heads
from chainteller.engine.operations import (
    accounts,
    agents,
    blockchain_accounts,
    challenges,
    claims,
    counterparties,
    decisions,
    deposits,
    disputes,
    finding,
    limits,
    markets,
    ownership_statements,
    quotes,
    records,
    small_transfers,
    statements,
    trades,
    transactions,
    transfers,
    withdrawals,
)
from chainteller.engine.upkeep import due
from chainteller.service.entered_secrets import refuse_secrets
from chainteller.service.errors import ServiceUnavailable
from chainteller.service.interface import Service
from chainteller.service.operations import OPERATIONS, Call

__all__ = ["EngineContext", "Engine"]

Answer = TypeVar("Answer")

ANSWERING = (
    accounts,
    agents,
    blockchain_accounts,
    challenges,
    claims,
    counterparties,
    decisions,
    deposits,
    disputes,
    finding,
    attestations,
    signed_heads,
    limits,
    markets,
    ownership_statements,
    quotes,
    records,
    small_transfers,
    statements,
    trades,
    transactions,
    transfers,
    withdrawals,
)
"""The modules that register the functions of the table."""
_missing = [operation.name for operation in OPERATIONS if operation not in TABLE]
if _missing:
    raise NotImplementedError(f"The engine has no function for: {', '.join(_missing)}.")


@dataclass(frozen=True, slots=True)
class Engine(Service):
    """``Service`` over a database, in the name of one actor; threads may share it."""

    context: EngineContext
    actor: Actor = field(default_factory=Actor)

    def call(self, call: Call[Answer]) -> Answer:
        refuse_secrets(call)
        return TABLE[call.operation](self, call)

    def acting_as(self, actor: Actor) -> "Engine":
        return Engine(self.context, actor)

    def close(self) -> None:
        """Keep the heads of what this process wrote, and disconnect."""
        context = self.context
        if context.kept is not None and context.database.has_written:
            with suppress(ServiceUnavailable):  # whoever needs the database has said so
                context.kept.follow(context.database)
        context.database.close()

    def run_due(self, limit: int = 1_000) -> int:
        """Do what is due now; returns how many pieces of work were done."""
        return due.run(self.context, limit)

    def next_due(self) -> int | None:
        """The instant at which the next work is due."""
        return due.next_at(self.context)

    def now(self) -> int:
        with self.context.database.read() as connection:
            return now(self.context, connection)
