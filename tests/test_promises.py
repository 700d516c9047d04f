"""Nothing promises that a person looks, decides or calls back unless something keeps it."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from tests.cli.all_commands import commands as cli_commands
from tests.sentences import PARTS, Sentence, sentences

from chainteller.tui.console.command_table import COMMANDS

_PROMISE = re.compile(
    r"\b(colleagues?|(our|the|another) team|get back to you|look(s|ing)? into|supervisor|persons?|"
    r"somebody|call(s|ed)? (you )?back|is (being )?reviewed|under review|"
    r"(we|I)('ll| will| can)? (check|tell|let|ask|connect|find out|have this)|"
    r"(we|I)('re| are| am) (checking|working))\b",
    re.IGNORECASE,
)
_KEEPERS = frozenset({"agent", "customer", "no_promise"})


@pytest.fixture(scope="module")
def kept() -> Mapping[str, str]:
    """Who keeps a promise, by a part of its sentence."""
    found = tomllib.loads(Path(__file__).with_name("promises.toml").read_text(encoding="utf-8"))
    return {text: keeper for keeper, each in found.items() for text in each["texts"]}


def promises() -> Iterator[Sentence]:
    for part in PARTS:
        if part != "documentation":
            yield from (each for each in sentences(part) if _PROMISE.search(each.text))


def test_every_promise_has_somebody_or_something_that_keeps_it_and_is_still_made(
    kept: Mapping[str, str],
) -> None:
    found = list(promises())
    assert len(found) > 30
    broken = [each for each in found if not any(text in each.text for text in kept)]
    assert not broken, "write who keeps it into promises.toml, or what really happens"
    made = [each.text for each in found]
    assert not [text for text in kept if not any(text in each for each in made)]


def test_what_keeps_a_promise_exists(kept: Mapping[str, str]) -> None:
    typed = {path.removeprefix("chainteller ") for path in cli_commands()}
    commands = {command.id for command in COMMANDS} | typed
    assert set(kept.values()) - _KEEPERS <= commands
