"""The console: wiring only. Screens, themes, poller, signals; behaviour lives elsewhere."""

import asyncio
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.filter import LineFilter
from textual.screen import Screen

from chainteller.service.errors import TellerError
from chainteller.tui.accounts.screen import AccountsScreen
from chainteller.tui.commands import SCREENS, clashes
from chainteller.tui.console.errands import Errands, desk_commands
from chainteller.tui.console.hostile_text import HostileTextFilter
from chainteller.tui.console.poller import Poller
from chainteller.tui.console.shutdown import catch_signals, crash_report, resume_garbage_collection
from chainteller.tui.console.typed_ahead import TypedAhead
from chainteller.tui.desk import Desk
from chainteller.tui.desk_screen import DeskScreen
from chainteller.tui.privacy import PrivacyFilter
from chainteller.tui.service_calls import Later, call_service
from chainteller.tui.start import ConsoleSettings, Reopen, Start
from chainteller.tui.widgets.field import Field
from chainteller.tui.widgets.paged_list import PAGE_ROWS

DEAF_S = 0.2
ENGINE_LIMIT_S = 15.0


def run_console(start: Start, look: ConsoleSettings, reopen: Reopen | None = None) -> int:
    """Run the console until it ends; ``reopen`` gives what a chosen profile opens.

    Returns:
        The exit code: 0 for ctrl+q, 130 SIGINT, 143 SIGTERM, 129 SIGHUP, 1 after a crash,
        2 when two commands want the same key.
    """
    problems = clashes(look.keys)
    if problems:
        sys.stderr.write("\n".join(problems) + "\n")
        return 2
    hidden = False
    while True:
        console = Console(start, look)
        console.desk.privacy.hidden = hidden
        try:
            console.run()
        finally:
            console.desk.end()
        hidden = console.desk.privacy.hidden
        if reopen is None or not console.wanted_profile:
            return console.return_code or 0
        start, look = reopen(console.wanted_profile)


