"""No file that somebody names makes a command wait for ever, or read without an end."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.cli.all_commands import commands
from tests.cli.program import chainteller, with_little_room

from chainteller.cli.options import FileName
from chainteller.given_files import MOST_BYTES

READ: Mapping[str, tuple[str, ...]] = {
    "audit export": ("audit", "export", "{}", "--follow"),
    "audit verify": ("audit", "verify", "--head", "{}"),
    "customers import": ("customers", "import", "{}"),
    "customers forget": ("customers", "forget", "C-1", "--archive", "{}"),
    "db archive": ("db", "archive", "{}"),
    "db restore": ("db", "restore", "{}"),
    "db verify": ("db", "verify", "--archive", "{}"),
    "drill": ("drill", "{}"),
    "policy check": ("policy", "check", "{}"),
    "policy try": ("policy", "try", "{}"),
    "scenarios validate": ("scenarios", "validate", "{}"),
    "serve": ("serve", "--tls-certificate", "{}", "--tls-key", "{}"),
    "train": ("train", "1", "--steps", "{}"),
    "wallets sign": (
        "wallets", "sign", "--sample", "erin-ethereum", "--mistake", "earlier-challenge",
        "--earlier", "{}",
    ),
}  # fmt: skip
SETTINGS = {
    "the database": {"CHAINTELLER_DATABASE": "sqlite:///{}"},
    "the prices": {"CHAINTELLER_ENGINE__PRICE_FEED": "replay:{}"},
    "the policy": {"CHAINTELLER_ENGINE__POLICY": "{}"},
}
WRITTEN = {"--output", "--report", "--unix"}


@pytest.fixture(params=["zeros", "pipe"])
def endless(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "zeros":
        return "/dev/zero"
    os.mkfifo(tmp_path / "pipe")
    return str(tmp_path / "pipe")


@pytest.fixture
def made_home(tmp_path: Path) -> str:
    assert chainteller("db", "init", CHAINTELLER_HOME=str(tmp_path / "home")).code == 0
    return str(tmp_path / "home")


@pytest.mark.forms(8)
@pytest.mark.parametrize("name", READ)
def test_a_file_without_an_end_is_refused(name: str, endless: str, made_home: str) -> None:
    words = (word.format(endless) for word in READ[name])
    ended = with_little_room(*words, CHAINTELLER_HOME=made_home)
    assert ended.code in {1, 2, 3}, ended
    assert ended.complaint[-1].startswith("Next: ")
    assert "CRASHED" not in ended.err


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_s_file_without_an_end_is_refused(
    name: str, endless: str, made_home: str
) -> None:
    named = {key: value.format(endless) for key, value in SETTINGS[name].items()}
    ended = with_little_room("accounts", "list", CHAINTELLER_HOME=made_home, **named)
    assert ended.code in {2, 3}, ended
    assert "CRASHED" not in ended.err


def test_what_a_pipe_s_writer_writes_is_read(made_home: str) -> None:
    given = '[case]\nwanted = "required"\n'
    assert chainteller("policy", "check", "/dev/stdin", given=given).code == 0


@pytest.mark.parametrize(
    "words",
    [
        ("wallets", "claim", "CHG_X", "-", "--account", "BCA_X", "--counterparty", "CPT_X"),
        ("wallets", "diagnose", "CHG_X", "-", "--account", "BCA_X", "--counterparty", "CPT_X"),
        ("wallets", "sign", "--sample", "erin-ethereum"),
    ],
)
def test_a_stdin_without_an_end_is_refused(words: tuple[str, ...], made_home: str) -> None:
    ended = chainteller(*words, given=bytes(2 * MOST_BYTES), CHAINTELLER_HOME=made_home)
    assert (ended.code, ended.complaint[0]) == (2, "USAGE: The text on stdin is too large.")


def test_every_command_that_reads_a_file_is_here() -> None:
    named = {
        path.removeprefix("chainteller ")
        for path, each in commands().items()
        for param in each.params
        if isinstance(param.type, FileName) and not WRITTEN & {*param.opts}
    }
    assert named - {"db backup"} == READ.keys()
