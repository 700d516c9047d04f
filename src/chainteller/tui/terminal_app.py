"""Where Textual's application would fall silent, or say more than a line over SSH carries."""

import asyncio
from typing import Any

from textual._compositor import CompositorUpdate
from textual.app import App
from textual.message import Message
from textual.screen import Screen

from chainteller.tui.pastes import guard_pastes
from chainteller.tui.thrifty import thrifty


class TerminalApp(App[None]):
    def __init__(self) -> None:
        guard_pastes()
        super().__init__()

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

    def _display(self, screen: Screen[Any], renderable: Any) -> None:
        """In place of Textual's bytes, fewer that paint the same."""
        update = isinstance(renderable, CompositorUpdate)
        fewer: Any = thrifty(renderable) if update else renderable
        super()._display(screen, fewer)
