"""What every test stands on: a clean environment, a home of its own, repeatable examples."""

import contextlib
import gc
import importlib
import itertools
import os
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from tests import deployments, forms
from tests.environment import forget, hear_interrupts
from tests.postgres import (
    _postgres_bank,
    _schema_alone,
    own_postgres_bank,
    postgres_bank,
    postgres_server,
    postgres_url,
)
from tests.world import core, files
from tests.world.explaining import EVERYTHING, FEW, explain_with, explaining

__all__ = [
    "_postgres_bank", "_schema_alone", "home", "own_postgres_bank", "postgres_bank",
    "postgres_server", "postgres_url",
]  # fmt: skip
_homes = itertools.count()

forget()
os.environ |= files.KEY_SETTING
hear_interrupts()
core.install()
explain_with(FEW)
settings.register_profile(
    "quick",
    max_examples=60,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("deep", max_examples=2_000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


def pytest_addoption(parser: pytest.Parser) -> None:
    deployments.add_option(parser)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    deployments.generate(metafunc)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    deployments.take_out(config, items)
    forms.share_out(config, items)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    deployments.refuse_undeclared_skips(item, report)
    return report


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With ``-n``, hand each worker a run of neighbours, which share their modules' fixtures.

    xdist's own default deals tests out one by one, so that both workers load each sample bank.
    ``--dist`` still chooses another way. ``worksteal`` cannot stand in the settings: pytest
    refuses it without ``-n``.
    """
    if config.getoption("dist") != "load":
        return None
    from xdist.scheduler import WorkStealingScheduling  # noqa: PLC0415 - only with -n

    return WorkStealingScheduling(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """With ``-n``, let each worker of a whole run load the tests from another file on.

    Each needs all of them, and to rewrite their asserts takes longer than to load them: begun at
    different places, each finds rewritten what the others have been through.
    """
    worker = getattr(session.config, "workerinput", None)
    if worker is None or session.config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return
    files = sorted((session.config.rootpath / "tests").rglob("test_*.py"))
    begin = len(files) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"]
    for file in (*files[begin:], *files[:begin]):
        name = file.relative_to(session.config.rootpath).with_suffix("")
        with contextlib.suppress(Exception, pytest.skip.Exception):  # the collection reports it
            importlib.import_module(".".join(name.parts))


def pytest_collection_finish() -> None:
    """What is loaded by now stays: exempt it, so that full collections look at tests' own objects.

    A console makes so many objects that full collections took a fifth of its tests' time, and
    hypothesis measures each collection, however short: there are few, and they are large.
    Consoles are in reference cycles; freezing later would keep them for good.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 50)


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """``CHAINTELLER_HOME`` under a temporary folder, and no other ``CHAINTELLER_*``."""
    # pytest's own numbers cost a look at every folder there is.
    folder = tmp_path_factory.mktemp(f"home{next(_homes)}", numbered=False)
    with pytest.MonkeyPatch.context() as patch:
        for name in [*os.environ]:
            if name.startswith("CHAINTELLER_") or name == "NO_COLOR":
                patch.delenv(name)
        patch.setenv("CHAINTELLER_HOME", str(folder))
        for name, value in files.KEY_SETTING.items():
            patch.setenv(name, value)
        yield folder


@pytest.fixture
def everything_is_tried() -> Iterator[None]:
    """Explain wrong signatures as for a person."""
    with explaining(EVERYTHING, FEW):
        yield
