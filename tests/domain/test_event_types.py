"""Every type of event that the engine tells is in the list that webhooks choose from."""

import ast
from collections.abc import Iterator
from pathlib import Path

import chainteller.engine
from chainteller.domain.event_types import EVENT_TYPES

ENGINE = Path(chainteller.engine.__file__).parent


def told(tree: ast.Module) -> Iterator[str]:
    """The types that a module writes as text or as a constant of its own."""
    constants: dict[str, str] = {}
    for line in tree.body:
        if isinstance(line, ast.Assign) and isinstance(line.value, ast.Constant):
            constants |= {ast.unparse(name): str(line.value.value) for name in line.targets}
    for each in ast.walk(tree):
        if not isinstance(each, ast.Call) or len(each.args) < 2:
            continue
        if ast.unparse(each.func).rpartition(".")[2] in {"Event", "event"}:
            first = each.args[0]
            if isinstance(first, ast.Constant):
                yield str(first.value)
            elif ast.unparse(first) in constants:
                yield constants[ast.unparse(first)]


def test_every_type_that_is_told_is_listed() -> None:
    files = sorted(ENGINE.rglob("*.py"))
    found = {each for file in files for each in told(ast.parse(file.read_text(encoding="utf-8")))}
    assert len(found) > 30
    assert found <= EVENT_TYPES
