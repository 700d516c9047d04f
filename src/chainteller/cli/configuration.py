"""Configuration, program information and themes."""

import os
import platform
from dataclasses import fields

from chainteller import __version__
from chainteller.bootstrap import price_feed, signers
from chainteller.cli.administration import existing, signing_problem
from chainteller.cli.error_output import Exit, report_error, say
from chainteller.cli.open_services import service
from chainteller.cli.options import Options, command, group, options, wants_json
from chainteller.cli.output import answer, document, line, table
from chainteller.domain.clock import SystemClock
from chainteller.paths import locate
from chainteller.service import operations as op
from chainteller.service.errors import TellerError
from chainteller.settings.place import Place
from chainteller.settings.tree import Settings, shown_values
from chainteller.settings.values import SettingsInvalid, without_password
from chainteller.sqlite import sqlite3


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


@command("info", calls=[op.CAPABILITIES], example="info --json")
def info() -> int:
    """Version, paths, the place it works on and what that offers."""
    given = options()
    settings = given.configured.settings
    place = given.configured.place()
    facts: dict[str, object] = {
        "version": __version__,
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "config": str(settings.paths.config_file),
        "data": str(settings.paths.data),
        "state": str(settings.paths.state),
        "logs": str(settings.paths.logs),
        "cache": str(settings.paths.cache),
        "themes": ", ".join(map(str, settings.paths.theme_folders)),
        "place": f"{place.kind} {without_password(place.address)} ({place.chosen_by})",
        "read-only": place.read_only,
    }
    if not place.remote:
        facts |= _signing(settings, place)
    code = Exit.DONE
    try:
        offered = _capabilities()
    except TellerError as error:
        facts["backend"] = error.code
        code = report_error(error)
    else:
        facts |= offered
    answer(facts, list(facts.items()))
    return code


def _signing(settings: Settings, place: Place) -> dict[str, object]:
    """Which keys there are for the audit log, who is asked to witness it, and when the books were
    verified."""
    return {
        **_of_database(),
        "signing keys": str(signers(settings, place).key_folder),
        "audit heads": signing_problem() or "signed",
        "witnesses": ", ".join(each.split()[0] for each in settings.audit.witnesses),
    }


def _of_database() -> dict[str, object]:
    """The provider that it's in front of, where its writer's key is, and when its books were
    verified, and what a killed drill left; what is wrong with it, or that there is none."""
    from chainteller.engine.heads.writer_key import described
    from chainteller.engine.operations.disputes import standing
    from chainteller.storage.upkeep.trial_restore import left_behind

    try:
        with existing() as found:
            named, key = found.context.provider, dict(described(found.context))
            left = left_behind(found.context.database)
            with found.context.database.read() as connection:
                known = standing(connection)
    except TellerError as error:
        return {"writer key": error.message, "books": error.message}
    disputed = "; ".join(known.disputes)
    return {
        **({"gateway in front of": named.address} if named is not None else {}),
        **key,
        "books verified": known.verified_at,
        "books verified as a whole": known.wholly_verified_at,
        "books in dispute": f"{disputed}: payouts wait" if disputed else None,
        "left by a drill": f"{left}; the next drill removes it" if left else None,
    }


def _capabilities() -> dict[str, object]:
    with service() as bank:
        found = bank.capabilities()
    return {
        "backend": f"{found.name} {found.version}".strip(),
        "simulated": list(found.simulated),
        "features": list(found.features),
        "markets": list(found.markets),
        "networks": list(found.networks),
        "currencies": [f"{each.symbol}@{each.network}" for each in found.currencies],
    }


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


COMMANDS = (config, info, themes)
