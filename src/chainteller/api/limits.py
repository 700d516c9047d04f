"""Rate limits: token buckets per key.

Each process counts separately.
"""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum

from chainteller.service.errors import RateLimited


@dataclass(frozen=True, slots=True)
class Policy:
    """A token bucket's refill rate and size."""

    name: str
    per_second: float
    burst: int


class Bucket(Enum):
    READ = Policy("read", 20, 40)
    WRITE = Policy("write", 5, 10)
    QUOTE = Policy("quote", 2, 10)


BUCKETS: Mapping[str, Bucket] = {bucket.value.name: bucket for bucket in Bucket}
"""The buckets, by the names used in operation declarations."""


@dataclass(slots=True)
class _Level:
    tokens: float
    at: float


@dataclass(frozen=True, slots=True)
class Grant:
    """The remaining tokens after an accepted request, for the RateLimit headers."""

    limit: int
    remaining: int
    reset_s: int

    def headers(self) -> list[tuple[bytes, bytes]]:
        return [
            (b"ratelimit-limit", str(self.limit).encode()),
            (b"ratelimit-remaining", str(self.remaining).encode()),
            (b"ratelimit-reset", str(self.reset_s).encode()),
        ]


class RateLimits:
    """All buckets of this process; ``elapsed`` is a monotonic clock in seconds."""

    def __init__(self, *, active: bool, elapsed: Callable[[], float] = time.monotonic) -> None:
        self._active = active
        self._elapsed = elapsed
        self._levels: dict[tuple[str, Bucket], _Level] = {}

    def take(self, key_id: str, bucket: Bucket) -> Grant | None:
        """Spend one token.

        Raises:
            RateLimited: the bucket is empty.
        """
        if not self._active:
            return None
        policy, now = bucket.value, self._elapsed()
        level = self._levels.setdefault((key_id, bucket), _Level(policy.burst, now))
        refilled = level.tokens + (now - level.at) * policy.per_second
        level.tokens, level.at = min(policy.burst, refilled), now
        if level.tokens < 1:
            wait_s = math.ceil((1 - level.tokens) / policy.per_second)
            raise _limited(policy.name, policy.burst, 1, wait_s)
        level.tokens -= 1
        reset_s = math.ceil((policy.burst - level.tokens) / policy.per_second)
        return Grant(policy.burst, int(level.tokens), reset_s)


def _limited(policy: str, limit: int, window_s: int, wait_s: int) -> RateLimited:
    return RateLimited(
        "Too many requests.",
        {
            "policy": policy,
            "limit": limit,
            "windowSeconds": window_s,
            "retryAfterSeconds": max(1, wait_s),
        },
    )
