"""A database is a gateway's or a bank's own, and no process writes that takes it for another."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from chainteller.bootstrap import load_samples, open_engine, provider
from chainteller.domain.actors import Actor
from chainteller.engine.engine import Engine
from chainteller.engine.forwarding.marking import mark
from chainteller.engine.operations.keys import ApiKeys
from chainteller.paths import locate
from chainteller.service.errors import Conflict, ServiceUnavailable
from chainteller.settings.place import Place, sqlite_url
from chainteller.settings.tree import Settings
from chainteller.sqlite import sqlite3

PROVIDER, OTHER = "http://127.0.0.1:9", "http://127.0.0.1:10"


class Machine:
    """A machine with a database, which its programs open as settings say."""

    def __init__(self, folder: Path) -> None:
        self.settings = Settings(locate({"CHAINTELLER_HOME": str(folder)}))
        self.file = folder / "bank.db"

    @contextmanager
    def opened(self) -> Iterator[Engine]:
        address = sqlite_url(self.file)
        place = Place(remote=False, address=address, label="", chosen_by="test")
        with closing(open_engine(self.settings, place)) as engine:
            yield engine

    def run(self, statement: str, *values: str) -> None:
        with closing(sqlite3.connect(self.file)) as connection:
            connection.execute(statement, values)
            connection.commit()

    def entries(self) -> int:
        with closing(sqlite3.connect(self.file)) as connection:
            return int(connection.execute("SELECT count(*) FROM entry").fetchone()[0])


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """Its database is a gateway's."""
    found = Machine(tmp_path)
    with found.opened() as engine:
        mark(engine.context, Actor(name="test"), PROVIDER)
    return found


def write(engine: Engine) -> None:
    ApiKeys(engine.context, environment="test").create("a", ("accounts:read",), "default", None)


def require_refused(machine: Machine, engine: Engine) -> str:
    before = machine.entries()
    with pytest.raises(ServiceUnavailable) as refused:
        write(engine)
    assert refused.value.details["reason"] == "OTHER_PROVIDER"
    assert machine.entries() == before
    return refused.value.message


def test_a_gateway_writes_to_its_own_database(machine: Machine) -> None:
    with machine.opened() as engine:
        before = machine.entries()
        write(engine)
        assert machine.entries() > before


def test_a_process_writes_nothing_that_could_not_read_whose_database_it_is(
    machine: Machine,
) -> None:
    machine.run("ALTER TABLE provider RENAME TO away")
    with machine.opened() as engine:
        machine.run("ALTER TABLE away RENAME TO provider")
        said = require_refused(machine, engine)
        assert said.startswith(f"The database is in front of {PROVIDER}; this process")


def test_a_banks_server_writes_nothing_once_its_database_is_a_gateways(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    with machine.opened() as bank, machine.opened() as engine:
        write(bank)
        mark(engine.context, Actor(name="test"), PROVIDER)
        require_refused(machine, bank)


def test_a_gateway_before_another_provider_writes_nothing(machine: Machine) -> None:
    with machine.opened() as engine:
        other = replace(engine.context, provider=provider(machine.settings, OTHER))
        require_refused(machine, Engine(other))


def test_the_sample_bank_is_not_loaded_into_a_gateways_database(machine: Machine) -> None:
    before = machine.entries()
    with machine.opened() as engine, pytest.raises(Conflict, match="its provider's accounts"):
        load_samples(engine, "42")
    assert machine.entries() == before


def test_a_provider_that_the_log_does_not_name_is_not_asked(machine: Machine) -> None:
    machine.run("UPDATE provider SET address = ?", OTHER)
    with machine.opened() as engine:
        assert engine.context.provider is None
        require_refused(machine, engine)
