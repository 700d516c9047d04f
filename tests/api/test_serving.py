"""A real server process: the line that says it listens, signals, several processes, its log."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.api.conftest import Caller
from tests.world.bank import build, sqlite_url
from tests.world.serving import ServerProcess
from tests.world.waiting import PATIENCE_S, until


@pytest.fixture
def url(tmp_path: Path) -> str:
    return sqlite_url(tmp_path)


@pytest.fixture
def key(url: str) -> str:
    world = build(url)
    made = world.key()
    world.engine.close()
    return made


@pytest.fixture
def server(url: str, key: str) -> Iterator[ServerProcess]:
    process = ServerProcess(url)
    yield process
    process.kill()


def test_stdout_carries_one_line_and_the_log_no_secret(server: ServerProcess, key: str) -> None:
    assert server.first_line.startswith("listening on http://127.0.0.1:")
    call = Caller(server.address, key)
    account = call.account()
    call("GET", f"/trading-accounts/{account}?secret=canary", key="chainteller_canary")
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    for header in (f"00-{trace}-00f067aa0ba902b7-01", "00-" + "0" * 32 + "-1-01", "canary"):
        call("GET", "/capabilities", headers={"traceparent": header})
    server.process.send_signal(signal.SIGTERM)
    code, rest, errors = server.ended()
    assert (code, rest) == (0, "")
    lines = [json.loads(line) for line in errors.splitlines()]
    requests = [line for line in lines if line["event"] == "request"]
    assert {"requestId", "operation", "status", "milliseconds", "at"} <= set(requests[0])
    assert [line["operation"] for line in requests][:2] == ["createTradingAccount", "createDeposit"]
    assert [line.get("traceId") for line in requests[-3:]] == [trace, None, None]
    assert key not in errors
    assert key[-20:] not in errors
    assert "canary" not in errors


def test_sigterm_closes_event_streams_and_lets_requests_finish(
    server: ServerProcess, key: str
) -> None:
    """A connection that was just made is answered once, too."""
    host, _, port = server.address.removeprefix("http://").partition(":")
    stream = http.client.HTTPConnection(host, int(port), timeout=PATIENCE_S)
    stream.request("GET", "/events/stream", headers={"Authorization": f"Bearer {key}"})
    reply = stream.getresponse()
    assert reply.readline() == b"retry: 2000\n"
    slow = socket.create_connection((host, int(port)), timeout=PATIENCE_S)
    body = b'{"bankAccountId": "DDA-1", "bankAccountType": "checking"}'
    slow.sendall(
        b"POST /trading-accounts HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Authorization: Bearer " + key.encode() + b"\r\n"
        b"Content-Length: " + str(len(body)).encode() + b"\r\n\r\n" + body[:20]
    )
    fresh = socket.create_connection((host, int(port)), PATIENCE_S)
    assert Caller(server.address, None)("GET", "/healthz").status == 200
    server.process.send_signal(signal.SIGTERM)
    until(lambda: _refuses(host, int(port)))
    fresh.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    answered = fresh.recv(1_000)
    assert answered.startswith(b"HTTP/1.1 200")
    assert b"connection: close" in answered
    fresh.close()
    assert reply.read().endswith(b"\n\n") or reply.isclosed()
    slow.sendall(body[20:])
    assert slow.recv(1_000).startswith(b"HTTP/1.1 201")
    slow.close()
    stream.close()
    assert server.ended()[0] == 0


def test_several_processes_report_one_count_and_one_that_dies_is_replaced(
    url: str, key: str
) -> None:
    world = build(url)
    admin = world.key("admin")
    world.engine.close()
    server = ServerProcess(url, "0", "3")
    call = Caller(server.address, key)
    account = call.account()
    for _ in range(40):
        assert call("GET", "/capabilities").status == 200

    def counted() -> set[str]:
        """What several scrapes say, each answered by whichever process accepts it."""
        texts = [call("GET", "/metrics", key=admin).body.decode() for _ in range(8)]
        wanted = 'operation="getCapabilities",status="200"'
        return {line.split()[-1] for text in texts for line in text.splitlines() if wanted in line}

    assert "40.0" in counted()
    assert len(counted()) == 1
    same = http.client.HTTPConnection(server.address.removeprefix("http://"), timeout=PATIENCE_S)

    def used(name: str) -> list[float]:
        """What one of them says of each."""
        same.request("GET", "/metrics", headers={"Authorization": f"Bearer {admin}"})
        lines = same.getresponse().read().decode().splitlines()
        return [float(line.split()[-1]) for line in lines if line.startswith(f"{name}{{")]

    processor = "chainteller_process_cpu_seconds"
    until(lambda: len(used(processor)) == 3)
    first = used(processor)
    until(lambda: all(now > then for now, then in zip(used(processor), first, strict=True)))
    assert len(used("chainteller_pool_connections")) == 2
    same.request("GET", "/metrics", headers={"Authorization": f"Bearer {admin}"})
    assert b"\nchainteller_ready 1.0\n" in same.getresponse().read()
    same.close()
    children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children")
    before = children.read_text(encoding="ascii").split()
    assert len(before) == 3
    os.kill(int(before[0]), signal.SIGKILL)

    def replaced() -> bool:
        now = children.read_text(encoding="ascii").split()
        return len(now) == 3 and before[0] not in now

    until(replaced)
    until(lambda: call("GET", "/healthz").status == 200)
    assert counted() == {"40.0"}
    assert call("GET", f"/trading-accounts/{account}").status == 200
    server.process.send_signal(signal.SIGTERM)
    assert server.ended()[:2] == (0, "")


def test_due_work_is_done_while_it_serves_and_its_address_is_in_use(
    server: ServerProcess, url: str, key: str
) -> None:
    call = Caller(server.address, key)
    account = call.account()
    trade = call("POST", f"/trading/quotes/{call.quote()}", {"tradingAccountId": account}).json
    second = ServerProcess(url, server.address.rpartition(":")[2])
    code, _, errors = second.ended()
    assert code == 2
    assert errors.startswith("CANNOT_LISTEN: ")
    assert "Traceback" not in errors
    path = f"/trading-accounts/{account}/trades/{trade['id']}"
    until(lambda: call("GET", path).json["status"] == "settled")
    server.process.send_signal(signal.SIGINT)
    assert server.ended()[0] == 130


def test_a_request_in_flight_is_whole_or_not_there_after_a_kill(url: str, key: str) -> None:
    server = ServerProcess(url)
    call = Caller(server.address, key)
    account = call.account()
    body = {"amount": "1.00", "currency": {"type": "deposit-token-currency", "id": "DPT_USD"}}
    acknowledged: list[str] = []

    def deposit() -> None:
        try:
            while True:
                made = call("POST", f"/trading-accounts/{account}/deposits", body)
                acknowledged.append(made.json["id"])
        except (OSError, http.client.HTTPException):
            return

    threads = [threading.Thread(target=deposit) for _ in range(4)]
    for thread in threads:
        thread.start()
    until(lambda: len(acknowledged) > 20)
    server.kill()
    for thread in threads:
        thread.join(PATIENCE_S)
    world = build(url)
    total = world.engine.deposits(account).pagination.total
    held = {b.token.symbol: b.amount for b in world.engine.token_balances(account).data}
    assert len(acknowledged) + 1 <= total <= len(acknowledged) + 1 + len(threads)
    assert held == {"BUSD1": f"{5000 + total - 1}.00"}
    world.engine.close()


def test_the_client_of_a_console_needs_no_database_and_no_web_framework() -> None:
    program = (
        "import sys, chainteller.remote.client, chainteller.workspace.recording\n"
        "heavy = {'sqlmodel', 'sqlalchemy', 'textual', 'starlette', 'eth_account'}\n"
        "bad = heavy & set(sys.modules)\n"
        "sys.exit(str(bad) if bad else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_service_itself_knows_no_engine_and_no_database() -> None:
    program = (
        "import sys, chainteller.api.server\n"
        "bad = [m for m in sys.modules if m.startswith(('sqlmodel', 'sqlalchemy',"
        " 'chainteller.engine', 'chainteller.storage', 'textual', 'httpx'))]\n"
        "sys.exit(str(bad) if bad else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_a_stop_notice_sends_clients_elsewhere_while_they_are_served(url: str, key: str) -> None:
    server = ServerProcess(url, "0", "1", "", "1.5")
    host = server.address.removeprefix("http://")
    kept = http.client.HTTPConnection(host, timeout=PATIENCE_S)
    said = {"Authorization": f"Bearer {key}"}

    def ask(path: str = "/capabilities") -> http.client.HTTPResponse:
        kept.request("GET", path, headers=said)
        reply = kept.getresponse()
        reply.read()
        return reply

    assert ask().getheader("connection") is None
    server.process.send_signal(signal.SIGTERM)
    until(lambda: ask("/readyz").status == 503)
    reply = ask()
    assert (reply.status, reply.getheader("connection")) == (200, "close")
    new = Caller(server.address, key)("GET", "/capabilities")
    assert new.status == 200
    kept.close()
    assert server.ended()[0] == 0


def _refuses(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), 1).close()
    except OSError:
        return True
    return False
