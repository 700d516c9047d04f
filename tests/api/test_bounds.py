"""Every bound on what a client may do to a connection, tested at the socket."""

import contextlib
import gc
import itertools
import json
import select
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from tests.api.conftest import Caller
from tests.world.bank import World
from tests.world.serving import deployment, served
from tests.world.waiting import PATIENCE_S, until

from chainteller.api.app import App
from chainteller.api.protocol import BoundedHttpProtocol
from chainteller.api.wrong_keys import FREE, WrongKeys
from chainteller.domain.options import Rates
from chainteller.engine.deployment import EmbeddedDeployment
from chainteller.service.deployment import Deployment, DeploymentOptions, Principal

HEAD = b"Host: localhost\r\nContent-Type: application/json\r\n"


def connect(call: Caller, source: str = "127.0.0.1") -> socket.socket:
    host, _, port = call.address.removeprefix("http://").partition(":")
    return socket.create_connection((host, int(port)), PATIENCE_S, source_address=(source, 0))


@pytest.fixture
def raw(call: Caller) -> Iterator[socket.socket]:
    with connect(call) as connection:
        yield connection


def everything(connection: socket.socket) -> bytes:
    received = b""
    with contextlib.suppress(ConnectionResetError):
        while chunk := connection.recv(65_536):
            received += chunk
    return received


def refusal(received: bytes, status: int = 400) -> str:
    head, _, body = received.partition(b"\r\n\r\n")
    assert head.startswith(f"HTTP/1.1 {status}".encode())
    assert b"connection: close" in head
    document = json.loads(body)
    assert set(document) == {"error", "message", "details"}
    code: str = document["error"]
    return code


