"""Read-only holds for every command that writes, whichever way it was chosen."""

from pathlib import Path

import pytest
from tests.cli.all_commands import commands
from tests.cli.conftest import Teller
from tests.cli.every_command import (
    INTERACTIVE,
    READING,
    WRITING,
    Bank,
    Lines,
    lines,
    sample_bank,
)

from chainteller.cli.options import TellerCommand

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def bank(
    tmp_path_factory: pytest.TempPathFactory, sample_world: Path, training_world: Path
) -> Bank:
    home = tmp_path_factory.mktemp("read_only") / "home"
    return sample_bank(home, sample_world, training_world)


@pytest.fixture(scope="module")
def real(bank: Bank) -> Lines:
    return lines(bank)


def test_a_command_that_declares_no_effect_is_refused() -> None:
    with pytest.raises(ValueError, match="archive is declared without its effect"):
        TellerCommand("archive")


def test_every_command_has_a_line(real: Lines) -> None:
    assert real.keys() | INTERACTIVE == commands().keys()


@pytest.mark.parametrize("path", READING)
def test_a_reading_command_answers_read_only_and_changes_nothing(
    bank: Bank, real: Lines, path: str
) -> None:
    before = bank.content()
    ended = bank.run(*real[path], "--read-only")
    assert "READ_ONLY" not in ended.err
    assert ended.code == 0, ended.err
    assert bank.content() == before


@pytest.mark.parametrize("path", WRITING)
def test_a_writing_command_is_refused_read_only_and_changes_nothing(
    bank: Bank, real: Lines, path: str
) -> None:
    line = real.get(path, tuple(path.split()[1:]))
    before = bank.files()
    for more, variables in (
        (["--read-only"], {}),
        (["--profile", "careful"], {}),
        ([], {"CHAINTELLER_PROFILE": "careful"}),
    ):
        if more == [] and "--database" in line:
            continue  # an active profile holds where no place is named
        ended = bank.run(*line, *more, **variables)
        assert ended.code == 1, (more, ended.err)
        assert ended.complaint == [
            "READ_ONLY: Read-only mode is on; nothing was changed.",
            "Next: Turn read-only mode off to make changes.",
        ]
        assert ended.out == ""
        assert bank.files() == before
    if path not in INTERACTIVE:
        ended = bank.run(*line)
        assert ended.code == 0, ended.err
        assert bank.files() != before


def test_a_question_is_not_asked_read_only(bank: Bank) -> None:
    ended = bank.run("--read-only", "trade", "buy", "sol-usd", "--spend", "1", "--account", "TDA_1")
    assert (ended.code, ended.complaint[0][:9]) == (1, "READ_ONLY")


@pytest.mark.parametrize("line", [("accounts", "list"), ("events", "--follow"), ("info",)])
def test_a_reading_command_creates_no_database_read_only(
    home: Path, teller: Teller, line: tuple[str, ...]
) -> None:
    ended = teller(*line, "--read-only")
    assert ended.code == 3
    assert "There is no such database file." in ended.err
    assert not list(home.rglob("*.db"))
