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
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import chain, cycle
from pathlib import Path
from typing import Any, TypeVar

import click
import pytest
from tests.cli.all_commands import commands
from tests.cli.every_command import (
    READING,
    SLOW,
    WRITING,
    Bank,
    Lines,
    is_json,
    lines,
    sample_bank,
)
from tests.cli.program import Ended
from tests.tui.hostile_service import HOSTILE, HostileService

from chainteller import bootstrap
from chainteller.cli import open_services
from chainteller.service.interface import Service
from chainteller.service.layers import Next, layered
from chainteller.service.operations import Call, Operation

Answer = TypeVar("Answer")

LISTS = sorted(
    path
    for path, command in commands().items()
    if any(isinstance(each, click.Option) and "--columns" in each.opts for each in command.params)
)
CHOOSING = {"chainteller accounts access"}
"""Lists of the rows that say something, which hostile rows don't."""
ELSEWHERE = {"chainteller serve", "chainteller agents enroll"}
"""Writing commands that go on, or need a server."""
MOVING = {"chainteller markets", "chainteller prices"}
"""Their answers differ from one call to the next: prices move."""
OBEYED = {"Cc", "Cf", "Zl", "Zp", "Cs"}


@pytest.fixture(scope="module")
def bank(
    tmp_path_factory: pytest.TempPathFactory, sample_world: Path, training_world: Path
) -> Bank:
    home = tmp_path_factory.mktemp("every") / "home"
    return sample_bank(home, sample_world, training_world)


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
def _opened_as(seen_as: Callable[[Service], Service]) -> Iterator[None]:
    """Let commands open the service as another one around it."""
    open_service = bootstrap.open_service

    def opened(*args: Any, **named: Any) -> Any:
        found = open_service(*args, **named)
        return bootstrap.OpenedService(
            seen_as(found.service), found.kind, found.label, found.close, found.run_due
        )

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(open_services, "open_service", opened)
        yield


@contextlib.contextmanager
def _watched() -> Iterator[_Seen]:
    seen = _Seen()
    with _opened_as(lambda inner: layered(inner, seen)):
        yield seen


@pytest.mark.forms(30)
@pytest.mark.parametrize("path", [*READING, *(path for path in WRITING if path not in ELSEWHERE)])
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
    first = "chainteller audit restored"
    every = [first, *(each for each in (*READING, *WRITING) if each not in {first, *ELSEWHERE})]
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


@pytest.mark.forms(24)
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
                assert _differences(path, row, record) == []
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
        assert refused.code == 2
        assert refused.body["error"] == "USAGE" if form == "json" else refused.out == ""
        assert "File exists" in refused.err
        assert file.read_text(encoding="utf-8") == written_now


COMPOSED: Mapping[str, Callable[[Any], Iterable[str]]] = {
    "customers find bankAccounts": lambda each: chain.from_iterable(
        (one["id"], one["balance"], one["tradingAccountId"] or "no trading account")
        for one in each["bankAccounts"]
    ),
    "deposits list hold": lambda _: ("",),
    "withdrawals list hold": lambda each: (
        f"{Decimal(each['amount']):,}" if each["status"] == "processing" else "",
    ),
    "withdrawals list destination": lambda each: (
        each["destination"].get("address") or each["destination"]["bankAccountId"],
    ),
    "withdrawals list review": lambda each: (each["review"]["reason"] if each["review"] else "",),
    "markets change": lambda _: ("%",),
    "wallets transfers arrivals": lambda each: chain.from_iterable(
        (one["amount"], one["sender"], one["finding"]) for one in each["arrivals"]
    ),
    "transactions list currency": lambda each: (
        each["market"].upper().partition("-")[0]
        if "market" in each
        else each["currency"]["symbol"],
    ),
}
"""Columns that the JSON has in several fields: what a cell names of them, in this order."""


