"""Rate limits, and the bounds on what a client may do to a connection."""

import contextlib
import json
import socket
from collections.abc import Iterator

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


def test_ten_wrong_keys_in_a_minute_lock_the_address_out(
    limits: RateLimits, watch: Stopwatch
) -> None:
    limits.accepted("good")
    for _ in range(10):
        limits.admit("10.0.0.1", "bad")
        limits.failed("10.0.0.1")
    with pytest.raises(RateLimited) as refused:
        limits.admit("10.0.0.1", "bad")
    assert refused.value.details["retryAfterSeconds"] == 900
    limits.admit("10.0.0.1", "good")
    limits.admit("10.0.0.2", "bad")
    watch.seconds += 900
    limits.admit("10.0.0.1", "bad")


def test_wrong_keys_over_a_longer_time_lock_nobody_out(
    limits: RateLimits, watch: Stopwatch
) -> None:
    for _ in range(50):
        limits.failed("10.0.0.1")
        watch.seconds += 7
    limits.admit("10.0.0.1", "bad")


def test_switched_off_nothing_is_limited(watch: Stopwatch) -> None:
    limits = RateLimits(active=False, elapsed=watch)
    assert spend(limits, "key", Bucket.QUOTE) == 1_000
    for _ in range(100):
        limits.failed("10.0.0.1")
    limits.admit("10.0.0.1", "bad")


def test_the_service_answers_429_with_its_headers(world: World) -> None:
    with served(deployment(world, rate_limits=True)) as address:
        call = Caller(address, world.key())
        answers = [call("GET", "/capabilities") for _ in range(60)]
        limited = next(answer for answer in answers if answer.status == 429)
        assert limited.code == "RATE_LIMITED"
        assert int(limited.headers["retry-after"]) >= 1
        assert answers[0].headers["ratelimit-limit"] == "40"
        assert answers[0].headers["ratelimit-remaining"] == "39"
        wrong = [call("GET", "/capabilities", key="wrong").status for _ in range(11)]
        assert wrong == [401] * 10 + [429]
        assert call("GET", "/healthz", key=None).status == 200


@pytest.fixture
def raw(call: Caller) -> Iterator[socket.socket]:
    host, _, port = call.address.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        yield connection


def everything(connection: socket.socket) -> bytes:
    received = b""
    with contextlib.suppress(ConnectionResetError):
        while chunk := connection.recv(65_536):
            received += chunk
    return received


def refusal(received: bytes) -> str:
    head, _, body = received.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400")
    document = json.loads(body)
    assert set(document) == {"error", "message", "details"}
    code: str = document["error"]
    return code


def test_what_is_no_http_gets_the_error_shape(raw: socket.socket) -> None:
    raw.sendall(b"\x16\x03\x01\x02\x00 this is TLS\r\n\r\n")
    assert refusal(everything(raw)) == "MALFORMED_REQUEST"


def test_a_head_that_is_too_large_is_refused(raw: socket.socket) -> None:
    with contextlib.suppress(OSError):
        raw.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Big: ")
        for _ in range(100):
            raw.sendall(b"a" * 1_000)
    assert refusal(everything(raw)) == "MALFORMED_REQUEST"


def test_a_head_that_does_not_come_ends_the_connection(
    raw: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ")
    monkeypatch.setattr("chainteller.api.protocol.HEAD_DEADLINE_S", 0.2)
    host, port = raw.getpeername()
    with socket.create_connection((host, port), timeout=10) as second:
        second.sendall(b"GET /hea")
        assert everything(second) == b""


def test_too_many_connections_are_turned_away_and_leave_the_rest_usable(
    call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chainteller.api.protocol.CONNECTIONS", 50)
    host, _, port = call.address.removeprefix("http://").partition(":")
    with contextlib.ExitStack() as held:
        kept = [
            held.enter_context(socket.create_connection((host, int(port)), timeout=10))
            for _ in range(50)
        ]
        kept[0].sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        assert kept[0].recv(100).startswith(b"HTTP/1.1 200")
        with socket.create_connection((host, int(port)), timeout=10) as extra:
            assert everything(extra).startswith(b"HTTP/1.1 503")
