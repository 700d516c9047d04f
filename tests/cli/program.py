"""The real program in a process of its own, or its commands in this one."""

import contextlib
import ctypes
import io
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import chainteller as package
from chainteller.cli.main import run

_SOURCE = Path(package.__file__).parents[1]
"""Where the tests themselves found the package: planted faults have another place."""
_TIMEOUT_S = 300
"""For a program that hangs; on a busy machine many lines take more than a minute."""


@dataclass(frozen=True, slots=True)
class Ended:
    code: int
    out: str
    err: str

    @property
    def body(self) -> Any:
        return json.loads(self.out)

    @property
    def complaint(self) -> list[str]:
        """The lines on stderr without the details in between: code and meaning, next step."""
        return [line for line in self.err.splitlines() if not line.startswith("  ")]


def environment(**variables: str) -> dict[str, str]:
    found = {**os.environ, "PYTHONPATH": str(_SOURCE), **variables}
    return {name: value for name, value in found.items() if value}


def chainteller(*arguments: str, given: str | bytes = "", **variables: str) -> Ended:
    """Run one command line to its end."""
    return _run(arguments, given, variables)


def confined(*arguments: str) -> Ended:
    """As ``chainteller``, and root, too, is refused by the mode of a file or folder; on Linux."""
    return _run(arguments, "", {}, _drop_capabilities)


def with_little_room(*arguments: str, **variables: str) -> Ended:
    """As ``chainteller``, with 1.5 GB of address space, which a file without an end would fill."""
    return _run(arguments, "", variables, _limit_room)


def _limit_room() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (1_500_000_000, 1_500_000_000))


def _drop_capabilities() -> None:
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None)
        for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
            libc.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


def _run(
    arguments: Sequence[str],
    given: str | bytes,
    variables: Mapping[str, str],
    before: Callable[[], None] | None = None,
) -> Ended:
    done = subprocess.run(
        [sys.executable, "-m", "chainteller", *arguments],
        input=given if isinstance(given, bytes) else given.encode(),
        capture_output=True,
        timeout=_TIMEOUT_S,
        env=environment(**variables),
        preexec_fn=before,
        check=False,
    )
    return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())


def in_this_process(*arguments: str, given: str = "", **variables: str) -> Ended:
    """Run one command line to its end without another interpreter, which takes half a second."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in variables.items():
            patch.setenv(name, value)
        patch.setattr("sys.stdin", io.StringIO(given))
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run([*arguments])
    return Ended(code, out.getvalue(), err.getvalue())


def python(code: str, **variables: str) -> Ended:
    """Run a few lines of Python with the program importable."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=_TIMEOUT_S,
        env=environment(**variables),
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr)
