"""What Textual's screens lack when keys and sizes come faster than they are drawn."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from textual import events
from textual.await_complete import AwaitComplete
from textual.css.query import NoMatches
from textual.worker import Worker, WorkType

if TYPE_CHECKING:
    from textual.app import App
    from textual.message import Message


class Steady:
    """Stands before a ``Screen`` among the bases.

    A size that is no longer the terminal's is dropped; the one in force is on its way. Textual
    tells every screen of a stack the new size, and each lays out those behind it in the size of
    the message at hand, which tells them again: two sizes on their way at once, as while a window
    is dragged with a dialog open, would chase each other for ever.

    Only the screen on top can be dismissed: Textual takes whatever is on top away, so that two
    quick keys for one dialog would close the one behind it too.

    What was asked for a screen that has been closed since, a key or an answer of the service,
    finds its widgets gone: there is nothing left to show it on, and nothing fails.
    """

    if TYPE_CHECKING:
        app: App[Any]
        is_active: bool

    @property
    def _is_open(self) -> bool:
        stacks: Iterable[Sequence[object]] = self.app._screen_stacks.values()  # noqa: SLF001 - Textual names no public way
        return any(self in stack for stack in stacks)

    async def _on_message(self, message: "Message") -> None:
        if isinstance(message, events.Resize) and message.size != self.app.size:
            return
        try:
            await super()._on_message(message)  # type: ignore[misc]  # the screen's
        except NoMatches:
            if self._is_open:
                raise

    def run_worker(self, work: WorkType[Any], *args: Any, **named: Any) -> Worker[Any]:
        whole = partial(self._while_open, work)
        return super().run_worker(whole, *args, **named)  # type: ignore[misc,no-any-return]  # the screen's

    async def _while_open(self, work: Any) -> None:
        try:
            await (work() if callable(work) else work)
        except NoMatches:
            if self._is_open:
                raise

    def dismiss(self, result: Any = None) -> AwaitComplete:
        if not self.is_active:
            return AwaitComplete.nothing()  # type: ignore[no-any-return,no-untyped-call]  # Textual's
        return super().dismiss(result)  # type: ignore[misc,no-any-return]  # the screen's
