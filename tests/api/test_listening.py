"""TLS with certificates that change, UNIX sockets, and what is refused without TLS."""

import http.client
import socket
import ssl
import stat
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.api.conftest import Caller
from tests.api.test_bounds import drip_until_ended, everything
from tests.world.bank import World
from tests.world.serving import deployment, served
from tests.world.waiting import PATIENCE_S

from chainteller.api.listening import Address, is_loopback, remove
from chainteller.api.tls import Certificate
from chainteller.remote.client import RemoteService
from chainteller.service.errors import ServiceUnreachable


def issue(folder: Path, name: str) -> tuple[Path, Path]:
    """A self-signed certificate for 127.0.0.1 with its key, made by openssl."""
    chain, key = folder / f"{name}.crt", folder / f"{name}.key"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
            *("-nodes", "-days", "2", "-subj", f"/CN={name}"),
            *("-addext", "subjectAltName=IP:127.0.0.1"),
            *("-keyout", str(key), "-out", str(chain)),
        ],
        check=True,
        capture_output=True,
    )
    return chain, key


class Seconds:
    """A clock that the test moves."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Seconds:
    return Seconds()


@pytest.fixture
def certificate(tmp_path: Path, clock: Seconds) -> Certificate:
    chain, key = issue(tmp_path, "first")
    return Certificate(chain, key, clock)


@pytest.fixture
def call(world: World, certificate: Certificate) -> Iterator[Caller]:
    with served(deployment(world), certificate=certificate) as address:
        yield Caller(address, world.key())


def trusting(chain: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(chain))


def port_of(call: Caller) -> int:
    return int(call.address.rpartition(":")[2])


def get(call: Caller, chain: Path) -> int:
    connection = http.client.HTTPSConnection(
        "127.0.0.1", port_of(call), timeout=PATIENCE_S, context=trusting(chain)
    )
    connection.request("GET", "/capabilities", headers={"Authorization": f"Bearer {call.key}"})
    status = connection.getresponse().status
    connection.close()
    return status


def test_it_speaks_tls_and_nothing_else(call: Caller, certificate: Certificate) -> None:
    assert call.address.startswith("https://127.0.0.1:")
    assert get(call, certificate.chain) == 200
    with socket.create_connection(("127.0.0.1", port_of(call)), 10) as clear:
        clear.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        refused = everything(clear)
    assert refused.startswith(b"HTTP/1.1 400 ")
    assert b"use https://" in refused


def test_a_client_trusts_the_authorities_that_the_environment_names(
    call: Caller, certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = RemoteService(call.address, str(call.key))
    with pytest.raises(ServiceUnreachable, match="certificate not trusted: self-signed"):
        service.capabilities()
    service.close()
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.chain))
    service = RemoteService(call.address, str(call.key))
    assert service.capabilities().actor
    service.close()


def test_a_request_right_behind_the_handshake_is_answered(
    call: Caller, certificate: Certificate
) -> None:
    with (
        socket.create_connection(("127.0.0.1", port_of(call)), 10) as raw,
        trusting(certificate.chain).wrap_socket(raw, server_hostname="127.0.0.1") as encrypted,
    ):
        encrypted.sendall(
            b"POST /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello"
        )
        assert encrypted.recv(65_536).startswith(b"HTTP/1.1 401")


def test_a_handshake_that_does_not_come_ends(
    call: Caller, only_deadline: Callable[[str], None]
) -> None:
    only_deadline("tls.HEAD_DEADLINE_S")
    with socket.create_connection(("127.0.0.1", port_of(call)), 10) as slow:
        slow.sendall(b"\x16\x03\x01\x02\x00")
        drip_until_ended(slow, b"\x01", 0.02)


def test_an_endless_body_over_tls_is_bounded(
    call: Caller, certificate: Certificate, only_deadline: Callable[[str], None]
) -> None:
    only_deadline("protocol.LINGER_S")
    with (
        socket.create_connection(("127.0.0.1", port_of(call)), 10) as raw,
        trusting(certificate.chain).wrap_socket(raw, server_hostname="127.0.0.1") as encrypted,
    ):
        encrypted.sendall(
            b"POST /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999\r\n\r\n"
        )
        assert encrypted.recv(65_536).startswith(b"HTTP/1.1 401")
        drip_until_ended(encrypted, b"x")


def test_a_changed_certificate_is_used_for_new_connections(
    call: Caller, certificate: Certificate, clock: Seconds, tmp_path: Path
) -> None:
    chain, key = issue(tmp_path, "second")
    assert get(call, certificate.chain) == 200
    first = tmp_path / "kept.crt"
    first.write_bytes(certificate.chain.read_bytes())
    chain.replace(certificate.chain)
    clock.now += 2
    assert get(call, first) == 200, "half of a change is no change"
    key.replace(certificate.key)
    clock.now += 2
    assert get(call, certificate.chain) == 200
    with pytest.raises(ssl.SSLCertVerificationError):
        get(call, first)


def test_files_that_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    chain, _ = issue(tmp_path, "one")
    _, key = issue(tmp_path, "two")
    with pytest.raises(OSError, match=r"(?i)mismatch"):
        Certificate(chain, key)
    with pytest.raises(FileNotFoundError):
        Certificate(chain, tmp_path / "nowhere")


def test_a_unix_socket_is_for_its_group_and_replaces_one_that_was_left(tmp_path: Path) -> None:
    address = Address(unix=tmp_path / "teller.sock")
    address.listen().close()
    listener = address.listen()
    mode = stat.S_IMODE((tmp_path / "teller.sock").stat().st_mode)
    assert mode == 0o660
    with pytest.raises(OSError, match=r"(?i)in use"):
        address.listen()
    listener.close()
    remove(address)
    assert not (tmp_path / "teller.sock").exists()


def test_a_file_that_is_no_socket_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("mine", encoding="utf-8")
    with pytest.raises(OSError, match=r"(?i)in use"):
        Address(unix=tmp_path / "notes").listen()
    assert (tmp_path / "notes").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(
    ("host", "own"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),  # noqa: S104 - the address that must be refused
        ("::", False),
        ("10.0.0.1", False),
        ("bank.example", False),
    ],
)
def test_loopback_addresses_are_this_machines_own(host: str, own: bool) -> None:
    assert is_loopback(host) is own
