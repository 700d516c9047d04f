"""The parent of several server processes: real processes, real signals."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.world.waiting import PATIENCE_S

PROGRAM = """
import signal, sys
from chainteller.api.processes import serve_in_processes

def run(tell_ready):
    tell_ready()
    signal.pause()
    return 0

sys.exit(serve_in_processes(run, 2, lambda: print("accepting", flush=True)))
"""


def test_it_ends_although_a_process_is_being_replaced() -> None:
    """The signal comes between the death of one and the start of the next, or just beside."""
    for number in range(0, 12, 2):
        parent = subprocess.Popen(
            [sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"accepting\n"
        children = Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text().split()
        os.kill(int(children[0]), signal.SIGKILL)
        time.sleep(number / 4_000)
        parent.send_signal(signal.SIGTERM)
        assert parent.communicate(timeout=PATIENCE_S)[1] == b""
        assert parent.returncode == 0


def _started(at_hangup: "signal.Handlers") -> "subprocess.Popen[bytes]":
    """A parent that began with an action for SIGHUP, as a terminal or ``nohup`` gives it one."""
    before = signal.signal(signal.SIGHUP, at_hangup)
    try:
        parent = subprocess.Popen(
            [sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
    finally:
        signal.signal(signal.SIGHUP, before)
    assert parent.stdout is not None
    assert parent.stdout.readline() == b"accepting\n"
    return parent


def test_a_hangup_ends_it_with_its_processes() -> None:
    """As when its terminal is closed. Killed by it, the parent left them without anybody."""
    parent = _started(signal.SIG_DFL)
    parent.send_signal(signal.SIGHUP)
    assert parent.communicate(timeout=PATIENCE_S) == (b"", b"")
    assert parent.returncode == 0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it's read from /proc")
def test_what_nohup_ignores_stays_ignored() -> None:
    parent = _started(signal.SIG_IGN)
    status = Path(f"/proc/{parent.pid}/status").read_text()
    (ignored,) = re.findall(r"^SigIgn:\s+([0-9a-f]+)$", status, re.MULTILINE)
    assert int(ignored, 16) & 1 << signal.SIGHUP - 1
    parent.send_signal(signal.SIGTERM)
    assert parent.communicate(timeout=PATIENCE_S) == (b"", b"")
