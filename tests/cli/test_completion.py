"""Help pages and completion, which come from the index of all commands."""

import pytest
from click.testing import CliRunner
from tests.cli import command_index
from tests.cli.program import chainteller, python

from chainteller.cli.command_index import INDEX, indexed_program, read_index
from chainteller.cli.main import loaded_program
from chainteller.cli.options import GLOBAL_OPTIONS

_COMPLETE = "_CHAINTELLER_COMPLETE"


def test_the_index_is_that_of_the_commands() -> None:
    assert INDEX.read_text(encoding="utf-8") == command_index.text(), (
        "write it: python -m tests.cli.command_index"
    )


def test_help_pages_are_those_of_the_commands() -> None:
    runner, indexed, loaded = CliRunner(), indexed_program(), loaded_program()
    for path in read_index():
        words = [*path.split(), "--help"]
        page = runner.invoke(indexed, words, prog_name="chainteller")
        assert page.exit_code == 0
        assert page.output == runner.invoke(loaded, words, prog_name="chainteller").output, path


@pytest.mark.parametrize(
    "words",
    [
        ["acounts", "--help"],
        ["accounts", "list", "--pgae", "1", "--help"],
        ["trade", "--nothing", "-h"],
    ],
)
def test_a_mistake_beside_help_is_that_of_the_command(words: list[str]) -> None:
    runner = CliRunner()
    mistake = runner.invoke(indexed_program(), words, prog_name="chainteller")
    assert mistake.exit_code == 2
    told = runner.invoke(loaded_program(), words, prog_name="chainteller").output
    assert mistake.output == told


def test_a_word_that_only_looks_like_help_goes_to_the_command() -> None:
    ended = chainteller("customers", "find", "--", "--help")
    assert ended.code == 0
    assert "no customers yet" in ended.out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_script_is_printed_instead_of_a_console(shell: str) -> None:
    ended = chainteller(**{_COMPLETE: f"{shell}_source"})
    assert ended.code == 0
    assert f"{_COMPLETE}={shell}_complete" in ended.out
    assert "\x1b" not in ended.out


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("chainteller dep", {"deposit", "deposits"}),
        (
            "chainteller accounts ",
            {"access", "balances", "control", "limits", "list", "open", "show", "text"},
        ),
        ("chainteller accounts list --format ", {"table", "json", "csv"}),
        ("chainteller --read-only trade buy sol-usd --sp", {"--spend"}),
        ("chainteller --data", {"--database"}),
        ("chainteller nothing ", set()),
    ],
)
def test_words_are_completed_from_the_index(line: str, found: set[str]) -> None:
    words = line.split(" ")
    given = {_COMPLETE: "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    ended = chainteller(**given)
    assert {each.partition(",")[2] for each in ended.out.splitlines() if each} == found


def test_the_global_options_are_not_in_the_index() -> None:
    listed = {
        each["name"] for entry in read_index().values() for each in entry.get("parameters", ())
    }
    assert not listed & set(GLOBAL_OPTIONS)


@pytest.mark.parametrize(
    "given",
    [
        "main(['--help'])",
        "main(['trade', 'buy', '--help'])",
        "import os; os.environ['_CHAINTELLER_COMPLETE'] = 'zsh_complete'\n"
        "os.environ.update(COMP_WORDS='chainteller acc', COMP_CWORD='1')\n"
        "try: main([])\n"
        "except SystemExit: pass",
    ],
)
def test_help_and_completion_load_neither_the_commands_nor_what_they_use(given: str) -> None:
    ended = python(
        f"from chainteller.__main__ import main\n{given}\nimport sys\nprint(*sorted(sys.modules))"
    )
    assert ended.code == 0, ended.err
    loaded = set(ended.out.splitlines()[-1].split())
    assert not loaded & {
        "pydantic",
        "sqlalchemy",
        "sqlmodel",
        "textual",
        "rich",
        "httpx",
        "sqlite3",
    }
    ours = {name for name in loaded if name.startswith("chainteller.")}
    assert not {name for name in ours if name.startswith("chainteller.service.models")}
    assert not ours & {f"chainteller.cli.{each}" for each in ("main", "accounts", "lists")}
