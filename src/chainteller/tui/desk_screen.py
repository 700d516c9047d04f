"""What every screen of the desk shares: its bars, its field, its failures, its guarded writes."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.css.query import NoMatches
from textual.screen import Screen
from textual.widget import Widget

from chainteller.service.errors import ReadOnlyProfile, TellerError
from chainteller.tui import top_bar as top
from chainteller.tui.availability import footer_now
from chainteller.tui.commands import SCREENS, bindings_of
from chainteller.tui.customer import CustomerChanged
from chainteller.tui.desk import Connection, Desk, Notification
from chainteller.tui.messages import FieldChanged, FieldClosed, FieldSubmitted, KeyClicked
from chainteller.tui.service_calls import Later
from chainteller.tui.sharing import Leaving
from chainteller.tui.start import StartedDesk
from chainteller.tui.textual_fixes.screen import Steady
from chainteller.tui.widgets.bars import HintBar, StatusLine, TooSmall, TopBar
from chainteller.tui.widgets.failure_panel import FailurePanel
from chainteller.tui.widgets.field import FieldBar
from chainteller.tui.widgets.ground import Blank, Ground
from chainteller.tui.widgets.lines import Line, Lines, line

if TYPE_CHECKING:
    from chainteller.tui.dialogs.question import Ask
    from chainteller.tui.failures import Failure

Work = Callable[[], Awaitable[None]]


class DeskScreen(Steady, Blank, Leaving):
    """Subclasses give ``body``, ``reload`` and the actions of their commands."""

    AUTO_FOCUS = ""
    HAS_OWN_FIELD: ClassVar[bool] = False
    """Whether ``body`` brings the field bar, in a place of its own."""
    WORK_IN_FIELD: ClassVar[frozenset[str]] = frozenset()
    """The commands of the footer that work while the field has the keyboard."""
    FOOTER_KNOWS_TEXTS: ClassVar[bool] = False
    """Whether the footer is drawn anew whenever there is another text to tell or to copy."""
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - Textual declares it so
        (0, "-tiny"),
        (60, "-narrow"),
        (110, "-wide"),
    ]
    VERTICAL_BREAKPOINTS = [  # noqa: RUF012 - Textual declares it so
        (0, "-flat"),
        (16, "-short"),
        (30, "-tall"),
    ]

    def __init_subclass__(cls) -> None:
        cls.BINDINGS = cls.bindings()
        super().__init_subclass__()

    @classmethod
    def bindings(cls) -> list[BindingType]:
        return [*bindings_of(cls.KEY)]

    _is_zoomed = False

    def __init__(self, desk: Desk) -> None:
        super().__init__(classes=self._fitting(*desk.shell.size))
        self.desk = desk
        self._css_update_count = desk.shell.css_update_count

    def _fitting(self, width: int, height: int) -> str:
        """Textual sets these classes after the first layout, and would lay out twice."""
        across = self._get_breakpoint_classes(width, self.HORIZONTAL_BREAKPOINTS)
        down = self._get_breakpoint_classes(height, self.VERTICAL_BREAKPOINTS)
        return " ".join((*across, *down))

    def _compositor_refresh(self) -> None:
        """Textual renders in a batch too and then drops it: what is dirty is painted after it."""
        if self.app._batch_count:  # noqa: SLF001 - Textual tells nobody else of its batches
            self._repaint_required = True
        else:
            super()._compositor_refresh()

    def compose(self) -> ComposeResult:
        yield TopBar()
        if self.desk.settings.panel is not None:
            yield self.desk.settings.panel()
        yield Lines([line()], id="title")
        yield Ground(*self.body(), id="body")
        yield FailurePanel()
        if not self.HAS_OWN_FIELD:
            yield FieldBar(id="field-bar")
        yield StatusLine()
        yield HintBar()
        yield TooSmall()

    def body(self) -> Sequence[Widget]:
        raise NotImplementedError

    def reload(self) -> None:
        """Fetch what the screen shows; called when it opens and when something changed."""
        raise NotImplementedError

    # -- news ---------------------------------------------------------------------------------

    def on_mount(self) -> None:
        desk = self.desk
        desk.on_start.subscribe(self, self._started)
        desk.on_change.subscribe(self, self._changed)
        desk.on_notification.subscribe(self, self._notified)
        desk.on_connection.subscribe(self, self._connection_changed)
        desk.customer.on_change.subscribe(self, self._customer_changed)
        self._draw_top()
        self.draw_footer()

    async def on_event(self, event: events.Event) -> None:
        """Textual would style all widgets anew that were styled when they were mounted."""
        if isinstance(event, events.ScreenResume) and not self.stack_updates:
            event.refresh_styles = False
        await super().on_event(event)

    def on_resize(self) -> None:
        """What the top bar has room for depends on the window."""
        if self.is_mounted:
            self._draw_top()
            self.draw_footer()

    def on_screen_resume(self) -> None:
        self._draw_top()
        self.draw_footer()
        self._draw_status()
        if self.desk.started is not None:
            self.reload()

    def _started(self, started: StartedDesk) -> None:  # noqa: ARG002 - the signal's value
        self._draw_top()
        self.draw_footer()
        if self.is_current:
            self.reload()

    def _changed(self, kinds: tuple[str, ...]) -> None:  # noqa: ARG002 - the signal's value
        if self.is_current or self.app.screen.is_modal:
            self.reload()

    def _notified(self, told: Notification) -> None:
        """What comes after a refusal is seen although the refusal is still open."""
        failure = self.query_one(FailurePanel).failure
        if failure is None or told.text.startswith(failure.code):
            self._draw_status()
        else:
            text = f"{told.text}  {told.at}Z"
            self.query_one(StatusLine).tell(text, told.tone, self.desk.unread)

    def _connection_changed(self, reach: Connection) -> None:
        self._draw_top()
        self.draw_footer()
        if reach.state == "live" and self.query_one(FailurePanel).is_over_when_live:
            self.clear_failure()
            if self.is_current:
                self.reload()

    def _customer_changed(self, before: str) -> None:
        """Another customer is served: put away the refusal of a request of the one ``before``."""
        if before and self.query_one(FailurePanel).is_shown:
            self.clear_failure()

    def _draw_status(self) -> None:
        log, status = self.desk.log, self.query_one(StatusLine)
        if self.query_one(FailurePanel).is_shown:
            status.tell("esc closes   ! event log", "muted", self.desk.unread)
        elif log:
            newest = log[-1]
            status.tell(f"{newest.text}  {newest.at}Z", newest.tone, self.desk.unread)

    def _draw_top(self) -> None:
        number = SCREENS.index(self.KEY) + 1 if self.KEY in SCREENS else 0
        said = top.describe_connection(self.desk, narrow=self.app.size.width < 110)
        self.query_one(TopBar).place(number, top.deployment(self.desk), said)

    # -- the footer ---------------------------------------------------------------------------

    def draw_footer(self) -> None:
        """Name the keys that work now; nothing is painted while they are the same."""
        self.query_one(HintBar).change(footer_now(self.desk, self), typing=self.is_typing)

    @property
    def is_typing(self) -> bool:
        return self.field_bar.is_open

    def on_descendant_focus(self) -> None:
        self.draw_footer()

    def on_descendant_blur(self) -> None:
        self.draw_footer()

    def unavailable_reason(self, command: str) -> str:  # noqa: ARG002 - for subclasses
        """Why a command does nothing in the state that this screen is in; empty when it works."""
        return ""

    def footer_label(self, command: str) -> str:  # noqa: ARG002 - for subclasses
        """What a key does now, where that is not what the table of commands says."""
        return ""

    @property
    def as_screen(self) -> Screen[None]:
        """For what is drawn by a part of this screen's own."""
        return self

    def title_line(self, shown: Line) -> None:
        self.query_one("#title", Lines).show([shown])

    # -- reads and writes ---------------------------------------------------------------------

    def read(self, group: str, work: Work) -> None:
        """Run a read; a newer one of the same group replaces it."""
        self.run_worker(Later(partial(self._told_if_refused, work)), group=group, exclusive=True)

    def write(self, lock: str, work: Work) -> None:
        """Run a write unless the same one is still running; read-only desks refuse here too."""
        if self.desk.read_only:
            self.fail(ReadOnlyProfile("This desk is read-only."))
        elif lock in self.desk.writing:
            self.desk.notify(f"still working on the {lock}", "warn")
        else:
            self.desk.begin_write(lock)
            self.run_worker(Later(partial(self._guarded, lock, work)), group=f"write-{lock}")

    async def _guarded(self, lock: str, work: Work) -> None:
        """A refusal about a customer who isn't served any more goes to the log alone."""
        served = self.desk.customer.account_id

        async def for_customer() -> None:
            try:
                await work()
            except CustomerChanged:
                raise
            except TellerError as error:
                if served == self.desk.customer.account_id:
                    raise
                self.desk.notify(f"{error.code}  {error.message}  {served}", "bad")

        try:
            await self._told_if_refused(for_customer, lock)
        finally:
            self.desk.end_write(lock)

    async def _told_if_refused(self, work: Work, doing: str = "") -> None:
        try:
            await work()
        except TellerError as error:
            self.fail(error, doing)
        except NoMatches:
            if self.is_current:
                raise
            # The screen was closed while its answer was on the way: nothing is left to show it on.

    async def confirm(self, asked: "Ask") -> bool:
        """Only from a worker: waits for ``y``."""
        from chainteller.tui.dialogs.question import Question  # noqa: PLC0415 - after the first frame

        answer: bool | None = await self.app.push_screen_wait(
            Question(asked, self.desk.shell.deafen)
        )
        return bool(answer)

    def fail(self, error: TellerError, doing: str = "") -> None:
        """Show a refusal in its three parts and keep it in the log."""
        from chainteller.tui.failures import explain  # noqa: PLC0415 - after the first frame

        failure = explain(error, doing)
        self.show_failure(failure)
        self.desk.notify(f"{failure.code}  {failure.what}", "bad", failure.detail)

    def show_failure(self, failure: "Failure") -> None:
        self.query_one(FailurePanel).explain(failure)
        self._draw_status()

    def clear_failure(self) -> None:
        self.query_one(FailurePanel).hide()
        self._draw_status()

    # -- the field ----------------------------------------------------------------------------

    @property
    def field_bar(self) -> FieldBar:
        return self.query_one("#field-bar", FieldBar)

    def on_field_closed(self, message: FieldClosed) -> None:
        self.close_field()
        self.field_closed(message.purpose)
        self.let_keys_go_on()

    def on_field_submitted(self, message: FieldSubmitted) -> None:
        self.field_submitted(message.purpose, message.value)
        self.let_keys_go_on()

    def on_field_changed(self, message: FieldChanged) -> None:
        self.field_changed(message.purpose, message.value)

    def close_field(self) -> None:
        self.field_bar.close()
        self.set_focus(None)

    def let_keys_go_on(self) -> None:
        """What was typed behind the field may be handed on."""
        self.desk.shell.release_keys()

    def field_submitted(self, purpose: str, value: str) -> None:
        """Enter in the field."""

    def field_changed(self, purpose: str, value: str) -> None:
        """Every change of the field."""

    def field_closed(self, purpose: str) -> None:
        """Escape in the field."""

    # -- actions that every screen has --------------------------------------------------------

    async def on_key_clicked(self, message: KeyClicked) -> None:
        await self.run_action(message.action)

    def action_back(self) -> None:
        if self.field_bar.is_open:
            self.on_field_closed(FieldClosed(self.field_bar.purpose))
        elif self.query_one(FailurePanel).is_shown:
            self.clear_failure()
        elif not self.step_back():
            self.desk.shell.back()

    def step_back(self) -> bool:
        """Close what is open on this screen; False when nothing is."""
        if self._is_zoomed:
            self.zoom(on=False)
            return True
        return False

    def action_zoom(self) -> None:
        self.zoom(on=not self._is_zoomed)

    def zoom(self, *, on: bool) -> None:
        """What is selected alone: a wide window is then laid out as a narrow one with its detail
        open.
        """
        self._is_zoomed = on
        self.set_class(on, "zoomed")
        self.remove_class("-tiny", "-narrow", "-wide")
        self.add_class(*self._fitting(*self.desk.shell.size).split())

    def _get_breakpoint_classes(
        self, dimension: int, breakpoints: list[tuple[int, str]]
    ) -> set[str]:
        """A zoomed screen is never wide."""
        found = super()._get_breakpoint_classes(dimension, breakpoints)
        return {"-narrow"} if "-wide" in found and self._is_zoomed else found

    def action_move(self, step: int) -> None:
        """Overridden by screens with a list."""

    def action_move_page(self, step: int) -> None:
        """Overridden by screens with a list."""

    def action_move_to_end(self, end: bool) -> None:  # noqa: FBT001 - called by a key binding
        """Overridden by screens with a list."""

    def action_refresh_now(self) -> None:
        self.clear_failure()
        self.desk.shell.poll_now()
        self.reload()
