"""A bank with sample data, and the command line in this process."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.program import Ended, in_this_process
from tests.world.customers import CustomerSeed, add_customers
from tests.world.files import made_once, open_fresh, sealed
from tests.world.samples import note_verified_wholly, training_base

from chainteller.cli.main import run
from chainteller.domain.clock import SystemClock

Teller = Callable[..., Ended]


@pytest.fixture(scope="session")
def sample_world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with the sample data, made once."""

    def make(file: Path) -> None:
        home = tmp_path_factory.mktemp("world")
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("CHAINTELLER_HOME", str(home))
            assert run(["db", "sample", "--json"]) == 0
        path = home / "data" / "bank.db"
        note_verified_wholly(f"sqlite:///{path}")
        path.replace(file)

    return made_once(tmp_path_factory, "sample_world.db", make)


@pytest.fixture(scope="session")
def training_world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database that every training session of the seed begins with, made once."""
    return training_base(tmp_path_factory)


@pytest.fixture
def bank(home: Path, sample_world: Path) -> Path:
    """The default database of this test, filled with the sample data."""
    path = home / "data" / "bank.db"
    path.parent.mkdir()
    shutil.copyfile(sample_world, path)
    return path


@pytest.fixture(scope="session")
def small_world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of one customer who has some money and 20 quotes, made once."""

    def make(file: Path) -> None:
        home = tmp_path_factory.mktemp("small_world")
        path = home / "data" / "bank.db"
        database = open_fresh(f"sqlite:///{path}")
        with sealed(database, SystemClock().now()) as rows:
            add_customers(rows, [CustomerSeed("DDA-1001")])
        database.close()
        place = {"CHAINTELLER_HOME": str(home)}
        opened = in_this_process(
            "accounts", "open", "DDA-1001", "--type", "checking", "--json", **place
        )
        for line in (
            ["deposit", opened.body["id"], "900"],
            *[["quote", "sol-usd", "buy", "10"]] * 20,
        ):
            assert in_this_process(*line, **place).code == 0
        path.replace(file)

    return made_once(tmp_path_factory, "small_world.db", make)


@pytest.fixture
def small_bank(home: Path, small_world: Path) -> Path:
    """The default database of this test, so small that all of it is verified in no time."""
    path = home / "data" / "bank.db"
    path.parent.mkdir()
    shutil.copyfile(small_world, path)
    return path


@pytest.fixture
def teller(capsys: pytest.CaptureFixture[str]) -> Teller:
    """Run one command line in this process."""

    def call(*arguments: str) -> Ended:
        capsys.readouterr()
        code = run(list(arguments))
        said = capsys.readouterr()
        return Ended(code, said.out, said.err)

    return call
