"""A pytest plugin: coverage notes which test ran a line, and how long each test took.

``coverage run -m pytest -p tests.mutants.contexts``; the durations go to the file that
``MUTANTS_DURATIONS`` names. Tests on PostgreSQL are left out: the same ones judge on SQLite, in a
fraction of the time.
"""

import json
import os
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path

import pytest
from coverage import Coverage

_FILE = Path(os.environ.get("MUTANTS_DURATIONS", "durations.json"))
"""Read when this module is imported: the tests themselves see little of the environment."""
_durations: dict[str, float] = defaultdict(float)
_failed: set[str] = set()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    leave_out_postgres(items)


def leave_out_postgres(items: list[pytest.Item]) -> None:
    items[:] = [each for each in items if "postgres" not in each.nodeid]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    current = Coverage.current()
    if current is not None:
        current.switch_context(item.nodeid)
    answer = yield
    if current is not None:
        current.switch_context("")
    return answer


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _durations[report.nodeid] += report.duration
    if report.failed:
        _failed.add(report.nodeid)


def pytest_sessionfinish() -> None:
    """Tests that fail without any change can't judge one."""
    passed = {name: spent for name, spent in _durations.items() if name not in _failed}
    _FILE.write_text(json.dumps(passed), encoding="utf-8")
