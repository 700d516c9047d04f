"""The console: wiring only. Screens, themes, poller, signals; behaviour lives elsewhere."""

import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any, ClassVar

from textual import events
from textual.app import App
from textual.binding import Binding, BindingType
from textual.filter import LineFilter
from textual.screen import Screen
from textual.widgets import Input

from chainteller.service.errors import TellerError
from chainteller.tui.calls import Later, ask
from chainteller.tui.desk import Desk
from chainteller.tui.dialogs.question import LEAST_HEIGHT, LEAST_WIDTH
from chainteller.tui.ending import catch_signals, crash_report
from chainteller.tui.finding import PASTED, load_samples, open_found
from chainteller.tui.keys import SCREENS, clashes
from chainteller.tui.lines_filter import HostileTextFilter
from chainteller.tui.palette import DeskProvider
from chainteller.tui.poller import Poller
from chainteller.tui.screens.accounts import AccountsScreen
from chainteller.tui.screens.base import DeskScreen
from chainteller.tui.start import DeskLook, Start
from chainteller.tui.themes import DEFAULT_VARIABLES, load_themes
from chainteller.tui.typed_ahead import TypedAhead
from chainteller.tui.widgets.field import Field

DEAF_S = 0.2


def run_console(start: Start, look: DeskLook) -> int:
    """Run the console until it ends.

    Returns:
        The exit code: 0 for ctrl+q, 130 SIGINT, 143 SIGTERM, 129 SIGHUP, 1 after a crash,
        2 when two commands want the same key.
    """
    problems = clashes(look.keys)
    if problems:
        sys.stderr.write("\n".join(problems) + "\n")
        return 2
    console = Console(start, look)
    try:
        console.run()
    finally:
        if console.desk.started is not None:
            console.desk.started.close()
    return console.return_code or 0