def hang_up(connection: socket.socket) -> None:
    """End a connection with a reset as soon as it is closed."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def drip_until_ended(connection: socket.socket, piece: bytes = b"x", pause_s: float = 0.01) -> None:
    """Send a piece again and again until the server ends the connection.

    All deadlines but the one that a test makes short are made longer than this waits.
    """
    ends = time.monotonic() + PATIENCE_S
    with contextlib.suppress(OSError):
        while time.monotonic() < ends:
            connection.sendall(piece)
            time.sleep(pause_s)  # the pace of a slow sender
        raise AssertionError("the server never ends the connection")


def flood(connection: socket.socket) -> int:
    """Send until the server ends the connection; returns how many bytes the kernels took."""
    sent, piece = 0, b"x" * 65_536
    with contextlib.suppress(OSError):
        while sent < 500_000_000:
            sent += connection.send(piece)
    return sent


def test_what_is_no_http_gets_the_error_shape(raw: socket.socket) -> None:
    raw.sendall(b"\x16\x03\x01\x02\x00 this is TLS\r\n\r\n")
    assert refusal(everything(raw)) == "MALFORMED_REQUEST"


def test_a_head_that_is_too_large_is_refused(raw: socket.socket) -> None:
    with contextlib.suppress(OSError):
        raw.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Big: ")
        for _ in range(100):
            raw.sendall(b"a" * 1_000)
    assert refusal(everything(raw)) == "MALFORMED_REQUEST"


@pytest.mark.parametrize(
    ("kilobytes", "answer"), [(30, b"HTTP/1.1 200"), (40, b"HTTP/1.1 400")], ids=["less", "more"]
)
def test_a_head_that_arrives_whole_has_the_same_bound(
    raw: socket.socket, kilobytes: int, answer: bytes
) -> None:
    big = b"X-Big: " + b"a" * (kilobytes * 1024)
    raw.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + big + b"\r\n\r\n")
    assert raw.recv(65_536).startswith(answer)


@pytest.mark.parametrize("begun", [b"", b"GET /hea", b"\r\n"], ids=["nothing", "a part", "blank"])
def test_a_head_that_does_not_come_ends_the_connection(
    call: Caller, only_deadline: Callable[[str], None], monkeypatch: pytest.MonkeyPatch,
    begun: bytes,
) -> None:  # fmt: skip
    only_deadline("protocol.HEAD_DEADLINE_S")
    monkeypatch.setattr("chainteller.api.protocol.LINGER_S", 0.1)
    with connect(call) as slow:
        slow.sendall(begun)
        if begun:
            drip_until_ended(slow, b"\r\n" if begun == b"\r\n" else b"x")
        else:
            everything(slow)


@pytest.mark.parametrize(
    "request_line",
    [b"POST /nothing", b"GET /trading/markets", b"GET /healthz", b"GET /readyz"],
)
@pytest.mark.parametrize("framing", [b"Content-Length: 1000000000", b"Transfer-Encoding: chunked"])
def test_a_body_that_nobody_asked_for_has_a_deadline_after_the_reply(
    raw: socket.socket, only_deadline: Callable[[str], None], request_line: bytes, framing: bytes
) -> None:
    only_deadline("protocol.LINGER_S")
    raw.sendall(request_line + b" HTTP/1.1\r\n" + HEAD + framing + b"\r\n\r\n")
    head = raw.recv(65_536)
    assert head.startswith((b"HTTP/1.1 401", b"HTTP/1.1 200"))
    assert b"connection: close" in head
    drip_until_ended(raw, b"1\r\nx\r\n")


def test_an_unread_body_has_a_bound_after_the_refusal(raw: socket.socket) -> None:
    raw.sendall(b"POST /nothing HTTP/1.1\r\n" + HEAD + b"Content-Length: 1000000000\r\n\r\n")
    assert raw.recv(65_536).startswith(b"HTTP/1.1 401")
    assert flood(raw) < 20_000_000


def test_the_refusal_can_be_read_by_a_client_that_sends_its_body_first(raw: socket.socket) -> None:
    raw.sendall(
        b"POST /nothing HTTP/1.1\r\n" + HEAD + b"Content-Length: 200000\r\n\r\n" + b"x" * 200_000
    )
    assert refusal(everything(raw), 401) == "UNAUTHORIZED"


@pytest.mark.parametrize("framing", [b"Content-Length: 60000", b"Transfer-Encoding: chunked"])
def test_a_slow_body_of_a_key_holder_is_refused(
    call: Caller, raw: socket.socket, only_deadline: Callable[[str], None],
    monkeypatch: pytest.MonkeyPatch, framing: bytes,
) -> None:  # fmt: skip
    only_deadline("reading.BODY_DEADLINE_S")
    monkeypatch.setattr("chainteller.api.protocol.LINGER_S", 0.1)
    key = f"Authorization: Bearer {call.key}\r\n".encode()
    raw.sendall(b"POST /trading-accounts HTTP/1.1\r\n" + HEAD + key + framing + b"\r\n\r\n")
    drip_until_ended(raw, b"1\r\nx\r\n")
    assert refusal(everything(raw)) == "MALFORMED_REQUEST"


def test_chunks_of_one_byte_and_endless_trailers_are_bounded(call: Caller) -> None:
    key = f"Authorization: Bearer {call.key}\r\n".encode()
    for piece in (b"1;" + b"e" * 1_000 + b"\r\nx\r\n", b"0\r\n" + b"T: 1\r\n" * 100_000):
        with connect(call) as raw, contextlib.suppress(OSError):
            raw.sendall(
                b"POST /trading-accounts HTTP/1.1\r\n"
                + HEAD + key + b"Transfer-Encoding: chunked\r\n\r\n"
            )  # fmt: skip
            for _ in range(2_000):
                raw.sendall(piece)
        with connect(call) as again:
            again.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert again.recv(100).startswith(b"HTTP/1.1 200")


def test_an_idle_connection_ends_even_if_blank_lines_arrive(
    raw: socket.socket, only_deadline: Callable[[str], None]
) -> None:
    only_deadline("protocol.KEEP_ALIVE_S")
    raw.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert raw.recv(65_536).startswith(b"HTTP/1.1 200")
    drip_until_ended(raw, b"\r\n")


def test_a_peer_that_reads_no_replies_is_cut_off(
    call: Caller, only_deadline: Callable[[str], None]
) -> None:
    only_deadline("protocol.STALL_S")
    key = f"Authorization: Bearer {call.key}\r\n".encode()
    request = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n" + key + b"\r\n"
    with connect(call) as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        drip_until_ended(deaf, request, 0.001)


def test_requests_that_wait_on_a_connection_are_bounded(raw: socket.socket) -> None:
    raw.sendall(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n" * 100)
    replies = everything(raw)
    assert replies.count(b"HTTP/1.1 200") < 100


def test_a_request_before_one_that_is_no_http_is_no_fault_of_the_service(
    call: Caller, raw: socket.socket, caplog: pytest.LogCaptureFixture
) -> None:
    raw.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nNONSENSE\r\n\r\n")
    assert everything(raw) == b""
    assert call("GET", "/healthz").status == 200  # the loop has come to the first one
    assert [each.message for each in caplog.records if each.levelname == "ERROR"] == []


def test_a_few_requests_may_wait_on_a_connection(raw: socket.socket) -> None:
    raw.sendall(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n" * 4)
    raw.sendall(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    assert everything(raw).count(b"HTTP/1.1 200") == 5


@pytest.mark.parametrize(
    "hosts",
    [b"", b"Host: a\r\nHost: a\r\n", b"Host: a\r\nHost: b\r\n", b"Host: a b\r\n", b"Host: a/b\r\n"],
    ids=["none", "twice", "two", "blank", "path"],
)
def test_a_request_has_exactly_one_host(raw: socket.socket, hosts: bytes) -> None:
    raw.sendall(b"GET /healthz HTTP/1.1\r\n" + hosts + b"\r\n")
    assert refusal(everything(raw)) == "MALFORMED_REQUEST"


@pytest.mark.parametrize("coding", [b"x", b"identity", b"gzip, chunked", b"chunked, chunked"])
def test_a_coding_that_is_not_chunked_is_refused_and_nothing_is_done(
    call: Caller, raw: socket.socket, coding: bytes
) -> None:
    key = f"Authorization: Bearer {call.key}\r\n".encode()
    raw.sendall(
        b"POST /trading-accounts HTTP/1.1\r\n" + HEAD + key
        + b"Transfer-Encoding: " + coding + b"\r\n\r\n"
        + b'39\r\n{"bankAccountId": "DDA-1", "bankAccountType": "checking"}\r\n0\r\n\r\n'
    )  # fmt: skip
    assert refusal(everything(raw)) == "MALFORMED_REQUEST"
    assert call("GET", "/trading-accounts").json["data"] == []


@pytest.mark.parametrize(
    "chunk", [b"zz\r\n{}\r\n", b"2\r\n{}x", b"-1\r\n", b"ffffffffffffffffff\r\n"]
)
def test_a_body_that_breaks_off_is_refused(call: Caller, raw: socket.socket, chunk: bytes) -> None:
    key = f"Authorization: Bearer {call.key}\r\n".encode()
    head = (
        b"POST /trading-accounts HTTP/1.1\r\n" + HEAD + key + b"Transfer-Encoding: chunked\r\n\r\n"
    )
    raw.sendall(head + b"1\r\n{\r\n" + chunk)
    received = everything(raw)
    assert refusal(received) == "MALFORMED_REQUEST"
    assert received.count(b"HTTP/1.1") == 1


def test_http_1_0_needs_no_host(raw: socket.socket) -> None:
    raw.sendall(b"GET /healthz HTTP/1.0\r\n\r\n")
    assert everything(raw).startswith(b"HTTP/1.1 200")


def test_a_valid_connection_is_kept_for_more_requests(call: Caller, raw: socket.socket) -> None:
    key = f"Authorization: Bearer {call.key}\r\n".encode()
    body = b'{"bankAccountId": "DDA-1", "bankAccountType": "checking"}'
    for _ in range(3):
        raw.sendall(
            b"POST /trading-accounts HTTP/1.1\r\n" + HEAD + key
            + b"Content-Length: " + str(len(body)).encode() + b"\r\n\r\n" + body[:10]
        )  # fmt: skip
        raw.sendall(body[10:])
        reply = raw.recv(65_536)
        assert reply.startswith((b"HTTP/1.1 201", b"HTTP/1.1 409"))
        assert b"connection: close" not in reply


def test_the_memory_of_ended_connections_is_freed_at_once(call: Caller) -> None:
    """Without the garbage collector, which would stop the service after thousands of them.

    A stream's isn't: it ends by a cancellation, whose traceback refers to it.
    """
    capabilities = b"GET /capabilities HTTP/1.1\r\nHost: localhost\r\n"
    valid = f"Authorization: Bearer {call.key}\r\n".encode()
    unanswered = [b"", b"GET /capa", b"POST /nothing HTTP/1.1\r\nContent-Le"]
    answered = [
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
        capabilities + valid + b"\r\n",
        capabilities + b"Authorization: Bearer chainteller_live_x\r\n\r\n",
        b"POST /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999\r\n\r\nx",
        b"this is no HTTP\r\n\r\n",
    ]

    def alive() -> bool:
        """Whether a connection is, among what was made since the collector was stopped."""
        return any(type(each) is BoundedHttpProtocol for each in gc.get_objects(generation=0))

    gc.collect()
    gc.disable()
    try:
        for sent, is_reset in itertools.product([*unanswered, *answered], (False, True)):
            with connect(call) as connection:
                until(alive)
                connection.sendall(sent)
                assert sent in unanswered or connection.recv(65_536).startswith(b"HTTP/1.1 ")
                if is_reset:
                    hang_up(connection)
        until(lambda: not alive())
    finally:
        gc.enable()


def test_a_connection_that_ended_while_its_key_was_looked_up_takes_no_place(world: World) -> None:
    looked_up, ended, apps = threading.Event(), threading.Event(), []

    class Slow(EmbeddedDeployment):
        def authenticate(self, key: str) -> Principal:
            looked_up.set()
            assert ended.wait(PATIENCE_S)
            return super().authenticate(key)

    class Kept(App):
        def __init__(self, behind: Deployment) -> None:
            super().__init__(behind)
            apps.append(self)

    with served(Slow(world.engine, DeploymentOptions("0.0.test")), kind=Kept) as address:
        (app,) = apps
        call = Caller(address, world.key())
        with connect(call) as gone:
            said = f"Authorization: Bearer {call.key}\r\n".encode()
            gone.sendall(b"GET /capabilities HTTP/1.1\r\nHost: localhost\r\n" + said + b"\r\n")
            assert looked_up.wait(PATIENCE_S)
            assert len(app.connections.strangers) == 1
            hang_up(gone)
        until(lambda: not app.connections.strangers)
        ended.set()
        until(lambda: not app.threads.busy)
        assert call("GET", "/healthz").status == 200
        assert len(app.connections.key_holders) == 0


class TestPlaces:
    """Strangers can take each other's places, never those of key holders."""

    @pytest.fixture
    def call(self, world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[Caller]:
        monkeypatch.setattr("chainteller.api.connections.STRANGER_PLACES", 20)
        monkeypatch.setattr("chainteller.api.connections.KEY_HOLDER_PLACES", 10)
        with served(deployment(world)) as address:
            yield Caller(address, world.key())

    def use(self, call: Caller, connection: socket.socket, key: str | None = None) -> bytes:
        said = f"Authorization: Bearer {key or call.key}\r\n".encode()
        connection.sendall(b"GET /capabilities HTTP/1.1\r\nHost: localhost\r\n" + said + b"\r\n")
        return connection.recv(65_536)

    def test_the_oldest_stranger_of_the_largest_address_gives_way(self, call: Caller) -> None:
        with contextlib.ExitStack() as held:
            other = held.enter_context(connect(call, "127.0.0.9"))
            crowd = [held.enter_context(connect(call)) for _ in range(30)]
            assert everything(crowd[0]) == b""
            other.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert other.recv(100).startswith(b"HTTP/1.1 200")
            crowd[-1].sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert crowd[-1].recv(100).startswith(b"HTTP/1.1 200")

    def test_strangers_never_take_a_key_holders_place(self, call: Caller) -> None:
        with contextlib.ExitStack() as held:
            mine = held.enter_context(connect(call))
            assert self.use(call, mine).startswith(b"HTTP/1.1 200")
            for _ in range(60):
                held.enter_context(connect(call)).sendall(b"GET /heal")
            assert self.use(call, mine).startswith(b"HTTP/1.1 200")
            assert call("GET", "/capabilities").status == 200

    def test_the_oldest_idle_connection_of_the_largest_organisation_gives_way(
        self, call: Caller, world: World
    ) -> None:
        other_key = world.key(organisation="other")
        with contextlib.ExitStack() as held:
            other = held.enter_context(connect(call))
            assert self.use(call, other, other_key).startswith(b"HTTP/1.1 200")
            many = [held.enter_context(connect(call)) for _ in range(15)]
            for each in many:
                assert self.use(call, each).startswith(b"HTTP/1.1 200")
            assert everything(many[0]) == b""
            assert self.use(call, other, other_key).startswith(b"HTTP/1.1 200")
            assert self.use(call, many[-1]).startswith(b"HTTP/1.1 200")

    def test_event_streams_keep_their_places(self, call: Caller) -> None:
        key = f"Authorization: Bearer {call.key}\r\n".encode()
        with contextlib.ExitStack() as held:
            streams = [held.enter_context(connect(call)) for _ in range(10)]
            for each in streams:
                each.sendall(b"GET /events/stream HTTP/1.1\r\nHost: localhost\r\n" + key + b"\r\n")
                assert each.recv(65_536).startswith(b"HTTP/1.1 200")
            assert refusal(self.use(call, held.enter_context(connect(call))), 503)


def test_a_key_has_a_share_of_the_streams(
    call: Caller, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chainteller.api.streaming.STREAMS_OF_A_KEY", 2)
    monkeypatch.setattr("chainteller.api.streaming.STREAMS_OF_AN_ORGANISATION", 3)

    def opened(key: str) -> socket.socket:
        stream = held.enter_context(connect(call))
        said = f"Authorization: Bearer {key}\r\n".encode()
        stream.sendall(b"GET /events/stream HTTP/1.1\r\nHost: localhost\r\n" + said + b"\r\n")
        return stream

    with contextlib.ExitStack() as held:
        first, second = world.key(), world.key()
        for key in (first, first, second):
            assert opened(key).recv(100).startswith(b"HTTP/1.1 200")
        for key in (first, second):
            assert opened(key).recv(100).startswith(b"HTTP/1.1 429")
        other = opened(world.key(organisation="other"))
        assert other.recv(100).startswith(b"HTTP/1.1 200")


class TestWrongKeys:
    """Wrong keys cost the caller time, and nobody else."""

    @pytest.fixture
    def call(self, world: World) -> Iterator[Caller]:
        with served(deployment(world, rates=Rates())) as address:
            yield Caller(address, world.key())

    def test_a_valid_key_is_answered_beside_many_wrong_ones_that_wait(
        self, call: Caller, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("chainteller.api.wrong_keys.STEP_S", PATIENCE_S)
        monkeypatch.setattr("chainteller.api.wrong_keys.LONGEST_S", PATIENCE_S)
        wrong = b"GET /capabilities HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer x\r\n\r\n"
        for _ in range(FREE):
            assert call("GET", "/capabilities", key="x").status == 401
        with contextlib.ExitStack() as held:
            guesses = [held.enter_context(connect(call)) for _ in range(8)]
            for each in guesses:
                each.sendall(wrong)
            for _ in range(20):
                assert call("GET", "/capabilities", key=world.key()).status == 200
                assert select.select(guesses, [], [], 0)[0] == []

    def test_the_refusal_of_the_fifth_wrong_key_is_late(
        self, call: Caller, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("chainteller.api.wrong_keys.STEP_S", 0.3)
        seconds = []
        for _ in range(5):
            started = time.monotonic()
            answer = call("GET", "/capabilities", key="wrong")
            seconds.append(time.monotonic() - started)
            assert (answer.status, answer.headers["connection"]) == (401, "close")
        assert seconds[3] >= 0.3
        assert seconds[4] >= 0.6


class TestBehindAProxy:
    """The address that a trusted proxy reports is the one that is counted and logged."""

    @pytest.fixture
    def call(self, world: World) -> Iterator[Caller]:
        options = DeploymentOptions("0.0.test", trusted_proxies=("127.0.0.2",))
        with served(EmbeddedDeployment(world.engine, options)) as address:
            yield Caller(address, world.key())

    def wrong(self, call: Caller, headers: bytes) -> None:
        with connect(call, "127.0.0.2") as proxy:
            proxy.sendall(
                b"GET /capabilities HTTP/1.1\r\nHost: localhost\r\n"
                b"Authorization: Bearer wrong\r\n" + headers + b"\r\n"
            )
            assert refusal(everything(proxy), 401) == "UNAUTHORIZED"

    @pytest.mark.parametrize("kind", ["x-forwarded-for", "forwarded"])
    def test_clients_behind_it_are_told_apart(
        self, call: Caller, monkeypatch: pytest.MonkeyPatch, kind: str
    ) -> None:
        monkeypatch.setattr("chainteller.api.wrong_keys.STEP_S", 0.01)
        count, waits = WrongKeys.count, []

        def counted(wrong_keys: WrongKeys, address: str) -> float:
            waits.append(count(wrong_keys, address))
            return waits[-1]

        monkeypatch.setattr(WrongKeys, "count", counted)

        def attempt(client: str) -> None:
            headers = {
                "x-forwarded-for": f"X-Forwarded-For: 9.9.9.9, {client}\r\n",
                "forwarded": f"Forwarded: for=9.9.9.9, for={client}\r\n",
            }[kind]
            self.wrong(call, headers.encode())

        for client in (*["198.51.100.1"] * FREE, "198.51.100.2", "198.51.100.1"):
            attempt(client)
        assert waits == [*[0.0] * FREE, 0.0, 0.01]
