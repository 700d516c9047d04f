"""Every command is declared once and shows up wherever an agent looks for it."""

import pytest

from chainteller.tui.keys import COMMANDS, EVERYWHERE, SCREENS, clashes, footer_of

FORBIDDEN = {"ctrl+s", "ctrl+z", "ctrl+i", "ctrl+j", "ctrl+m", "ctrl+h", "tab+shift"}


def test_ids_are_unique_and_every_command_says_what_it_does() -> None:
    ids = [command.id for command in COMMANDS]
    assert len(ids) == len(set(ids))
    assert all(command.about for command in COMMANDS)


def test_no_key_stands_for_two_commands_of_one_screen() -> None:
    for screen in SCREENS:
        keys = [key for row in COMMANDS if row.where == screen for key in row.key.split(",")]
        assert len(keys) == len(set(keys))
    shared = [key for row in COMMANDS if row.where == EVERYWHERE for key in row.key.split(",")]
    assert len(shared) == len(set(shared))


def test_keys_that_terminals_confuse_are_never_bound() -> None:
    bound = {key for command in COMMANDS for key in command.key.split(",")}
    assert not bound & FORBIDDEN
    assert not any(key.startswith(("alt+", "ctrl+shift+")) for key in bound)


@pytest.mark.parametrize("screen", SCREENS)
def test_a_footer_names_at_most_ten_keys(screen: str) -> None:
    assert 3 <= len(footer_of(screen, {})) <= 10


def test_a_users_keys_that_clash_are_named_with_both_commands() -> None:
    (problem,) = clashes({"accounts.deposit": "w"})
    assert "accounts.deposit" in problem
    assert "accounts.withdraw" in problem
    assert clashes({"accounts.fly": "x"}) == ["keys.accounts.fly: no such command"]
    assert clashes({"accounts.deposit": "ctrl+d"}) == []
