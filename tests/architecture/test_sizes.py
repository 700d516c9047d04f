"""Small functions, in the tests, too; files are as long as their idea."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
MAXIMUM_FUNCTION = 60


def _sources() -> Iterator[Path]:
    for folder in ("src", "tests", "benchmarks"):
        yield from (file for file in (ROOT / folder).rglob("*.py") if "versions" not in file.parts)


def test_no_function_is_too_long() -> None:
    long = []
    for file in _sources():
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                start = node.body[0].lineno if ast.get_docstring(node) is None else node.lineno
                length = (node.end_lineno or start) - start + 1
                if length > MAXIMUM_FUNCTION:
                    long.append(f"{file.relative_to(ROOT)}:{node.lineno} {node.name} {length}")
    assert not long


def test_the_app_is_wiring() -> None:
    app = ROOT / "src" / "chainteller" / "tui" / "app.py"
    assert not app.exists() or len(app.read_text(encoding="utf-8").splitlines()) <= 250


def test_no_file_is_named_for_a_grab_bag() -> None:
    names = {"utils.py", "util.py", "helpers.py", "helper.py", "manager.py", "misc.py", "common.py"}
    assert not [file for file in _sources() if file.name in names]
