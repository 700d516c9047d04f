"""What a key opens that has to be waited for: a dialog whose facts are read first, or a screen.

What is typed behind such a key is meant for what opens, and waits until that is shown: on the
screen that it would meet before, it is another command.
"""

from collections.abc import Awaitable, Callable

from chainteller.tui.service_calls import Later


class Opening:
    """The newest thing that a key opens.

    Args:
        hold: keeps what is typed; calls its argument where nothing was shown for too long.
        release: lets it go on.
        drop: forgets it, and says so.
    """

    def __init__(
        self,
        hold: Callable[[Callable[[], None]], None],
        release: Callable[[], None],
        drop: Callable[[], None],
    ) -> None:
        self._hold, self._release, self._drop = hold, release, drop
        self._work: Later | None = None
        self.is_awaited = False
        """Whether keys wait for it."""

    def begin(self, work: Callable[[], Awaitable[None]]) -> Later:
        """``work`` for a worker, after which nothing opens any more."""

        async def whole() -> None:
            try:
                await work()
            finally:
                if self._work is later:
                    self.end()

        later = Later(whole)
        self._work = later
        self._wait()
        return later

    def shown(self) -> None:
        """A dialog or another screen opened."""
        if self.is_awaited:
            self.is_awaited = False
            self._release()

    def answered(self) -> None:
        """A dialog was closed: the work may open another one."""
        if self._work is not None:
            self._wait()

    def end(self) -> None:
        """Nothing opens any more."""
        self._work = None
        self.shown()

    def _wait(self) -> None:
        self.is_awaited = True
        self._hold(self._give_up)

    def _give_up(self) -> None:
        self.is_awaited = False
        self._drop()
