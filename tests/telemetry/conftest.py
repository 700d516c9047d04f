"""Telemetry of this process, sent to a real collector."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.api.conftest import log_file
from tests.telemetry.collector import Collector, collecting
from tests.world.bank import World, build, sqlite_url
from tests.world.waiting import PATIENCE_S, until

from chainteller.api.logs import JsonLines
from chainteller.telemetry.destinations import destination
from chainteller.telemetry.sending import LOGGERS, Sending

__all__ = ["collector", "log_file", "request_lines", "sending", "world"]


@pytest.fixture
def collector() -> Iterator[Collector]:
    with collecting() as found:
        yield found


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = build(sqlite_url(tmp_path))
    yield made
    made.engine.close()


@contextmanager
def sending(
    collector: Collector, dropped: list[tuple[str, int]] | None = None
) -> Iterator[Sending]:
    """Record traces and log lines of this process; all of them have arrived after the block,
    however long that takes.
    """
    found = destination("test", collector.address, {})
    assert found is not None
    kept = [] if dropped is None else dropped
    started = Sending(found, "0.0.test", lambda signal, count: kept.append((signal, count)))
    started.send_traces()
    started.send_logs(JsonLines(), *LOGGERS)
    try:
        yield started
    finally:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("chainteller.telemetry.sending.CLOSE_S", PATIENCE_S)
            started.close()


def request_lines(log: Path, wanted: int) -> list[Any]:
    """The log lines of requests, which are written in batches, once there are so many."""

    def found() -> list[Any]:
        every = [json.loads(line) for line in log.read_text().splitlines()]
        return [line for line in every if line["event"] == "request"]

    until(lambda: len(found()) >= wanted)
    return found()
