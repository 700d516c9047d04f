"""A Prometheus that scrapes a real server finds what the dashboard and the alerts ask for."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.deployment.test_files import EXPRESSIONS, FILES, alerts
from tests.storage.clusters import free_port
from tests.world.waiting import until

_PROMETHEUS = shutil.which("prometheus")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(_PROMETHEUS is None, reason="Prometheus isn't installed"),
]


def _get(url: str, **query: str) -> Any:
    try:
        return httpx.get(url, params=query, timeout=5).raise_for_status().json()
    except httpx.HTTPError:
        return None


@pytest.fixture
def prometheus(home: Path, tmp_path: Path) -> Iterator[str]:
    """The address of a Prometheus that has scraped a server with sample data for a while."""
    at, metrics, port = free_port(), free_port(), free_port()
    environment = os.environ | {
        "CHAINTELLER_HOME": str(home),
        "CHAINTELLER_SERVICE__METRICS_ADDRESS": f"127.0.0.1:{metrics}",
    }
    program = [sys.executable, "-m", "chainteller"]
    for command in (["db", "sample"], ["audit", "key", "create"]):
        subprocess.run([*program, *command], check=True, env=environment, capture_output=True)
    config = (FILES / "prometheus.yml").read_text("utf-8").replace("15s", "1s")
    config = config.replace("serve:9090", f"127.0.0.1:{metrics}")
    (tmp_path / "prometheus.yml").write_text(config, encoding="utf-8")
    shutil.copy(FILES / "alerts.yml", tmp_path)
    storage = f"--storage.tsdb.path={tmp_path}/data"
    options = [f"--config.file={tmp_path}/prometheus.yml", storage]
    running = [
        subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        for command in (
            [*program, "serve", "--port", str(port)],
            [str(_PROMETHEUS), *options, f"--web.listen-address=127.0.0.1:{at}"],
        )
    ]
    try:
        server = f"http://127.0.0.1:{port}"
        until(lambda: _get(f"{server}/readyz"))
        for _ in range(3):
            assert _get(f"{server}/capabilities") is None, "a refusal: there is no key"
        address = f"http://127.0.0.1:{at}"
        until(lambda: len(_found(address, "chainteller_books_age_seconds")) == 2)
        until(lambda: _found(address, "chainteller_checkpoint_age_seconds"))
        until(lambda: _found(address, "rate(chainteller_refusals_total[5m])"))
        yield address
    finally:
        for each in running:
            each.terminate()
        for each in running:
            each.wait(30)


def _found(address: str, expression: str) -> list[Any]:
    """What a query finds."""
    answer = _get(f"{address}/api/v1/query", query=expression)
    if answer is None:
        return []
    assert answer["status"] == "success", answer
    found: list[Any] = answer["data"]["result"]
    return found


def test_a_prometheus_finds_what_is_watched(prometheus: str) -> None:
    assert [each for each in EXPRESSIONS if not _found(prometheus, each)] == []
    (group,) = _get(f"{prometheus}/api/v1/rules")["data"]["groups"]
    health = {rule["name"]: rule["health"] for rule in group["rules"]}
    assert health == dict.fromkeys(alerts(), "ok")
    assert [rule["name"] for rule in group["rules"] if rule["state"] == "firing"] == []
