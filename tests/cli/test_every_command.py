"""What holds for every command: its declared calls, its JSON, its lists, its refusals."""

import contextlib
import csv
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any, TypeVar

import click
import pytest
from tests.cli.every_command import READING, SLOW, WRITING, Bank, Lines, lines, sample_bank
from tests.tui.hostile_service import HOSTILE

from chainteller import bootstrap
from chainteller.cli import open_services
from chainteller.cli.main import commands
from chainteller.service.layers import Next, layered
from chainteller.service.operations import Call, Operation

Answer = TypeVar("Answer")

LISTS = sorted(
    path
    for path, command in commands().items()
    if any(isinstance(each, click.Option) and "--columns" in each.opts for each in command.params)
)
SERVE = "chainteller serve"
MOVING = {"chainteller markets", "chainteller prices"}
"""Their answers differ from one call to the next: prices move."""
OBEYED = {"Cc", "Cf", "Zl", "Zp", "Cs"}


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory, sample_world: Path) -> Bank:
    return sample_bank(tmp_path_factory.mktemp("every") / "home", sample_world)


@pytest.fixture(scope="module")
def real(bank: Bank) -> Lines:
    return lines(bank)


@dataclass
class _Seen:
    """A layer that notes the operations of the calls that pass."""

    operations: set[Operation[Any]] = field(default_factory=set)

    def __call__(self, call: Call[Answer], onward: Next) -> Answer:
        self.operations.add(call.operation)
        return onward(call)


@contextlib.contextmanager
def _watched() -> Iterator[_Seen]:
    seen, open_service = _Seen(), bootstrap.open_service

    def opened(*args: Any) -> Any:
        found = open_service(*args)
        return bootstrap.OpenedService(
            layered(found.service, seen), found.kind, found.label, found.close, found.run_due
        )

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(open_services, "open_service", opened)
        yield seen


@pytest.mark.parametrize("path", [*READING, *(path for path in WRITING if path != SERVE)])
def test_a_command_makes_the_calls_that_it_declares_and_prints_json(
    bank: Bank, real: Lines, path: str
) -> None:
    declared = set(commands()[path].calls)
    with _watched() as seen:
        ended = bank.run(*real[path], "--json")
    assert ended.code == 0, ended.err
    assert {each for each in seen.operations if each.writes} <= declared
    assert bool(seen.operations & declared) == bool(declared)
    assert json.loads(ended.out) not in (None, False), "jq -e . exits with 1"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
