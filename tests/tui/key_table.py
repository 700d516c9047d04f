"""Writes docs/reference/keys.md from the commands: ``python -m tests.tui.key_table``."""

from collections.abc import Iterable
from pathlib import Path

from chainteller.tui.commands import EVERYWHERE, SCREENS, AnyCommand, shown_keys
from chainteller.tui.console.command_table import COMMANDS, PALETTE

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "keys.md"
README = Path(__file__).parents[2] / "README.md"
_OFTEN = {
    "desk.accounts": "Accounts",
    "desk.markets": "Markets",
    "desk.quote": "Quote",
    "desk.trades": "Trades",
    "desk.wallets": "Wallets",
    "desk.transfers": "Transfers",
    "desk.back": "close what is open",
    "desk.palette": "go to anything",
    "desk.help": "all keys",
    "desk.text": "text for the customer",
    "desk.copy": "copy",
    "desk.export": "export",
    "desk.audit": "audit trail",
    "desk.note": "note",
    "desk.handover": "handover note",
    "desk.log": "event log",
    "desk.refresh": "fetch again",
    "desk.zoom": "zoom",
    "desk.read_only": "read-only",
    "quote.market_left": "or `right` other market",
}
"""What holds everywhere and is often pressed; the words of a screen's own are the footer's."""
HEAD = """# Keys

Made from the table of commands (`tui/console/command_table.py`); a test compares. The ids are those
of `[keys]` in the configuration: `accounts.deposit = "ctrl+d"` moves a command to another key. Two
commands on one key are an error that names both when the console starts.
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


def summary() -> str:
    """The keys of each screen in a few words, for the README."""
    everywhere = [r for r in COMMANDS if r.where == EVERYWHERE and r.id in _OFTEN]
    rows = [_in_words("everywhere (a digit on an amount of Quote begins a new one)", everywhere)]
    rows += [_in_words(screen.capitalize(), _named(screen)) for screen in SCREENS]
    return "\n".join(["| where | keys |", "|---|---|", *rows, ""])


def _named(screen: str) -> list[AnyCommand]:
    return [command for command in COMMANDS if command.where == screen and command.footer]


def _in_words(where: str, commands: Iterable[AnyCommand]) -> str:
    told = (f"{_keys(row)} {_OFTEN.get(row.id) or row.footer}" for row in commands)
    return f"| {where} | {', '.join(told)} |"


def _section(title: str, commands: Iterable[AnyCommand]) -> str:
    rows = [f"| {_keys(row)} | {row.about} | `{row.id}` |" for row in commands]
    return "\n".join([f"## {title}", "", "| key | does | id |", "|---|---|---|", *rows, ""])


def _keys(command: AnyCommand) -> str:
    return " ".join(f"`{key}`" for key in shown_keys(command.key).split()) or "`:`"


if __name__ == "__main__":
    PAGE.write_text(markdown(), encoding="utf-8")
