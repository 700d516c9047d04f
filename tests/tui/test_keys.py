"""Every command is declared once and shows up wherever an agent looks for it."""

from typing import Any

import pytest
from tests.tui.conftest import Bench, press, seen, settle
from tests.tui.key_table import PAGE, README, markdown, summary

from chainteller.tui.commands import EVERYWHERE, SCREENS, AnyCommand, Command
from chainteller.tui.console.app import run_console
from chainteller.tui.console.command_table import COMMANDS, clashes, commands_of, complete
from chainteller.tui.start import ConsoleSettings, StartedDesk

FORBIDDEN = {"ctrl+s", "ctrl+z", "ctrl+i", "ctrl+j", "ctrl+m", "ctrl+h", "tab+shift"}


def test_ids_are_unique_and_every_command_says_what_it_does() -> None:
    ids = [command.id for command in COMMANDS]
    assert len(ids) == len(set(ids))
    assert all(command.about for command in COMMANDS)


def test_every_command_says_why_it_is_unavailable_or_that_it_always_works() -> None:
    command = Command[Any]("desk.fly", "x", "Fly", lambda _: None)
    with pytest.raises(ValueError, match=r"desk\.fly does not say why it is unavailable: give"):
        complete([*COMMANDS, command])
    assert complete(COMMANDS) == COMMANDS


def _keys(command: AnyCommand) -> list[str]:
    return command.key.split(",") if command.key else []


def test_no_key_stands_for_two_commands_of_one_screen() -> None:
    for screen in SCREENS:
        keys = [key for row in COMMANDS if row.where == screen for key in _keys(row)]
        assert len(keys) == len(set(keys))
    shared = [key for row in COMMANDS if row.where == EVERYWHERE for key in row.key.split(",")]
    assert len(shared) == len(set(shared))


def test_keys_that_terminals_confuse_are_never_bound() -> None:
    bound = {key for command in COMMANDS for key in command.key.split(",")}
    assert not bound & FORBIDDEN
    assert not any(key.startswith(("alt+", "ctrl+shift+")) for key in bound)


@pytest.mark.parametrize("screen", SCREENS)
def test_a_footer_names_at_most_ten_keys(screen: str) -> None:
    assert 3 <= len([command for command in commands_of(screen) if command.footer]) <= 10


def test_a_users_keys_that_clash_are_named_with_both_commands() -> None:
    (problem,) = clashes({"accounts.deposit": "w"})
    assert "accounts.deposit" in problem
    assert "accounts.withdraw" in problem
    assert clashes({"accounts.fly": "x"}) == ["keys.accounts.fly: no such command"]
    assert clashes({"accounts.deposit": "ctrl+d"}) == []


def test_a_key_written_as_it_is_printed_clashes_too() -> None:
    (problem,) = clashes({"accounts.deposit": "/"})
    assert "accounts.filter" in problem


def test_no_key_is_taken_from_the_audit_trail_or_from_the_end() -> None:
    assert any("audit.verify" in row for row in clashes({"desk.copy": "v"}))
    assert clashes({"desk.note": "ctrl+q"}) == ["keys: quit and desk.note both want ctrl+q"]


def test_the_readme_has_the_keys_of_the_commands() -> None:
    assert summary() in README.read_text(encoding="utf-8")
    assert all(f"`{key}`" in summary() for key in ("1", "d", "X", "C", "v", "?", ":"))


def test_the_page_of_keys_is_made_from_the_commands() -> None:
    assert PAGE.read_text(encoding="utf-8") == markdown()


def test_a_clash_ends_the_start_with_2_and_names_both(capsys: pytest.CaptureFixture[str]) -> None:
    def never() -> StartedDesk:
        raise AssertionError

    code = run_console(never, ConsoleSettings(keys={"accounts.deposit": "w"}))
    assert code == 2
    told = capsys.readouterr().err
    assert "accounts.deposit" in told
    assert "accounts.withdraw" in told


async def test_a_users_key_runs_the_command_and_stands_in_the_footer(bench: Bench) -> None:
    bench.open(1)
    app = bench.console(keys={"accounts.deposit": "g"})
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert "g deposit" in seen(app)
        await press(pilot, "d")
        assert "deposit into" not in seen(app)
        await press(pilot, "g")
        assert "deposit into" in seen(app)
        await press(pilot, "escape", "colon", *"deposit")
        assert "[g]" in seen(app)
        await press(pilot, "escape", "question_mark", *"deposit")
        assert "g          accounts   Deposit" in seen(app)
