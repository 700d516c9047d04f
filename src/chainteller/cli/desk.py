"""Opening the console. Nothing here imports click, pydantic or the engine before the first frame:
the engine is built by ``start`` in the console's own thread.
"""

import os
import sys
from collections.abc import Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from chainteller import garbage
from chainteller.cli.telemetry import CONSOLE, telemetry_of
from chainteller.paths import Paths, locate, shipped
from chainteller.service.errors import TellerError
from chainteller.settings.flags import Flags

if TYPE_CHECKING:
    from collections.abc import Iterator

    from chainteller.remote.signed_in import SignIn
    from chainteller.settings.place import Configured, Place
    from chainteller.settings.tree import Settings
    from chainteller.tui.start import (
        ConsoleSettings,
        Glimpse,
        ProfileRow,
        Reopen,
        SignInAtDesk,
        Start,
        StartedDesk,
    )

DEMO_SEED = "42"
DEMO_AGENTS = ("demo", "s.iyer")
"""Who works at the demo's bank, which wants two persons for large withdrawals: the same human plays
both, one after the other."""
_VALUED = {"--profile", "--database", "--url", "--seed"}
_SWITCHES = {"--read-only", "--no-color", "--tour"}
_ONLY_DEMO = {"--seed", "--tour"}
_NOT_DEMO = {"--profile", "--database", "--url"}


class Console(NamedTuple):
    """A command line that opens the console and needs no parsing by click."""

    flags: Flags
    demo: bool = False
    tour: bool = False
    seed: str = DEMO_SEED


def recognised(arguments: Sequence[str]) -> Console | None:
    """The console that was requested, or None where click has to parse the command line."""
    values: dict[str, str] = {}
    switches: set[str] = set()
    commands: list[str] = []
    words = list(arguments)
    while words:
        word = words.pop(0)
        name, equals, value = word.partition("=")
        if name in _VALUED:
            if not equals and not words:
                return None
            values[name] = value if equals else words.pop(0)
        elif word in _SWITCHES:
            switches.add(word)
        else:
            commands.append(word)
    demo = commands == ["demo"]
    if not (demo or commands in ([], ["desk"])):
        return None
    if (switches | values.keys()) & (_NOT_DEMO if demo else _ONLY_DEMO):
        return None
    if "--no-color" in switches:
        os.environ["NO_COLOR"] = "1"
    return Console(
        flags=Flags(
            profile=values.get("--profile"),
            database=values.get("--database"),
            url=values.get("--url"),
            read_only="--read-only" in switches,
        ),
        demo=demo,
        tour="--tour" in switches,
        seed=values.get("--seed", DEMO_SEED),
    )


def run(console: Console) -> int:
    """Open the console that was recognised; a complaint where that cannot be."""
    garbage.pause()  # the console resumes it when all is loaded
    os.environ.setdefault("TEXTUAL_FPS", "240")
    try:
        if console.demo:
            return open_demo(console.seed, tour=console.tour, read_only=console.flags.read_only)
        return _open_configured(console.flags)
    except TellerError as error:
        from chainteller.cli.error_output import report_error

        return report_error(error)
    except KeyboardInterrupt:
        from chainteller.cli.error_output import Exit, say

        say("interrupted")
        return Exit.INTERRUPTED


def _open_configured(flags: Flags) -> int:
    from chainteller.settings.place import configure

    configured = configure(flags, os.environ)
    if configured.settings.warnings:
        from chainteller.cli.error_output import say

        say(*(f"warning: {warning}" for warning in configured.settings.warnings))
    return open_console(configured)


def open_console(configured: "Configured") -> int:
    """The console on the configured place. Raises SettingsInvalid: the place cannot be told."""
    require_terminal()
    start, look = _opening(configured)
    return _console(start, look, partial(_reopen, configured))


def _opening(configured: "Configured") -> "tuple[Start, ConsoleSettings]":
    from chainteller.settings.place import sqlite_path

    place, telemetry = configured.place(), telemetry_of(configured, CONSOLE)

    def start() -> "StartedDesk":
        from chainteller.bootstrap import start_desk

        return start_desk(configured, place, telemetry)

    look = _look(configured.settings, place)
    if place.address.startswith("sqlite:///"):
        look = look._replace(glimpse=partial(_glimpse, sqlite_path(place.address)))
    if place.signs_in:
        look = look._replace(sign_in=_sign_in(configured, place))
    return start, look._replace(profiles=tuple(_profiles(configured)))


def _sign_in(configured: "Configured", place: "Place") -> "SignInAtDesk":
    from chainteller.tui.start import SignInAtDesk

    def opened() -> "SignIn":
        from chainteller.sign_ins import sign_in_of

        return sign_in_of(configured.settings.paths, place)

    def fetch_name() -> str:
        from chainteller.bootstrap import fetch_capabilities

        return fetch_capabilities(configured.settings, place).actor

    return SignInAtDesk(opened, fetch_name)


def _glimpse(file: Path, rows: int) -> "Glimpse | None":
    from chainteller.storage.queries.first_page import first_accounts

    return first_accounts(file, rows)