def _differences(path: str, row: Mapping[str, str], record: Any) -> list[tuple[str, str, str]]:
    """The cells that don't say what the record's JSON says: column, cell and what was expected."""
    wrong = []
    for name, cell in row.items():
        composed = COMPOSED.get(f"{path.removeprefix('chainteller ')} {name}")
        if composed is None:
            expected = _cell(_of_wire(record, name))
            wrong += [] if cell == expected else [(name, cell, expected)]
        else:
            parts = [_shown(each) for each in composed(record)]
            order = ".*".join(map(re.escape, parts))
            wrong += [] if re.search(order, cell) else [(name, cell, order)]
    return wrong


def _of_wire(record: Any, name: str) -> str:
    """A value of the JSON as text: of an amount with its currency the digits, of several texts all
    of them, and nothing where there is none."""
    found = record
    for part in name.split("."):
        found = found.get(part) if isinstance(found, dict) else None
    if isinstance(found, dict):
        found = found["amount"]
    if isinstance(found, list):
        return ", ".join(found)
    if isinstance(found, bool):
        return "true" if found else "false"
    return "" if found is None else str(found)


def _shown(text: str) -> str:
    return re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", "\ufffd", text)


def _cell(text: str) -> str:
    """A text in a CSV file: one line, and with an apostrophe where a spreadsheet would compute."""
    shown = _shown(text)
    is_number = re.fullmatch(r"-[0-9,]+(\.[0-9]+)?", shown)
    is_guarded = len(shown.strip()) > 1 and shown.strip()[0] in "=+-@" and not is_number
    return f"'{shown}" if is_guarded else shown


SEPARATORS = (
    *("=1+1", "+1", "-1+1", "@SUM(A1)", " =A1", "-", "'", "''", "\\", "|", ";", ",", ",,"),
    *("\n", "\r\n=A1\r\n", "\r", "\t", '"', '""', '",=A1,"', '"\n"', "a,b\n", ";=A1;", "\x00"),
)
"""Texts that could end a cell or a row, or begin a formula."""


@dataclass(slots=True)
class _Repeated:
    """A layer that answers the same call with the same records again."""

    answers: dict[tuple[str, tuple[str, ...], str], Any] = field(default_factory=dict)

    def __call__(self, call: Call[Answer], onward: Next) -> Answer:
        place = (call.operation.operation_id, call.ids, repr(call.query))
        if place not in self.answers:
            self.answers[place] = onward(call)
        answer: Answer = self.answers[place]
        return answer


@pytest.fixture(scope="module")
def full_bank(bank: Bank, real: Lines) -> Bank:
    """Every list has records; API keys have hostile names."""
    for path in ("wallets transfer", "wallets state"):
        bank.run(*real[f"chainteller {path}"])
    named = [bank.run("keys", "create", "--name", f"{each}x").code for each in SEPARATORS]
    assert named.count(0) > len(named) // 2
    return bank


@pytest.mark.parametrize("path", [each for each in LISTS if each not in CHOOSING])
def test_hostile_records_are_read_back_from_csv_as_they_are_in_json(
    full_bank: Bank, real: Lines, path: str
) -> None:
    repeated = _Repeated()
    with _opened_as(lambda inner: layered(HostileService(inner, set(), SEPARATORS), repeated)):
        records = full_bank.run(*real[path], "--json").body["data"]
        written = full_bank.run(*real[path], "--format", "csv").out
    rows = list(csv.DictReader(io.StringIO(written, newline=""), strict=True))
    assert len(rows) == len(records) > 0
    assert written.count("\n") == len(rows) + 1, "a row is a line"
    found = [_differences(path, row, each) for row, each in zip(rows, records, strict=True)]
    assert [each for each in found if each] == []


def test_the_exported_log_is_the_listed_one(bank: Bank, real: Lines) -> None:
    path = "chainteller audit list"
    for name in ("log.csv", "log.jsonl"):
        assert bank.run("audit", "export", name).code == 0
    written = (bank.home / "log.csv").read_text("utf-8")
    rows = list(csv.DictReader(io.StringIO(written, newline=""), strict=True))
    # Each command does the work that is due, which may be more entries.
    newest = int(rows[-1]["seq"])
    every = bank.run("audit", "list", "--all", "--json").body["data"]
    listed = [each for each in every if each["seq"] <= newest]
    assert len(rows) == len(listed) > 5_000
    for row, record in zip(rows, reversed(listed), strict=True):
        assert _differences(path, row, record) == []
    lines = (bank.home / "log.jsonl").read_text("utf-8").splitlines()
    exported = [json.loads(each) for each in lines]
    assert [each for each in exported if int(each["seq"]) <= newest] == listed[::-1]


