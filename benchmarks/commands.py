"""Processor time of every command, as a ratio to the imports that each of them needs.

    PYTHONPATH=src:. python -m benchmarks.commands [--rounds 3]

Each command runs as a process of its own, with the arguments of `tests/cli/every_command.py`, on
the sample bank with work that is due. Each round has a copy of the bank; minima are compared,
because they are steadier on a shared machine.
"""

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.cli.every_command import READING, WRITING, Bank, configure, lines
from tests.world.files import KEY_SETTING

_IMPORTS = "python -c 'import pydantic, sqlite3, click'"
_FLOOR = (sys.executable, "-c", "import pydantic, sqlite3, click")
_BETWEEN = 10
"""Commands from one measurement of the imports to the next."""
_PROGRAM = (sys.executable, "-m", "chainteller")
_ROOT = Path(__file__).parents[1]


def _cpu_ms(command: Sequence[str], home: Path) -> float:
    """Milliseconds of processor time, whether the command found something to complain of or not."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        command,
        env={
            **os.environ,
            "CHAINTELLER_HOME": str(home),
            "PYTHONPATH": str(_ROOT / "src"),
        },
        cwd=home,
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def _bank_and_lines(home: Path) -> dict[str, tuple[str, ...]]:
    bank = Bank(home)
    home.mkdir()
    configure(home)
    if bank.run("db", "sample").code:
        raise SystemExit("the sample bank can't be loaded")
    return {path: line for path, line in lines(bank).items() if path in {*READING, *WRITING}}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    os.environ |= KEY_SETTING
    best: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        home, kept = Path(folder) / "home", Path(folder) / "kept"
        commands = _bank_and_lines(home)
        shutil.copytree(home, kept)
        for _ in range(asked.rounds):
            shutil.rmtree(home)
            shutil.copytree(kept, home)
            for number, (path, line) in enumerate(commands.items()):
                if number % _BETWEEN == 0:
                    best[_IMPORTS] = min(best.get(_IMPORTS, float("inf")), _cpu_ms(_FLOOR, home))
                taken = _cpu_ms((*_PROGRAM, *line), home)
                best[path] = min(best.get(path, float("inf")), taken)
    floor = best.pop(_IMPORTS)
    print(f"{_IMPORTS}: {floor:.0f} ms")
    for path, taken in sorted(best.items(), key=lambda each: -each[1]):
        effect = "writes" if path in WRITING else "reads"
        print(f"{taken / floor:6.1f}  {effect:<6}  {path.removeprefix('chainteller ')}")


if __name__ == "__main__":
    main()
