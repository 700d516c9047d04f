"""Make small wrong changes in a copy of the source, and see whether a test fails.

``python -m tests.mutants --state FILE`` first runs the tests once and notes which of them ran which
line; then each change is judged by the tests that ran its line, the quickest first. The same
command again goes on after what is done. ``--modules`` chooses files by a part of their name,
``--first`` and ``--count`` a part of the changes, ``--report`` only shows what is known.
``--again`` judges what survived once more, with ``--confirm`` in a fresh interpreter in the end;
``--measure`` adds tests that were written since.
"""

import argparse
import hashlib
import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Set
from contextlib import suppress
from multiprocessing import Pipe
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import pytest
from tests.mutants.changes import Change, changes
from tests.mutants.warm import KILLED, SURVIVED, TIMEOUT, UNCHANGED, Asked, Judged, end_as, serve

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "chainteller"
MODULES = (
    "domain/money.py", "domain/ledger.py", "domain/limits.py", "domain/quoting.py",
    "domain/transfers.py", "domain/merkle.py", "domain/challenges.py", "domain/keys.py",
    "engine/core/ledger.py", "engine/operations/limits.py", "engine/core/unit_of_work.py",
    "engine/core/outcome.py", "engine/verification/full_pass.py",
    "engine/verification/conduct.py", "engine/verification/epochs.py",
    "engine/verification/work.py", "engine/upkeep/due.py", "engine/operations/due_times.py",
    "engine/operations/expected_journals.py", "engine/verification/ledger.py",
    "engine/verification/records.py", "engine/verification/seals.py",
    "engine/operations/claims.py", "engine/operations/claim_proofs.py",
    "engine/operations/keys.py", "engine/operations/payouts.py",
    "engine/operations/payout_checks.py", "engine/operations/withdrawals.py",
    "engine/operations/settlement.py", "engine/operations/deposits.py",
    "engine/verification/replay.py", "storage/log/ledger.py", "storage/log/rows.py",
    "storage/log/sealing.py", "storage/log/marks.py", "storage/log/append.py",
    "storage/log/entry.py", "storage/log/views.py", "storage/queries/keys.py",
)  # fmt: skip
"""Money, ledger, limits, the log and its marks, verification, claims, keys, sending."""
TESTS = (
    "tests/domain", "tests/engine", "tests/storage", "tests/properties", "tests/payouts",
    "tests/tampering", "tests/wallets", "tests/clock", "tests/simulation", "tests/ownership",
    "tests/witnessing", "tests/amounts",
)  # fmt: skip
_READY = (
    "sqlalchemy", "sqlalchemy.dialects.sqlite", "sqlmodel", "pydantic", "hypothesis", "starlette",
    "httpx", "uvicorn", "alembic", "eth_account", "nacl.signing", "click", "coverage",
)  # fmt: skip
"""What a test run imports anyway, once for all of them: none of it imports what is changed."""
_HOW = ("-x", "-q", "--tb=line", "-W", "ignore::pytest.PytestAssertRewriteWarning")
BUDGET_S = 40.0
"""Of tests for one change, as long as they took without it and under coverage, unless
``--budget`` says otherwise."""
_PATIENCE_S = 60.0
UNCOVERED, CONFIRMED = "uncovered", "survived in a fresh interpreter"
LEFT = (SURVIVED, UNCOVERED, CONFIRMED)
EQUIVALENT = Path(__file__).with_name("equivalent.toml")
"""Changes that change nothing which anybody could see, each with the reason."""


class Mutant(NamedTuple):
    """``name`` has no line number: it stays the same when something else of the file is written."""

    name: str
    module: str
    change: Change


def mutants(modules: tuple[str, ...]) -> list[Mutant]:
    """All changes, in an order that mixes the modules and is always the same."""
    found = []
    for module in modules:
        source, names = (SOURCE / module).read_text(encoding="utf-8"), Counter[str]()
        for each in changes(source):
            name = f"{module} {each.where or 'import'}, {each.kind}: {each.shown(source)}"
            names[name] += 1
            again = f" ({names[name]})" if names[name] > 1 else ""
            found.append(Mutant(name + again, module, each))
    return sorted(found, key=lambda each: hashlib.sha256(each.name.encode()).digest())


