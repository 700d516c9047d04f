"""A layer that refuses every change, whoever sends it: the guard behind ``--read-only``."""

from typing import TypeVar

from chainteller.service.errors import ReadOnlyProfile
from chainteller.service.layers import Next
from chainteller.service.operations import Call

Answer = TypeVar("Answer")


class ReadOnly:
    """Refuses writes with ``ReadOnlyProfile`` while ``enabled``."""

    def __init__(self, *, enabled: bool = True) -> None:
        self.enabled = enabled

    def __call__(self, call: Call[Answer], onward: Next) -> Answer:
        if self.enabled and call.operation.writes:
            raise ReadOnlyProfile("This console is read-only. Nothing was sent.")
        return onward(call)
