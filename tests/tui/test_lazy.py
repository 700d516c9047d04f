"""``tui/lazy.py``: every import that waits for the first frame can be made."""

import ast
from pathlib import Path

import pytest

from chainteller.tui import lazy

CONSOLE = Path(lazy.__file__).parent


def _deferred() -> list[str]:
    tree = ast.parse(Path(lazy.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    return [alias.asname or alias.name for node in imports for alias in node.names]


@pytest.mark.parametrize("name", _deferred())
def test_every_name_is_found_where_its_import_says(name: str) -> None:
    assert getattr(lazy, name) is getattr(lazy, name)
    assert name in vars(lazy), "it is looked up once"


def test_a_name_without_an_import_says_so() -> None:
    with pytest.raises(AttributeError, match="no import of Nothing"):
        _ = lazy.Nothing  # type: ignore[attr-defined]  # mypy knows it too


def test_no_widget_depends_on_all_that_is_deferred() -> None:
    for path in sorted((CONSOLE / "widgets").rglob("*.py")):
        assert "tui import lazy" not in path.read_text(encoding="utf-8"), path