class Console(Errands):
    TITLE = "chainteller"
    CSS_PATH = "app.tcss"
    COMMANDS: ClassVar[set[Any]] = {desk_commands}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "quit", "Quit", show=False, priority=True)
    ]
    COMMAND_PALETTE_BINDING = "ctrl+p"
    DEFAULT_MODE = "accounts"

    def __init__(self, start: Start, look: ConsoleSettings) -> None:
        self.desk = Desk(self, self, look)
        super().__init__()
        self.animation_level = "none"
        self._start = start
        self._poller = Poller(self.desk, self.alert)
        self._places: list[str] = []
        self._hostile = HostileTextFilter()
        self._private = PrivacyFilter(self.desk.privacy)
        self.typed_ahead = TypedAhead(self)
        for name in SCREENS:
            self.add_mode(name, self._maker(name))
        self.begin_in_theme()

    # -- start and end ------------------------------------------------------------------------

    def on_mount(self) -> None:
        self.set_keymap(dict(self.desk.settings.keys))
        catch_signals(lambda code: self.exit(return_code=code))
        if self.desk.settings.glimpse is not None:
            self.typed_ahead.hold(ENGINE_LIMIT_S)
        self.call_after_refresh(self.start_engine)
        self.call_after_refresh(self.load_themes)
        self.watch_theme_files()

    def start_engine(self) -> None:
        """The first frame is painted: now the engine, pydantic and storage may load."""
        self.run_worker(Later(self._started), group="start", exclusive=True)

    async def _glimpse(self) -> None:
        """Account rows on the screen before the engine is imported."""
        look = self.desk.settings.glimpse
        if look is None:
            return
        found = await call_service(look, PAGE_ROWS)
        if not (found and found[0] and isinstance(self.screen, AccountsScreen)):
            self.release_keys()
            return
        for row in found[0]:
            self.desk.privacy.account(row)
        self.screen.glimpse(found)
        painted = asyncio.Event()
        self.call_after_refresh(painted.set)
        await painted.wait()

    async def _started(self) -> None:
        await self._glimpse()
        try:
            started = await call_service(self._start)
            resume_garbage_collection()
            self.begin(started)
        except TellerError as error:
            self.release_keys()
            self.not_started(error)
            return
        await self._poller.poll()
        if self.desk.settings.poll_interval_s > 0:
            self.set_interval(self.desk.settings.poll_interval_s, self._poll)

    def _poll(self) -> None:
        self.run_worker(Later(self._poller.poll), group="poll")

    def _fatal_error(self) -> None:
        """In place of Textual's, which prints the values of local variables."""
        folder = self.desk.settings.crash_folder
        self._exit_renderables.append(crash_report(self._exception, folder, self.desk.now))
        self._close_messages_no_wait()

    # -- screens ------------------------------------------------------------------------------

    def _maker(self, name: str) -> Callable[[], Screen[Any]]:
        def make() -> Screen[Any]:
            return AccountsScreen(self.desk) if name == "accounts" else _screen(name, self.desk)

        return make

    def go(self, name: str) -> None:
        if name != self.current_mode:
            self._places.append(self.current_mode)
            del self._places[:-20]
            self.switch_mode(name)
            self.on_mode_changed(name)

    def back(self) -> None:
        if len(self.screen_stack) > 1:
            self.pop_screen()
        elif self._places:
            self.switch_mode(self._places.pop())
            self.on_mode_changed(self.current_mode)

    def action_go(self, name: str) -> None:
        self.go(name)

    def audit_of(self, object_id: str) -> None:
        """One trail at a time: another record's replaces the one that is open."""
        shown = getattr(self.screen, "show_trail", None)
        if shown is not None:
            shown(object_id)
        else:
            self.push_screen(_screen("audit", self.desk, object_id))

    def start_trade(self, side: str) -> None:
        self.desk.choice.side = side
        self.typed_ahead.hold()
        self.go("quote")
        self.call_after_refresh(self._open_quote_form, side)

    def _open_quote_form(self, side: str) -> None:
        opened = getattr(self.screen, "open_form", None)
        if opened is not None:
            opened(side)
        self.release_keys()

    def action_keys(self) -> None:
        self.push_screen(_screen("help", self.desk, self.screen))

    def action_event_log(self) -> None:
        self.desk.unread = self.desk.alerts = 0
        self.title_badge()
        self.push_screen(_screen("log", self.desk))

    def deafen(self) -> None:
        self.typed_ahead.deafen(DEAF_S)

    def dialog_closed(self) -> None:
        """Two quick presses of the key that closed it close nothing else."""
        self.typed_ahead.once_only(DEAF_S)

    async def on_event(self, event: events.Event) -> None:
        """Keys are dropped while the desk is deaf, and wait while it changes its place.

        With no field open a key runs its command here and now, so that the next key already
        meets what it opened.
        """
        if isinstance(event, events.Key) and await self._key_ends_here(event):
            return
        await super().on_event(event)

    async def _key_ends_here(self, event: events.Key) -> bool:
        if self.return_code is not None:
            return True  # typed after the end: there is no screen to take it
        if event.is_forwarded:  # and came back from a screen that may be gone by now
            return not self.screen.is_mounted or self.ends_in_palette(event.key)
        if self.typed_ahead.takes(event) or self.ends_in_palette(event.key):
            return True
        if not isinstance(self.focused, Field):
            return self._at_desk and await self._check_bindings(event.key)
        if event.key in {"enter", "escape"}:
            self.typed_ahead.hold()
        return False

    @property
    def _at_desk(self) -> bool:
        return isinstance(self.screen, DeskScreen) and self.screen.is_mounted

    def release_keys(self) -> None:
        self.typed_ahead.release()

    def poll_now(self) -> None:
        if self.desk.started is None:
            self.start_engine()
        else:
            self.run_worker(Later(partial(self._poller.poll, now=True)), group="poll")

    def get_line_filters(self) -> Sequence[LineFilter]:
        private = [self._private] if self.desk.privacy.hidden else []
        return [*super().get_line_filters(), self._hostile, *private]


def _screen(name: str, *given: object) -> Screen[Any]:
    """A screen by name, imported when it is first shown."""
    from chainteller.tui import screens as registry  # noqa: PLC0415 - after the first frame

    return registry.make(name, *given)
