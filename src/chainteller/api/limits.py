"""Rate limits: token buckets per key, and a lock-out of addresses that guess keys.

Each process counts separately.
"""

import hashlib
import math
import time
from collections import OrderedDict, deque
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


FAILED_KEYS = 10
FAILED_WINDOW_S = 60
LOCKED_S = 15 * 60
_ADDRESSES = 10_000
_KNOWN_KEYS = 10_000


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
        self._failures: OrderedDict[str, deque[float]] = OrderedDict()
        self._locked: OrderedDict[str, float] = OrderedDict()
        self._proven: OrderedDict[bytes, None] = OrderedDict()

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

    def admit(self, address: str, key: str) -> None:
        """Check that a key may be looked up.

        A key that was valid before is accepted during a lock-out of its address, so that a stranger
        behind the same proxy can't lock out everyone.

        Raises:
            RateLimited: this address sent too many invalid keys.
        """
        until = self._locked.get(address)
        if not self._active or until is None:
            return
        now = self._elapsed()
        if now >= until:
            del self._locked[address]
        elif _digest(key) not in self._proven:
            wait_s = math.ceil(until - now)
            raise _limited("failed-key", FAILED_KEYS, FAILED_WINDOW_S, wait_s)

    def accepted(self, key: str) -> None:
        digest = _digest(key)
        self._proven[digest] = None
        self._proven.move_to_end(digest)
        if len(self._proven) > _KNOWN_KEYS:
            self._proven.popitem(last=False)

    def failed(self, address: str) -> None:
        """Count an invalid key; the tenth within a minute locks out the address."""
        if not self._active:
            return
        now = self._elapsed()
        recent = self._failures.setdefault(address, deque(maxlen=FAILED_KEYS))
        self._failures.move_to_end(address)
        recent.append(now)
        if len(recent) == FAILED_KEYS and now - recent[0] <= FAILED_WINDOW_S:
            self._locked[address] = now + LOCKED_S
            recent.clear()
        for table in (self._failures, self._locked):
            if len(table) > _ADDRESSES:
                table.popitem(last=False)


def _digest(key: str) -> bytes:
    """Hash a key, so that a memory dump doesn't contain it."""
    return hashlib.sha256(key.encode("utf-8", "replace")).digest()


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
