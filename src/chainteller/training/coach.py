"""The coach: a service layer that records every action of the trainee with its outcome.

The console, or the player of written steps, uses the service through this layer.
"""

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

from chainteller.domain.pasted_secrets import Digits, find_secret
from chainteller.service.entered_secrets import MEANINGS
from chainteller.service.layers import Next
from chainteller.service.models.counterparties import ClaimRequest, RegisterCounterparty
from chainteller.service.operations import CUSTOMERS, Call
from chainteller.training.timeline import OBSERVED

Answer = TypeVar("Answer")
WITHHELD = "(a secret; withheld)"


class Listener(Protocol):
    """Records actions."""

    def perform(self, call: Call[Answer], onward: Next) -> Answer:
        """Perform and record an action; returns or raises the bank's outcome."""

    def read(self, call: Call[Any]) -> None:
        """Note a look at the bank's customers."""


class Coach:
    """Passes actions to the listener; other reads go directly to the layer below."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener

    def __call__(self, call: Call[Answer], onward: Next) -> Answer:
        if call.operation.name in OBSERVED:
            return self._listener.perform(call, onward)
        if call.operation is CUSTOMERS:
            self._listener.read(call)
        return onward(call)


def inputs_of(args: tuple[Any, ...]) -> list[Any]:
    """An action's arguments for the log: ids unchanged, requests as ``{model: body}``.

    Pasted secrets are left out.
    """
    return [_input(each) for each in args]


def _input(value: Any) -> Any:
    if isinstance(value, str):
        return value
    body: dict[str, Any] = value.model_dump(mode="json", by_alias=True, exclude_none=True)
    field = _SECRET_PRONE.get(type(value))
    if field is not None and find_secret(str(body[field]), MEANINGS.get(field, Digits.KEY)):
        body[field] = WITHHELD
    return {type(value).__name__: body}


_SECRET_PRONE: Mapping[type, str] = {
    ClaimRequest: "completedChallenge",
    RegisterCounterparty: "address",
}
