"""What Textual's application lacks where it is hurried, and over slow lines."""

import asyncio
from typing import Any

from textual._compositor import CompositorUpdate
from textual.app import App
from textual.message import Message
from textual.screen import Screen

from chainteller.tui.textual_fixes.terminal_input import guard_input
from chainteller.tui.textual_fixes.terminal_output import thrifty

_LEAST_LEFT_S = 0.5


class SteadyApp(App[None]):
    def __init__(self) -> None:
        guard_input()
        super().__init__()

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
        is the console itself, it would hear nothing any more, not even ctrl+q.
        """
        task = asyncio.current_task()
        try:
            await super()._dispatch_message(message)
        except asyncio.CancelledError:
            if task is None or task.cancelling():
                raise

    def _handle_exception(self, error: Exception) -> None:
        """What fails while the console closes, an answer that finds no screen left, is no fault."""
        if self.return_code is None:
            super()._handle_exception(error)

    def _display(self, screen: Screen[Any], renderable: Any) -> None:
        """In place of Textual's bytes, fewer that paint the same."""
        update = isinstance(renderable, CompositorUpdate)
        fewer: Any = thrifty(renderable) if update else renderable
        super()._display(screen, fewer)
