"""Screens that stay whole when keys, sizes and answers come faster than they are drawn.

Each fix says what Textual 8.2.8 does instead; ``tests/tui/test_textual_fixes.py`` has a test for
each that fails once Textual does it by itself.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any

from textual import events
from textual.await_complete import AwaitComplete
from textual.css.query import NoMatches
from textual.geometry import Size
from textual.screen import Screen
from textual.widget import Widget
from textual.worker import Worker, WorkType

if TYPE_CHECKING:
    from textual._types import CallbackType
    from textual.app import App
    from textual.message import Message
    from textual.message_pump import MessagePump


HELD_S = 0.05
"""Seconds that a frame waits for what belongs on it: too few to notice."""


class SteadyScreen:
    """Mixin before a ``Screen`` among the bases.

    Stale sizes. A size that is no longer the terminal's is dropped; the one in force is on its
    way. Textual tells every screen of a stack the new size, and each lays out those behind it in
    the size of the message at hand, which tells them again: two sizes on their way at once, as
    while a window is dragged with a dialog open, would chase each other for ever.

    Dismissed twice. Only the screen on top can be dismissed: Textual pops whatever is on top, so
    that two quick keys for one dialog would close the one behind it too (Textual #2575, #4884).

    Called too late. What the application calls after the next frame is kept by the screen on top,
    and lost if that is dismissed before: the screen below calls it. Keys that waited for it would
    wait until their time was up (``tests/tui/test_packets.py``).

    Closed meanwhile. What was asked for a screen that has been closed since, a key or an answer
    of the service, finds its widgets gone: there is nothing left to show it on (Textual #4258).
    """

    if TYPE_CHECKING:
        app: App[Any]
        is_active: bool
        _callbacks: list[tuple[CallbackType, MessagePump]]

    async def _on_message(self, message: "Message") -> None:
        if isinstance(message, events.Resize) and message.size != self.app.size:
            return
        try:
            await super()._on_message(message)  # type: ignore[misc]  # the screen's
        except NoMatches:
            if is_open(self):
                raise

    def run_worker(self, work: WorkType[Any], *args: Any, **named: Any) -> Worker[Any]:
        whole = partial(_while_open, self, work)
        return super().run_worker(whole, *args, **named)  # type: ignore[misc,no-any-return]  # the screen's

    def dismiss(self, result: Any = None) -> AwaitComplete:
        if not self.is_active:
            return nothing_to_await()
        waiting = [each for each in self._callbacks if each[1] is self.app]
        dismissed = super().dismiss(result)  # type: ignore[misc]  # the screen's
        for callback, sender in waiting:
            self.app.screen._invoke_later(callback, sender)
        return dismissed  # type: ignore[no-any-return]  # the screen's


def is_open(screen: SteadyScreen) -> bool:
    """Whether the screen is on the stack of any mode; Textual has no public way to ask."""
    stacks: Iterable[Sequence[object]] = screen.app._screen_stacks.values()
    return any(screen in stack for stack in stacks)


async def _while_open(screen: SteadyScreen, work: Any) -> None:
    try:
        await (work() if callable(work) else work)
    except NoMatches:
        if is_open(screen):
            raise


def nothing_to_await() -> AwaitComplete:
    """For a dismissal that does not take place."""
    return AwaitComplete.nothing()  # type: ignore[no-any-return,no-untyped-call]  # Textual's


def lay_out_now(widget: Widget) -> None:
    """Have the next frame show a widget in its new height. Textual tells the screen by a message,
    before which a frame may show new lines in the old height.
    """
    for ancestor in widget.ancestors:
        if isinstance(ancestor, Widget):
            ancestor._clear_arrangement_cache()
            ancestor._layout_updates += 1
    widget.screen._layout_required = True
    widget.screen.check_idle()


def style_version(app: "App[Any]") -> int:
    """How often all styles were read anew."""
    return app._css_update_count


class FullScreen(SteadyScreen, Screen[None]):
    """A screen of a mode: it is laid out and styled once when it opens.

    Breakpoints. Textual sets their classes after the first layout, and lays out again (compare
    Textual #6532); here they are there from the start. Breakpoints beyond ``-wide`` add to it:
    their classes hold together. A zoomed screen is never wide.

    Styles. Textual styles all widgets of a new screen twice, and all widgets anew whenever the
    screen is shown again, although they were styled when they were mounted.

    Batches. Textual renders in the middle of a batch of updates, too, and then drops the result.

    Held frames. Textual paints whatever has changed by its next tick: a cursor on one record, and
    what stands beside it of another. Here a frame can wait for what belongs on it.
    """

    is_zoomed = False
    frame_due = 0.0

    def __init__(self, size: Size, styled_at: int) -> None:
        """Make the screen for a terminal of this size; ``styled_at`` is a ``style_version``."""
        super().__init__(classes=" ".join(breakpoint_classes(self, size)))
        self._css_update_count = styled_at

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.ScreenResume):
            event.refresh_styles = False
        await super().on_event(event)

    def _compositor_refresh(self) -> None:
        if self.app._batch_count:
            self._repaint_required = True
            return
        if self._compositor.size.region in self._compositor._dirty_regions:
            self._repaint_required = False  # everything is painted now
        super()._compositor_refresh()

    def _on_timer_update(self) -> None:
        """A frame that is held is due at a later tick."""
        if monotonic() >= self.frame_due:
            super()._on_timer_update()

    def _get_breakpoint_classes(
        self, dimension: int, breakpoints: list[tuple[int, str]]
    ) -> set[str]:
        least = {name: from_size for from_size, name in breakpoints}
        if dimension < least.get("-wide", dimension + 1):
            return super()._get_breakpoint_classes(dimension, breakpoints)
        if self.is_zoomed:
            return {"-narrow"}
        return {name for name, size in least.items() if least["-wide"] <= size <= dimension}


def hold_frame(screen: FullScreen) -> None:
    """Paint nothing until ``show_frame``, for ``HELD_S`` at most."""
    screen.frame_due = monotonic() + HELD_S


def show_frame(screen: FullScreen) -> None:
    """Paint what has changed at the next tick."""
    screen.frame_due = 0.0


def breakpoint_classes(screen: FullScreen, size: Size) -> list[str]:
    """The classes that ``HORIZONTAL_BREAKPOINTS`` and ``VERTICAL_BREAKPOINTS`` set at a size."""
    across = screen._get_breakpoint_classes(size.width, list(screen.HORIZONTAL_BREAKPOINTS or ()))
    down = screen._get_breakpoint_classes(size.height, list(screen.VERTICAL_BREAKPOINTS or ()))
    return [*across, *down]
