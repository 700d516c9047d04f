"""Configuration and themes. Nothing here needs a service."""

import os
from dataclasses import fields

from chainteller.bootstrap import price_feed
from chainteller.cli.error_output import Exit, say
from chainteller.cli.options import Options, group, options, wants_json
from chainteller.cli.output import answer, document, line, table
from chainteller.domain.clock import SystemClock
from chainteller.paths import locate
from chainteller.settings.tree import shown_values
from chainteller.settings.values import SettingsInvalid, without_password


@group("config")
def config() -> None:
    """The configuration: path, show, validate. You edit the file; chainteller only reads it."""


@config.command("path", changes=False, example="config path")
def path() -> None:
    """Print where the configuration file is (or would be)."""
    found = str(locate(os.environ).config_file)
    if wants_json():
        document({"path": found})
    else:
        line(found)


@config.command("show", changes=False, example="config show --profile branch")
def show() -> None:
    """Show every setting, its value and the layer that it comes from. Secrets are masked."""
    given = options()
    settings = given.configured.settings
    rows = list(shown_values(settings))
    if given.json:
        document(
            {
                "settings": {name: {"value": value, "origin": at} for name, value, at in rows},
                "keys": dict(settings.keys),
                "profiles": {name: _profile(given, name) for name in settings.profiles},
                "place": _place(given),
            }
        )
        return
    table(
        rows,
        [
            ("SETTING", lambda row: row[0]),
            ("VALUE", lambda row: row[1]),
            ("FROM", lambda row: row[2]),
        ],
    )
    for name, keys in settings.keys.items():
        line(f"keys.{name}  {keys}")
    for name in settings.profiles:
        said = ", ".join(f"{key} {value}" for key, value in _profile(given, name).items())
        line(f"profiles.{name}  {said}")
    line(f"place  {_place(given)['kind']} {_place(given)['address']} ({_place(given)['from']})")


def _place(given: Options) -> dict[str, str]:
    place = given.configured.place()
    return {
        "kind": place.kind,
        "address": without_password(place.address),
        "from": place.chosen_by,
        "label": place.label,
        "readOnly": "on" if place.read_only else "off",
    }


def _profile(given: Options, name: str) -> dict[str, str]:
    profile = given.configured.settings.profiles[name]
    said = {each.name: getattr(profile, each.name) for each in fields(profile)}
    del said["name"]
    return {key: without_password(str(value)) for key, value in said.items() if value}


@config.command("validate", changes=False, example="config validate")
def validate() -> int:
    """Check file, environment and flags; ends with 2 and names every problem."""
    from chainteller.tui.console.command_table import clashes

    try:
        given = options()
        place = given.configured.place()
        price_feed(given.configured.settings, SystemClock())
    except SettingsInvalid as error:
        return _not_valid(error)
    if unreachable := given.configured.unusable_profiles():
        return _not_valid(SettingsInvalid(unreachable))
    if wrong := clashes(given.configured.settings.keys):
        return _not_valid(SettingsInvalid(wrong))
    if unusable := given.customer_texts().problems:
        return _not_valid(SettingsInvalid(unusable))
    file = given.configured.settings.paths.config_file
    found = str(file) if file.exists() else f"no file at {file}; the defaults apply"
    answer(
        {"ok": True, "file": str(file), "exists": file.exists()},
        f"ok: {found}; place {place.kind} {without_password(place.address)}",
    )
    return Exit.DONE


def _not_valid(error: SettingsInvalid) -> int:
    if wants_json():
        document(error.to_wire())
    say(*(f"CONFIGURATION: {problem}" for problem in error.problems))
    say(f"Next: {error.suggestion}")
    return Exit.USAGE


@group("themes")
def themes() -> None:
    """The console's themes: list, check."""


@themes.command("list", changes=False, example="themes list")
def list_themes() -> None:
    """List the themes, shipped and own."""
    from chainteller.tui.console.theme_files import load_themes

    loaded, _ = load_themes(options().configured.settings.paths.theme_folders)
    found = sorted(loaded)
    if options().json:
        document({"data": found})
    else:
        for name in found:
            line(name)


@themes.command("check", changes=False, example="themes check")
def check_themes() -> int:
    """Check contrast and colours of every theme; ends with 1 where one falls short."""
    from chainteller.tui.console.theme_files import check_themes as problems_of

    problems = problems_of(options().configured.settings.paths.theme_folders)
    if options().json:
        document({"ok": not problems, "problems": problems})
    elif not problems:
        line("every theme is readable")
    if not problems:
        return Exit.DONE
    say(*(f"THEME: {problem}" for problem in problems))
    say("Next: correct the named theme files.")
    return Exit.REFUSED


COMMANDS = (config, themes)
