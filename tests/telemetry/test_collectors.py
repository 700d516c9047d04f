"""Collectors that are down, hang or refuse: requests go on, and losses are counted and said."""

import json
import logging
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.telemetry.collector import Collector, collecting
from tests.telemetry.conftest import sending
from tests.world.bank import World
from tests.world.waiting import PATIENCE_S, until

from chainteller.api.logs import JsonLines
from chainteller.telemetry import tracing
from chainteller.telemetry.destinations import destination
from chainteller.telemetry.sending import start

REQUESTS = 60


def warnings_in(log: Path) -> list[str]:
    lines: list[Any] = [json.loads(line) for line in log.read_text().splitlines()]
    return [line["event"] for line in lines if line["level"] == "warning"]


def test_a_collector_that_hangs_delays_no_request_and_no_exit(world: World) -> None:
    """Not one of its answers comes before the server has ended."""
    key = {"Authorization": f"Bearer {world.key('admin')}"}
    with collecting(pause=threading.Event()) as collector:
        environ = os.environ | {
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector.address,
            "OTEL_BSP_MAX_QUEUE_SIZE": "32",
            "OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "16",
            "CHAINTELLER_SERVICE__RATE_LIMITS": "off",
            "CHAINTELLER_DATABASE": world.context.database.url,
        }
        served = subprocess.Popen(
            [sys.executable, "-m", "chainteller", "serve", "--port", "0", "--log", "-"],
            env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert served.stdout is not None
        address = served.stdout.readline().split()[-1]
        with httpx.Client(base_url=address, headers=key) as client:
            for _ in range(REQUESTS):
                assert client.get("/trading-accounts").status_code == 403
            page = client.get("/metrics").text
        served.send_signal(signal.SIGTERM)
        _, errors = served.communicate(timeout=PATIENCE_S)
        assert served.returncode == 0, errors
        assert not collector.spans
    (dropped,) = [
        line for line in page.splitlines()
        if line.startswith('chainteller_telemetry_dropped_total{signal="traces"}')
    ]  # fmt: skip
    assert float(dropped.split()[-1]) > 0


@pytest.mark.parametrize("status", [500, 0])
def test_what_a_collector_does_not_take_is_counted_and_said_once(
    log_file: Path, status: int
) -> None:
    """The status 0 stands for an address where nothing listens."""
    with collecting(status or 200) as collector:
        if not status:
            collector.address = "http://127.0.0.1:1"
        dropped = failed_attempts(collector, log_file)
    assert sum(count for signal, count in dropped if signal == "traces") == 40
    host = collector.address.removeprefix("http://")
    assert warnings_in(log_file) == [f"telemetry can't be delivered to {host}"]


def failed_attempts(collector: Collector, log: Path) -> list[tuple[str, int]]:
    dropped: list[tuple[str, int]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "10")
        patch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "0.2")
        with sending(collector, dropped):
            for _ in range(40):
                with tracing.span("work"):
                    pass
            until(lambda: warnings_in(log))
    return dropped


def test_a_collector_that_comes_back_is_said_to_be_back(log_file: Path) -> None:
    with collecting(500) as collector, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OTEL_BSP_SCHEDULE_DELAY", "20")
        patch.setenv("OTEL_BLRP_SCHEDULE_DELAY", "20")
        with sending(collector):

            def is_said(times: int) -> bool:
                """Both signals go on: one is delivered again once it has something to send."""
                logging.getLogger("chainteller.api").info("work")
                with tracing.span("work"):
                    return len(warnings_in(log_file)) >= times

            until(lambda: is_said(1))
            collector.status = 200
            until(lambda: is_said(2))
    host = collector.address.removeprefix("http://")
    assert warnings_in(log_file) == [
        f"telemetry can't be delivered to {host}",
        f"telemetry is delivered to {host} again",
    ]


def test_a_wrong_variable_is_said_and_stops_nothing(
    log_file: Path, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = destination("test", collector.address, {})
    assert found is not None
    monkeypatch.setenv("OTEL_BLRP_MAX_QUEUE_SIZE", "-1")
    start(found, "0.0.test", JsonLines())()
    (said,) = warnings_in(log_file)
    assert said.startswith("telemetry isn't sent: max_queue_size")
    assert tracing.current() is None


def test_resource_attributes_of_variables_come_first(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "service.name=branch-7")
    with sending(collector), tracing.span("work"):
        pass
    assert collector.trace(until="work")[0].service == "branch-7"
