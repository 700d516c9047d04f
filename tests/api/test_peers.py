"""Which address a request is counted for, behind trusted proxies and in front of none."""

import ipaddress
import struct

import pytest

from chainteller.api.peers import Peers, ProxyHeaderInvalid, read_proxy_header

V2 = b"\r\n\r\n\x00\r\nQUIT\n"


@pytest.fixture
def peers() -> Peers:
    return Peers(("10.0.0.0/8", "fd00::/8", "unix"))


@pytest.mark.parametrize(
    ("peer", "headers", "client"),
    [
        ("203.0.113.9", {}, "203.0.113.9"),
        ("203.0.113.9", {"x-forwarded-for": "198.51.100.1"}, "203.0.113.9"),
        ("203.0.113.9", {"forwarded": "for=198.51.100.1"}, "203.0.113.9"),
        ("10.0.0.1", {}, "10.0.0.1"),
        ("10.0.0.1", {"x-forwarded-for": "198.51.100.1"}, "198.51.100.1"),
        ("10.0.0.1", {"x-forwarded-for": "1.1.1.1, 198.51.100.1"}, "198.51.100.1"),
        ("10.0.0.1", {"x-forwarded-for": "1.1.1.1,198.51.100.1 , 10.9.9.9"}, "198.51.100.1"),
        ("10.0.0.1", {"x-forwarded-for": "10.2.2.2, 10.9.9.9"}, "10.2.2.2"),
        ("10.0.0.1", {"x-forwarded-for": "198.51.100.1:4711"}, "198.51.100.1"),
        ("10.0.0.1", {"x-forwarded-for": "198.51.100.1, unknown"}, "10.0.0.1"),
        ("10.0.0.1", {"x-forwarded-for": "198.51.100.1, unknown, 10.9.9.9"}, "10.9.9.9"),
        ("10.0.0.1", {"x-forwarded-for": ""}, "10.0.0.1"),
        ("10.0.0.1", {"x-forwarded-for": "2001:db8::7"}, "2001:db8::7"),
        ("10.0.0.1", {"x-forwarded-for": "::ffff:198.51.100.1"}, "198.51.100.1"),
        ("10.0.0.1", {"forwarded": "for=198.51.100.1;proto=https"}, "198.51.100.1"),
        ("10.0.0.1", {"forwarded": "for=1.1.1.1, By=10.0.0.1; For=198.51.100.1"}, "198.51.100.1"),
        ("10.0.0.1", {"forwarded": 'for="[2001:db8::7]:4711"'}, "2001:db8::7"),
        ("10.0.0.1", {"forwarded": "for=_hidden"}, "10.0.0.1"),
        ("10.0.0.1", {"forwarded": "proto=https"}, "10.0.0.1"),
        ("10.0.0.1", {"x-forwarded-for": "3.3.3.3", "forwarded": "for=3.3.3.3"}, "3.3.3.3"),
        ("10.0.0.1", {"x-forwarded-for": "3.3.3.3", "forwarded": "for=4.4.4.4"}, "10.0.0.1"),
        ("fd00::1", {"x-forwarded-for": "3.3.3.3"}, "3.3.3.3"),
        ("::ffff:10.0.0.1", {"x-forwarded-for": "3.3.3.3"}, "3.3.3.3"),
        ("", {"x-forwarded-for": "3.3.3.3"}, "3.3.3.3"),
        ("", {}, ""),
    ],
)
def test_the_right_most_hop_that_no_trusted_proxy_is_is_the_client(
    peers: Peers, peer: str, headers: dict[str, str], client: str
) -> None:
    assert peers.client(peer, headers) == client


def test_without_trusted_proxies_nothing_that_is_told_counts() -> None:
    peers = Peers()
    assert not peers.trusts("")
    assert peers.client("", {"x-forwarded-for": "3.3.3.3"}) == ""
    assert peers.client("10.0.0.1", {"x-forwarded-for": "3.3.3.3"}) == "10.0.0.1"


def v2(command: int, family: int, addresses: bytes) -> bytes:
    return V2 + struct.pack("!BBH", command, family, len(addresses)) + addresses


FOUR = ipaddress.ip_address("198.51.100.1").packed + bytes([10, 0, 0, 1, 0, 1, 0, 2])
SIX = ipaddress.ip_address("2001:db8::7").packed + bytes(20)


@pytest.mark.parametrize(
    ("header", "client"),
    [
        (b"PROXY TCP4 198.51.100.1 10.0.0.1 4711 80\r\n", "198.51.100.1"),
        (b"PROXY TCP6 2001:db8::7 ::1 4711 80\r\n", "2001:db8::7"),
        (b"PROXY UNKNOWN ffff::1 ffff::2 1 2\r\n", None),
        (b"PROXY UNKNOWN\r\n", None),
        (v2(0x21, 0x11, FOUR), "198.51.100.1"),
        (v2(0x21, 0x11, FOUR + b"\x04\x00\x01x"), "198.51.100.1"),
        (v2(0x21, 0x21, SIX), "2001:db8::7"),
        (v2(0x20, 0x00, b""), None),
        (v2(0x21, 0x31, bytes(216)), None),
    ],
)
def test_a_proxy_header_is_read_whole_however_it_arrives(header: bytes, client: str | None) -> None:
    rest = b"GET / HTTP/1.1\r\n"
    for length in range(1, len(header)):
        assert read_proxy_header(header[:length]) is None
    found = read_proxy_header(header + rest)
    assert found is not None
    assert (found.client, found.length) == (client, len(header))


@pytest.mark.parametrize(
    "header",
    [
        b"PROXY TCP4 not-an-address 10.0.0.1 1 2\r\n",
        b"PROXY TCP4 198.51.100.1\r\n",
        b"PROXY UDP 198.51.100.1 10.0.0.1 1 2\r\n",
        b"PROXY " + b"x" * 200,
        v2(0x22, 0x11, FOUR),
        v2(0x21, 0x11, FOUR[:6]),
        v2(0x21, 0x11, bytes(1_000)),
    ],
)
def test_a_broken_proxy_header_is_no_header(header: bytes) -> None:
    with pytest.raises(ProxyHeaderInvalid):
        read_proxy_header(header)


@pytest.mark.parametrize("begin", [b"GET / HTTP/1.1", b"POST / HTTP/1.1", b"PUT / HTTP/1.1"])
def test_a_connection_without_a_header_begins_with_http(begin: bytes) -> None:
    found = read_proxy_header(begin)
    assert found is not None
    assert (found.client, found.length) == (None, 0)
