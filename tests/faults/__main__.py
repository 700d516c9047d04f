"""Plant each fault in a copy of the source and name the test that catches it.

``python -m tests.faults --state faults.jsonl`` runs them all; the same command again goes on after
what is done. ``--only TEXT`` runs those whose name contains the text, ``--check`` only looks
whether each can be planted.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from tests.deployments import OWN
from tests.faults.fault import SIMULATOR, Fault
from tests.faults.faults import FAULTS

import chainteller

ROOT = Path(__file__).parents[2]
SOURCE = Path(chainteller.__file__).parent
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S.*?)(?: - .*)?$", re.MULTILINE)
_HOW = re.compile(r"^E +((?:[\w.]+: |assert ).*)$", re.MULTILINE)
_CRASH = re.compile(
    r"\b(?:Name|UnboundLocal|Import|ModuleNotFound|Syntax|Indentation|Attribute|Type)Error\b"
)
"""A fault that doesn't run at all shows nothing about the tests."""
LIMIT_S = 900
WALKER = "tests/walker/test_walker.py"
SEEDS, STEPS = 20, 400
"""Of the simulator, for a fault that it should find."""


def planted(fault: Fault, source: Path = SOURCE) -> str | None:
    """The text of the fault's file with the fault in it; None where its place is gone."""
    text = (source / fault.file).read_text(encoding="utf-8")
    return text.replace(fault.right, fault.wrong) if text.count(fault.right) == 1 else None


def plant(fault: Fault, folder: Path) -> Path:
    """A copy of the source with the fault in it.

    Raises:
        LookupError: the place to plant it is gone.
    """
    wrong = planted(fault)
    if wrong is None:
        raise LookupError(fault.name)
    copy = folder / "src" / "chainteller"
    shutil.copytree(SOURCE, copy)  # compiled files and all: only the fault is compiled anew
    for name in ("themes", "sample_data"):
        (folder / name).symlink_to(ROOT / name)
    (copy / fault.file).write_text(wrong, encoding="utf-8")
    return folder / "src"


class Failure(NamedTuple):
    test: str
    how: str


def caught_by(fault: Fault) -> Failure | None:
    """The first test that fails with the fault, and how; None when none does.

    Raises:
        RuntimeError: the fault only crashes, or the tests don't end.
    """
    with tempfile.TemporaryDirectory(prefix="fault-") as folder:
        source = plant(fault, Path(folder))
        if fault.tests == (SIMULATOR,):
            return _simulated(source, Path(folder) / "seeds.jsonl")
        for tests in (fault.tests, (WALKER,)):
            told = _run(source, "-x", *tests)
            if told:
                failed, how = _FAILED.search(told), _HOW.findall(told)
                if failed is None or not how or _CRASH.search(how[-1]):
                    raise RuntimeError(told[-2_000:])
                return Failure(failed[1], how[-1])
    return None


def failing_without(tests: Iterable[str]) -> set[str]:
    """The tests that fail without any fault."""
    chosen = sorted({*tests} - {SIMULATOR})
    return {*_FAILED.findall(_run(SOURCE.parent, *chosen))} if chosen else set()


def _simulated(source: Path, state: Path) -> Failure | None:
    """In how many seeds the simulator's model and this source differ; None if in none."""
    _python(
        *(source, "tests.simulation", "--seeds", f"1-{SEEDS}"),
        *("--operations", str(STEPS), "--state", str(state)),
    )
    rows = [json.loads(row) for row in state.read_text(encoding="utf-8").splitlines()]
    count = sum(bool(differing) for *_, differing in rows)
    return Failure(SIMULATOR, f"{count} of {SEEDS} seeds differ") if count else None


def _run(source: Path, *tests: str) -> str:
    """What pytest says of the tests with a source if any fails; empty if they pass.

    Tests that are named run whatever their marks; of a file, those of the suite.
    """
    marks = ("-m", "") if all("::" in each for each in tests if each != "-x") else ()
    ended = _python(
        source, "pytest", "-q", "-p", "no:cacheprovider", "--deployment", OWN, *marks, *tests
    )
    return ended.stdout if ended.returncode else ""


def _python(source: Path, module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a module with a source. Raises RuntimeError if it doesn't end with 0 or 1 in time."""
    environment = os.environ | {
        "PYTHONPATH": f"{source}{os.pathsep}{ROOT}",
        "WALKER_STEPS": os.environ.get("WALKER_STEPS", "200"),
    }
    try:
        ended = subprocess.run(
            [sys.executable, "-m", module, *arguments],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=LIMIT_S,
        )
    except subprocess.TimeoutExpired as error:
        raise RuntimeError(f"{arguments} took longer than {LIMIT_S} s") from error
    if ended.returncode not in (0, 1):
        raise RuntimeError(ended.stdout[-2_000:] + ended.stderr[-2_000:])
    return ended


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults")
    parser.add_argument("--state", type=Path, help="where results are kept")
    parser.add_argument("--only", default="", help="only faults whose name contains this")
    parser.add_argument("--check", action="store_true", help="only whether each can be planted")
    given = parser.parse_args()
    chosen = [fault for fault in FAULTS if given.only in fault.name]
    gone = [fault.name for fault in chosen if planted(fault) is None]
    if gone:
        _say("their place is gone:", *gone)
    if given.check:
        _say(f"{len(chosen) - len(gone)} of {len(chosen)} can be planted")
        return bool(gone)
    results = _done(given.state)
    for fault in chosen:
        if fault.name in results or fault.name in gone:
            continue
        began = time.monotonic()
        try:
            results[fault.name] = caught_by(fault)
        except RuntimeError as error:
            _say(f"{fault.name}: {error}")
            continue
        found, took_s = results[fault.name], time.monotonic() - began
        said = "NOT CAUGHT" if found is None else f"{found.test} ({found.how})"
        _say(f"{fault.name}: {said} {took_s:.0f} s")
        if given.state is not None:
            with given.state.open("a", encoding="utf-8") as file:
                file.write(json.dumps([fault.name, found]) + "\n")
    catching = {name: found.test for name, found in results.items() if found is not None}
    broken = failing_without(catching.values())
    if broken:
        _say("fail without any fault, too:", *sorted(broken))
    missed = [each.name for each in chosen if catching.get(each.name) in {None, *broken}]
    _say(f"{len(chosen) - len(missed)} of {len(chosen)} caught", *missed)
    return bool(missed)


def _done(state: Path | None) -> dict[str, Failure | None]:
    if state is None or not state.exists():
        return {}
    rows = [json.loads(row) for row in state.read_text(encoding="utf-8").splitlines()]
    return {name: Failure(*found) for name, found in rows if found}


def _say(*lines: str) -> None:
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
