"""The parent of several server processes: real processes, real signals."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

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
