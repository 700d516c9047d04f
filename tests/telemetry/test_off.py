"""Without a collector nothing of OpenTelemetry is loaded, and callers' traces are passed on."""

from pathlib import Path

import pytest
from tests.cli.program import python
from tests.gateway.conftest import gateway_before
from tests.telemetry.conftest import request_lines
from tests.world.bank import World
from tests.world.serving import deployment, served

from chainteller.remote.client import RemoteService

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
GIVEN = f"00-{TRACE}-00f067aa0ba902b7-01"


def test_nothing_of_opentelemetry_is_loaded() -> None:
    ended = python(
        "from chainteller.cli.main import run\n"
        "assert run(['markets', '--json']) == 0\n"
        "import sys, threading, asyncio, httpx\n"
        "import chainteller.remote.client, chainteller.tui.console.app\n"
        "from chainteller.cli import serving\n"
        "from chainteller.api import server\n"
        "from chainteller.api.server import Server\n"
        "announced = server._say\n"
        "def say(line):\n"
        "    announced(line)\n"
        "    address = line.split()[-1]\n"
        "    def ask():\n"
        "        print(httpx.get(address + '/readyz').status_code)\n"
        "        print(*sorted(sys.modules))\n"
        "        import os, signal\n"
        "        os.kill(os.getpid(), signal.SIGTERM)\n"
        "    threading.Thread(target=ask).start()\n"
        "server._say = say\n"
        "assert run(['serve', '--port', '0', '--log', '-']) == 0\n"
    )
    assert ended.code == 0, ended.err
    *_, listening, status, modules = ended.out.splitlines()
    assert (listening.startswith("listening on"), status) == (True, "200")
    assert {"chainteller.engine.deployment", "uvicorn"} <= {*modules.split()}
    assert not {each.partition(".")[0] for each in modules.split()} & {"opentelemetry", "requests"}


@pytest.mark.parametrize("given", [GIVEN, "", "nonsense"])
def test_a_client_passes_on_the_trace_that_it_was_given(
    world: World, log_file: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    monkeypatch.setenv("TRACEPARENT", given)
    with served(deployment(world)) as address:
        service = RemoteService(address, world.key())
        service.trading_accounts()
        service.close()
        found = request_lines(log_file, 2)
    assert {line.get("traceId") for line in found} == {TRACE if given == GIVEN else None}


def test_a_gateway_passes_on_the_trace_of_its_caller(tmp_path: Path) -> None:
    with gateway_before(tmp_path) as gateway:
        gateway.client.get("/trading/markets", headers={"traceparent": GIVEN})
        gateway.client.get("/trading/markets")
    assert gateway.provider.traces == [GIVEN, ""]
