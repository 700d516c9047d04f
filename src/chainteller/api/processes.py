"""Several server processes on one socket, started and supervised by a parent process."""

import os
import signal
import sys
from collections.abc import Callable
from types import FrameType

from chainteller.api.metric_files import forget_process

EXIT_INTERRUPTED = 130
RESTARTS = 20
"""Number of deaths after which the parent gives up."""

ENDING: tuple[signal.Signals, ...] = (signal.SIGTERM, signal.SIGINT)
if sys.platform != "win32" and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
    ENDING = (*ENDING, signal.SIGHUP)
"""Signals that end a server in order. ``nohup`` ignores SIGHUP, which stays so."""
_READY = 0  # no signal has this number

RunServer = Callable[[Callable[[], None]], int]


def serve_in_processes(run: RunServer, count: int, announce: Callable[[], None]) -> int:
    """Serve until SIGTERM (0) or SIGINT (130); 1 if the processes keep dying.

    Args:
        run: runs one server process; calls its argument once it accepts requests.
        count: the number of processes.
        announce: called when all of them accept requests.
    """
    if sys.platform != "win32":
        return _Parent(run, count, announce).serve()
    raise NotImplementedError("needs fork, which this system doesn't have")


if sys.platform != "win32":

    class _Parent:
        """It hears of signals and of processes that are ready in one pipe, one after the other.

        A handler that acted could run between a fork and the note of its number: that process would
        never be told to end.
        """

        def __init__(self, run: RunServer, count: int, announce: Callable[[], None]) -> None:
            self._run, self._count, self._announce = run, count, announce
            self._children: set[int] = set()
            self._ready = self._deaths = 0
            self._code: int | None = None
            self._heard, self._speak = os.pipe()
            os.set_blocking(self._speak, False)

        def serve(self) -> int:
            for sig in (*ENDING, signal.SIGCHLD):
                signal.signal(sig, _heard_in_the_pipe)
            signal.set_wakeup_fd(self._speak, warn_on_full_buffer=False)
            for _ in range(self._count):
                self._start()
            while self._children:
                for told in os.read(self._heard, 1_000):
                    self._hear(told)
            return self._code or 0

        def _hear(self, told: int) -> None:
            if told == _READY:
                self._ready += 1
                if self._ready == self._count and self._code is None:
                    self._announce()
            elif told == signal.SIGCHLD:
                self._replace(self._reap())
            else:
                self._end_all(EXIT_INTERRUPTED if told == signal.SIGINT else 0)

        def _replace(self, died: int) -> None:
            if self._code is not None or not died:
                return
            self._deaths += died
            if self._ready < self._count or self._deaths > RESTARTS:
                self._end_all(1)
                return
            for _ in range(died):
                self._start()

        def _start(self) -> None:
            signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
            pid = os.fork()
            if pid:
                self._children.add(pid)
                signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
                return
            signal.set_wakeup_fd(-1)
            for sig in (*ENDING, signal.SIGCHLD):
                signal.signal(sig, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
            code = 1
            try:
                code = self._run(self._tell_ready)
            finally:
                os._exit(code)

        def _tell_ready(self) -> None:
            os.write(self._speak, bytes([_READY]))

        def _reap(self) -> int:
            """How many processes have ended since it was asked last."""
            died = 0
            while self._children and (pid := os.waitpid(-1, os.WNOHANG)[0]):
                self._children.discard(pid)
                forget_process(pid)
                died += 1
            return died

        def _end_all(self, code: int) -> None:
            """Tell every process to end; what was said first is the code of this one."""
            self._code = code if self._code is None else self._code
            for pid in self._children:
                os.kill(pid, signal.SIGTERM)


def _heard_in_the_pipe(_signal: int, _frame: FrameType | None) -> None:
    pass
