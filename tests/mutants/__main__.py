"""Make small wrong changes in a copy of the source, and see whether a test fails.

``python -m tests.mutants --state FILE`` first runs the tests once and notes which of them ran which
line; then each change is judged by the tests that ran its line, the quickest first. The same
command again goes on after what is done. ``--modules`` chooses files by a part of their name,
``--first`` and ``--count`` a part of the changes, ``--report`` only shows what is known.
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
import traceback
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.mutants.changes import Change, changes

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "chainteller"
MODULES = (
    "domain/money.py", "domain/ledger.py", "domain/limits.py", "domain/quoting.py",
    "domain/transfers.py", "domain/merkle.py", "domain/audit_chain.py", "domain/challenges.py",
    "domain/keys.py",
    "engine/ledger.py", "engine/limits.py", "engine/unit_of_work.py", "engine/outcome.py",
    "engine/verification.py", "engine/checks/conduct.py", "engine/checks/epochs.py",
    "engine/checks/expected_journals.py", "engine/checks/ledger.py", "engine/checks/records.py",
    "engine/checks/seals.py", "engine/checks/unsealed.py", "engine/claims.py",
    "engine/claim_proofs.py", "engine/keys.py", "engine/payouts.py", "engine/payout_checks.py",
    "engine/withdrawals.py", "engine/settlement.py", "engine/deposits.py",
    "storage/ledger.py", "storage/rows.py", "storage/sealing.py", "storage/chain.py",
    "storage/log.py", "storage/keys.py",
)  # fmt: skip
"""Money, ledger, limits, transactions, chain and log, verification, claims, keys, sending."""
TESTS = (
    "tests/domain", "tests/engine", "tests/storage", "tests/properties", "tests/payouts",
    "tests/tampering", "tests/wallets", "tests/clock",
)  # fmt: skip
_READY = (
    "sqlalchemy", "sqlalchemy.dialects.sqlite", "sqlmodel", "pydantic", "hypothesis", "starlette",
    "httpx", "uvicorn", "alembic", "eth_account", "nacl.signing", "stamina", "click", "coverage",
)  # fmt: skip
"""What a test run imports anyway, once for all of them: none of it imports what is changed."""
_HOW = ("-x", "-q", "--tb=line", "-W", "ignore::pytest.PytestAssertRewriteWarning")
BUDGET_S = 40.0
"""Of tests for one change, as long as they took without it."""
_PATIENCE_S = 60.0
KILLED, SURVIVED, TIMEOUT, UNCOVERED = "killed", "survived", "timeout", "uncovered"


class Mutant(NamedTuple):
    module: str
    number: int
    change: Change
    shown: str

    @property
    def name(self) -> str:
        return f"{self.module}:{self.change.line} #{self.number} {self.change.kind}: {self.shown}"


def mutants(modules: tuple[str, ...]) -> list[Mutant]:
    """All changes, in an order that mixes the modules and is always the same."""
    found = []
    for module in modules:
        source = (SOURCE / module).read_text(encoding="utf-8")
        found += [
            Mutant(module, number, each, each.shown(source))
            for number, each in enumerate(changes(source))
        ]
    return sorted(found, key=lambda each: hashlib.sha256(each.name.encode()).digest())


# Which tests run which line


class Coverage:
    """Which tests ran which line, and how long each test takes."""

    def __init__(self, found: dict[str, Any]) -> None:
        self.tests: list[str] = found["tests"]
        self.durations: list[float] = found["durations"]
        self.lines: dict[str, dict[str, list[int]]] = found["lines"]

    def quickest(self, count: int = 20) -> list[str]:
        order = sorted(range(len(self.tests)), key=self.durations.__getitem__)
        return [self.tests[number] for number in order[:count]]

    def tests_of(self, mutant: Mutant) -> list[str]:
        """The quickest tests that ran its line, within the budget; for a line that runs when its
        module is imported, those of the whole module."""
        lines = self.lines.get(mutant.module, {})
        wanted = range(mutant.change.line, mutant.change.end + 1)
        numbers = {test for line in wanted for test in lines.get(str(line), ())}
        if not numbers and any(str(line) in lines for line in wanted):
            numbers = {test for found in lines.values() for test in found}
        chosen: list[str] = []
        spent = 0.0
        for number in sorted(numbers, key=lambda each: (self.durations[each], each)):
            spent += self.durations[number]
            if chosen and spent > BUDGET_S:
                break
            chosen.append(self.tests[number])
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


class Judge:
    """Runs tests against a copy of the source in which one file is changed at a time."""

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
            return self._run(tests), time.monotonic() - started
        finally:
            file.write_text(right, encoding="utf-8")

    def require_passing(self, tests: list[str]) -> None:
        """Raises RuntimeError: without a change, tests fail too, so they can't judge one."""
        if self._run(tests) != SURVIVED:
            raise RuntimeError((self._folder / "output").read_text(encoding="utf-8")[-4_000:])

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

    def _be_pytest(self, tests: list[str]) -> None:
        code = 3
        try:
            os.setsid()
            os.chdir(ROOT)
            os.environ |= _environment(self._source)
            sys.path[:0] = [str(self._source), str(ROOT)]
            sys.dont_write_bytecode = True
            with (self._folder / "output").open("w") as output:
                os.dup2(output.fileno(), 1)
                os.dup2(output.fileno(), 2)
            code = int(pytest.main([*_HOW, *tests]))
        except BaseException:  # noqa: BLE001 - this process ends here
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)