def test_a_script_reads_every_command_with_jq(bank: Bank, real: Lines) -> None:
    """Under ``set -e`` and ``pipefail``, with processes of its own; it names where it ended."""
    # Until the restore is accepted, a checkpoint is refused as soon as the log is longer again.
    first = "chainteller audit witness accept"
    every = [first, *(each for each in (*READING, *WRITING) if each not in {first, SERVE})]
    program = f"{shlex.quote(sys.executable)} -m chainteller"
    steps = [
        f"echo {shlex.quote(path)} >&2\n{program} {shlex.join(real[path])} --json | jq -e . > last"
        for path in every
    ]
    script = bank.home / "every.sh"
    script.write_text("set -euo pipefail\n" + "\n".join(steps), encoding="utf-8")
    done = subprocess.run(
        ["bash", str(script)],
        cwd=bank.home,
        env=os.environ | SLOW | {"CHAINTELLER_HOME": str(bank.home)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-500:]


@pytest.mark.parametrize("path", LISTS)
def test_a_list_is_a_table_an_envelope_and_a_csv_file_of_the_same_records(
    bank: Bank, real: Lines, path: str
) -> None:
    body = bank.run(*real[path], "--json").body
    is_still = path not in MOVING
    again = bank.run(*real[path], "--format", "json").body
    assert again == body or not is_still
    table = bank.run(*real[path]).out.splitlines()
    written = bank.run(*real[path], "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(written.out)))
    assert len(rows) == len(body["data"])
    if rows:
        assert len(table) - 1 - len(rows) in {0, 1}
        names = list(rows[0])
        if is_still:
            for row, record in zip(rows, body["data"], strict=True):
                assert {name: _read_back(row[name]) for name in row} == {
                    name: _as_cell(record, name, row[name]) for name in row
                }
        chosen = bank.run(*real[path], "--format", "csv", "--columns", f"{names[-1]},{names[0]}")
        heads, *cells = csv.reader(io.StringIO(chosen.out))
        assert heads == [names[-1], names[0]]
        assert [row[1] for row in cells] == [row[names[0]] for row in rows] or not is_still
    for form in ("table", "json", "csv"):
        file = bank.home / f"{path.replace(' ', '-')}.{form}"
        plain = bank.run(*real[path], "--format", form).out
        assert bank.run(*real[path], "--format", form, "--output", str(file)).out == ""
        written_now = file.read_text(encoding="utf-8")
        assert written_now == plain or not is_still
        assert file.stat().st_mode & 0o777 == 0o600
        refused = bank.run(*real[path], "--format", form, "--output", str(file))
        assert (refused.code, refused.out) == (2, "")
        assert "File exists" in refused.err
        assert file.read_text(encoding="utf-8") == written_now


def _read_back(cell: str) -> str:
    """A cell as a program reads it: a spreadsheet's guard is no part of the text."""
    return cell[1:] if cell[:2] in {"'=", "'+", "'-", "'@"} else cell


def _as_cell(record: Any, name: str, cell: str) -> str:
    """What a cell must say, by the record's JSON; for a column composed for people, what it says.

    An amount with its currency is its digits, and several values are separated by commas.
    """
    found: Any = record
    for part in name.split("."):
        if not isinstance(found, dict) or part not in found:
            return "" if found is None else _read_back(cell)
        found = found[part]
    if isinstance(found, dict):
        return str(found["amount"]) if "amount" in found else _read_back(cell)
    if isinstance(found, list):
        plain = all(isinstance(each, str) for each in found)
        return ", ".join(found) if plain else _read_back(cell)
    if isinstance(found, bool):
        return "true" if found else "false"
    return "" if found is None else str(found)


@pytest.mark.parametrize("path", LISTS)
def test_what_contradicts_itself_is_usage(bank: Bank, real: Lines, path: str) -> None:
    for wrong, said in (
        (("--columns", "nonsense"), "has no column 'nonsense'"),
        (("--format", "json", "--columns", "id"), "JSON has no columns"),
        (("--format", "csv", "--json"), "exclude each other"),
        (("--format", "yaml"), "'yaml' is not one of"),
    ):
        ended = bank.run(*real[path], *wrong)
        assert (ended.code, ended.out) == (2, "")
        assert said in ended.err
        assert ended.complaint[-1].startswith("Next: ")


# -- strings that nobody should type ---------------------------------------------------------------

ARGUMENTS = [
    (path, each.name or "")
    for path in sorted({*READING, *WRITING} - {"chainteller serve"})
    for each in commands()[path].params
    if each.expose_value and not (isinstance(each, click.Option) and each.is_flag)
]
FREE = {"text", "name", "organisation", "idempotency_key", "file", "earlier"}
"""What may be any text: a search, names, keys of one's own, files. So may filters of lists."""
FREE_HERE = {
    ("chainteller find", "words"),
    ("chainteller markets", "names"),
    ("chainteller wallets diagnose", "signature"),
    ("chainteller wallets state", "statement"),
}
_TURNS = cycle(HOSTILE)
HOSTILE_LINES = [(path, name, next(_TURNS)) for path, name in ARGUMENTS]


@pytest.mark.parametrize(
    ("path", "name", "text"), HOSTILE_LINES, ids=[str(at) for at in range(len(HOSTILE_LINES))]
)
def test_a_hostile_string_is_refused_by_name(
    bank: Bank, real: Lines, path: str, name: str, text: str
) -> None:
    _refused(bank, _with(path, real[path], name, text), path, name)


@pytest.mark.slow
@pytest.mark.parametrize(("path", "name"), ARGUMENTS)
def test_every_hostile_string_is_refused_by_name(
    bank: Bank, real: Lines, path: str, name: str
) -> None:
    for text in HOSTILE:
        _refused(bank, _with(path, real[path], name, text), path, name)


def _refused(bank: Bank, line: list[str], path: str, name: str) -> None:
    ended = bank.run(*line)
    said = ended.out + ended.err
    assert {each for each in said if unicodedata.category(each) in OBEYED} <= {"\n"}
    assert "Traceback" not in said
    assert "CRASHED" not in said
    assert ended.code in _codes(path, name), line
    if ended.code:
        assert re.search(r"^[A-Z_]+: .", ended.err, re.MULTILINE), ended.err
        assert ended.complaint[-1].startswith("Next: ")


def _codes(path: str, name: str) -> set[int]:
    parameter = next(each for each in commands()[path].params if each.name == name)
    is_filter = isinstance(parameter, click.Option) and path in LISTS
    return {0, 1, 2} if name in FREE or is_filter or (path, name) in FREE_HERE else {1, 2}


def _with(path: str, line: tuple[str, ...], name: str, text: str) -> list[str]:
    """The line with another value for a parameter."""
    command = commands()[path]
    found = next(each for each in command.params if each.name == name)
    words = list(line)
    if isinstance(found, click.Option):
        flag = found.opts[0]
        if flag in words:
            words[words.index(flag) + 1] = text
            return words
        return [*words, flag, text]
    at = (
        len(path.split())
        - 1
        + [each.name for each in command.params if isinstance(each, click.Argument)].index(name)
    )
    return [*words[:at], "--", text, *words[at + 1 :]] if at >= len(words) else [
        *words[:at], text, *words[at + 1 :]
    ]  # fmt: skip
