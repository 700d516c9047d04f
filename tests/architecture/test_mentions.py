"""What the documentation mentions exists: links, pictures, headings, files, commands, names."""

import re
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import click
import pytest
from tests.cli.all_commands import loaded_program

from chainteller.conformance.specification import CHECKS
from chainteller.domain.event_types import EVENT_TYPES
from chainteller.service import error_codes, errors
from chainteller.service.interface import Service
from chainteller.settings.tree import NAMES
from chainteller.tui.console.command_table import COMMANDS, PALETTE

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
_CODE = re.compile(r"^```.*?^```|`[^`\n]+`", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_FILE = re.compile(
    r"`((?:src|tests|docs|themes|sample_data|benchmarks|requirements)/[\w./-]+|[\w/]+\.py)`"
)
_COMMAND = re.compile(
    r"(?:^|`|/bin/|\| )chainteller((?: --?[a-z][\w-]*)*)((?: [a-z][a-z-]*)+)", re.MULTILINE
)
_TEST = re.compile(r"`(?:([\w/]+\.py))?::(test_\w+)")
_NAME = re.compile(r"`((?:engine|service|desk|accounts|quote|trades|wallets)\.[a-z_0-9.]+)`")


@cache
def _text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def _headings(page: Path) -> set[str]:
    """Anchors as GitHub makes them."""
    titles = re.findall(r"^#+ (.+)$", _text(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_and_picture_leads_somewhere(page: Path) -> None:
    for target in _LINK.findall(_CODE.sub("", _text(page))):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        aim = page.parent / unquote(name) if name else page
        assert aim.exists(), target
        if anchor:
            assert anchor in _headings(aim), target


@cache
def _sources() -> tuple[str, ...]:
    """Every module of ours and every test, by its path from the top."""
    files = (each for top in ("src", "tests") for each in (ROOT / top).rglob("*.py"))
    return tuple(f"/{each.relative_to(ROOT)}" for each in files)


@cache
def _tests() -> frozenset[str]:
    found = (re.findall(r"def (test_\w+)", _text(ROOT / each[1:])) for each in _sources())
    return frozenset(name for names in found for name in names)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_file_that_is_named_exists(page: Path) -> None:
    for name in _FILE.findall(_text(page)):
        known = any(each.endswith(f"/{name}") for each in _sources())
        assert known or (ROOT / name).exists(), name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_test_that_is_named_exists(page: Path) -> None:
    for file, name in _TEST.findall(_text(page)):
        assert name in _tests(), name
        assert not file or any(each.endswith(f"/{file}") for each in _sources()), file


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_that_is_named_exists(page: Path) -> None:
    for code in _CODE.findall(_text(page)):
        for _, words in _COMMAND.findall(code):
            group: click.Command = loaded_program()
            for word in words.split():
                if not isinstance(group, click.Group):
                    break
                assert word in group.commands, f"chainteller{words}"
                group = group.commands[word]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_setting_and_command_id_that_is_named_exists(page: Path) -> None:
    known = {*NAMES, *(each.id for each in (*COMMANDS, *PALETTE))}
    known |= {f"service.{method}" for method in dir(Service)}
    known |= {check.id for check in CHECKS} | EVENT_TYPES
    for name in _NAME.findall(_text(page)):
        if not name.endswith(".py"):
            assert name in known, name


def _codes(kind: type[errors.TellerError]) -> set[str]:
    return {kind.code, *(code for child in kind.__subclasses__() for code in _codes(child))}


def test_every_error_in_the_table_exists() -> None:
    known = {*error_codes.ERRORS, *_codes(errors.ClientError)}
    listed = re.findall(
        r"^\| `([A-Z_]+)` \|", _text(ROOT / "docs" / "reference" / "errors.md"), re.MULTILINE
    )
    own = {"USAGE", "CONFIGURATION", "OUTPUT_LOST", "CRASHED", "SCENARIO"}
    assert set(listed) - own <= known


def test_the_index_lists_every_page() -> None:
    index = ROOT / "docs" / "README.md"
    listed = {(index.parent / unquote(each)).resolve() for each in _LINK.findall(_text(index))}
    assert {page for page in PAGES if page not in {index, ROOT / "README.md"}} <= listed


def test_the_readme_leads_to_every_page_for_people() -> None:
    readme = ROOT / "README.md"
    listed = {(ROOT / unquote(each)).resolve() for each in _LINK.findall(_text(readme))}
    pages = {page for page in PAGES if "development" not in page.parts} - {readme}
    assert pages <= listed
