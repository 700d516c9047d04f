"""The coach: a service layer that records every action of the trainee with its outcome.

The console, or the player of written steps, uses the service through this layer.
"""

from typing import Any, Protocol, TypeVar

from chainteller.service.layers import Next
from chainteller.service.operations import CUSTOMERS, Call
from chainteller.training.timeline import OBSERVED

Answer = TypeVar("Answer")


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
