"""The table of every command: what the help, the palette and a user's keys are checked against."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from chainteller.tui import desk_screen
from chainteller.tui.commands import (
    EVERYWHERE,
    PALETTE_ONLY,
    SCREENS,
    AnyCommand,
    unavailable_reason,
)
from chainteller.tui.console import commands
from chainteller.tui.console.commands import CONSOLE_COMMANDS, PLACES
from chainteller.tui.textual_fixes.keys import normalize_keys

if TYPE_CHECKING:
    from textual.screen import Screen

    from chainteller.tui.console.shell import ConsoleShell


def complete(commands: Iterable[AnyCommand]) -> tuple[AnyCommand, ...]:
    """All of ``commands``.

    Raises:
        ValueError: one of them does not say when it is unavailable.
    """
    every = tuple(commands)
    for command in every:
        if command.unavailable is None:
            raise ValueError(
                f"the command {command.id} does not say why it is unavailable: give `unavailable` "
                "a function that returns the reason, or `always` if it works in any state"
            )
    return every


_WITH_COMMANDS = (*SCREENS, "audit", "customers")
_EVERY = complete(
    (
        *PLACES,
        *desk_screen.COMMANDS,
        *CONSOLE_COMMANDS[len(PLACES) :],
        *(command for name in _WITH_COMMANDS for command in commands.commands_of(name)),
    )
)
COMMANDS = tuple(command for command in _EVERY if command.where != PALETTE_ONLY)
"""A screen's own command hides that of every screen on the same key."""
PALETTE = tuple(command for command in _EVERY if command.where == PALETTE_ONLY)
"""Commands without a key of their own: the palette and the help run them."""
_NOBODYS: Mapping[str, str] = {"ctrl+q": "quit", "ctrl+z": "suspend"}
"""Keys of no command, that none may take."""


def commands_of(screen: str) -> tuple[AnyCommand, ...]:
    """A screen's own commands, then those of every screen."""
    own = [command for command in COMMANDS if command.where == screen]
    return (*own, *(command for command in COMMANDS if command.where == EVERYWHERE))


def why_unavailable(command: AnyCommand, console: "ConsoleShell", screen: "Screen[object]") -> str:
    """Why ``command`` would do nothing on ``screen`` now; empty when it works."""
    here = screen.KEY if isinstance(screen, desk_screen.DeskScreen) else ""
    if command.where not in {EVERYWHERE, PALETTE_ONLY, here}:
        return f"only on {command.where}"
    if command.is_global:
        return unavailable_reason(command, console)
    if not isinstance(screen, desk_screen.DeskScreen):
        return "only on one of the main screens"
    return unavailable_reason(command, screen)


def refuse(command: AnyCommand, console: "ConsoleShell", screen: "Screen[object]") -> bool:
    """Say why ``command`` does nothing on ``screen`` now; False when it works."""
    reason = why_unavailable(command, console, screen)
    if reason:
        said = command.key_in(console.desk.settings.keys) if command.key else command.name
        console.desk.notify(f"{said}: {reason}", "muted")
    return bool(reason)


def clashes(keymap: Mapping[str, str]) -> list[str]:
    """What is wrong with a user's keys: unknown ids, and two commands on one key of a screen.

    A key may be written as it is printed (``?``) or as Textual calls it (``question_mark``).
    """
    known = {command.id for command in COMMANDS}
    problems = [f"keys.{name}: no such command" for name in keymap if name not in known]
    keymap = {name: normalize_keys(keys) for name, keys in keymap.items()}
    for screen in _WITH_COMMANDS:
        taken = dict(_NOBODYS)
        for command in commands_of(screen):
            for key in keymap.get(command.id, command.key).split(","):
                first = taken.setdefault(key, command.id)
                moved = command.id in keymap or first in keymap
                if first != command.id and moved:
                    problems.append(f"keys: {first} and {command.id} both want {key}")
    return sorted(set(problems))
