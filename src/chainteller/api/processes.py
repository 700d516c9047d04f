"""Several server processes on one socket, started and supervised by a parent process."""

import os
import select
import signal
import sys
from collections.abc import Callable
from types import FrameType

EXIT_INTERRUPTED = 130
RESTARTS = 20
"""Number of deaths after which the parent gives up."""

_LOOK_S = 0.1
_WITHOUT_WAITING: int = getattr(os, "WNOHANG", 1)

RunServer = Callable[[Callable[[], None]], int]


def serve_in_processes(run: RunServer, count: int, announce: Callable[[], None]) -> int:
    """Serve until SIGTERM (0) or SIGINT (130); 1 if the processes keep dying.

    Args:
        run: runs one server process; calls its argument once it accepts requests.
        count: the number of processes.
        announce: called when all of them accept requests.
    """
    return _Parent(run).serve(count, announce)


class _Parent:
    def __init__(self, run: RunServer) -> None:
        self._run = run
        self._children: set[int] = set()
        self._ending: int | None = None
        self._heard, self._speak = os.pipe()

    def serve(self, count: int, announce: Callable[[], None]) -> int:
        for sig in (signal.SIGTERM, signal.SIGINT):
            signal.signal(sig, self._end)
        for _ in range(count):
            self._start()
        if self._all_ready(count):
            announce()
            failed = not self._watch()
        else:
            failed = self._ending is None
            self._end_all()
        while self._children:
            self._reap(0)
        if failed:
            return 1
        return EXIT_INTERRUPTED if self._ending == signal.SIGINT else 0

    def _start(self) -> None:
        if sys.platform == "win32":
            raise NotImplementedError("needs fork, which this system doesn't have")
        pid = os.fork()
        if pid:
            self._children.add(pid)
            return
        for sig in (signal.SIGTERM, signal.SIGINT):
            signal.signal(sig, signal.SIG_DFL)
        code = 1
        try:
            code = self._run(self._tell_ready)
        finally:
            os._exit(code)

    def _tell_ready(self) -> None:
        os.write(self._speak, b"+")

    def _all_ready(self, count: int) -> bool:
        """Wait until every process accepts requests; False if one died or a signal came first."""
        ready = 0
        while ready < count and self._ending is None:
            if select.select([self._heard], [], [], _LOOK_S)[0]:
                ready += len(os.read(self._heard, count))
            elif self._reap(_WITHOUT_WAITING):
                return False
        return ready >= count

    def _watch(self) -> bool:
        """Replace processes that die; False if too many do."""
        deaths = 0
        while self._children:
            died = self._reap(0)
            if not died or self._ending is not None:
                continue
            deaths += 1
            if deaths > RESTARTS:
                self._end_all()
                return False
            self._start()
        return True

    def _reap(self, how: int) -> bool:
        """Whether a process has ended."""
        pid, _ = os.waitpid(-1, how)
        self._children.discard(pid)
        return pid != 0

    def _end(self, sig: int, _frame: FrameType | None) -> None:
        self._ending = sig
        self._end_all()

    def _end_all(self) -> None:
        for pid in tuple(self._children):
            os.kill(pid, signal.SIGTERM)
