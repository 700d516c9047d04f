"""The real service as a process of its own, and checks of it in this process."""

import contextlib
import io
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.cli.conftest import sample_world
from tests.cli.program import environment
from tests.conformance.altering_proxy import AlteringProxy, altering_proxy
from tests.world.waiting import PATIENCE_S

from chainteller.cli.main import run
from chainteller.conformance.checks import State
from chainteller.conformance.exchanges import Senders, Session
from chainteller.conformance.probing import Target
from chainteller.conformance.report import Report, check_deployment
from chainteller.domain.randomness import SeededRandomness
from chainteller.remote.transport import Transport

__all__ = ["sample_world"]
WINDOW_S = 2


@dataclass(frozen=True)
class Served:
    """A running service, its key, a trading account and the outcome of a first whole check."""

    address: str
    key: str
    account: str
    report: Report


def check(
    address: str,
    key: str,
    target: Target | None = None,
    *,
    wait_s: float = 0.0,
    deadline_s: float = 10.0,
) -> Report:
    """Check a deployment as the command does."""
    keys = (key, "not-a-key-of-this-deployment", None)
    opened = [Transport(address, each, deadline_s=deadline_s) for each in keys]
    try:
        keyed, impostor, anonymous = opened
        senders = Senders(keyed, impostor, anonymous, key)
        session = Session(senders, time.monotonic, time.sleep, wait_s=wait_s)
        chosen, randomness = target or Target(), SeededRandomness("conformance")
        return check_deployment(address, session, chosen, randomness)
    finally:
        for each in opened:
            each.close()


def deviating(report: Report) -> set[str]:
    return {each.check.id for each in report.findings if each.state is State.DEVIATES}


@contextlib.contextmanager
def serving(home: Path, *arguments: str, **variables: str) -> Iterator[tuple[str, str]]:
    """The address and a key of ``chainteller serve``, without rate limits."""
    settings = {
        "CHAINTELLER_HOME": str(home),
        "CHAINTELLER_SERVICE__RATE_LIMITS": "off",
        "CHAINTELLER_ENGINE__QUOTE_WINDOW_S": str(WINDOW_S),
        **variables,
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "chainteller", "serve", "--port", "0", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment(**settings),
    )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().split()[-1]
        yield address, _key(home)
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE_S)


def _key(home: Path) -> str:
    with pytest.MonkeyPatch.context() as patch, io.StringIO() as out:
        patch.setenv("CHAINTELLER_HOME", str(home))
        with contextlib.redirect_stdout(out):
            assert run(["keys", "create", "--name", "check"]) == 0
        return out.getvalue().strip()


@pytest.fixture(scope="session")
def served(sample_world: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A deployment with the sample data, checked once as with --write."""
    home = tmp_path_factory.mktemp("served")
    (home / "data").mkdir()
    shutil.copyfile(sample_world, home / "data" / "bank.db")
    with serving(home) as (address, key):
        report = check(address, key, Target(write=True), wait_s=WINDOW_S + 2)
        assert report.account is not None
        yield Served(address, key, report.account, report)


@pytest.fixture(scope="session")
def _proxy(served: Served) -> Iterator[AlteringProxy]:
    with altering_proxy(served.address, served.key) as proxy:
        yield proxy


@pytest.fixture
def proxy(_proxy: AlteringProxy) -> Iterator[AlteringProxy]:
    """A proxy in front of the service that alters nothing yet."""
    yield _proxy
    _proxy.plant()