# Which tests run which line


class Coverage:
    """Which tests ran which line, and how long each test takes at best: whatever comes first also
    makes what several tests use.
    """

    def __init__(self, measured: list[dict[str, Any]]) -> None:
        self.tests: list[str] = []
        self.durations: list[float] = []
        self.lines: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
        known: dict[str, int] = {}
        for found in measured:
            for name, seconds in zip(found["tests"], found["durations"], strict=True):
                number = known.setdefault(name, len(known))
                if number == len(self.tests):
                    self.tests.append(name)
                    self.durations.append(seconds)
                self.durations[number] = min(seconds, self.durations[number])
            for module, lines in found["lines"].items():
                for line, numbers in lines.items():
                    self.lines[module][line] |= {known[found["tests"][each]] for each in numbers}

    def tests_of(
        self, mutant: Mutant, kills: Counter[str], budget: float, ready: Set[str]
    ) -> list[tuple[str, float]]:
        """Tests that ran its line, of those that are ready, with the seconds they took, within the
        budget; for a line that runs when its module is imported, those of the whole module. Quick
        tests come first, and those that killed others; one case of each function, then a second.
        """
        lines = self.lines.get(mutant.module, {})
        wanted = range(mutant.change.line, mutant.change.end + 1)
        numbers = {test for line in wanted for test in lines.get(str(line), ())}
        if not numbers and any(str(line) in lines for line in wanted):
            numbers = {test for found in lines.values() for test in found}
            own = f"/test_{Path(mutant.module).stem}.py::"  # a test of a constant runs no line
            numbers |= {number for number, name in enumerate(self.tests) if own in name}

        def promise(number: int) -> tuple[float, int]:
            return (0.05 + self.durations[number]) / (1 + kills[self.tests[number]]), number

        turns: Counter[str] = Counter()
        in_turn = []
        for number in sorted(numbers, key=promise):
            if self.tests[number] in ready:
                function = self.tests[number].partition("[")[0]
                turns[function] += 1
                in_turn.append((turns[function], number))
        chosen: list[tuple[str, float]] = []
        spent = 0.0
        for _, number in sorted(in_turn, key=lambda each: each[0]):
            spent += self.durations[number]
            if not chosen or spent <= budget:
                chosen.append((self.tests[number], self.durations[number]))
        return chosen


def collect(tests: list[str]) -> dict[str, Any]:
    """Run the tests under coverage once."""
    from coverage import CoverageData  # noqa: PLC0415 - only here

    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        data, durations = Path(folder, "coverage"), Path(folder, "durations.json")
        command = [
            sys.executable, "-m", "coverage", "run", "--branch", f"--data-file={data}",
            "--include=" + ",".join(str(SOURCE / module) for module in MODULES),
            "-m", "pytest", "-q", "-p", "tests.mutants.contexts", *tests,
        ]  # fmt: skip
        environment = _environment(ROOT / "src") | {"MUTANTS_DURATIONS": str(durations)}
        subprocess.run(command, cwd=ROOT, env=environment, check=False)
        spent = json.loads(durations.read_text(encoding="utf-8"))
        names = sorted(spent)
        numbers = {name: number for number, name in enumerate(names)}
        found = CoverageData(str(data))
        found.read()
        lines: dict[str, dict[str, list[int]]] = defaultdict(dict)
        for file in found.measured_files():
            module = str(Path(file).relative_to(SOURCE))
            for line, contexts in found.contexts_by_lineno(file).items():
                ran = sorted(numbers[each] for each in contexts if each in numbers)
                lines[module][str(line)] = ran
    return {
        "tests": names,
        "durations": [round(spent[name], 3) for name in names],
        "lines": lines,
    }


# Judging a change


