"""Theme files: TOML with Textual's theme fields and our variables, from folders.

A later folder's theme replaces an earlier one of the same name. A broken file is named and left
out; the console never fails to start over a colour.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from chainteller.given_files import read_text
from chainteller.tui.console.theme_check import problems_of, sorted_files

FIELDS = (
    "primary", "secondary", "accent", "foreground", "background", "surface", "panel", "success",
    "warning", "error",
)  # fmt: skip
VARIABLES = (
    "muted", "line", "cursor", "cursor-text", "up", "down", "expiring", "training",
    "production",
)  # fmt: skip
_COLOR = re.compile(r"#[0-9a-fA-F]{6}")
DEFAULT_VARIABLES: Mapping[str, str] = {
    "muted": "#94a3b3",
    "line": "#2c3846",
    "cursor": "#21476b",
    "cursor-text": "#ffffff",
    "up": "#7ddc9f",
    "down": "#ff8f85",
    "expiring": "#ffd479",
    "training": "#d3b6ff",
    "production": "#ff8f85",
}


class ThemeFile(NamedTuple):
    name: str
    dark: bool
    colors: Mapping[str, str]
    path: Path


def load_themes(folders: Sequence[Path]) -> tuple[dict[str, ThemeFile], list[str]]:
    """All themes by name, and what is wrong with the files that are left out."""
    themes: dict[str, ThemeFile] = {}
    problems: list[str] = []
    for path in sorted_files(folders):
        try:
            theme = _read(path)
        except (OSError, ValueError) as error:
            problems.append(f"{path.name}: {error}")
        else:
            themes[theme.name] = theme
    return themes, problems


def find_theme(folders: Sequence[Path], wanted: str) -> ThemeFile | None:
    """The theme of that name, without reading what cannot hold it; None where it is not found so
    quickly.
    """
    for path in reversed(sorted_files(folders)):
        try:
            if path.stem == wanted or f'"{wanted}"' in read_text(path):
                theme = _read(path)
                if theme.name == wanted:
                    return theme
        except (OSError, ValueError):
            continue
    return None


def changed_files(folders: Sequence[Path]) -> tuple[tuple[Path, int], ...]:
    """Every theme file with the moment of its last change: another answer means: read again."""
    found = []
    for path in sorted_files(folders):
        try:
            found.append((path, path.stat().st_mtime_ns))
        except OSError:
            continue
    return tuple(found)


def check_themes(paths: Sequence[Path]) -> list[str]:
    """Every problem of the theme files and folders given; an empty list means all are good."""
    themes, problems = load_themes(paths)
    if not themes and not problems:
        return ["no theme file found"]
    for theme in themes.values():
        problems += problems_of(theme.name, theme.colors)
    return problems


def _read(path: Path) -> ThemeFile:
    """Raises ValueError (also for TOML errors) that names the key."""
    data = tomllib.loads(read_text(path))
    variables = data.pop("variables", {})
    name, dark = data.pop("name", path.stem), data.pop("dark", True)
    colors = {**data, **variables}
    wanted = (*FIELDS, *VARIABLES)
    missing = [key for key in wanted if key not in colors]
    unknown = [key for key in colors if key not in wanted]
    wrong = [key for key in wanted if key in colors and not _COLOR.fullmatch(str(colors[key]))]
    if missing or unknown or wrong:
        parts = [
            f"{word} {', '.join(keys)}"
            for word, keys in (("missing", missing), ("unknown", unknown), ("no #rrggbb:", wrong))
            if keys
        ]
        raise ValueError("; ".join(parts))
    return ThemeFile(str(name), bool(dark), colors, path)
