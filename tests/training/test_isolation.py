"""Nothing of training is loaded outside it, no fault can be switched on, no real bank reached."""

import ast
from dataclasses import fields
from functools import cache
from pathlib import Path

import pytest
from tests.cli.program import chainteller, in_this_process, python
from tests.training.worlds import POLICY, SEED
from tests.world.samples import keep_training_base

from chainteller.settings.tree import Settings
from chainteller.training_world import NotEmpty, ThrowawayWorld

SOURCE = Path(__file__).parents[2] / "src" / "chainteller"
INSIDE = ("training/", "tui/training/", "cli/training.py", "training_world.py")
EVERYTHING_ELSE = """
import importlib, sys
for name in {names!r}:
    importlib.import_module(name)
print(*[name for name in sys.modules if name.startswith("chainteller.") and "training" in name])
print("DONE")
"""


def test_every_other_module_can_be_loaded_without_any_of_training() -> None:
    files = [str(file.relative_to(SOURCE)) for file in SOURCE.rglob("*.py")]
    modules = sorted(
        f"chainteller.{file.removesuffix('.py').replace('/', '.')}".removesuffix(".__init__")
        for file in files
        if not file.startswith((*INSIDE, "storage/migrations", "__main__"))
    )
    assert len(modules) > 100
    ended = python(EVERYTHING_ELSE.format(names=modules))
    assert ended.code == 0, ended.err
    shown = ended.out.splitlines()
    assert shown[-1] == "DONE"
    assert shown[-2].split() == []


def test_a_console_a_demo_and_a_server_load_none_of_it() -> None:
    ended = python(
        "import sys\n"
        "import chainteller.bootstrap, chainteller.tui.console.app\n"
        "import chainteller.tui.console.start_up, chainteller.tui.console.tour\n"
        "import chainteller.api.app, chainteller.cli.desk\n"
        "print([name for name in sys.modules if 'chainteller.training' in name])\n"
    )
    assert ended.out.strip() == "[]", ended.err


@cache
def _imports(file: Path) -> set[str]:
    names: set[str] = set()
    text = file.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)) if "training" in text else ():
        if isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
        elif isinstance(node, ast.Import):
            names |= {each.name for each in node.names}
    return names


def test_only_training_and_what_opens_it_name_it() -> None:
    openers = {"bootstrap.py"}
    for file in SOURCE.rglob("*.py"):
        name = str(file.relative_to(SOURCE))
        if not name.startswith(INSIDE):
            named = {each for each in _imports(file) if "chainteller.training" in each}
            assert not named or name in openers, (name, named)


def test_faults_are_built_by_the_session_alone() -> None:
    builders = {
        str(file.relative_to(SOURCE))
        for file in SOURCE.rglob("*.py")
        if "chainteller.training.faults" in _imports(file)
    }
    assert builders == {"training/session.py", "training/progress.py"}


def test_no_setting_speaks_of_faults() -> None:
    names = {each.name for each in fields(Settings)}
    for section in fields(Settings):
        kind = section.type
        if isinstance(kind, type) and hasattr(kind, "__dataclass_fields__"):
            names |= {each.name for each in fields(kind)}
    assert names
    assert not [each for each in names if "fault" in each or "training" in each]


@pytest.mark.parametrize(
    "place",
    [
        ["--url", "http://127.0.0.1:9"],
        ["--database", "sqlite:///real.db"],
        ["--profile", "branch"],
    ],
)
def test_training_refuses_every_place(place: list[str]) -> None:
    ended = in_this_process("train", "first-steps", *place)
    assert ended.code == 2
    assert place[0] in ended.err


def test_training_ignores_a_configured_place(tmp_path: Path, home: Path, base: Path) -> None:
    keep_training_base(home, base)
    steps = tmp_path / "steps.txt"
    steps.write_text("wait 1s\n", encoding="utf-8")
    ended = chainteller(
        "train",
        "first-steps",
        "--steps",
        str(steps),
        CHAINTELLER_URL="http://127.0.0.1:9",
        CHAINTELLER_DATABASE="x",
    )
    assert ended.code == 1, ended.err
    assert "SCORE" in ended.out


def test_its_bank_is_never_one_that_exists(tmp_path: Path, base: Path) -> None:
    (tmp_path / "bank.db").write_bytes(b"")
    with pytest.raises(NotEmpty):
        ThrowawayWorld(tmp_path, SEED, base, POLICY)
