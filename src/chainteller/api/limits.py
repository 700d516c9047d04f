"""Rate limits: token buckets of keys and organisations.

A limit holds for all servers of a deployment together. Each process allows its share, the limit
divided by the number of servers, and asks nobody at a request. The headers show the share.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from chainteller.domain.options import Rate, Rates
from chainteller.service.errors import RateLimited

_MOST_LEVELS = 10_000
_FORGOTTEN_AFTER_S = 3_600
"""Where there are many: whoever asked nothing for so long may ask as after a pause."""


class Bucket(StrEnum):
    """The kinds of requests, by the names used in operation declarations."""

    READ = "read"
    WRITE = "write"
    QUOTE = "quote"


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
    """All buckets of this process.

    Args:
        rates: of the whole deployment; None limits nothing.
        servers: how many processes share them.
        elapsed: a monotonic clock in seconds.
    """

    def __init__(
        self,
        rates: Rates | None,
        servers: Callable[[], int] = lambda: 1,
        elapsed: Callable[[], float] = time.monotonic,
    ) -> None:
        self._rates = rates
        self._servers = servers
        self._elapsed = elapsed
        self._levels: dict[tuple[str, str, Bucket], _Level] = {}
        self._shares: dict[tuple[Bucket, int], tuple[Rate, Rate]] = {}

    def take(self, organisation: str, key_id: str, bucket: Bucket) -> Grant | None:
        """Spend one token of the key and one of its organisation, and return the scarcer rest.

        Raises:
            RateLimited: one of the two has none; neither is spent.
        """
        if self._rates is None:
            return None
        of_key, of_all = self._shares_of(bucket, max(1, self._servers()), self._rates)
        key_level = self._refilled(("key", key_id, bucket), of_key)
        all_level = self._refilled(("organisation", organisation, bucket), of_all)
        for level, share, name in (
            (key_level, of_key, bucket),
            (all_level, of_all, f"organisation-{bucket}"),
        ):
            if level.tokens < 1:
                wait_s = math.ceil((1 - level.tokens) / share.per_second)
                raise _limited(name, share.burst, wait_s)
        key_level.tokens -= 1
        all_level.tokens -= 1
        if all_level.tokens < key_level.tokens:
            return _grant(all_level, of_all)
        return _grant(key_level, of_key)

    def _shares_of(self, bucket: Bucket, servers: int, rates: Rates) -> tuple[Rate, Rate]:
        """The parts of this process, one of so many: of a key, and of all keys together."""
        found = self._shares.get((bucket, servers))
        if found is None:
            rate: Rate = getattr(rates, bucket)
            found = share(rate, servers), share(rate, servers, rates.keys)
            self._shares[bucket, servers] = found
        return found

    def _refilled(self, name: tuple[str, str, Bucket], share: Rate) -> _Level:
        now = self._elapsed()
        if len(self._levels) >= _MOST_LEVELS and name not in self._levels:
            self._levels = {
                each: level
                for each, level in self._levels.items()
                if now - level.at < _FORGOTTEN_AFTER_S
            }
        level = self._levels.setdefault(name, _Level(share.burst, now))
        refilled = level.tokens + (now - level.at) * share.per_second
        level.tokens, level.at = min(share.burst, refilled), now
        return level


def share(rate: Rate, servers: int, keys: int = 1) -> Rate:
    """One server's part of a rate of so many keys; at least one request at once."""
    return Rate(rate.per_second * keys / servers, max(1, rate.burst * keys // servers))


def _grant(level: _Level, share: Rate) -> Grant:
    reset_s = math.ceil((share.burst - level.tokens) / share.per_second)
    return Grant(share.burst, int(level.tokens), reset_s)


def _limited(policy: str, limit: int, wait_s: int) -> RateLimited:
    return RateLimited(
        "Too many requests.",
        {
            "policy": policy,
            "limit": limit,
            "windowSeconds": 1,
            "retryAfterSeconds": max(1, wait_s),
        },
    )
