"""Deployments with a fault planted in them, for tests that must notice."""

import os
import signal
from collections.abc import Callable
from typing import Any, TypeVar

from chainteller.domain.actors import SCOPES, Actor
from chainteller.engine.deployment import EmbeddedDeployment
from chainteller.service.deployment import Principal
from chainteller.service.errors import Unauthorized
from chainteller.service.interface import Service
from chainteller.service.layers import Next, layered
from chainteller.service.models.accounts import TradingAccount
from chainteller.service.operations import EXECUTE_QUOTE, Call, Operation

Answer = TypeVar("Answer")


class _Planted(EmbeddedDeployment):
    """Answers everything by ``acting_as``, where the fault is."""

    async def at_once(
        self,
        actor: Actor,  # noqa: ARG002 - whoever it is
        operation: Operation[Any],  # noqa: ARG002 - whatever is asked
        work: Callable[[Service], Answer],  # noqa: ARG002 - the same
    ) -> Answer | None:
        return None


class Dying(_Planted):
    """Dies once an execute is committed, before its reply is written."""

    def acting_as(self, actor: Actor) -> Service:
        def die(call: Call[Answer], onward: Next) -> Answer:
            answer = onward(call)
            if call.operation is EXECUTE_QUOTE:
                os.kill(os.getpid(), signal.SIGKILL)
            return answer

        return layered(super().acting_as(actor), die)


class AnyKey(EmbeddedDeployment):
    """Takes whatever is presented as a key."""

    def authenticate(self, api_key: str) -> Principal:
        try:
            return super().authenticate(api_key)
        except Unauthorized:
            return Principal(Actor(), frozenset(SCOPES))


class OtherTenant(_Planted):
    """Shows everybody the records of ``default``."""

    def acting_as(self, actor: Actor) -> Service:
        return super().acting_as(Actor("default", actor.name, actor.key_id))


class WrongShape(_Planted):
    """Answers one operation with a field of another type."""

    def acting_as(self, actor: Actor) -> Service:
        def spoil(call: Call[Answer], onward: Next) -> Answer:
            answer = onward(call)
            if isinstance(answer, TradingAccount):
                return answer.model_copy(update={"buying_power": 12})
            return answer

        return layered(super().acting_as(actor), spoil)


FAULTS: dict[str, type[EmbeddedDeployment]] = {
    "": EmbeddedDeployment,
    "die": Dying,
    "any-key": AnyKey,
    "other-tenant": OtherTenant,
    "wrong-shape": WrongShape,
}
