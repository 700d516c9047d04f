"""Run the benchmarks and write their output to docs/development/measurements.md.

    PYTHONPATH=src:. python -m benchmarks.measurements [NAME ...] [--beside CHECKOUT]

Without names, all of them. A section that isn't measured again keeps its output. ``--beside`` names
a checkout of another build, and adds the benchmarks that compare the two.
"""

import argparse
import os
import platform
import re
import sqlite3  # noqa: TID251 - only its version
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

PAGE = Path(__file__).parents[1] / "docs" / "development" / "measurements.md"
_HEAD = """# Measurements

`python -m benchmarks.measurements` writes this page: each section is the output of one benchmark.
Compare ratios, not times: what a benchmark compares takes turns in one run on one machine. The load
is what the machine did just before: times that were taken while others used more than half of a
core say little. [Performance](performance.md) explains how the speed is achieved.
"""
_SECTION = re.compile(r"^## (?P<name>\S+)\n(?P<body>.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)


class Measurement(NamedTuple):
    """A benchmark with its arguments; ``{other}`` stands for the other checkout."""

    target: str
    arguments: str


MEASUREMENTS = {
    "executes": Measurement(
        "Executes on SQLite are at least 0.55 of writing the same rows.",
        "benchmarks/executes.py --count 200 --rounds 5",
    ),
    "executes_beside": Measurement(
        "Executes take at most a third of the other build's processor time.",
        "benchmarks/beside.py {other} --count 200 --rounds 3",
    ),
    "writes": Measurement(
        "Executes on PostgreSQL are at least 0.6 of one pipeline that writes the same rows.",
        "-m benchmarks.writes --single",
    ),
    "reads": Measurement(
        "Reads on PostgreSQL beside one prepared statement.", "benchmarks/reads.py"
    ),
    "gets": Measurement(
        "Every list is at least half as fast as reading one record; a statement is no list.",
        "benchmarks/gets.py 0.3",
    ),
    "lists": Measurement(
        "The length of a table doesn't change the time of a page of it.",
        "benchmarks/lists.py sqlite --sizes 1000,100000",
    ),
    "finding": Measurement(
        "The first result is right in 98 of 100 searches.",
        "benchmarks/finding.py sqlite --customers 20000",
    ),
    "commands": Measurement(
        "Reading commands take at most 3 times the bare imports, writing ones 5 times.",
        "-m benchmarks.commands --rounds 1",
    ),
    "agents": Measurement(
        "Signatures, roles and cases cost at most a tenth of a quote with its execution.",
        "benchmarks/agents.py",
    ),
    "console": Measurement(
        "First frame, rows and first key are at most 1.15, 1.3 and 1.5 times those of an empty "
        "Textual application.",
        "benchmarks/console.py empty demo --starts 5",
    ),
    "console_steps": Measurement(
        "A cursor step writes at most 800 bytes; a switch of screens takes at most 60 % of the "
        "other build's processor time.",
        "benchmarks/console.py --steps --beside {other}",
    ),
    "diagnosis": Measurement(
        "A refused signature is explained within 150 ms.", "benchmarks/wallet_diagnosis.py"
    ),
    "verification": Measurement(
        "Verifying a log, beside hashing its bytes.", "benchmarks/verify_log.py --trades 2000"
    ),
    "call_paths": Measurement(
        "Executing a quote crosses at most 35 files and 150 functions, a page of trades 30 and 90, "
        "`trade buy` 70 and 380.",
        "-m benchmarks.call_paths",
    ),
}


def _measured(name: str, measurement: Measurement, other: str | None) -> str:
    load = os.getloadavg()[0] / (os.cpu_count() or 1)
    words = measurement.arguments.format(other=other).split()
    print(name, *words, file=sys.stderr)
    run = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)
    if run.returncode:
        raise SystemExit(f"{name}: {run.stderr}")
    when = time.strftime("%d %B %Y", time.gmtime())
    command = measurement.arguments.format(other="CHECKOUT")
    machine = f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
    return (
        f"{measurement.target}\n\n"
        f"`python {command}`, {when}, {machine}, {os.cpu_count()} cores, "
        f"load {load:.1f} a core:\n\n```\n{run.stdout.strip()}\n```\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*MEASUREMENTS, []])
    parser.add_argument("--beside", metavar="CHECKOUT")
    chosen = parser.parse_args()
    before = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    sections = {found["name"]: found["body"].strip() + "\n" for found in _SECTION.finditer(before)}
    for name, measurement in MEASUREMENTS.items():
        needs_other = "{other}" in measurement.arguments
        if (name in chosen.names or not chosen.names) and (chosen.beside or not needs_other):
            sections[name] = _measured(name, measurement, chosen.beside)
            kept = [f"## {each}\n\n{sections[each]}" for each in MEASUREMENTS if each in sections]
            PAGE.write_text("\n".join([_HEAD, *kept]), encoding="utf-8")


if __name__ == "__main__":
    main()
