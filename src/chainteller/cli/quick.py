"""Reads that are answered without click, the models and the engine.

A command line that isn't recognised here, and an answer that can't be given quickly, go the usual
way, which gives the same output.
"""

import os
import sys
from collections.abc import Sequence
from typing import NamedTuple

from chainteller.domain.actors import DEFAULT_ORGANISATION
from chainteller.domain.untrusted import printable_json
from chainteller.settings.flags import Flags
from chainteller.settings.place import configure, sqlite_path
from chainteller.settings.values import SettingsInvalid

_VALUED = frozenset({"--database", "--profile", "--limit"})
_SWITCHES = frozenset({"--json", "--read-only", "--no-color"})
_LIMIT, _MAXIMUM_LIMIT = 20, 100
_SIMULATED = "simulated"


class AccountList(NamedTuple):
    """``accounts list --json``, and how many accounts are on its page."""

    flags: Flags
    limit: int


def recognised(arguments: Sequence[str]) -> AccountList | None:
    """The list that is asked for; None where click has to parse the command line."""
    values: dict[str, str] = {}
    switches: set[str] = set()
    commands: list[str] = []
    words = list(arguments)
    while words:
        word = words.pop(0)
        name, equals, value = word.partition("=")
        if name in _VALUED and (equals or words):
            values[name] = value if equals else words.pop(0)
        elif word in _SWITCHES:
            switches.add(word)
        else:
            commands.append(word)
    limit = values.get("--limit", str(_LIMIT))
    is_limit = limit.isascii() and limit.isdecimal() and 1 <= int(limit[:4]) <= _MAXIMUM_LIMIT
    if commands != ["accounts", "list"] or "--json" not in switches or not is_limit:
        return None
    flags = Flags(
        profile=values.get("--profile"),
        database=values.get("--database"),
        url=None,
        read_only="--read-only" in switches,
    )
    return AccountList(flags, int(limit))


def answer(arguments: Sequence[str]) -> bool:
    """Print the answer to a command line; False if nothing was printed."""
    asked = recognised(arguments)
    body = None if asked is None else _body(asked)
    if body is None:
        return False
    try:
        sys.stdout.write(f"{printable_json(body)}\n")
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read our output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return True


def _body(asked: AccountList) -> str | None:
    try:
        configured = configure(asked.flags, os.environ)
        place = configured.place()
    except SettingsInvalid:
        return None
    settings = configured.settings
    is_file = not place.remote and place.address.startswith("sqlite:///")
    if settings.warnings or not is_file or settings.engine.price_feed != _SIMULATED:
        return None
    from chainteller.adapters.prices_simulated import SimulatedPrices
    from chainteller.engine.operations.file_answers import trading_accounts

    feed, file = SimulatedPrices(settings.engine.seed), sqlite_path(place.address)
    return trading_accounts(file, DEFAULT_ORGANISATION, feed, asked.limit)
