"""``serve``: where it may listen without TLS, over a UNIX socket, and its files' modes."""

import os
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.program import chainteller, confined
from tests.world.waiting import PATIENCE_S


def serve(home: Path, *arguments: str, settings: str = "") -> "subprocess.Popen[str]":
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(settings, encoding="utf-8")
    environ = {**os.environ, "CHAINTELLER_HOME": str(home)}
    return subprocess.Popen(
        [sys.executable, "-m", "chainteller", "serve", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environ,
        text=True,
        umask=0o022,
    )


def test_a_hangup_ends_it_in_order(home: Path) -> None:
    """As when its terminal is closed: what is under way is answered first."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    process = serve(home, "--port", "0")
    signal.signal(signal.SIGHUP, before)
    assert process.stdout is not None
    assert process.stdout.readline().startswith("listening on ")
    process.send_signal(signal.SIGHUP)
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0


@pytest.mark.forms(1)
@pytest.mark.parametrize("host", ["0.0.0.0", "::"])  # noqa: S104 - the address that must be refused
def test_without_tls_only_this_machine_can_connect(tmp_path: Path, host: str) -> None:
    process = serve(tmp_path, "--host", host, "--port", "0")
    _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 2
    assert "service.cleartext" in errors
    assert "Traceback" not in errors


@pytest.mark.forms(1)
@pytest.mark.parametrize("given", [("--tls-key", "k"), ("--tls-certificate", "c")])
def test_tls_needs_both_files(tmp_path: Path, given: tuple[str, str]) -> None:
    process = serve(tmp_path, *given)
    _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 2
    assert "--tls-certificate and --tls-key" in errors


def test_files_of_a_certificate_that_are_missing_are_named(tmp_path: Path) -> None:
    process = serve(tmp_path, "--tls-key", "/none.key", "--tls-certificate", "/none.crt")
    _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 2
    assert "/none.crt" in errors


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="root is refused on Linux alone")
def test_a_log_folder_that_cannot_be_written_is_named(home: Path) -> None:
    """As where the service has no home of its own, or one that it may only read."""
    assert chainteller("db", "init").code == 0
    logs = home / "logs"
    logs.mkdir()
    logs.chmod(0o500)
    ended = confined("serve", "--port", "0", "--json")
    logs.chmod(0o700)
    assert (ended.code, ended.body["error"]) == (2, "USAGE")
    assert f"{logs / 'serve.log'} can't be written: Permission denied" in ended.body["message"]
    assert "--log -" in ended.complaint[-1]


@pytest.mark.parametrize("given", ["--port 8080", "--host 127.0.0.1", "--host 0.0.0.0 --port 0"])
def test_a_unix_socket_has_neither_a_host_nor_a_port(home: Path, given: str) -> None:
    ended = chainteller("serve", "--unix", str(home / "s.sock"), *given.split(), "--json")
    assert (ended.code, ended.body["error"]) == (2, "USAGE")
    assert "--unix" in ended.body["message"]


@pytest.mark.parametrize(
    ("line", "metrics", "said", "choose"),
    [
        ("--port {port}", "", "127.0.0.1:{port} is in use.", "--host and --port"),
        ("--port 0", "127.0.0.1:{port}", "127.0.0.1:{port} is in use.", "service.metrics_address"),
        ("--unix /no/{long}", "", "/no/{long} cannot be used: AF_UNIX path too long.", "--unix"),
    ],
)
def test_an_address_that_cannot_be_listened_on_is_a_usage_error(
    home: Path, line: str, metrics: str, said: str, choose: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        names = {"port": other.getsockname()[1], "long": "s" * 200}
        set_to = metrics.format_map(names)
        setting = {"CHAINTELLER_SERVICE__METRICS_ADDRESS": set_to} if set_to else {}
        ended = chainteller("serve", *line.format_map(names).split(), "--json", **setting)
    assert (ended.code, ended.body["error"]) == (2, "CANNOT_LISTEN")
    assert ended.body["message"] == f"The address {said.format_map(names)}"
    assert ended.complaint[-1].startswith("Next: Choose another with ")
    assert choose in ended.complaint[-1]


def test_a_unix_socket_in_this_folder_is_shown_with_its_whole_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages = map(os.path.abspath, filter(None, sys.path))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(packages))
    monkeypatch.chdir(tmp_path)
    process = serve(tmp_path / "home", "--unix", "teller.sock")
    assert process.stdout is not None
    shown = process.stdout.readline()
    process.terminate()
    process.communicate(timeout=PATIENCE_S)
    assert shown == f"listening on unix:{tmp_path}/teller.sock\n"


def test_a_unix_socket_is_served_and_every_file_is_private(tmp_path: Path) -> None:
    path = tmp_path / "teller.sock"
    process = serve(tmp_path / "home", "--unix", str(path))
    assert process.stdout is not None
    assert process.stdout.readline() == f"listening on unix:{path}\n"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.connect(str(path))
        client.sendall(b"GET /readyz HTTP/1.1\r\nHost: bank\r\nConnection: close\r\n\r\n")
        answer = b"".join(iter(lambda: client.recv(10_000), b""))
        assert answer.startswith(b"HTTP/1.1 200")
        assert b'"simulated": ["core bank", "custody", ' in answer
    process.terminate()
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    assert not path.exists()
    files = [each for each in (tmp_path / "home").rglob("*") if each.name != "config.toml"]
    assert {each.name for each in files} >= {"serve.log", "bank.db"}
    for each in files:
        mode = stat.S_IMODE(each.stat().st_mode)
        assert mode & 0o077 == 0, f"{each} has mode {mode:o}"


def test_metrics_have_an_address_of_their_own_without_a_key(tmp_path: Path) -> None:
    path = tmp_path / "metrics.sock"
    settings = f'[service]\nmetrics_address = "{path}"\nhosts = ["teller.bank.example"]\n'
    process = serve(tmp_path / "home", "--port", "0", settings=settings)
    assert process.stdout is not None
    assert process.stdout.readline().startswith("listening on http://127.0.0.1:")

    def asked(request: bytes) -> bytes:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
            client.connect(str(path))
            client.sendall(request)
            reply = b""
            while piece := client.recv(65_536):
                reply += piece
            return reply

    strange = asked(b"GET /metrics HTTP/1.1\r\nhost:evil.example\r\n\r\n")
    assert strange.startswith(b"HTTP/1.1 400")
    assert b"chainteller_due_jobs" not in strange
    found = asked(b"GET /metrics HTTP/1.1\r\nHost: teller.bank.example:80\r\n\r\n")
    assert found.startswith(b"HTTP/1.1 200")
    assert b"chainteller_due_jobs 0.0" in found
    assert asked(b"GET /trading-accounts HTTP/1.1\r\nHost: localhost\r\n\r\n").startswith(
        b"HTTP/1.1 404"
    )
    assert asked(b"POST /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").startswith(b"HTTP/1.1 404")
    assert asked(b"x" * 100_000) == b""
    process.terminate()
    process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, path.exists()) == (0, False)
