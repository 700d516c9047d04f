"""The page ``docs/keys.md``, made of the commands: ``python -m tests.tui.key_table`` writes it."""

from collections.abc import Iterable
from pathlib import Path

from chainteller.tui.keys import COMMANDS, EVERYWHERE, PALETTE, SCREENS, Command, shown_keys

PAGE = Path(__file__).parents[2] / "docs" / "keys.md"
HEAD = """# Keys

Made from the table of commands (`tui/keys.py`); a test compares. The ids are those of `[keys]` in
the configuration: `accounts.deposit = "ctrl+d"` moves a command to another key. Two commands on
one key are an error that names both when the console starts.
"""


def markdown() -> str:
    """Every command by the screen it works on."""
    parts = [HEAD, _section("Everywhere", (row for row in COMMANDS if row.where == EVERYWHERE))]
    places = dict.fromkeys((*SCREENS, *(row.where for row in COMMANDS)))
    for place in places:
        if place != EVERYWHERE:
            own = (row for row in COMMANDS if row.where == place)
            parts.append(_section(place.capitalize(), own))
    parts.append(_section("By name only, after `:`", PALETTE))
    return "\n".join(parts)


def _section(title: str, commands: Iterable[Command]) -> str:
    rows = [f"| {_keys(row)} | {row.about} | `{row.id}` |" for row in commands]
    return "\n".join([f"## {title}", "", "| key | does | id |", "|---|---|---|", *rows, ""])


def _keys(command: Command) -> str:
    return " ".join(f"`{key}`" for key in shown_keys(command.key).split()) or "`:`"


if __name__ == "__main__":
    PAGE.write_text(markdown(), encoding="utf-8")
