"""Small wrong changes of a Python file, found in its syntax tree and made in its text."""

import ast
from collections.abc import Iterator
from typing import NamedTuple

_COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_CALCULATED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
_LEAVES = (ast.Raise, ast.Return, ast.Continue, ast.Break)


class Change(NamedTuple):
    """``where`` is the function, as ``outer.inner``; empty for what runs when the module is
    imported. ``line`` is the first one of the statement that is changed, ``end`` its last, counted
    from 1; ``start`` and ``stop`` are bytes of the file, which ``text`` replaces. No line moves."""

    kind: str
    where: str
    line: int
    end: int
    start: int
    stop: int
    text: str

    def made_in(self, source: str) -> str:
        whole = source.encode()
        return (whole[: self.start] + self.text.encode() + whole[self.stop :]).decode()

    def shown(self, source: str) -> str:
        """What it replaces by what, on one line."""
        before = source.encode()[self.start : self.stop].decode()
        return f"{' '.join(before.split())} -> {' '.join(self.text.split())}"


def changes(source: str) -> list[Change]:
    """Every change of a file, in the order of its text."""
    lines = source.encode().splitlines(keepends=True)
    begins = [0]
    for line in lines:
        begins.append(begins[-1] + len(line))
    found = []
    for where, statement in _statements(ast.parse(source)):
        for kind, node, other in _of_statement(statement):
            start = begins[node.lineno - 1] + node.col_offset
            stop = begins[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
            text = ast.unparse(ast.fix_missing_locations(other))
            ends = "\n" * ((node.end_lineno or 0) - node.lineno)
            text = f"({text}{ends})" if isinstance(other, ast.expr) else text + ends
            head = _head(statement)
            found.append(Change(kind, where, statement.lineno, head, start, stop, text))
    found = [each for each in found if _parses(each, source)]
    return sorted(found, key=lambda each: (each.start, each.stop, each.text))


def _parses(change: Change, source: str) -> bool:
    """Within an f-string of Python 3.11, some changes have no text."""
    try:
        ast.parse(change.made_in(source))
    except SyntaxError:
        return False
    return True


def _statements(tree: ast.AST, where: str = "") -> Iterator[tuple[str, ast.stmt]]:
    """Every statement that does something, with its function; not what only types read.

    The defaults of a function's arguments belong to where it is defined.
    """
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.stmt) and not isinstance(child, (ast.Import, ast.ImportFrom)):
            yield where, child
        if isinstance(child, ast.ClassDef):
            if not _is_protocol(child):
                yield from _in_class(child, where)
        elif isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from _statements(child, f"{where}.{child.name}".lstrip("."))
        else:
            yield from _statements(child, where)


def _in_class(declared: ast.ClassDef, where: str) -> Iterator[tuple[str, ast.stmt]]:
    """The class's methods are named with it; its own statements aren't in any function."""
    name = f"{where}.{declared.name}".lstrip(".")
    for found, statement in _statements(declared, name):
        yield ("" if found == name else found), statement


def _is_protocol(declared: ast.ClassDef) -> bool:
    return any(isinstance(base, ast.Name) and base.id == "Protocol" for base in declared.bases)


def _head(statement: ast.stmt) -> int:
    """The last line of a statement without the statements in it."""
    body = getattr(statement, "body", None)
    if isinstance(body, list) and body:
        return max(statement.lineno, int(body[0].lineno) - 1)
    return statement.end_lineno or statement.lineno


_Found = tuple[str, ast.expr | ast.stmt, ast.AST]


def _of_statement(statement: ast.stmt) -> Iterator[_Found]:
    yield from _removed(statement)
    for part in _own_parts(statement):
        for node in ast.walk(part):
            if isinstance(node, ast.expr):
                yield from _of_expression(node)


def _own_parts(statement: ast.stmt) -> Iterator[ast.AST]:
    """Its expressions, without annotations, decorators, a docstring, and statements in it."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
        yield from (
            each for each in (*statement.args.defaults, *statement.args.kw_defaults) if each
        )
        return
    for name, value in ast.iter_fields(statement):
        if name in ("annotation", "decorator_list", "bases", "type_params"):
            continue
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, ast.AST) and not isinstance(each, ast.stmt):
                yield from ([] if isinstance(each, ast.ExceptHandler) else [each])


def _removed(statement: ast.stmt) -> Iterator[_Found]:
    """Without the statement, without the guard, or without what is returned."""
    is_call = isinstance(statement, ast.Expr) and not isinstance(statement.value, ast.Constant)
    if is_call or isinstance(statement, (ast.Raise, ast.AugAssign, ast.Delete)):
        yield "removed statement", statement, ast.Pass()
    if isinstance(statement, ast.Return) and not _is_none(statement.value):
        yield "returned value", statement, ast.Return(ast.Constant(None))
    if isinstance(statement, ast.If) and isinstance(statement.body[-1], _LEAVES):
        yield "removed guard", statement.test, ast.Constant(False)


def _is_none(value: ast.expr | None) -> bool:
    return value is None or (isinstance(value, ast.Constant) and value.value is None)


def _of_expression(node: ast.expr) -> Iterator[_Found]:
    yield from _of_operation(node)
    match node:
        case ast.Constant(value=bool() as value):
            yield "constant", node, ast.Constant(not value)
        case ast.Constant(value=int() as number):
            yield "constant", node, ast.Constant(number + 1)
        case ast.Call(args=[first, second, *rest]) if ast.dump(first) != ast.dump(second):
            if not isinstance(first, ast.Starred) and not isinstance(second, ast.Starred):
                swapped = ast.Call(node.func, [second, first, *rest], node.keywords)
                yield "swapped arguments", node, swapped
        case _:
            pass


def _of_operation(node: ast.expr) -> Iterator[_Found]:
    if isinstance(node, ast.Compare):
        for at, operator in enumerate(node.ops):
            for other in _COMPARED[type(operator)]:
                ops = [*node.ops[:at], other(), *node.ops[at + 1 :]]
                yield "comparison", node, ast.Compare(node.left, ops, node.comparators)
    elif isinstance(node, ast.BinOp) and type(node.op) in _CALCULATED:
        opposite = _CALCULATED[type(node.op)]()
        yield "arithmetic", node, ast.BinOp(node.left, opposite, node.right)
    elif isinstance(node, ast.BoolOp):
        other_op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield "boolean", node, ast.BoolOp(other_op, node.values)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub)):
        yield "boolean" if isinstance(node.op, ast.Not) else "arithmetic", node, node.operand
    elif isinstance(node, ast.IfExp):
        yield "boolean", node, ast.IfExp(node.test, node.orelse, node.body)
