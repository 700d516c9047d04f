"""Event streams: all of a process learn from one read that something happened."""

import contextlib
import socket
from collections.abc import Iterator

import pytest
from tests.api.conftest import Caller
from tests.api.test_bounds import connect
from tests.world.bank import OTHER, World
from tests.world.serving import deployment, served
from tests.world.told import statements
from tests.world.waiting import PATIENCE_S

STREAMS = 12


@pytest.fixture
def call(world: World) -> Iterator[Caller]:
    with served(deployment(world)) as address:
        yield Caller(address, world.key())


def opened(call: Caller, key: str, held: contextlib.ExitStack, after: int = -1) -> socket.socket:
    stream = held.enter_context(connect(call))
    stream.settimeout(PATIENCE_S)
    said = f"Authorization: Bearer {key}\r\nLast-Event-ID: {after}\r\n".encode()
    stream.sendall(b"GET /events/stream HTTP/1.1\r\nHost: localhost\r\n" + said + b"\r\n")
    read_until(stream, b"retry: 2000")
    return stream


def read_until(stream: socket.socket, wanted: bytes) -> bytes:
    found = b""
    while wanted not in found:
        part = stream.recv(65_536)
        assert part, found
        found += part
    return found


def test_the_time_to_wait_is_a_line_of_the_first_event(call: Caller, world: World) -> None:
    """A blank line after it would be an event without data, which some clients report."""
    with contextlib.ExitStack() as held:
        stream = held.enter_context(connect(call))
        stream.settimeout(PATIENCE_S)
        said = f"Authorization: Bearer {call.key}\r\nLast-Event-ID: 0\r\n".encode()
        call.quote()
        stream.sendall(b"GET /events/stream HTTP/1.1\r\nHost: localhost\r\n" + said + b"\r\n")
        found = read_until(stream, b"event: quote.created")
    _, _, body = found.partition(b"\r\n\r\n")
    lines = [line for line in body.split(b"\n") if b":" in line or not line]
    assert lines[0] == b"retry: 2000"
    assert lines[1].startswith(b"id: ")


def test_a_stream_refuses_a_parameter_that_it_does_not_know(call: Caller) -> None:
    with connect(call) as raw:
        raw.settimeout(PATIENCE_S)
        said = f"Authorization: Bearer {call.key}\r\nHost: localhost\r\n\r\n"
        raw.sendall(f"GET /events/stream?colour=red HTTP/1.1\r\n{said}".encode())
        assert raw.recv(12) == b"HTTP/1.1 400"
        assert b'"field":"colour","code":"UNKNOWN_PARAMETER"' in read_until(raw, b"after.")


def test_a_head_of_the_stream_is_answered_and_ends(call: Caller) -> None:
    answer = call("HEAD", "/events/stream")
    assert (answer.status, answer.body) == (200, b"")
    assert answer.headers["content-type"].startswith("text/event-stream")


def test_streams_of_one_organisation_share_the_read_of_an_event(call: Caller, world: World) -> None:
    with contextlib.ExitStack() as held:
        first, theirs = world.key(), world.key(organisation=OTHER)
        mine = [opened(call, first, held) for _ in range(STREAMS)]
        others = opened(call, theirs, held)
        told = held.enter_context(statements(world.context.database))
        quote = {"side": "buy", "amount": "10.00"}
        assert call("POST", "/trading/markets/sol-usd/quotes", quote).status == 201
        for stream in mine:
            assert b"event: quote.created" in read_until(stream, b"event: quote.created")
        assert 1 <= sum("SELECT number, leaf, body FROM entry" in each for each, _ in told) <= 3
        others.settimeout(0.3)
        with pytest.raises(TimeoutError):
            others.recv(100)


def test_a_cursor_says_nothing_of_others_and_one_ahead_of_the_log_is_reset(
    call: Caller, world: World
) -> None:
    theirs = world.key(organisation=OTHER)
    before = call("GET", "/events?after=0&limit=50", key=theirs).json
    quote = {"side": "buy", "amount": "10.00"}
    for _ in range(3):
        assert call("POST", "/trading/markets/sol-usd/quotes", quote).status == 201
    newest = call("GET", "/events?after=-1").json["next"]
    assert call("GET", "/events?after=0&limit=50", key=theirs).json == before
    assert "reset" not in before
    ahead = call("GET", f"/events?after={newest + 1000}").json
    assert ahead == {"data": [], "next": newest, "reset": True}
    with contextlib.ExitStack() as held:
        stream = held.enter_context(connect(call))
        stream.settimeout(PATIENCE_S)
        said = f"Authorization: Bearer {call.key}\r\nLast-Event-ID: {newest + 1000}\r\n".encode()
        stream.sendall(b"GET /events/stream HTTP/1.1\r\nHost: localhost\r\n" + said + b"\r\n")
        found = read_until(stream, b"event: reset")
        assert f'id: {newest}\nevent: reset\ndata: {{"next":{newest}}}'.encode() in found


def test_neither_cursor_of_a_stream_hides_that_the_other_is_none(call: Caller) -> None:
    too_large = str(2**53)
    for after, last in ((too_large, "0"), ("0", too_large)):
        refused = call("GET", f"/events/stream?after={after}", headers={"Last-Event-ID": last})
        assert (refused.status, refused.code) == (400, "VALIDATION_ERROR")


def test_more_streams_than_once_were_allowed(call: Caller, world: World) -> None:
    """The 101st stream of a deployment was refused."""
    with contextlib.ExitStack() as held:
        streams = [opened(call, call.key or "", held) for _ in range(120)]
        assert len(streams) == 120
