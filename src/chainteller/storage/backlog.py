"""What this process has committed and what of it has no number yet; PostgreSQL only."""

import threading


class Backlog:
    """Shared by the threads that write, the one that numbers, and those that wait for it."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._written = 0
        self._numbered = 0
        self.woken = threading.Event()
        """Set by each commit, for the thread that numbers."""
        self.overdrawn: frozenset[tuple[str, str]] = frozenset()
        """The bank's own ledger accounts that were below zero at the last look."""
        self.has_sequencer = False
        """Whether a thread of this process numbers. Without one, each write does so itself."""

    def committed(self) -> None:
        with self._changed:
            self._written += 1
        self.woken.set()

    def mark(self) -> int:
        """How many writes this process has committed."""
        return self._written

    def numbered(self, mark: int) -> None:
        """Everything that was committed before ``mark`` was read has its number."""
        with self._changed:
            self._numbered = max(self._numbered, mark)
            self._changed.notify_all()

    def settle(self, timeout_s: float) -> bool:
        """Wait until everything that this process has committed so far has its number."""
        mark = self._written
        if self._numbered >= mark or not self.has_sequencer:
            return True
        with self._changed:
            return self._changed.wait_for(lambda: self._numbered >= mark, timeout_s)
