"""What every dialog over the desk shares: it is answered once."""

from collections.abc import Awaitable, Callable
from typing import ClassVar, Generic, TypeVar

from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen

from chainteller.tui.opening import Opening
from chainteller.tui.service_calls import Later
from chainteller.tui.textual_fixes.screen import SteadyScreen

Answer = TypeVar("Answer")


class Dialog(SteadyScreen, ModalScreen[Answer], Generic[Answer]):
    """A second quick key finds it answered and does nothing: neither does an action run twice,
    nor is the screen below closed with it.
    """

    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    Dialog { align: center middle; background: $background 60%; }
    Dialog > Vertical, Dialog > VerticalScroll {
        width: 76; max-width: 100%; height: auto; max-height: 90%; background: $panel;
        border: solid $accent; padding: 0 1;
    }
    """
    is_about_customer: ClassVar[bool] = False
    """Whether it shows or asks something about the customer being served: it closes without an
    answer when another one is.
    """
    leads_on: ClassVar[bool] = False
    """Whether what is typed behind a key of it may be meant for the next dialog."""
    answered = False
    """Whether it was closed, though its keys may still be on their way."""
    _waiting: "tuple[Answer | None] | None" = None

    def on_mount(self) -> None:
        opened = getattr(self.app, "dialog_opened", None)
        if opened is not None:
            opened()

    def opening(self, work: Callable[[], Awaitable[None]]) -> Later:
        """``work`` for a worker, for a key of the dialog that opens something."""
        opening: Opening | None = getattr(self.app, "opening", None)
        return opening.begin(work) if opening is not None else Later(work)

    def dismiss(self, result: Answer | None = None) -> AwaitComplete:
        """Close with ``result``, once; under another dialog it waits for that one to close."""
        if self.answered:
            return AwaitComplete.nothing()  # type: ignore[no-any-return,no-untyped-call]  # Textual's
        if self.app.screen is not self:
            self._waiting = (result,)
            return AwaitComplete.nothing()  # type: ignore[no-any-return,no-untyped-call]  # Textual's
        self.answered = True
        closed = getattr(self.app, "dialog_closed", None)
        if closed is not None:
            closed()
        return super().dismiss(result)

    def came_too_early(self, key: str) -> None:
        """A key was dropped that was typed before anybody could read this."""

    def action_close(self) -> None:
        """Close without an answer."""
        self.dismiss()

    def on_screen_resume(self) -> None:
        if self._waiting is not None:
            self.dismiss(self._waiting[0])

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return not self.answered and super().check_action(action, parameters)
