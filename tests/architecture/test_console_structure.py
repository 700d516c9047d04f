"""How the console is built: small screens, and Textual's private names in one folder."""

import ast
import importlib
import inspect
import pkgutil
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import textual
from textual.app import App
from textual.message_pump import MessagePump
from textual.screen import Screen

import chainteller.tui

CONSOLE = Path(chainteller.tui.__file__).parent
FIXES = CONSOLE / "textual_fixes"
MOST_METHODS = 60


# -- methods ---------------------------------------------------------------------------------------


@cache
def _modules() -> tuple[str, ...]:
    found = [each.name for each in pkgutil.walk_packages([str(CONSOLE)], "chainteller.tui.")]
    for name in found:
        importlib.import_module(name)
    return tuple(found)


def _descendants(parent: type) -> Iterator[type]:
    children: list[type] = parent.__subclasses__()
    for child in children:
        yield child
        yield from _descendants(child)


def _own_classes(parent: type) -> list[type]:
    _modules()
    ours = {each for each in _descendants(parent) if each.__module__ in _modules()}
    return sorted(ours, key=lambda each: each.__qualname__)


def _methods(screen: type) -> set[str]:
    """Methods and properties, with those inherited from our own classes; a handler that only calls
    what screens extend isn't counted beside it.
    """
    ours = [each for each in screen.__mro__ if each.__module__.startswith("chainteller.")]
    kinds = (property, classmethod, staticmethod)
    return {
        name
        for each in ours
        for name, value in vars(each).items()
        if inspect.isfunction(value) or isinstance(value, kinds)
    } - {"__init_subclass__", "on_mount", "on_resize", "on_screen_resume"}


@pytest.mark.parametrize(
    "screen", [*_own_classes(Screen), *_own_classes(App)], ids=lambda each: each.__qualname__
)
def test_no_screen_has_more_methods_than_a_reader_can_keep_in_mind(screen: type) -> None:
    methods = _methods(screen)
    assert len(methods) <= MOST_METHODS, f"{len(methods)}: {sorted(methods)}"


# -- handlers --------------------------------------------------------------------------------------

CALLED_ONCE = "on_event"
"""Not a handler: Textual calls it as any method."""


def test_no_handler_calls_that_of_its_parent() -> None:
    """Textual calls the handlers of every class itself: the parent's would run twice."""
    found = [
        f"{file.relative_to(CONSOLE)}:{node.lineno} {node.attr}"
        for file in CONSOLE.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and node.attr.startswith("on_")
        and node.attr != CALLED_ONCE
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
        and node.value.func.id == "super"
    ]
    assert not found, "extend what the handler calls instead, as DeskScreen.mounted"


def _files() -> list[Path]:
    return sorted(CONSOLE.rglob("*.py"))


# -- private names of Textual ----------------------------------------------------------------------


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


@cache
def _textual_privates() -> dict[str, set[str]]:
    """Private names by the Textual class that defines or sets them."""
    privates: dict[str, set[str]] = {}
    for path in sorted(Path(textual.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                privates.setdefault(node.name, set()).update(
                    name for name in _names_of(node) if _is_private(name)
                )
    return privates


def _names_of(node: ast.ClassDef) -> Iterator[str]:
    for each in node.body:
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
            yield each.name
        elif isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
            yield each.target.id
        elif isinstance(each, ast.Assign):
            yield from (name.id for name in each.targets if isinstance(name, ast.Name))
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store):
            yield inner.attr


def _inherited_privates(ours: type) -> set[str]:
    """Private names that Textual's classes among the bases have."""
    bases = [each for each in ours.__mro__ if each.__module__.startswith("textual")]
    return set().union(*(_textual_privates().get(each.__name__, set()) for each in bases))


def _uses(path: Path) -> Iterator[str]:
    """Every use of a private name of Textual in a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    every = set().union(*_textual_privates().values())
    module = ".".join(["chainteller.tui", *path.relative_to(CONSOLE).with_suffix("").parts])
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("textual"):
            private = [alias.name for alias in node.names if _is_private(alias.name)]
            if private or "._" in (node.module or ""):
                yield f"{node.lineno}: import of {node.module} {private}"
        if isinstance(node, ast.Attribute) and node.attr in every:
            owner = node.value.id if isinstance(node.value, ast.Name) else ""
            if owner not in {"self", "cls", "os"}:
                yield f"{node.lineno}: {ast.unparse(node)}"
        if isinstance(node, ast.ClassDef):
            yield from _uses_in_class(node, module)


def _uses_in_class(node: ast.ClassDef, module: str) -> Iterator[str]:
    """Overridden, and read or set on itself."""
    ours = getattr(sys.modules.get(module), node.name, None)
    if not isinstance(ours, type) or not issubclass(ours, MessagePump):
        return
    inherited = _inherited_privates(ours)
    for each in ast.walk(node):
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) and each.name in inherited:
            yield f"{each.lineno}: {node.name}.{each.name}"
        if isinstance(each, ast.Attribute) and each.attr in inherited:
            yield f"{each.lineno}: {ast.unparse(each)} of {node.name}"


def test_private_names_of_textual_are_found_where_they_are_used() -> None:
    """Else the next test would prove nothing."""
    _modules()
    found = " ".join(use for path in sorted(FIXES.glob("*.py")) for use in _uses(path))
    for name in (
        "_css_update_count",
        "_batch_count",
        "_check_bindings",
        "_screen_stacks",
        "_driver",
    ):
        assert name in found
    for override in ("SteadyApp._handle_exception", "FullScreen._compositor_refresh"):
        assert override in found


def test_private_names_of_textual_stay_in_their_folder() -> None:
    _modules()
    outside = [path for path in _files() if FIXES not in path.parents]
    found = [f"{path.relative_to(CONSOLE)}:{use}" for path in outside for use in _uses(path)]
    assert found == []