@pytest.mark.parametrize("path", LISTS)
def test_what_contradicts_itself_is_usage(bank: Bank, real: Lines, path: str) -> None:
    for wrong, said in (
        (("--columns", "nonsense"), "has no column 'nonsense'"),
        (("--format", "json", "--columns", "id"), "JSON has no columns"),
        (("--format", "csv", "--json"), "exclude each other"),
        (("--format", "yaml"), "'yaml' is not one of"),
    ):
        ended = bank.run(*real[path], *wrong)
        assert (ended.code, bool(ended.out)) == (2, "json" in wrong or "--json" in wrong)
        assert said in ended.err
        assert ended.complaint[-1].startswith("Next: ")


@pytest.mark.parametrize("path", LISTS)
def test_a_list_that_nobody_answers_is_empty_and_says_so_by_its_exit_code(
    bank: Bank, real: Lines, path: str
) -> None:
    ended = bank.run(
        *real[path], "--format", "csv", "--url", "unix:/none", CHAINTELLER_API_KEY="key"
    )
    assert (ended.code, ended.out) == (3 if commands()[path].calls else 2, ""), ended.err
    assert ended.complaint[-1].startswith("Next: ")


# -- strings that nobody should type ---------------------------------------------------------------

ARGUMENTS = [
    (path, each.name or "")
    for path in sorted({*READING, *WRITING} - ELSEWHERE)
    for each in commands()[path].params
    if each.expose_value and not (isinstance(each, click.Option) and each.is_flag)
]
FREE = {"text", "name", "organisation", "idempotency_key", "file", "earlier"}
"""What may be any text: a search, names, keys of one's own, files. So may filters of lists."""
FREE_HERE = {
    ("chainteller audit restored", "reason"),
    ("chainteller audit writer replace", "reason"),
    ("chainteller customers import", "report"),
    ("chainteller db dispute clear", "reason"),
    ("chainteller db report", "reason"),
    ("chainteller decisions approve", "answer"),
    ("chainteller find", "words"),
    ("chainteller markets", "names"),
    ("chainteller notes add", "content"),
    ("chainteller wallets diagnose", "signature"),
    ("chainteller wallets diagnose", "signed_text"),
    ("chainteller wallets state", "statement"),
}
_TURNS = cycle(HOSTILE)
HOSTILE_LINES = [(path, name, next(_TURNS)) for path, name in ARGUMENTS]


@pytest.mark.forms(98)
@pytest.mark.parametrize(
    ("path", "name", "text"), HOSTILE_LINES, ids=[str(at) for at in range(len(HOSTILE_LINES))]
)
def test_a_hostile_string_is_refused_by_name(
    bank: Bank, real: Lines, path: str, name: str, text: str
) -> None:
    ended = _refused(bank, ["--json", *_with(path, real[path], name, text)], path, name)
    assert not ended.out or is_json(ended.out)


@pytest.mark.slow
@pytest.mark.parametrize(("path", "name"), ARGUMENTS)
def test_every_hostile_string_is_refused_by_name(
    bank: Bank, real: Lines, path: str, name: str
) -> None:
    for text in HOSTILE:
        _refused(bank, _with(path, real[path], name, text), path, name)


def _refused(bank: Bank, line: list[str], path: str, name: str) -> Ended:
    ended = bank.run(*line)
    said = ended.out + ended.err
    assert {each for each in said if unicodedata.category(each) in OBEYED} <= {"\n"}
    assert "Traceback" not in said
    assert "CRASHED" not in said
    assert ended.code in _codes(path, name), line
    if ended.code:
        assert re.search(r"^[A-Z_]+: .", ended.err, re.MULTILINE), ended.err
        assert ended.complaint[-1].startswith("Next: ")
    return ended


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