# The state


class State:
    """What is known so far: one JSON document a line, the coverage first."""

    def __init__(self, file: Path) -> None:
        self._file = file
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        self._found: list[dict[str, Any]] = [json.loads(line) for line in lines]
        self.done = {each["mutant"]: each for each in self._found if "mutant" in each}

    @property
    def coverage(self) -> Coverage | None:
        return next((Coverage(each) for each in self._found if "lines" in each), None)

    def add(self, document: dict[str, Any]) -> None:
        with self._file.open("a", encoding="utf-8") as out:
            out.write(json.dumps(document) + "\n")
        self._found.append(document)

    def report(self) -> None:
        total = Counter(each["outcome"] for each in self.done.values())
        by_kind: dict[str, Counter[str]] = defaultdict(Counter)
        for each in self.done.values():
            by_kind[each["kind"]][each["outcome"]] += 1
        for kind, counted in sorted(by_kind.items()):
            _say(f"{kind:18} " + ", ".join(f"{name} {n}" for name, n in sorted(counted.items())))
        for name, each in sorted(self.done.items()):
            if each["outcome"] in (SURVIVED, UNCOVERED):
                _say(f"{each['outcome']}: {name}")
        _say(f"{len(self.done)} changes: " + ", ".join(f"{n} {name}" for name, n in total.items()))


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
    parser.add_argument("--report", action="store_true", help="only show what is known")
    given = parser.parse_args()
    state = State(given.state)
    if given.report:
        state.report()
        return
    if state.coverage is None:
        state.add(collect(given.tests))
    coverage = state.coverage
    if coverage is None:
        raise AssertionError("the coverage was just added")
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        judge = Judge(Path(folder))
        judge.require_passing(coverage.quickest())
        for mutant in _chosen(given):
            if mutant.name in state.done:
                continue
            tests = coverage.tests_of(mutant)
            outcome, spent = judge.outcome(mutant, tests) if tests else (UNCOVERED, 0.0)
            told = {
                "mutant": mutant.name,
                "kind": mutant.change.kind,
                "outcome": outcome,
                "tests": len(tests),
                "seconds": round(spent, 1),
            }
            state.add(told)
            state.done[mutant.name] = told
            _say(f"{outcome:9} {spent:5.1f} s  {mutant.name}")
    state.report()


if __name__ == "__main__":
    main()
