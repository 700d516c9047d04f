"""Commands of the whole console, and the table of every command."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from chainteller.tui import desk_screen, lazy
from chainteller.tui.accounts import commands as accounts
from chainteller.tui.audit import commands as audit
from chainteller.tui.commands import (
    EVERYWHERE,
    PALETTE_ONLY,
    SCREENS,
    AnyCommand,
    Command,
    always,
    unavailable_reason,
)
from chainteller.tui.console.protection import toggle_privacy, toggle_read_only
from chainteller.tui.markets import commands as markets
from chainteller.tui.quote import commands as quote
from chainteller.tui.service_calls import Later
from chainteller.tui.textual_fixes.keys import normalize_keys
from chainteller.tui.trades import commands as trades
from chainteller.tui.wallets import commands as wallets

if TYPE_CHECKING:
    from textual.screen import Screen

    from chainteller.tui.console.app import Console


def _open_event_log(console: "Console") -> None:
    console.desk.unread = console.desk.alerts = 0
    console.show_alert_count()
    console.push_screen(lazy.LogScreen(console.desk))


def _open_help(console: "Console") -> None:
    console.push_screen(lazy.HelpScreen(console.desk, console.screen))


def _hand_over(console: "Console") -> None:
    shown = partial(lazy.show_handover_note, console, console.desk, console.desk.call_began)
    console.run_worker(Later(shown), group="handover", exclusive=True)


def _begin_or_end_call(console: "Console") -> None:
    """Begin the call's timer, or end it and offer the note."""
    desk = console.desk
    if desk.call_began is None:
        desk.call_began = desk.now
        desk.notify("call began   i ends it, h makes the note", "muted")
    else:
        _hand_over(console)
        desk.call_began = None
    desk.on_connection.publish(desk.connection)


def _load_samples(console: "Console") -> None:
    console.run_worker(Later(partial(lazy.load_samples, console, console.desk)), group="samples")


def _no_samples(console: "Console") -> str:
    started = console.desk.started
    can = started is not None and started.load_samples is not None
    return "" if can else "not offered by this deployment"


_PLACES: tuple[Command["Console"], ...] = tuple(
    Command(
        f"desk.{name}",
        str(number),
        "Quote and execute" if name == "quote" else name.capitalize(),
        lambda console, name=name: console.go(name),  # type: ignore[misc]  # the name is bound
        always,
        is_global=True,
    )
    for number, name in enumerate(SCREENS, start=1)
)
CONSOLE_COMMANDS: tuple[Command["Console"], ...] = (
    *_PLACES,
    Command("desk.log", "exclamation_mark", "Event log", _open_event_log, always, is_global=True),
    Command(
        "desk.palette",
        "colon,ctrl+p",
        "Go to anything by name or id",
        lambda console: console.action_command_palette(),
        always,
        is_global=True,
    ),
    Command("desk.help", "question_mark,f1", "All keys", _open_help, always, is_global=True),
    Command(
        "desk.read_only",
        "f9",
        "Read-only on and off",
        lambda console: toggle_read_only(console, console.desk),
        always,
        is_global=True,
    ),
    Command("desk.handover", "h", "Handover note of the call", _hand_over, always, is_global=True),
    Command(
        "desk.call",
        "i",
        "The call begins or ends: its timer",
        _begin_or_end_call,
        always,
        is_global=True,
    ),
    Command(
        "palette.hide",
        "",
        "hide: names and balances masked, or shown again",
        lambda console: toggle_privacy(console, console.desk),
        always,
        is_global=True,
    ),
    Command(
        "palette.profile",
        "",
        "profile: another place, or this one again",
        lambda console: console.push_screen(lazy.ProfilesScreen(console.desk, "")),
        always,
        is_global=True,
    ),
    Command(
        "palette.requests",
        "",
        "requests: what was asked of the service",
        lambda console: console.push_screen(lazy.RequestsScreen(console.desk)),
        always,
        is_global=True,
    ),
    Command(
        "palette.info",
        "",
        "info: version, place, what it offers, paths",
        lambda console: console.push_screen(lazy.InfoScreen(console.desk)),
        always,
        is_global=True,
    ),
    Command(
        "palette.samples",
        "",
        "sample data: load it into an empty database",
        _load_samples,
        _no_samples,
        is_global=True,
    ),
)


# -- the table ----------------------------------------------------------------------------------


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


_EVERY = complete(
    (
        *_PLACES,
        *desk_screen.COMMANDS,
        *CONSOLE_COMMANDS[len(_PLACES) :],
        *accounts.COMMANDS,
        *markets.COMMANDS,
        *quote.COMMANDS,
        *trades.COMMANDS,
        *audit.COMMANDS,
        *wallets.COMMANDS,
    )
)
COMMANDS = tuple(command for command in _EVERY if command.where != PALETTE_ONLY)
"""A screen's own command hides that of every screen on the same key."""
PALETTE = tuple(command for command in _EVERY if command.where == PALETTE_ONLY)
"""Commands without a key of their own: the palette and the help run them."""
_NOBODYS: Mapping[str, str] = {"ctrl+q": "quit"}
"""Keys of no command, that none may take."""


def commands_of(screen: str) -> tuple[AnyCommand, ...]:
    """A screen's own commands, then those of every screen."""
    own = [command for command in COMMANDS if command.where == screen]
    return (*own, *(command for command in COMMANDS if command.where == EVERYWHERE))


def why_unavailable(command: AnyCommand, console: "Console", screen: "Screen[object]") -> str:
    """Why ``command`` would do nothing on ``screen`` now; empty when it works."""
    here = screen.KEY if isinstance(screen, desk_screen.DeskScreen) else ""
    if command.where not in {EVERYWHERE, PALETTE_ONLY, here}:
        return f"only on {command.where}"
    if command.is_global:
        return unavailable_reason(command, console)
    if not isinstance(screen, desk_screen.DeskScreen):
        return "only on a screen of the desk"
    return unavailable_reason(command, screen)


def clashes(keymap: Mapping[str, str], screens: Iterable[str] = (*SCREENS, "audit")) -> list[str]:
    """What is wrong with a user's keys: unknown ids, and two commands on one key of a screen.

    A key may be written as it is printed (``?``) or as Textual calls it (``question_mark``).
    """
    known = {command.id for command in COMMANDS}
    problems = [f"keys.{name}: no such command" for name in keymap if name not in known]
    keymap = {name: normalize_keys(keys) for name, keys in keymap.items()}
    for screen in screens:
        taken = dict(_NOBODYS)
        for command in commands_of(screen):
            for key in keymap.get(command.id, command.key).split(","):
                first = taken.setdefault(key, command.id)
                moved = command.id in keymap or first in keymap
                if first != command.id and moved:
                    problems.append(f"keys: {first} and {command.id} both want {key}")
    return sorted(set(problems))
