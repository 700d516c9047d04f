"""Which address a request is counted for, behind trusted proxies and in front of none."""

import pytest

from chainteller.api.peers import Peers


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
