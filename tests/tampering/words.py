"""Every finding's words, as the checks' source has them: a new one needs its damage here."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from chainteller.engine import verification
from chainteller.engine.operations import claim_proofs

_MODULES = (
    *sorted(Path(verification.__path__[0]).glob("[!_]*.py")),
    Path(claim_proofs.__file__),
)
_FINDINGS = {"Breach", "Contradiction"}
_SAID = {"what", "problem", "CHANGED", "INSERTED", "DELETED", "PUT_BACK"}
"""Names of variables and constants that hold a finding's words."""


def words() -> dict[str, str]:
    """The words of every finding, as an expression that finds them, with their module."""
    return {
        found: module.stem
        for module in _MODULES
        if module.stem != "in_rounds"  # says why it could not verify, which is no finding
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8")))
        for said in _said(node)
        for found in _expressions(said)
    }


def _said(node: ast.AST) -> Iterator[ast.expr]:
    """What says a finding's words: a finding's second argument, a variable, an answer of text."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id in _FINDINGS and len(node.args) > 1:
            yield node.args[1]
    elif isinstance(node, ast.Assign):
        yield from (value for name, value in _assigned(node) if name in _SAID)
    elif isinstance(node, ast.FunctionDef) and ast.unparse(node.returns or node) == "str":
        yield from (
            each.value
            for each in ast.walk(node)
            if isinstance(each, ast.Return) and each.value is not None
        )


def _assigned(node: ast.Assign) -> Iterator[tuple[str, ast.expr]]:
    target, value = node.targets[0], node.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        yield from zip(map(ast.unparse, target.elts), value.elts, strict=True)
    else:
        yield ast.unparse(target), value


def _expressions(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.IfExp):
        yield from (*_expressions(node.body), *_expressions(node.orelse))
    elif isinstance(node, ast.BoolOp):
        for each in node.values:
            yield from _expressions(each)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value:
        yield re.escape(node.value)
    elif isinstance(node, ast.JoinedStr):
        parts = (
            re.escape(str(each.value)) if isinstance(each, ast.Constant) else ".+"
            for each in node.values
        )
        yield "".join(parts)
