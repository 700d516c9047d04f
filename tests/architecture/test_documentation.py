"""What is not documented does not exist: every command, setting and error code is in docs/."""

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from tests.cli.all_commands import loaded_program

from chainteller.cli.error_output import Exit
from chainteller.domain.simulated import SIMULATED
from chainteller.service import error_codes, errors
from chainteller.settings.reading import SHORT_FORMS, load
from chainteller.settings.tree import NAMES, PROFILE_NAMES, shown_values

ROOT = Path(__file__).parents[2]
DOCUMENTS = "\n".join(
    file.read_text(encoding="utf-8") for file in sorted((ROOT / "docs").rglob("*.md"))
)
README = (ROOT / "README.md").read_text(encoding="utf-8")


def _commands(group: click.Group, path: str) -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from _commands(command, f"{path} {name}")
        else:
            yield f"{path} {name}", command


COMMANDS = dict(_commands(loaded_program(), "chainteller"))


@pytest.mark.parametrize("path", COMMANDS)
def test_every_command_is_documented_and_shows_an_example(path: str) -> None:
    assert f"`{path}" in DOCUMENTS
    assert path in (COMMANDS[path].epilog or "")


@pytest.mark.parametrize("path", COMMANDS)
def test_every_option_says_what_it_does(path: str) -> None:
    silent = [
        parameter.name
        for parameter in COMMANDS[path].params
        if isinstance(parameter, click.Option) and not parameter.help
    ]
    assert silent == []


@pytest.mark.parametrize("name", NAMES)
def test_every_setting_is_documented(name: str) -> None:
    assert f"`{name}`" in DOCUMENTS


def test_the_documented_defaults_are_the_real_ones(home: Path) -> None:
    sections = "engine|service|gateway|ports|sign_in|wallets|audit|desk"
    row = rf"^\| `((?:{sections})(?:\.\w+)+)` \| ([^|]+?) \|"
    rows = dict(re.findall(row, DOCUMENTS, re.MULTILINE))
    assert set(rows) == {name for name in NAMES if not name.startswith("service.limits.")}
    words = {"": {"none", "the system's user", "the console's own"}}
    for name, value, _ in shown_values(load({"CHAINTELLER_HOME": str(home)})):
        if name in rows:
            assert rows[name].strip("`") in words.get(value, {value}), name


@pytest.mark.parametrize("name", [*PROFILE_NAMES, *(f"CHAINTELLER_{each}" for each in SHORT_FORMS)])
def test_every_profile_key_and_short_form_is_documented(name: str) -> None:
    assert f"`{name}`" in DOCUMENTS


def _client_errors() -> list[str]:
    return [kind.code for kind in errors.ClientError.__subclasses__()]


@pytest.mark.parametrize("code", [*error_codes.ERRORS, *_client_errors()])
def test_every_error_code_is_documented(code: str) -> None:
    assert f"`{code}`" in DOCUMENTS


@pytest.mark.parametrize("page", ["errors.md", "http_api.md"])
def test_the_documented_next_steps_are_the_real_ones(page: str) -> None:
    text = (ROOT / "docs" / "reference" / page).read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([A-Z_]+)` \| (\d{3}) \| (.*?) \|$", text, re.MULTILINE)
    real = {(code, str(kind.status), kind.next_step) for code, kind in error_codes.ERRORS.items()}
    assert set(rows) == real
    assert all(step for _, _, step in rows)


@pytest.mark.parametrize("code", list(Exit))
def test_every_exit_code_is_documented(code: Exit) -> None:
    assert re.search(rf"^\| {code.value} \|", DOCUMENTS, re.MULTILINE)


def test_the_readme_starts_with_two_lines_that_can_be_pasted() -> None:
    fenced = re.findall(r"^```\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    lines = [line for block in fenced for line in block.splitlines() if "-m venv" in line]
    assert len(lines) >= 2
    for line in lines[:2]:
        assert "&&" in line
        assert not line.endswith("\\")
        assert line[0] not in "$>%#"
        assert "--require-hashes" in line
    assert lines[0].endswith("chainteller demo")
    assert lines[1].endswith("-m pytest -q -n 4")


def test_the_operators_guide_says_what_is_simulated() -> None:
    guide = (ROOT / "docs" / "how-to" / "operating.md").read_text(encoding="utf-8")
    assert all(f"| {part} | {meaning} |" in guide for part, meaning in SIMULATED.items())
