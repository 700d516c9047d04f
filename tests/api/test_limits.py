"""Rate limits of a key."""

import pytest
from tests.api.conftest import Caller
from tests.world.bank import World
from tests.world.serving import deployment, served

from chainteller.api.limits import Bucket, RateLimits
from chainteller.domain.options import Rate, Rates
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
    return RateLimits(Rates(), elapsed=watch)


def spend(limits: RateLimits, key: str, bucket: Bucket, organisation: str = "bank") -> int:
    """How many requests pass at once."""
    for count in range(1_000):
        try:
            limits.take(organisation, key, bucket)
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
        limits.take("bank", "key", Bucket.QUOTE)
    assert refused.value.details == {
        "policy": "quote",
        "limit": 10,
        "windowSeconds": 1,
        "retryAfterSeconds": 1,
    }


def test_the_keys_of_an_organisation_share_a_limit_too(
    limits: RateLimits, watch: Stopwatch
) -> None:
    passed = [spend(limits, f"key {number}", Bucket.WRITE) for number in range(12)]
    assert passed == [10] * 10 + [0, 0]
    assert spend(limits, "stranger", Bucket.WRITE, "other") == 10
    watch.seconds += 1
    assert spend(limits, "key 0", Bucket.WRITE) == 5


def test_what_an_organisation_lacks_is_not_taken_from_the_key(watch: Stopwatch) -> None:
    limits = RateLimits(Rates(write=Rate(1, 3), keys=1), elapsed=watch)
    assert spend(limits, "one", Bucket.WRITE) == 3
    with pytest.raises(RateLimited) as refused:
        limits.take("bank", "two", Bucket.WRITE)
    assert refused.value.details["policy"] == "organisation-write"
    watch.seconds += 3
    assert spend(limits, "two", Bucket.WRITE) == 3


@pytest.mark.parametrize("servers", [1, 2, 3, 7])
def test_all_servers_together_allow_the_limit(watch: Stopwatch, servers: int) -> None:
    each = [RateLimits(Rates(), lambda: servers, watch) for _ in range(servers)]
    assert 30 <= sum(spend(limits, "key", Bucket.READ) for limits in each) <= 40
    passed = 0
    for _ in range(20):
        watch.seconds += 1
        passed += sum(spend(limits, "key", Bucket.READ) for limits in each)
    assert 0.75 * 400 <= passed <= 1.25 * 400
    grant = each[0].take("bank", "other", Bucket.READ)
    assert grant is not None
    assert grant.limit == 40 // servers


def test_a_share_changes_with_the_number_of_servers(watch: Stopwatch) -> None:
    servers = 1
    limits = RateLimits(Rates(), lambda: servers, watch)
    assert spend(limits, "key", Bucket.READ) == 40
    servers = 4
    watch.seconds += 3_600
    assert spend(limits, "key", Bucket.READ) == 10


def test_switched_off_nothing_is_limited(watch: Stopwatch) -> None:
    limits = RateLimits(None, elapsed=watch)
    assert spend(limits, "key", Bucket.QUOTE) == 1_000


def test_the_service_answers_429_with_its_headers(world: World) -> None:
    with served(deployment(world, rates=Rates())) as address:
        call = Caller(address, world.key())
        # Of all buckets the one of quotes fills slowest: however busy the machine, it's emptied.
        body = {"amount": "1.00", "side": "buy"}
        answers = [call("POST", "/trading/markets/sol-usd/quotes", body) for _ in range(30)]
        limited = next(answer for answer in answers if answer.status == 429)
        assert limited.code == "RATE_LIMITED"
        assert int(limited.headers["retry-after"]) >= 1
        assert answers[0].headers["ratelimit-limit"] == "10"
        assert answers[0].headers["ratelimit-remaining"] == "9"
