"""The program on a terminal of its own, whose screen is read as a person reads it."""

import sys
import time
from collections.abc import Callable, Mapping
from types import TracebackType

import pexpect
import pyte
from tests.cli.program import environment
from tests.world.waiting import PATIENCE_S


class Terminal:
    """``python -m chainteller`` with arguments and variables, in a window of columns and rows."""

    def __init__(
        self,
        *arguments: str,
        variables: Mapping[str, str] | None = None,
        size: tuple[int, int] = (120, 40),
    ) -> None:
        columns, rows = size
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self.child: pexpect.spawn[bytes] = pexpect.spawn(
            sys.executable,
            ["-m", "chainteller", *arguments],
            dimensions=(rows, columns),
            env={**environment(**(variables or {})), "TERM": "xterm-256color"},
            timeout=PATIENCE_S,
        )

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.child.close(force=True)

    def text(self) -> str:
        return "\n".join(self._screen.display)

    def until(self, words: str, patience_s: float = PATIENCE_S) -> str:
        """Read until words are on the screen, which is returned."""
        ends = time.monotonic() + patience_s
        while words not in (shown := self.text()):
            if time.monotonic() > ends:
                raise AssertionError(f"{words!r} never came\n{shown}")
            self.read_for(patience_s)
        return shown

    def read_for(self, seconds: float) -> None:
        """Read what comes next; a terminal that nobody reads stops the program behind it."""
        try:
            self._stream.feed(self.child.read_nonblocking(65_536, timeout=seconds))
        except pexpect.TIMEOUT:
            return

    def press(self, keys: str, words: str = "") -> str:
        """Send keys, and read until words are on the screen."""
        self.child.send(keys)
        return self.until(words)

    def press_until(self, key: str, words: str) -> str:
        """Repeat a key until words come: a question is deaf for a moment."""
        self.press_while(key, lambda: words not in self.text())
        return self.text()

    def press_while(self, key: str, holds: Callable[[], bool]) -> None:
        """Repeat a key twice a second as long as a condition holds, and read what comes."""
        ends = time.monotonic() + PATIENCE_S
        while holds():
            assert time.monotonic() < ends, f"{key!r} was never heard\n{self.text()}"
            self.child.send(key)
            again = time.monotonic() + 0.5
            while holds() and (left := again - time.monotonic()) > 0:
                self.read_for(left)

    def kill(self, number: int) -> int | None:
        """Send a signal; the signal that it ended by, or its exit code."""
        self.child.kill(number)
        return self.ended()

    def quit(self) -> int | None:
        """Leave the console by its key; the exit code."""
        self.child.send("\x11")
        return self.ended()

    def ended(self) -> int | None:
        """Read to the end; the exit code, or the signal that it ended by."""
        self.child.expect(pexpect.EOF)
        self.child.close()
        code: int | None = self.child.exitstatus
        return self.child.signalstatus if code is None else code
