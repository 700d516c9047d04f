"""Rate limits of a key."""

import pytest
from tests.api.conftest import Caller
from tests.world.bank import World
from tests.world.serving import deployment, served

from chainteller.api.limits import Bucket, RateLimits
from chainteller.service.errors import RateLimited


class Stopwatch:
    """Seconds that pass only when told to."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def watch() -> Stopwatch:
    return Stopwatch()


@pytest.fixture
def limits(watch: Stopwatch) -> RateLimits:
    return RateLimits(active=True, elapsed=watch)


def spend(limits: RateLimits, key: str, bucket: Bucket) -> int:
    """How many requests pass at once."""
    for count in range(1_000):
        try:
            limits.take(key, bucket)
        except RateLimited:
            return count
    return 1_000


@pytest.mark.parametrize(
    ("bucket", "burst", "per_second"),
    [(Bucket.READ, 40, 20), (Bucket.WRITE, 10, 5), (Bucket.QUOTE, 10, 2)],
)
def test_a_burst_passes_and_then_a_steady_rate(
    limits: RateLimits, watch: Stopwatch, bucket: Bucket, burst: int, per_second: int
) -> None:
    assert spend(limits, "key", bucket) == burst
    watch.seconds += 1
    assert spend(limits, "key", bucket) == per_second
    watch.seconds += 3_600
    assert spend(limits, "key", bucket) == burst


def test_keys_and_buckets_do_not_share(limits: RateLimits) -> None:
    spend(limits, "key", Bucket.WRITE)
    assert spend(limits, "key", Bucket.READ) == 40
    assert spend(limits, "another", Bucket.WRITE) == 10


def test_a_refusal_says_how_long_to_wait(limits: RateLimits) -> None:
    spend(limits, "key", Bucket.QUOTE)
    with pytest.raises(RateLimited) as refused:
        limits.take("key", Bucket.QUOTE)
    assert refused.value.details == {
        "policy": "quote",
        "limit": 10,
        "windowSeconds": 1,
        "retryAfterSeconds": 1,
    }


def test_switched_off_nothing_is_limited(watch: Stopwatch) -> None:
    limits = RateLimits(active=False, elapsed=watch)
    assert spend(limits, "key", Bucket.QUOTE) == 1_000


def test_the_service_answers_429_with_its_headers(world: World) -> None:
    with served(deployment(world, rate_limits=True)) as address:
        call = Caller(address, world.key())
        answers = [call("GET", "/capabilities") for _ in range(60)]
        limited = next(answer for answer in answers if answer.status == 429)
        assert limited.code == "RATE_LIMITED"
        assert int(limited.headers["retry-after"]) >= 1
        assert answers[0].headers["ratelimit-limit"] == "40"
        assert answers[0].headers["ratelimit-remaining"] == "39"