def _environment(source: Path) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": f"{source}{os.pathsep}{ROOT}"}


class Fresh:
    """Runs tests in new interpreters, against a copy of the source with one file changed."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._source = folder, folder / "src"
        shutil.copytree(SOURCE, self._source / "chainteller")
        for name in ("themes", "sample_data"):
            (folder / name).symlink_to(ROOT / name)
        for name in _READY:
            importlib.import_module(name)

    def outcome(self, mutant: Mutant, tests: list[str]) -> tuple[str, float]:
        """What became of it, after how many seconds."""
        file = self._source / "chainteller" / mutant.module
        right = file.read_text(encoding="utf-8")
        file.write_text(mutant.change.made_in(right), encoding="utf-8")
        started = time.monotonic()
        try:
            return self._run(tests), round(time.monotonic() - started, 2)
        finally:
            file.write_text(right, encoding="utf-8")

    def _run(self, tests: list[str]) -> str:
        """In a process forked from this one, which has imported what takes long."""
        child = os.fork()
        if child == 0:
            self._be_pytest(tests)
        limit = time.monotonic() + _PATIENCE_S + 3 * BUDGET_S
        try:
            while time.monotonic() < limit:
                ended, status = os.waitpid(child, os.WNOHANG)
                if ended:
                    return SURVIVED if os.waitstatus_to_exitcode(status) == 0 else KILLED
                time.sleep(0.05)
            return TIMEOUT
        finally:
            with suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(child, 0)

    def _be_pytest(self, tests: list[str]) -> NoReturn:
        def run() -> int:
            os.chdir(ROOT)
            os.environ |= _environment(self._source)
            sys.path[:0] = [str(self._source), str(ROOT)]
            return int(pytest.main([*_HOW, *tests]))

        end_as(run, self._folder / "output")


class Judge:
    """Judges changes in the warm process, and in a fresh one what can't be judged there."""

    def __init__(
        self, folder: Path, coverage: Coverage, tests: list[str], *, budget: float, confirm: bool
    ) -> None:
        self._budget, self._confirm = budget, confirm
        self._coverage, self._kills = coverage, defaultdict[str, Counter[str]](Counter)
        self._fresh = Fresh(folder)
        self._asking, theirs = Pipe()
        temporary = folder / "warm"
        temporary.mkdir()
        self._child = os.fork()
        if self._child == 0:
            os.chdir(ROOT)
            os.environ |= _environment(ROOT / "src") | {"TMPDIR": str(temporary)}
            tempfile.tempdir = None
            sys.path[:0] = [str(ROOT / "src"), str(ROOT)]
            serve(theirs, tests, [str(SOURCE / module) for module in MODULES], temporary)
        theirs.close()
        try:
            self._ready = frozenset(self._asking.recv())
        except EOFError:
            output = (folder / "output").read_text(encoding="utf-8")
            raise RuntimeError(f"the tests can't be collected: {output[-4_000:]}") from None

    def close(self) -> None:
        self._asking.send(None)
        os.waitpid(self._child, 0)

    def judge(self, mutant: Mutant) -> dict[str, Any]:
        kills = self._kills[mutant.module]
        tests = self._coverage.tests_of(mutant, kills, self._budget, self._ready)
        told = self._judged(mutant, tests) if tests else Judged(UNCOVERED, "", 0.0)
        if told.killer:
            self._kills[mutant.module][told.killer] += 1
        return {
            "mutant": mutant.name,
            "line": mutant.change.line,
            "kind": mutant.change.kind,
            "outcome": told.outcome,
            "by": told.killer,
            "tests": len(tests),
            "seconds": told.seconds,
        }

    def _judged(self, mutant: Mutant, tests: list[tuple[str, float]]) -> Judged:
        file = SOURCE / mutant.module
        told = Judged(UNCHANGED, "", 0.0)
        if mutant.change.where:
            changed = mutant.change.made_in(file.read_text(encoding="utf-8"))
            self._asking.send(Asked(str(file), changed, tests))
            told = self._asking.recv()
        if told.outcome != UNCHANGED and not (self._confirm and told.outcome == SURVIVED):
            return told
        outcome, seconds = self._fresh.outcome(mutant, [name for name, _ in tests])
        return Judged(CONFIRMED if outcome == SURVIVED else outcome, "", seconds)


