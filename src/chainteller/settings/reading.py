"""Read settings from the file and the environment; all problems are reported together."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chainteller.domain.money import format_cents
from chainteller.given_files import read_text
from chainteller.paths import Paths, locate
from chainteller.settings.tree import (
    NAMES,
    PREFIX,
    PROFILE_NAMES,
    SECTIONS,
    Profile,
    Settings,
    sections_of,
    variable_of,
)
from chainteller.settings.values import (
    Reader,
    SettingsInvalid,
    did_you_mean,
    names,
    why_unreadable,
)

SHORT_FORMS = {
    "HOME": "the one folder that everything lives under",
    "DATABASE": "the embedded engine's database",
    "URL": "the remote deployment's address",
    "API_KEY": "the key for the remote deployment",
    "CASE": "the number of the case that changes are for, as `--case`",
    "PROFILE": "the active profile",
}
_OPEN_TABLES = ("keys.", "profiles.")
_TABLES = {*SECTIONS, "keys", "profiles"}


@dataclass(frozen=True, slots=True)
class _Raw:
    """A raw value, and where it comes from in words for an error message."""

    value: object
    origin: str


class _Reading:
    """Collects raw values and problems."""

    def __init__(self, paths: Paths) -> None:
        self.paths = paths
        self.problems: list[str] = []
        self.warnings: list[str] = []

    def read_file(self) -> dict[str, _Raw]:
        path = self.paths.config_file
        try:
            text = read_text(path)
            tree = tomllib.loads(text, parse_float=str)
        except FileNotFoundError:
            return {}
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsInvalid([f"{path}: {why_unreadable(error)}"]) from None
        except tomllib.TOMLDecodeError as error:
            raise SettingsInvalid([f"{path}: {error}"]) from None
        lines = _lines(text)
        return {name: _Raw(value, _place(path, name, lines)) for name, value in _flat(tree, "")}

    def read_environment(self, environ: Mapping[str, str]) -> dict[str, _Raw]:
        found = {}
        for variable, value in sorted(environ.items()):
            name = variable.removeprefix(PREFIX)
            if name == variable or name in SHORT_FORMS:
                continue
            dotted = name.lower().replace("__", ".")
            if dotted in NAMES or dotted.startswith("keys."):
                found[dotted] = _Raw(value, variable)
            else:
                close = did_you_mean(variable, (variable_of(each) for each in NAMES))
                self.warnings.append(f"unknown variable {variable} is ignored{close}")
        return found

    def value(self, name: str, raw: _Raw, read: Reader) -> Any:
        """Convert a raw value; on failure, record the problem and return None."""
        try:
            return read(raw.value)
        except ValueError as error:
            self.problems.append(f"{raw.origin}: {name} {error}")
            return None

    def profiles(self, file: Mapping[str, _Raw]) -> dict[str, Profile]:
        said: dict[str, dict[str, Any]] = {}
        for name, raw in file.items():
            head, _, rest = name.partition(".")
            profile, _, key = rest.rpartition(".")
            if head != "profiles" or not rest:
                continue
            if raw.value == {}:
                said.setdefault(rest, {})
                continue
            values = said.setdefault(profile, {})
            if key in PROFILE_NAMES:
                values[key] = self.value(name, raw, PROFILE_NAMES[key])
            else:
                self.unknown(name, raw, (f"profiles.{profile}.{each}" for each in PROFILE_NAMES))
        return {name: Profile(name, **values) for name, values in said.items()}

    def unknown(self, name: str, raw: _Raw, known: Iterable[str]) -> None:
        self.problems.append(f"{raw.origin}: unknown key {name}{did_you_mean(name, known)}")

    def check_names(self, file: Mapping[str, _Raw]) -> None:
        for name, raw in file.items():
            empty_table = raw.value == {} and name in _TABLES
            if not empty_table and name not in NAMES and not name.startswith(_OPEN_TABLES):
                self.unknown(name, raw, NAMES)


def load(environ: Mapping[str, str], *, profile: str | None = None) -> Settings:
    """Read the file and the environment.

    Args:
        profile: the name given with ``--profile``; its values take precedence over the file.

    Raises:
        SettingsInvalid: lists every problem with file, line and key.
    """
    reading = _Reading(locate(environ))
    file = reading.read_file()
    environment = reading.read_environment(environ)
    reading.check_names(file)
    profiles = reading.profiles(file)
    if profile is not None and profile not in profiles:
        reading.problems.append(f"no profile {profile!r}{did_you_mean(profile, profiles)}")
    overrides = _of_profile(profiles[profile]) if profile in profiles else {}
    layers = (environment, overrides, file)
    values, origins = _layered(reading, layers)
    keys = {
        name.removeprefix("keys."): str(reading.value(name, raw, _keys))
        for layer in (file, environment)
        for name, raw in layer.items()
        if name.startswith("keys.")
    }
    variables = {each.key_env for each in profiles.values()}
    warnings = tuple(w for w in reading.warnings if w.split()[2] not in variables)
    if reading.problems:
        raise SettingsInvalid(reading.problems)
    return Settings(
        paths=reading.paths,
        **_made(Settings, values),
        keys=keys,
        profiles=profiles,
        origins=origins,
        warnings=warnings,
    )


def _made(kind: type, values: Mapping[str, Mapping[str, Any]], prefix: str = "") -> dict[str, Any]:
    """The sections of the settings, or of a section."""
    return {
        name: section(**values[prefix + name], **_made(section, values, f"{prefix}{name}."))
        for name, section in sections_of(kind)
    }


def _keys(value: object) -> str:
    return ",".join(names(value))


def _of_profile(profile: Profile) -> dict[str, _Raw]:
    origin = f"profile {profile.name}"
    found = {}
    if profile.theme:
        found["desk.theme"] = _Raw(profile.theme, origin)
    if profile.confirm_above is not None:
        found["desk.confirm_above"] = _Raw(format_cents(profile.confirm_above), origin)
    return found


def _layered(
    reading: _Reading, layers: Iterable[Mapping[str, _Raw]]
) -> tuple[dict[str, dict[str, Any]], dict[str, str]]:
    values: dict[str, dict[str, Any]] = {section: {} for section in SECTIONS}
    origins: dict[str, str] = {}
    for name, read in NAMES.items():
        raw = next((layer[name] for layer in layers if name in layer), None)
        if raw is not None:
            section, _, key = name.rpartition(".")
            values[section][key] = reading.value(name, raw, read)
            origins[name] = raw.origin
    return values, origins


def _flat(tree: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, object]]:
    for key, value in tree.items():
        if isinstance(value, dict) and value:
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


_HEADER = re.compile(r"\s*\[+\s*([^\]]+?)\s*\]")
_ASSIGNMENT = re.compile(r"""\s*([\w."'\s-]+?)\s*=""")


def _lines(text: str) -> dict[str, int]:
    """Line numbers by dotted key, which ``tomllib`` doesn't provide."""
    table, found = "", dict[str, int]()
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(line):
            table = _unquoted(header[1])
            found.setdefault(table, number)
        elif assignment := _ASSIGNMENT.match(line):
            found.setdefault(f"{table}.{_unquoted(assignment[1])}".lstrip("."), number)
    return found


def _unquoted(key: str) -> str:
    return re.sub(r"[\"'\s]", "", key)


def _place(path: Path, name: str, lines: Mapping[str, int]) -> str:
    key = name
    while key and key not in lines:
        key = key.rpartition(".")[0]
    return f"{path}, line {lines[key]}" if key else str(path)
