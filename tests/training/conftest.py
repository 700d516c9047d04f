"""The sample bank of the training sessions, made once."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.training.worlds import WALLETS, open_session
from tests.world.samples import training_base

from chainteller.training.scenarios import Scenario, load
from chainteller.training.session import Session

OpenSession = Callable[[Scenario], Session]


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database as every session begins with."""
    return training_base(tmp_path_factory)


@pytest.fixture
def begin(tmp_path_factory: pytest.TempPathFactory, base: Path) -> Iterator[OpenSession]:
    """Begin a session of a scenario on a bank of its own."""
    opened: list[Session] = []

    def make(given: Scenario) -> Session:
        opened.append(open_session(tmp_path_factory.mktemp("bank"), base, given))
        return opened[-1]

    yield make
    for session in opened:
        session.close()


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Scenario]:
    """Write a scenario of one's own and read it."""

    def make(text: str) -> Scenario:
        file = tmp_path / "mine.toml"
        file.write_text(text, encoding="utf-8")
        return load(file, WALLETS)

    return make
