"""Attempts: requests that a client is about to repeat."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try of a request. ``status`` is HTTP's, 0 where no usable reply came; ``code``
    says why it failed; ``key`` is a write's idempotency key.
    """

    method: str
    path: str
    status: int
    code: str
    took_ms: int
    key: str = ""


Watch = Callable[[Attempt], None]
"""Called in the calling thread, before the request is sent again."""
