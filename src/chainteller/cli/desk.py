"""Opening the console. Nothing here imports click, pydantic or the engine before the first frame:
the engine is built by ``start`` in the console's own thread.
"""

import gc
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from chainteller.cli.complaints import Exit, PartMissing, complain, say
from chainteller.paths import Paths, locate, shipped
from chainteller.service.errors import TellerError
from chainteller.settings.place import Configured, Flags, Place, configure, sqlite_path
from chainteller.settings.tree import DeskSettings, Settings
from chainteller.settings.values import without_password

if TYPE_CHECKING:
    from collections.abc import Iterator

    from chainteller.tui.start import DeskLook, Glimpse, ProfileRow, Reopen, Start, StartedDesk

DEMO_SEED = "42"
_VALUED = {"--profile", "--database", "--url", "--seed"}
_SWITCHES = {"--read-only", "--no-color", "--tour"}
_ONLY_DEMO = {"--seed", "--tour"}


@dataclass(frozen=True, slots=True)
class Console:
    """A command line that asks for the console and nothing that needs click's judgement."""

    flags: Flags
    demo: bool = False
    tour: bool = False
    seed: str = DEMO_SEED


def recognised(arguments: Sequence[str]) -> Console | None:
    """The console asked for, or None for click to judge."""
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
    if not demo and (switches | values.keys()) & _ONLY_DEMO:
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
    """Open the console that was recognised; a complaint where that cannot be.

    Loading modules makes little garbage and many objects: collecting waits until all is loaded.
    """
    gc.disable()
    os.environ.setdefault("TEXTUAL_FPS", "240")
    try:
        if console.demo:
            return open_demo(console.seed, tour=console.tour)
        configured = configure(console.flags, os.environ)
        say(*(f"warning: {warning}" for warning in configured.settings.warnings))
        return open_console(configured)
    except TellerError as error:
        return complain(error)
    except ModuleNotFoundError as error:
        return complain(PartMissing.of(error))
    except KeyboardInterrupt:
        say("interrupted")
        return Exit.INTERRUPTED


def open_console(configured: Configured) -> int:
    """The console on the configured place.

    Raises:
        SettingsInvalid: the place cannot be told.
    """
    start, look = _opening(configured)
    return _console(start, look, partial(_reopen, configured))


def _opening(configured: Configured) -> "tuple[Start, DeskLook]":
    place = configured.place()

    def start() -> "StartedDesk":
        from chainteller.bootstrap import start_desk

        return start_desk(configured, place)

    look = _look(configured.settings, place)
    if place.address.startswith("sqlite:///"):
        look = replace(look, glimpse=partial(_glimpse, sqlite_path(place.address)))
    return start, replace(look, profiles=tuple(_profiles(configured)))


def _glimpse(file: Path, rows: int) -> "Glimpse | None":
    from chainteller.storage.first_page import first_accounts

    return first_accounts(file, rows)


def _reopen(before: Configured, profile: str) -> "tuple[Start, DeskLook]":
    """What another profile opens; the flags that named a place no longer hold."""
    flags = Flags(profile=profile, read_only=before.flags.read_only)
    return _opening(configure(flags, before.environ))


def _profiles(configured: Configured) -> "Iterator[ProfileRow]":
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


def open_demo(seed: str, *, tour: bool) -> int:
    """The console on a throw-away database. No configuration is read and nothing is left behind
    but a cache.
    """
    from chainteller.cli.throwaway import Throwaway

    settings = Settings(locate(os.environ), desk=DeskSettings(operator="demo"))
    with Throwaway() as folder:
        place = folder.place()

        def start() -> "StartedDesk":
            from chainteller.bootstrap import start_demo

            return start_demo(settings, place, seed)

        look = _look(settings, place, kind="DEMO")
        return _tour(start, look) if tour else _console(start, look)


def training_look(paths: Paths) -> "DeskLook":
    """How the desk looks in training; nothing that is configured takes part."""
    settings = Settings(paths, desk=DeskSettings(operator="trainee"))
    return _look(settings, Place(remote=False, address="", label="", chosen_by="training"))


def _tour(start: "Start", look: "DeskLook") -> int:
    from chainteller.tui.tour import read_tour, run_tour

    return run_tour(start, look, read_tour(shipped("sample_data") / "tour.toml"))


def _console(start: "Start", look: "DeskLook", reopen: "Reopen | None" = None) -> int:
    from chainteller.tui.app import run_console

    return run_console(start, look, reopen)


def _look(settings: Settings, place: Place, *, kind: str = "") -> "DeskLook":
    from chainteller.tui.start import DeskLook

    desk = settings.desk
    look = DeskLook(
        kind=kind or place.kind.upper(),
        label=place.label,
        operator=desk.operator_name,
        bank_name=settings.service.bank_name,
        theme_folders=_theme_folders(settings.paths),
        poll_interval_s=desk.poll_interval_s,
        confirm_above_cents=desk.confirm_above,
        read_only=place.read_only,
        keys=settings.keys,
        customer_texts=shipped("sample_data") / "customer_texts.toml",
        crash_folder=settings.paths.logs,
        base_url=place.address if place.remote else "http://127.0.0.1:8080",
        profile=place.profile.name if place.profile else "",
    )
    return replace(look, theme=desk.theme) if desk.theme else look


def _theme_folders(paths: Paths) -> tuple[Path, ...]:
    return (shipped("themes"), paths.themes)
