"""A deployment that offers the specification's own calls and nothing else."""

from typing import TypeVar

from chainteller.service.errors import NotOffered
from chainteller.service.layers import Next
from chainteller.service.operations import Call

Answer = TypeVar("Answer")


def only_specified(call: Call[Answer], onward: Next) -> Answer:
    """A layer that refuses what the specification does not name."""
    if call.operation.feature is not None:
        raise NotOffered("This deployment does not offer it.")
    return onward(call)
