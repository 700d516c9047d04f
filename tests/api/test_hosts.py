"""Which names the service answers to, at the socket."""

import json
import socket

import pytest
from tests.api.conftest import Caller
from tests.api.test_bounds import connect, everything, refusal
from tests.world.bank import World
from tests.world.serving import served

from chainteller.api.hosts import Hosts, arrives_on_loopback
from chainteller.engine.deployment import EmbeddedDeployment
from chainteller.service.deployment import DeploymentOptions
from chainteller.service.errors import ValidationFailed

OWN = (
    *("127.0.0.1", "[::1]:80", "10.1.2.3:8080", "localhost:1", "LocalHost.", "a.localhost", ""),
    socket.gethostname(),
)
FOREIGN = (
    *("evil.example", "localhost.evil.example:80", "127.0.0.1.evil.example", "notlocalhost"),
    *("0x7f.1", "bank.example.evil", "branch.example"),
)
NAMED = ("teller.bank.example", "*.branch.example")
OF_NAMED = (
    "Teller.Bank.Example:443",
    "teller.bank.example.",
    "one.branch.example",
    "a.b.branch.example",
)


def status(connection: socket.socket, host: str, key: str = "", path: str = "/capabilities") -> int:
    """What a request with this ``Host`` gets; the connection stays open."""
    said = f"Authorization: Bearer {key}\r\n" if key else ""
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n{said}\r\n".encode())
    reply = b""
    while b"\r\n\r\n" not in reply or not reply.endswith(b"}"):
        reply += connection.recv(65_536)
    found = int(reply.split(b" ", 2)[1])
    if found == 400:
        document = json.loads(reply.partition(b"\r\n\r\n")[2])
        assert document["details"]["errors"][0]["code"] == "UNKNOWN_HOST"
    return found


@pytest.mark.parametrize(
    ("hosts", "proxies", "answered", "refused"),
    [
        ((), (), OWN, (*FOREIGN, *OF_NAMED)),
        (NAMED, (), (*OWN, *OF_NAMED), FOREIGN),
        (NAMED, ("127.0.0.1",), (*OWN, *OF_NAMED), FOREIGN),
        ((), ("127.0.0.1",), (*OWN, *FOREIGN), ()),
        (("*",), (), (*OWN, *FOREIGN), ()),
    ],
    ids=["none named", "named", "named behind a proxy", "behind a proxy", "any"],
)
def test_a_name_that_is_not_the_services_is_refused(
    world: World,
    hosts: tuple[str, ...],
    proxies: tuple[str, ...],
    answered: tuple[str, ...],
    refused: tuple[str, ...],
) -> None:
    options = DeploymentOptions("0.0.test", hosts=hosts, trusted_proxies=proxies)
    deployed = EmbeddedDeployment(world.engine, options)
    key = world.key()
    with served(deployed) as address, connect(Caller(address, None)) as raw:
        found = {host: status(raw, host, key) for host in (*answered, *refused)}
    assert found == dict.fromkeys(answered, 200) | dict.fromkeys(refused, 400)


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_a_balancers_check_is_answered_whatever_its_host(world: World, path: str) -> None:
    options = DeploymentOptions("0.0.test", hosts=NAMED)
    deployed = EmbeddedDeployment(world.engine, options)
    with served(deployed) as address, connect(Caller(address, None)) as raw:
        found = {host: status(raw, host, path=path) for host in (*OWN, *FOREIGN)}
    assert set(found.values()) == {200}


def test_the_address_of_a_request_names_the_same_host(call: Caller) -> None:
    for target, host in (("http://localhost/healthz", "LOCALHOST"), ("/healthz", "localhost")):
        with connect(call) as raw:
            assert b"200 OK" in asked(raw, target, host)
    for target, host in (
        *(
            ("http://evil.example/healthz", "localhost"),
            ("http://localhost:1/healthz", "localhost"),
        ),
        *(
            ("http://evil.example/markets", "evil.example"),
            ("http://a@localhost/healthz", "localhost"),
        ),
    ):
        with connect(call) as raw:
            code = refusal(asked(raw, target, host))
        assert code == ("VALIDATION_ERROR" if host == "evil.example" else "MALFORMED_REQUEST")


def asked(raw: socket.socket, target: str, host: str) -> bytes:
    raw.sendall(f"GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
    return everything(raw)


def test_beyond_this_machine_only_named_services_know_their_names() -> None:
    Hosts().require("evil.example", is_guarded=False)
    Hosts((), "bank").require("BANK:80", is_guarded=True)
    with pytest.raises(ValidationFailed):
        Hosts(NAMED).require("evil.example", is_guarded=False)


@pytest.mark.parametrize(
    ("address", "is_loopback"),
    [
        *(("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("::ffff:127.0.0.1", True)),
        *(("10.0.0.1", False), ("fe80::1%eth0", False), ("", False)),
    ],
)
def test_what_arrives_on_this_machines_own_addresses(address: str, is_loopback: bool) -> None:
    assert arrives_on_loopback(address) is is_loopback
