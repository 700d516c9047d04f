"""Help pages and completion."""

import click
import pytest
from tests.cli.all_commands import loaded_program
from tests.cli.program import chainteller, python

_COMPLETE = "_CHAINTELLER_COMPLETE"


def test_a_word_that_only_looks_like_help_goes_to_the_command() -> None:
    ended = chainteller("customers", "find", "--", "--help")
    assert ended.code == 0
    assert "no customers yet" in ended.out


def test_every_command_is_found_in_its_module_and_nowhere_else() -> None:
    found = loaded_program().commands
    assert list(found) == [*dict.fromkeys(found)]
    assert set(found) == set(loaded_program().list_commands(click.Context(loaded_program())))


def test_a_word_is_completed_without_what_other_commands_import() -> None:
    ended = python(
        "import os, sys\nfrom chainteller.__main__ import main\n"
        "os.environ.update(COMP_WORDS='chainteller cl', COMP_CWORD='1')\n"
        "os.environ['_CHAINTELLER_COMPLETE'] = 'zsh_complete'\n"
        "try: main([])\nexcept SystemExit: print(*sorted(sys.modules))"
    )
    loaded = set(ended.out.splitlines()[-1].split())
    assert "chainteller.cli.clock" in loaded
    assert not loaded & {"textual", "httpx", "sqlalchemy", "chainteller.cli.wallets"}


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
def test_words_are_completed(line: str, found: set[str]) -> None:
    words = line.split(" ")
    given = {_COMPLETE: "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    ended = chainteller(**given)
    assert {each.partition(",")[2] for each in ended.out.splitlines() if each} == found