# The state


class State:
    """What is known so far: one JSON document a line, the coverage first."""

    def __init__(self, file: Path) -> None:
        self._file = file
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        self._found: list[dict[str, Any]] = [json.loads(line) for line in lines]
        self.done = {each["mutant"]: each for each in self._found if "mutant" in each}

    @property
    def measured(self) -> list[dict[str, Any]]:
        return [each for each in self._found if "lines" in each]

    def add(self, document: dict[str, Any]) -> None:
        with self._file.open("a", encoding="utf-8") as out:
            out.write(json.dumps(document) + "\n")
        self._found.append(document)

    def report(self) -> None:
        counted = {name: each for name, each in self.done.items() if name not in equivalent()}
        by_kind: dict[str, Counter[str]] = defaultdict(Counter)
        for each in counted.values():
            by_kind[each["kind"]][each["outcome"]] += 1
        for kind, found in sorted(by_kind.items()):
            _say(f"{kind:18} " + ", ".join(f"{name} {n}" for name, n in sorted(found.items())))
        for name, each in sorted(counted.items()):
            if each["outcome"] in LEFT:
                _say(f"{each['outcome']}, line {each['line']}: {name}")
        left = sum(each["outcome"] in LEFT for each in counted.values())
        _say(
            f"{len(self.done)} changes, of which {len(self.done) - len(counted)} are equivalent; "
            f"{len(counted) - left} of {len(counted)} others killed "
            f"({100 * (len(counted) - left) / max(1, len(counted)):.1f} %)"
        )


def equivalent() -> dict[str, str]:
    """The name of each change that is equivalent, with the reason."""
    found = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8"))
    return {
        f"{module} {name}": reason
        for module, each in found.items()
        for name, reason in each.items()
    }


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _chosen(given: argparse.Namespace) -> Iterator[Mutant]:
    parts = given.modules or [""]
    modules = tuple(each for each in MODULES if any(part in each for part in parts))
    found = mutants(modules)
    last = None if given.count is None else given.first + given.count
    yield from found[given.first : last]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--state", type=Path, required=True, help="where results are kept")
    parser.add_argument("--modules", nargs="*", help="only files whose name contains one of these")
    parser.add_argument("--first", type=int, default=0, help="how many changes to leave out")
    parser.add_argument("--count", type=int, help="how many changes to judge")
    parser.add_argument("--tests", nargs="*", default=list(TESTS), help="which tests judge")
    parser.add_argument("--budget", type=float, default=BUDGET_S, help="seconds of tests for one")
    parser.add_argument("--again", action="store_true", help="judge what was left once more")
    parser.add_argument("--measure", nargs="+", help="note which lines these new tests run")
    parser.add_argument("--confirm", action="store_true", help="in a fresh interpreter, too")
    parser.add_argument("--report", action="store_true", help="only show what is known")
    given = parser.parse_args()
    state = State(given.state)
    if given.report:
        state.report()
        return
    if given.measure or not state.measured:
        state.add(collect(given.measure or given.tests))
    coverage = Coverage(state.measured)
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        judge = Judge(
            Path(folder), coverage, given.tests, budget=given.budget, confirm=given.confirm
        )
        known = equivalent()
        for mutant in _chosen(given):
            before = state.done.get(mutant.name)
            is_left = before is not None and before["outcome"] in LEFT
            if before is not None and not (given.again and is_left and mutant.name not in known):
                continue
            told = judge.judge(mutant)
            state.add(told)
            state.done[mutant.name] = told
            _say(f"{told['outcome']:9} {told['seconds']:6.2f} s  {mutant.name}")
        judge.close()
    state.report()


if __name__ == "__main__":
    main()
