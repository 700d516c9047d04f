"""Deployments with a fault planted in them, for tests that must notice."""

import os
import signal
from typing import Any

from chainteller.domain.actors import SCOPES, Actor
from chainteller.engine.deployment import EmbeddedDeployment
from chainteller.service.deployment import Principal
from chainteller.service.errors import Unauthorized
from chainteller.service.interface import Service
from chainteller.service.models.accounts import TradingAccount


class _Over:
    """A service, but for what a subclass does otherwise."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class _Planted(EmbeddedDeployment):
    """Answers everything by ``acting_as``, where the fault is."""

    def at_once(self, actor: Actor) -> None:  # noqa: ARG002 - whoever it is
        return None


class Dying(_Planted):
    """Dies once an execute is committed, before its reply is written."""

    def acting_as(self, actor: Actor) -> Service:
        class Deadly(_Over):
            def execute_quote(self, *arguments: Any, **named: Any) -> Any:
                self._inner.execute_quote(*arguments, **named)
                os.kill(os.getpid(), signal.SIGKILL)

        return Deadly(super().acting_as(actor))


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
        class Wrong(_Over):
            def trading_account(self, account_id: str) -> TradingAccount:
                found: TradingAccount = self._inner.trading_account(account_id)
                return found.model_copy(update={"buying_power": 12})

        return Wrong(super().acting_as(actor))


FAULTS: dict[str, type[EmbeddedDeployment]] = {
    "": EmbeddedDeployment,
    "die": Dying,
    "any-key": AnyKey,
    "other-tenant": OtherTenant,
    "wrong-shape": WrongShape,
}
