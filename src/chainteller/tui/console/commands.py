"""Commands of the whole console; the table of every command is ``command_table.py``."""

import importlib
from functools import partial
from typing import TYPE_CHECKING

from chainteller.tui.commands import (
    SCREENS,
    AnyCommand,
    Command,
    always,
)
from chainteller.tui.console.protection import toggle_privacy, toggle_read_only
from chainteller.tui.service_calls import Later
from chainteller.tui.textual_fixes.terminal_title import show_title

if TYPE_CHECKING:
    from chainteller.tui.console.shell import ConsoleShell


def _open_event_log(console: "ConsoleShell") -> None:
    from chainteller.tui.console.event_log import LogScreen

    console.desk.unread = console.desk.alerts = 0
    show_title(console, 0)
    console.push_screen(LogScreen(console.desk))


def _hand_over(console: "ConsoleShell") -> None:
    from chainteller.tui.console.handover import show_handover_note

    desk = console.desk
    shown = partial(show_handover_note, console, desk, desk.call_began, desk.case_id)
    console.run_worker(console.opening.begin(shown), group="handover", exclusive=True)


def _show_last_action(console: "ConsoleShell") -> None:
    from chainteller.tui.console.last_action import show_last_action

    shown = partial(show_last_action, console, console.desk)
    console.run_worker(console.opening.begin(shown), group="last-action", exclusive=True)


def _begin_or_end_call(console: "ConsoleShell") -> None:
    """Begin the call's timer, or end it and offer the note."""
    desk = console.desk
    if desk.call_began is None:
        desk.call_began = desk.now
        desk.notify("Call started   i ends it, h writes the handover note", "muted")
    else:
        _hand_over(console)
        desk.call_began = None
        desk.set_case("")
    desk.on_connection.publish(desk.connection)


def _open_case(console: "ConsoleShell") -> None:
    from chainteller.tui.console.case_dialog import CaseScreen

    console.push_screen(CaseScreen(console.desk))


def _no_left_customer(console: "ConsoleShell") -> str:
    return "" if console.desk.left_account_id else "no customer was selected in the last session"


def _load_samples(console: "ConsoleShell") -> None:
    from chainteller.tui.console.samples import load_samples

    console.run_worker(Later(partial(load_samples, console.desk)), group="samples")


def _show_unanswered(console: "ConsoleShell") -> None:
    from chainteller.tui.console.unanswered import show_unanswered

    shown = partial(show_unanswered, console)
    console.run_worker(console.opening.begin(shown), group="ask-unanswered", exclusive=True)


def _open_profiles(console: "ConsoleShell") -> None:
    from chainteller.tui.console.profiles import choose_profile

    choose_profile(console)


def _open_info(console: "ConsoleShell") -> None:
    from chainteller.tui.console.info import InfoScreen

    console.push_screen(InfoScreen(console.desk))


def commands_of(screen: str) -> tuple[AnyCommand, ...]:
    """The commands of one screen alone, which stand beside it."""
    module = importlib.import_module(f"chainteller.tui.{screen}.commands")
    found: tuple[AnyCommand, ...] = module.COMMANDS
    return found


PLACES: tuple[Command["ConsoleShell"], ...] = tuple(
    Command(
        f"desk.{name}",
        str(number),
        "Quote and execute" if name == "quote" else name.capitalize(),
        lambda console, name=name: console.go(name),  # type: ignore[misc]  # the name is bound
        always,
        is_global=True,
        works_at_once=True,
    )
    for number, name in enumerate(SCREENS, start=1)
)
# fmt: off
CONSOLE_COMMANDS: tuple[Command["ConsoleShell"], ...] = (
    *PLACES,
    Command("desk.log", "exclamation_mark", "Event log", _open_event_log, always, is_global=True),
    Command("desk.palette", "colon,ctrl+p", "Go to anything by name or id",
        lambda console: console.action_command_palette(), always, is_global=True),
    Command("desk.help", "question_mark,f1", "All keys",
        lambda console: console.open_help(), always, is_global=True),
    Command("desk.read_only", "f9", "Read-only on and off",
        lambda console: toggle_read_only(console, console.desk), always, is_global=True),
    Command("desk.handover", "h", "Handover note of the call", _hand_over, always, is_global=True),
    Command("desk.last_action", "L", "Last money action: customer, account, amount, outcome",
        _show_last_action, always, is_global=True),
    Command("desk.call", "i", "Start or end the call timer", _begin_or_end_call, always,
        is_global=True),
    Command("desk.case", "number_sign", "The case that everything is for, until the call ends",
        _open_case, always, is_global=True, feature="agents"),
    Command("desk.unanswered", "U", "Find out what happened to an unanswered request",
        _show_unanswered, always, is_global=True),
    Command("palette.hide", "", "hide: privacy, mask or show names and balances",
        lambda console: toggle_privacy(console, console.desk), always, is_global=True),
    Command("palette.last_customer", "", "last customer: select the customer of the last session",
        lambda console: console.find(console.desk.left_account_id), _no_left_customer,
        is_global=True),
    Command("palette.profile", "", "profile: switch to another one, or reconnect",
        _open_profiles, always,
        is_global=True),
    Command("palette.info", "", "info: version, deployment, features, paths",
        _open_info, always,
        is_global=True),
    Command("palette.samples", "", "sample data: load it into an empty database", _load_samples,
        lambda console: "" if console.desk.can_load_samples else "not offered by this deployment",
        is_global=True),
)
# fmt: on
