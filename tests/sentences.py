"""Every sentence that a person can see, to be read in one sitting.

Run: python -m tests.sentences [PART...]; without a part (one of PARTS), all of them.

Texts are taken from the source: string constants of the modules (without docstrings, patterns, SQL
and types), the help of commands, the data files and the documentation. ``{...}`` is a value that is
put into the text.
"""

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "chainteller"
_MODULES = {
    "console": ("tui", "records", "workspace", "wallets"),
    "commands": ("cli", "conformance", "settings", "witnessing", "credentials.py", "bootstrap.py"),
    "service": ("service", "engine", "api", "remote", "adapters", "storage", "domain"),
    "training": ("training", "training_world.py", "sample_worlds.py"),
}
_DATA = {
    "training": ("scenarios/*.toml", "training.toml", "tour.toml"),
    "texts": ("customer_texts.toml", "glossary.toml"),
}
_DOCUMENTS = ("README.md", "docs/tutorial.md", "docs/how-to/*.md", "docs/explanation/*.md")
PARTS = (*_MODULES, "texts", "documentation")
"""Parts of the product whose sentences can be listed alone."""
_INTERNAL = frozenset(
    {"setup", "fault", "any_of", "all_of", "press", "keys", "id", "right", "wrong"}
)
"""Keys of data files whose texts nobody sees."""
_WORD = re.compile(r"[A-Za-zÀ-ÿ']{2,}")
_SQL = re.compile(
    r"\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|WITH|PRAGMA|AND|OR|WHERE|ORDER BY|FROM|"
    r"JOIN|LEFT JOIN|LIMIT|ON CONFLICT|BEGIN|COMMIT|SET|VALUES|GROUP BY|HAVING|UNION|LOCK|CASE|"
    r"EXISTS|NOT EXISTS|RETURNING|FOR UPDATE|SAVEPOINT|ROLLBACK|RELEASE|SHOW|OF|VACUUM)\b"
)
_CODE = re.compile(
    r"\\[dswbAZ]|\(\?[:P=!<]|\[\^|\]\+|\$\)|[\w-]+: [\w$%-]+[^;]*; \}|CAST\(|convert_to\(|"
    r"typeof\(|coalesce\(|^\w+\[.*\]$|^\w+ \| \w+$"
)
_HIDDEN_CALLS = re.compile(r"(re|logger|_log|log)\.\w+|text|TypeVar|cast|NewType")


class Sentence(NamedTuple):
    """A text with the place that it comes from."""

    file: str
    line: int
    text: str


@cache
def sentences(part: str) -> tuple[Sentence, ...]:
    """The texts of one of ``PARTS``."""
    return tuple(_sentences(part))


def _sentences(part: str) -> Iterator[Sentence]:
    for file in _modules(_MODULES.get(part, ())):
        yield from _of_module(file)
    for pattern in _DATA.get(part, ()):
        for file in sorted((ROOT / "sample_data").glob(pattern)):
            yield from _of_data_file(file)
    for pattern in _DOCUMENTS if part == "documentation" else ():
        for file in sorted(ROOT.glob(pattern)):
            yield from _of_document(file)


def is_sentence(text: str) -> bool:
    """Whether a string is words for a person: no SQL, pattern, style or name."""
    if _SQL.match(text) or _CODE.search(text.strip()):
        return False
    if " " not in text.strip():
        return bool(re.fullmatch(r"[A-Z][a-z]{2,}[.!?:]", text.strip()))
    return bool(_WORD.search(re.sub(r"\{[^}]*\}", " ", text)))


def _modules(names: Iterable[str]) -> Iterator[Path]:
    """The modules of packages and files below ``SOURCE``; migrations show nothing."""
    for name in names:
        place = SOURCE / name
        found = sorted(place.rglob("*.py")) if place.is_dir() else [place]
        yield from (file for file in found if "migrations" not in file.parts)


