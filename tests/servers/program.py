"""The real ``chainteller serve`` on a database, as a process that can be killed and come back."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.world.waiting import PATIENCE_S

_SOURCE = Path(__file__).parents[2] / "src"


class ServeProgram:
    """``program`` is the ``chainteller`` of another build, by default the one that is tested."""

    def __init__(
        self,
        url: str,
        home: Path,
        *arguments: str,
        port: str = "0",
        program: str = "",
        **settings: str,
    ) -> None:
        command = [program] if program else [sys.executable, "-m", "chainteller"]
        self._command = [*command, "serve", "--database", url, *arguments]
        self._variables = {
            **os.environ,
            "PYTHONPATH": "" if program else str(_SOURCE),
            "CHAINTELLER_HOME": str(home),
            **{f"CHAINTELLER_{name.upper()}": value for name, value in settings.items()},
        }
        self._port = port
        self._process = self._started()

    @property
    def port(self) -> int:
        return int(self._port)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def process_id(self) -> int:
        return self._process.pid

    def kill(self) -> None:
        """End it as a power cut would."""
        self._process.send_signal(signal.SIGKILL)
        self._process.communicate(timeout=PATIENCE_S)

    def start_again(self) -> None:
        """On the same port."""
        self._process = self._started()

    def stop(self) -> int:
        """End it orderly; its exit code."""
        if self._process.poll() is None:
            self._process.terminate()
        self._process.communicate(timeout=PATIENCE_S)
        return self._process.returncode

    def _started(self) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [*self._command, "--port", self._port],
            env=self._variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        line = process.stdout.readline() if process.stdout else ""
        self._port = line.strip().rpartition(":")[2]
        if not self._port.isdigit():
            process.kill()
            raise AssertionError(f"serve did not start: {line!r}")
        return process
