"""The application where it is hurried, closed, or reached over a slow line.

Each method says what Textual 8.2.8 does instead; ``tests/tui/test_textual_fixes.py`` has a test
for each that fails once Textual does it by itself.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

from textual import events
from textual._compositor import CompositorUpdate
from textual.app import App
from textual.await_complete import AwaitComplete
from textual.message import Message
from textual.screen import Screen

from chainteller.tui.textual_fixes.palette import close_palette_without_room
from chainteller.tui.textual_fixes.screen import nothing_to_await, style_version
from chainteller.tui.textual_fixes.suspending import guard_suspending
from chainteller.tui.textual_fixes.terminal_input import guard_input
from chainteller.tui.textual_fixes.terminal_output import Picture

_LEAST_LEFT_S = 0.5


class SteadyApp(App[None]):
    def __init__(self) -> None:
        guard_input()
        guard_suspending()
        self._picture = Picture()
        super().__init__()

    def crash_report(self, error: BaseException | None) -> str:
        """What the terminal says after ``error`` has ended the application."""
        raise NotImplementedError

    def suspend_refused(self) -> None:
        """The console can't be suspended here: nobody could continue it."""
        raise NotImplementedError

    @property
    def style_version(self) -> int:
        """How often all styles were read anew."""
        return style_version(self)

    def _fatal_error(self) -> None:
        """Textual prints the traceback with the values of local variables: names and keys."""
        self._exit_renderables.append(self.crash_report(self._exception))
        self._close_messages_no_wait()

    def _refresh_notifications(self) -> None:
        """A toast about to end is not shown again on another screen.

        Where it ends between Textual's look and its timer, the timer's time is negative and its
        loop never gives way: the whole console would stand still for ever.
        """
        for told in [*self._notifications]:
            if told.time_left < _LEAST_LEFT_S:
                del self._notifications[told]
        super()._refresh_notifications()

    async def _dispatch_message(self, message: Message) -> None:
        """Removing a screen whose tasks were cancelled cancels whoever waits for it; where that
        is the application itself, it would hear nothing any more, not even ctrl+q.
        """
        task = asyncio.current_task()
        try:
            await super()._dispatch_message(message)
        except asyncio.CancelledError:
            if task is None or task.cancelling():
                raise

    def _handle_exception(self, error: Exception) -> None:
        """What fails while the application closes, an answer that finds no screen left, is no
        fault: Textual would end with it.
        """
        if self.return_code is None:
            super()._handle_exception(error)

    def _display(self, screen: Screen[Any], renderable: Any) -> None:
        """Textual's bytes for the same picture are about ten times as many."""
        fewer: Any = renderable
        if self._batch_count:
            self._picture.forget()  # a batch drops what is painted
        elif isinstance(renderable, CompositorUpdate):
            fewer = self._picture.differing(renderable, screen)
        super()._display(screen, fewer)

    def pop_screen(self) -> AwaitComplete:
        """Two quick keys can both dismiss a dialog: the second finds nothing left to close, where
        Textual raises (Textual #4884).
        """
        if len(self.screen_stack) < 2:
            return nothing_to_await()
        return super().pop_screen()

    def on_resize(self, event: events.Resize) -> None:
        self._picture.forget()
        close_palette_without_room(self, event.size)


def paint_anew(app: SteadyApp) -> None:
    """Write everything again: the terminal shows something else."""
    app._picture.forget()
    app.screen.refresh(layout=True)


async def run_key(app: App[Any], key: str) -> bool:
    """Run the command that is bound to ``key`` here and now; False when none is.

    A key that Textual forwards to the screen is handled after the next one has come in.
    """
    return await app._check_bindings(key)


async def press_keys(app: App[Any], keys: Sequence[str]) -> None:
    """Press keys as if they were typed; Textual offers this to tests only."""
    await app._press_keys(keys)