def _of_module(file: Path) -> Iterator[Sentence]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    hidden = {id(each) for node in ast.walk(tree) for each in _hidden_below(node)}
    for node in ast.walk(tree):
        if id(node) in hidden:
            continue
        text = ""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        elif isinstance(node, ast.JoinedStr):
            hidden.update(id(each) for each in node.values)
            text = "".join(_piece(each) for each in node.values)
        if is_sentence(text):
            yield Sentence(_named(file), getattr(node, "lineno", 1), " ".join(text.split()))


def _piece(node: ast.expr) -> str:
    if isinstance(node, ast.FormattedValue):
        return f"{{{ast.unparse(node.value)}}}"
    return str(node.value) if isinstance(node, ast.Constant) else ""


def _hidden_below(node: ast.AST) -> Iterator[ast.AST]:
    """What nobody sees: docstrings (except the help of a command), annotations, patterns, logs."""
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        first = node.body[0] if _is_command(node) else None
        for each in node.body:
            if isinstance(each, ast.Expr) and each is not first:
                yield from _constant(each.value)
    elif isinstance(node, ast.Call) and _HIDDEN_CALLS.fullmatch(_called(node.func)):
        for argument in node.args:
            yield from ast.walk(argument)
    elif isinstance(node, ast.AnnAssign | ast.arg) and node.annotation is not None:
        yield from ast.walk(node.annotation)


def _called(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_called(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def _constant(node: ast.expr) -> Iterator[ast.AST]:
    if isinstance(node, ast.Constant):
        yield node


def _is_command(node: ast.AST) -> bool:
    decorators = node.decorator_list if isinstance(node, ast.FunctionDef) else []
    called = [_called(each.func) for each in decorators if isinstance(each, ast.Call)]
    return any(name.rpartition(".")[2] in {"command", "group"} for name in called)


def _of_data_file(file: Path) -> Iterator[Sentence]:
    text = file.read_text(encoding="utf-8")
    rows = text.splitlines()
    for found in _of_data(tomllib.loads(text)):
        start = found.strip().split("\n")[0][:40]
        line = next((number for number, row in enumerate(rows, 1) if start in row), 1)
        yield Sentence(_named(file), line, " ".join(found.split()))


def _of_data(value: Any) -> Iterator[str]:
    if isinstance(value, str) and " " in value:
        yield value
    elif isinstance(value, dict):
        for key, each in value.items():
            if key not in _INTERNAL:
                yield from _of_data(each)
    elif isinstance(value, list):
        for each in value:
            yield from _of_data(each)


def _of_document(file: Path) -> Iterator[Sentence]:
    """Paragraphs, list items and table rows; without code blocks."""
    in_code, gathered, first = False, list[str](), 1
    rows = [*file.read_text(encoding="utf-8").splitlines(), ""]
    for number, row in enumerate(rows, 1):
        in_code ^= row.startswith("```")
        begins = re.match(r"\s*(- |\||#|```|\d+\. |$)", row) is not None
        if begins and gathered:
            yield Sentence(_named(file), first, " ".join(gathered))
            gathered = []
        if not in_code and row.strip() and not row.startswith(("```", "|--", "| --")):
            first = first if gathered else number
            gathered.append(row.strip())


def _named(file: Path) -> str:
    return str(file.relative_to(ROOT))


def main(parts: list[str]) -> int:
    """Print the texts, grouped by file; the exit code is 2 for a part that doesn't exist."""
    unknown = sorted(set(parts) - set(PARTS))
    if unknown:
        sys.stderr.write(f"no such part: {', '.join(unknown)}; parts: {', '.join(PARTS)}\n")
        return 2
    for part in parts or PARTS:
        before = ""
        for each in sorted(set(sentences(part))):
            heading = f"\n== {each.file}\n" if each.file != before else ""
            before = each.file
            sys.stdout.write(f"{heading}{each.line:>5}  {each.text}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