def _reopen(before: "Configured", profile: str) -> "tuple[Start, ConsoleSettings]":
    """The place of another profile; flags that selected a place are ignored."""
    from chainteller.settings.place import configure

    flags = Flags(profile=profile, read_only=before.flags.read_only)
    return _opening(configure(flags, before.environ))


def _profiles(configured: "Configured") -> "Iterator[ProfileRow]":
    from chainteller.settings.values import without_password
    from chainteller.tui.start import ProfileRow

    default = configured.settings.paths.database
    for name, profile in configured.settings.profiles.items():
        address = profile.url if profile.is_remote else profile.database or f"sqlite:///{default}"
        yield ProfileRow(
            name=name,
            kind="remote" if profile.is_remote else "embedded",
            address=without_password(address),
            read_only=profile.read_only,
            label=profile.label,
        )


def open_demo(seed: str, *, tour: bool, read_only: bool = False) -> int:
    """The console on a throw-away database. No configuration is read and nothing is left behind
    but a cache.
    """
    from chainteller.cli.temporary_database import TemporaryDatabase

    require_terminal()
    paths = locate(os.environ)
    with TemporaryDatabase() as folder:
        openings = count()

        def open_for(agent: str) -> "tuple[Start, ConsoleSettings]":
            number = next(openings)

            def start() -> "StartedDesk":
                from chainteller.bootstrap import start_demo

                return start_demo(paths, folder.place(_demo_label(agent)), seed, agent, number)

            look = demo_look(paths, agent)._replace(read_only=read_only)
            if number:
                return start, look._replace(glimpse=partial(_glimpse, folder.database))
            return start, look._replace(glimpse=partial(glimpse_of_demo, paths, seed))

        start, look = open_for(DEMO_AGENTS[0])
        return _tour(start, look) if tour else _console(start, look, open_for)


def glimpse_of_demo(paths: Paths, seed: str, rows: int) -> "Glimpse | None":
    """The first accounts of the kept sample world, as of the last midnight."""
    from chainteller.storage.queries.first_page import first_accounts
    from chainteller.storage.upkeep.worlds import sample_world

    return first_accounts(sample_world(paths, seed), rows)


def demo_look(paths: Paths, agent: str = DEMO_AGENTS[0]) -> "ConsoleSettings":
    """Console settings for an agent of the demo; the configuration isn't used."""
    from chainteller.tui.start import DEMO_PROFILE, ProfileRow

    agents = tuple(
        ProfileRow(each, DEMO_PROFILE, "an agent of the demo's bank, played by you")
        for each in DEMO_AGENTS
    )
    look = _bare_look(paths, "DEMO", agent)
    return look._replace(label=_demo_label(agent), profile=agent, profiles=agents)


def _demo_label(agent: str) -> str:
    """What the top bar says of the place: who is played, beside the one who began."""
    return "sample data" if agent == DEMO_AGENTS[0] else f"you play {agent}"


def training_look(paths: Paths) -> "ConsoleSettings":
    """Console settings for training; the configuration isn't used."""
    return _bare_look(paths, "TRAINING", "trainee")


def _bare_look(paths: Paths, kind: str, operator: str) -> "ConsoleSettings":
    """Console settings without a configuration; the defaults equal those of the settings."""
    from chainteller.tui.start import ConsoleSettings

    return ConsoleSettings(
        kind=kind,
        operator=operator,
        theme_folders=paths.theme_folders,
        customer_texts=shipped("sample_data") / "customer_texts.toml",
        glossary=shipped("sample_data") / "glossary.toml",
        crash_folder=paths.logs,
    )


def _tour(start: "Start", look: "ConsoleSettings") -> int:
    from chainteller.tui.console.tour import read_tour, run_tour

    return run_tour(start, look, read_tour(shipped("sample_data") / "tour.toml"))


def require_terminal() -> None:
    """Raises Usage where there is no terminal to read keys from and to draw on."""
    if all(stream is not None and stream.isatty() for stream in (sys.__stdin__, sys.__stderr__)):
        return
    from chainteller.cli.error_output import Usage

    raise Usage(
        "The console needs a terminal, and there is none.",
        "Start it in a terminal, or read line by line: chainteller desk --plain",
    )


def _console(start: "Start", look: "ConsoleSettings", reopen: "Reopen | None" = None) -> int:
    from chainteller.tui.console.app import run_console

    return run_console(start, look, reopen)


def _look(settings: "Settings", place: "Place") -> "ConsoleSettings":
    desk = settings.desk
    look = _bare_look(settings.paths, place.kind.upper(), desk.operator_name)._replace(
        label=place.label,
        bank_name=settings.service.bank_name,
        own_customer_texts=settings.paths.customer_texts,
        poll_interval_s=desk.poll_interval_s,
        confirm_above_cents=desk.confirm_above,
        read_only=place.read_only,
        keys=settings.keys,
        profile=place.profile.name if place.profile else "",
        audit_key=place.profile.audit_key if place.profile else "",
    )
    return look._replace(theme=desk.theme) if desk.theme else look