class Console(App[None]):
    TITLE = "chainteller"
    CSS_PATH = "app.tcss"
    COMMANDS: ClassVar[set[Any]] = {DeskProvider}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "quit", "Quit", show=False, priority=True)
    ]
    COMMAND_PALETTE_BINDING = "ctrl+p"
    DEFAULT_MODE = "accounts"

    def __init__(self, start: Start, look: DeskLook) -> None:
        self.desk = Desk(self, self, look)
        super().__init__()
        self.animation_level = "none"
        self._start = start
        self._poller = Poller(self.desk)
        self._places: list[str] = []
        self._first_frame = ExitStack()
        self._hostile = HostileTextFilter()
        self.typed_ahead = TypedAhead(self)
        self.theme_names: tuple[str, ...] = ()
        for name in SCREENS:
            self.add_mode(name, self._maker(name))
        self._load_themes()

    # -- start and end ------------------------------------------------------------------------

    def on_load(self) -> None:
        """Nothing is painted before the first screen stands: else two blank frames come first."""
        self._first_frame.enter_context(self.batch_update())

    def on_ready(self) -> None:
        self.screen.call_after_refresh(self._first_frame.close)

    def on_mount(self) -> None:
        self.set_keymap(dict(self.desk.look.keys))
        catch_signals(lambda code: self.exit(return_code=code))
        self.call_after_refresh(self.start_engine)

    def start_engine(self) -> None:
        """The first frame is painted: now the engine, pydantic and storage may load."""
        self.run_worker(Later(self._started), group="start", exclusive=True)

    async def _started(self) -> None:
        try:
            self.desk.started = await ask(self._start)
            pass
        except TellerError as error:
            self.desk.unheard(0)
            if isinstance(self.screen, DeskScreen):
                self.screen.fail(error)
            return
        self.desk.on_start.publish(self.desk.started)
        await self._poller.poll()
        if self.desk.look.poll_interval_s > 0:
            self.set_interval(self.desk.look.poll_interval_s, self._poll)

    def _poll(self) -> None:
        self.run_worker(Later(self._poller.poll), group="poll")

    def _load_themes(self) -> None:
        themes, problems = load_themes(self.desk.look.theme_folders)
        for file in themes.values():
            self.register_theme(file.theme())
        self.theme_names = tuple(themes)
        if self.desk.look.theme in themes:
            self._begin_in(self.desk.look.theme)
        for problem in problems:
            self.desk.tell(f"theme left out: {problem}", "warn")

    def _begin_in(self, theme: str) -> None:
        """The first theme, before anything is styled: a change would style everything twice."""
        self.set_reactive(App.theme, theme)
        dark = self.current_theme.dark
        self.set_class(dark, "-dark-mode", update=False)
        self.set_class(not dark, "-light-mode", update=False)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(DEFAULT_VARIABLES)

    def _fatal_error(self) -> None:
        """In place of Textual's, which prints the values of local variables."""
        look = self.desk.look
        self._exit_renderables.append(
            crash_report(self._exception, look.crash_folder, self.desk.now)
        )
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

    def back(self) -> None:
        if len(self.screen_stack) > 1:
            self.pop_screen()
        elif self._places:
            self.switch_mode(self._places.pop())

    async def action_quit(self) -> None:
        """Asks only while an execution is on its way."""
        if "execution" in self.desk.writing and isinstance(self.screen, DeskScreen):
            self.desk.tell("an execution is on its way: ctrl+q again when it is answered", "warn")
        else:
            self.exit()

    def action_go(self, name: str) -> None:
        self.go(name)

    def audit_of(self, object_id: str) -> None:
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
        self.desk.unread = 0
        self.push_screen(_screen("log", self.desk))

    def deafen(self) -> None:
        self.typed_ahead.deafen(DEAF_S)

    async def on_event(self, event: events.Event) -> None:
        """Keys are dropped while the desk is deaf, and wait while it changes its place.

        With no field open a key runs its command here and now, so that the next key already
        meets what it opened.
        """
        if isinstance(event, events.Key) and not event.is_forwarded:
            if self.typed_ahead.takes(event):
                return
            if isinstance(self.focused, Field):
                if event.key in {"enter", "escape"}:
                    self.typed_ahead.hold()
            elif isinstance(self.screen, DeskScreen) and await self._check_bindings(event.key):
                return
        await super().on_event(event)

    def release_keys(self) -> None:
        self.typed_ahead.release()

    def action_command_palette(self) -> None:
        """Not in a window too small for it: Textual's palette fails there."""
        if self.size.width >= LEAST_WIDTH and self.size.height >= LEAST_HEIGHT:
            super().action_command_palette()

    def on_command_palette_opened(self) -> None:
        for field in self.screen.query(Input):
            field.cursor_blink = False

    def poll_now(self) -> None:
        if self.desk.started is None:
            self.start_engine()
        else:
            self.run_worker(Later(partial(self._poller.poll, now=True)), group="poll")

    def action_read_only(self) -> None:
        self.desk.read_only = not self.desk.read_only
        self.desk.tell("read-only" if self.desk.read_only else "writing is on", "warn")
        self.desk.on_reach.publish(self.desk.reach)

    def action_use_theme(self, name: str) -> None:
        self.theme = name

    def find(self, text: str) -> None:
        """Open what an id, an address or a bank account names."""
        self.run_worker(Later(partial(open_found, self, text)), group="find", exclusive=True)

    def action_samples(self) -> None:
        self.run_worker(Later(partial(load_samples, self, self.desk)), group="samples")

    def on_paste(self, event: events.Paste) -> None:
        """Pasted text is never keys: an id opens what it names, anything else is ignored."""
        text = event.text.strip()
        if PASTED.fullmatch(text):
            self.find(text)

    def deferred(self, screen: Screen[Any], action: str) -> Callable[[], Any]:
        """An action of a screen, to be run after the palette has closed."""
        return lambda: self.call_later(self.run_action, action, screen)

    def get_line_filters(self) -> Sequence[LineFilter]:
        return [*super().get_line_filters(), self._hostile]


def _screen(name: str, *given: object) -> Screen[Any]:
    """A screen by name, imported when it is first shown."""
    from chainteller.tui.screens import registry  # noqa: PLC0415 - after the first frame

    return registry.make(name, *given)
