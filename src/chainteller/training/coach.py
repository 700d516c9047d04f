"""The coach: a layer that sees every act of the trainee with its outcome.

It is around the service that the console, or a player of written steps, works with.
"""

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

from chainteller.service.layers import Next
from chainteller.service.models.counterparties import ClaimRequest, RegisterCounterparty
from chainteller.service.operations import Call
from chainteller.training.moments import OBSERVED
from chainteller.wallets.pasted_secrets import find_secret

Answer = TypeVar("Answer")
WITHHELD = "(a secret; withheld)"


class Listener(Protocol):
    """Takes note of the acts."""

    def perform(self, call: Call[Answer], onward: Next) -> Answer:
        """Carry the act out and remember it; returns or raises what the bank does."""


class Coach:
    """Passes acts to the listener; looking around goes straight to the bank with its faults."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener

    def __call__(self, call: Call[Answer], onward: Next) -> Answer:
        if call.operation.name in OBSERVED:
            return self._listener.perform(call, onward)
        return onward(call)


def inputs_of(args: tuple[Any, ...]) -> list[Any]:
    """An act's arguments for the log: ids as they are, requests as ``{model: body}``.

    A secret that somebody pasted is not kept.
    """
    return [_input(each) for each in args]


def _input(value: Any) -> Any:
    if isinstance(value, str):
        return value
    body: dict[str, Any] = value.model_dump(mode="json", by_alias=True, exclude_none=True)
    field = _SECRET_PRONE.get(type(value))
    if field is not None and find_secret(str(body[field])):
        body[field] = WITHHELD
    return {type(value).__name__: body}


_SECRET_PRONE: Mapping[type, str] = {
    ClaimRequest: "completedChallenge",
    RegisterCounterparty: "address",
}
