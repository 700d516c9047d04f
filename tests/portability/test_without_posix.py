"""The console, the demo, training and every command where nothing of POSIX is left.

A child process starts with ``stripped/sitecustomize.py``, which hides POSIX modules, functions and
signals. It isn't Windows: paths, terminals and file permissions are still those of this system.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from chainteller.private_files import allows_others, how_to_protect, others_may_read

pytestmark = pytest.mark.thorough

STRIPPED = Path(__file__).parent / "stripped"
ROOT = Path(__file__).parents[2]
_TIMEOUT_S = 120


def run(
    *arguments: str, home: Path, terminal: int | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a module in a process without POSIX, with the program's files in ``home``."""
    paths = (STRIPPED, ROOT / "src", ROOT)
    given = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths)), **variables}
    return subprocess.run(
        [sys.executable, "-m", *arguments],
        stdin=terminal,
        stdout=subprocess.PIPE if terminal is None else terminal,
        stderr=subprocess.PIPE if terminal is None else terminal,
        text=True,
        timeout=_TIMEOUT_S,
        env=given | {"CHAINTELLER_HOME": str(home)},
        cwd=home,
        check=False,
    )


@pytest.mark.parametrize("arguments", [("demo",), ("desk",), ()], ids=["demo", "desk", "none"])
def test_the_console_starts_and_ends(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    headless = "textual.drivers.headless_driver:HeadlessDriver"
    master, terminal = os.openpty()  # the console wants a terminal before it starts
    try:
        ended = run(
            "chainteller",
            *arguments,
            home=tmp_path,
            terminal=terminal,
            TEXTUAL_DRIVER=headless,
            TEXTUAL_PRESS="ctrl+q",
        )
    finally:
        os.close(terminal)
        os.close(master)
    assert ended.returncode == 0


def test_nothing_of_posix_is_left(tmp_path: Path) -> None:
    code = "import os, signal, sys; print(hasattr(os, 'fork'), hasattr(signal, 'SIGHUP'))"
    (tmp_path / "probe.py").write_text(
        f"{code}\ntry:\n    import fcntl\nexcept ImportError:\n    print('no fcntl')\n",
        encoding="utf-8",
    )
    ended = run("probe", home=tmp_path)
    assert ended.stdout.split("\n")[:2] == ["False False", "no fcntl"]


@pytest.mark.slow
def test_every_command_ends_well(tmp_path: Path) -> None:
    ended = run("tests.portability.commands_child", str(tmp_path), home=tmp_path)
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    workers = found.pop("chainteller serve")
    assert len(found) > 60
    assert {path: each for path, each in found.items() if each["code"] != 0} == {}
    assert workers["code"] == 2
    assert "This system can't start several workers" in workers["said"]


@pytest.mark.parametrize(
    ("dacl", "shared"),
    [
        ("key.txt\nD:PAI(A;;FA;;;S-1-5-21-1-2-3-1001)", False),
        ("key.txt\nD:AI(A;ID;FA;;;SY)(A;ID;FA;;;BA)(A;ID;FA;;;S-1-5-21-1-2-3-1001)", False),
        ("key.txt\nD:AI(A;ID;0x1200a9;;;BU)(A;ID;FA;;;SY)", True),
        ("key.txt\nD:(A;;FR;;;WD)", True),
        ("key.txt\nD:(D;;FA;;;WD)(A;;FA;;;SY)", False),
        ("", False),
    ],
)
def test_a_windows_list_of_readers_is_understood(dacl: str, shared: bool) -> None:
    assert allows_others(dacl) is shared


def test_mode_bits_protect_a_file_here(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.touch(mode=0o644)
    file.chmod(0o644)
    assert others_may_read(file)
    assert how_to_protect(file) == f"chmod 600 {file}"
    file.chmod(0o600)
    assert not others_may_read(file)
