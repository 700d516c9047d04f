"""A trace goes on from a caller through the client into the log of the service."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from tests.world.bank import World
from tests.world.serving import deployment, served

from chainteller.remote.client import RemoteService

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


def lines(log: Path, wanted: int) -> list[Any]:
    """The lines of requests for accounts, which are written in batches."""
    ends = time.monotonic() + 20
    while time.monotonic() < ends:
        every = [json.loads(line) for line in log.read_text().splitlines()]
        found = [line for line in every if line.get("operation") == "listTradingAccounts"]
        if len(found) >= wanted:
            return found
        time.sleep(0.02)
    raise AssertionError(log.read_text())


@pytest.mark.parametrize("given", [f"00-{TRACE}-00f067aa0ba902b7-01", "", "nonsense"])
def test_the_log_names_the_trace_of_the_caller_or_of_the_request(
    world: World, log_file: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    monkeypatch.setenv("TRACEPARENT", given)
    with served(deployment(world)) as address:
        service = RemoteService(address, world.key())
        for _ in "12":
            service.trading_accounts()
        service.close()
        traces = [line["traceId"] for line in lines(log_file, 2)]
    assert len(traces) == 2
    if TRACE in given:
        assert set(traces) == {TRACE}
    else:
        assert len(set(traces)) == 2
