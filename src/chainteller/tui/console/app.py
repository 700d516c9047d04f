"""The console application: its screens, keys, themes and signals."""

import asyncio
import importlib
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.command import Provider
from textual.filter import ANSIToTruecolor, LineFilter

from chainteller import garbage
from chainteller.service.errors import SignInRequired, TellerError
from chainteller.tui.accounts.screen import AccountsScreen
from chainteller.tui.commands import SCREENS, AnyCommand, bindings_of, by_id, run_command
from chainteller.tui.console.commands import CONSOLE_COMMANDS, commands_of
from chainteller.tui.console.hostile_text import HostileTextFilter
from chainteller.tui.console.poller import Poller
from chainteller.tui.console.protection import is_executing, may_leave, may_quit, suspend_console
from chainteller.tui.console.shell import ConsoleShell
from chainteller.tui.console.shutdown import catch_signals, crash_report
from chainteller.tui.console.theme_files import DEFAULT_VARIABLES
from chainteller.tui.console.themes import Themes
from chainteller.tui.console.typed_ahead import TypedAhead
from chainteller.tui.desk import KEPT_SCREEN, Desk
from chainteller.tui.desk_screen import DeskScreen, say
from chainteller.tui.dialogs.dialog import Dialog
from chainteller.tui.found import Found
from chainteller.tui.opening import Opening
from chainteller.tui.privacy import PrivacyFilter
from chainteller.tui.service_calls import Later, OneAtATime, call_service
from chainteller.tui.start import ConsoleSettings, Glimpse, Reopen, Start, StartedDesk
from chainteller.tui.textual_fixes.app import paint_anew, run_key
from chainteller.tui.textual_fixes.palette import (
    fails_in_palette,
    has_room_for_palette,
    is_palette_open,
)
from chainteller.tui.textual_fixes.terminal_title import show_title
from chainteller.tui.widgets.field import Field
from chainteller.tui.widgets.paged_list import PAGE_ROWS

DEAF_S = 0.2
_ANSWERS_FIELD = frozenset({"enter", "escape"})
_STEPS_AMOUNT = frozenset({"left", "right", "tab"})
"""Keys that make another amount of the field: of another asset, or to another place."""
ENGINE_LIMIT_S = 15.0
_THEMES_EVERY_S = 2.0


def run_console(start: Start, look: ConsoleSettings, reopen: Reopen | None = None) -> int:
    """Run the console until it ends; ``reopen`` gives what a chosen profile opens.

    Returns:
        The exit code: 0 for ctrl+q, 130 SIGINT, 143 SIGTERM, 129 SIGHUP, 1 after a crash,
        2 when two commands want the same key.
    """
    if look.keys:
        from chainteller.tui.console.command_table import clashes  # imports every screen

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


def desk_commands() -> type[Provider]:
    """What ``:`` offers; Textual asks when the palette is first opened."""
    from chainteller.tui.console.palette import DeskProvider

    return DeskProvider


class Console(ConsoleShell):
    TITLE = "chainteller"
    CSS_PATH = "app.tcss"
    COMMANDS: ClassVar[set[Any]] = {desk_commands}
    COMMANDS_BY_ID: ClassVar[dict[str, AnyCommand]] = by_id(CONSOLE_COMMANDS)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "quit", "Quit", show=False, priority=True),
        *bindings_of(CONSOLE_COMMANDS),
    ]
    COMMAND_PALETTE_BINDING = "ctrl+p"
    DEFAULT_MODE = "accounts"
    desk: Desk
    wanted_profile = ""
    """The profile to open when this console has ended."""
    _is_made = False
    is_returning = False
    """Whether keys wait until it's clear whether another screen than the first is shown."""
    awaits_rows = False
    """Whether keys wait for the list of accounts."""
    has_first_rows: bool
    """Whether there are account rows to be shown before the service answers."""
    closes_dialog = False
    """Whether keys wait until a dialog has heard ``escape``."""

    def __init__(self, start: Start, look: ConsoleSettings) -> None:
        self.commands_of: Callable[[str], Sequence[AnyCommand]] = commands_of
        self.desk = Desk(self, self, look)
        self.desk.sign_in_question = partial(_ask_to_sign_in, self)
        super().__init__()
        self.animation_level = "none"
        self._begin = start
        self.has_first_rows = look.glimpse is not None
        self._poller = Poller(self.desk, self.alert)
        self._hostile = HostileTextFilter()
        self._private = PrivacyFilter(self.desk.privacy)
        self.typed_ahead = TypedAhead(self)
        self.opening = Opening(
            lambda overdue: self.typed_ahead.hold(overdue=overdue),
            self.release_keys,
            partial(drop_keys, self),
        )
        self.answered_field: Field | None = None
        """The field that the last enter or escape was meant for, until it is heard."""
        self.finding: Found | None = None
        """What is being looked for; before the service has answered it waits for that."""
        self.searches = OneAtATime()
        self.add_screens()
        self._is_made = True
        self.themes = Themes(self, self.desk)
        self.themes.show_first()

    def add_screens(self) -> None:
        """Add a mode for each of ``SCREENS``; a screen is made when it is first shown."""
        for name in SCREENS:
            self.add_mode(name, partial(_make_screen, name, self.desk))

    # -- start and end ------------------------------------------------------------------------

    def on_mount(self) -> None:
        self.mounted()

    def mounted(self) -> None:
        """Textual calls ``on_mount`` of every class: a subclass extends this instead."""
        self.set_keymap(dict(self.desk.settings.keys))
        self.desk.customer.on_change.subscribe(self, partial(_close_dialogs, self))
        self.desk.customer.on_change.subscribe(self, partial(_end_hold_of_other, self))
        catch_signals(lambda code: self.exit(return_code=code))
        _hold_for_start(self)
        self.app_resume_signal.subscribe(self, lambda _: paint_anew(self))
        self.call_after_refresh(self.start_engine)
        if self.desk.settings.poll_interval_s > 0:
            self.set_interval(_THEMES_EVERY_S, self.themes.reload)

    def start_engine(self) -> None:
        """The first frame is painted: now the engine, pydantic and storage may load."""
        self.run_worker(Later(self._started), group="start", exclusive=True)

    async def _started(self) -> None:
        if self.desk.settings.glimpse is not None:
            found = await call_service(self.desk.settings.glimpse, PAGE_ROWS)
            await self._show_glimpse(found)
        self.themes.load()  # the other themes can wait for the rows
        try:
            started = await call_service(self._begin)
            garbage.resume()
            self._answered(started)
        except TellerError as error:
            self.finding = None
            self._not_started(error)
            self.release_keys(forget=True)
            return
        await self._poller.poll()
        if self.desk.settings.poll_interval_s > 0:
            self.set_interval(
                self.desk.settings.poll_interval_s,
                lambda: self.run_worker(Later(self._poller.poll), group="poll"),
            )

    async def _show_glimpse(self, found: Glimpse | None) -> None:
        """Account rows on the screen before the engine is imported."""
        if not isinstance(self.screen, AccountsScreen):
            self.release_keys()
            return
        self.has_first_rows = bool(found and found[0])
        if found is None or not self.has_first_rows:
            self.typed_ahead.try_again()
            return
        for row in found[0]:
            self.desk.privacy.account(row)
        self.screen.glimpse(found)
        painted = asyncio.Event()
        self.call_after_refresh(painted.set)
        await painted.wait()
        self.typed_ahead.try_again()

    def _answered(self, started: StartedDesk) -> None:
        """The engine or client answers: tell the screens, and go to the last place."""
        from chainteller.tui.console.heads import HeadWatch
        from chainteller.tui.console.start_up import (
            begin_session,
            last_screen,
            tell_unanswered_requests,
            tell_unusable_texts,
        )
        from chainteller.tui.console.unanswered import UnansweredWrites
        from chainteller.tui.served.reading import Served

        begin_session(self.desk, started)
        if not self.is_running:
            return  # it was closed meanwhile
        self.desk.on_poll.subscribe(self, UnansweredWrites(self).polled)
        self.desk.on_poll.subscribe(self, HeadWatch(self).polled)
        self.desk.served = Served(self, self.desk)
        self.desk.served.look_soon()
        if not isinstance(self.screen, AccountsScreen):
            self.release_keys()  # there are no first rows to be replaced
        if self.finding is not None:
            self.open_found(self.finding)
        elif name := last_screen(self.desk):
            self.is_returning = True
            self.run_worker(Later(partial(self._return_to, name)), group="place")
        tell_unanswered_requests(self.desk)
        tell_unusable_texts(self.desk)

    async def _return_to(self, name: str) -> None:
        """Show the screen on which the desk was left, with its account, unless the agent was
        quicker: what is typed before is meant for the list of accounts.
        """
        from chainteller.tui.console.start_up import restore_account

        first, awaits_rows = self.screen, False
        if isinstance(first, AccountsScreen):
            if not first.paged.is_touched:
                await restore_account(self.desk)
            is_left = not first.is_active or self.typed_ahead.has_keys
            if not (is_left or first.paged.is_touched or first.field_bar.is_open):
                self.go(name)
            awaits_rows = not first.pages.came.is_set() and self.screen is first
        self.is_returning = False
        if not awaits_rows:
            self.release_keys()

    def _not_started(self, error: TellerError) -> None:
        """Say why; with profiles configured, offer the others."""
        from chainteller.tui.console.profiles import choose_profile

        self.desk.unheard(0, error)
        if isinstance(error, SignInRequired) and self.desk.settings.sign_in is not None:
            self.desk.ask_to_sign_in(error)
            return
        if (screen := _screen_behind(self)) is not None:
            screen.fail(error)
        if self.desk.settings.profiles:
            choose_profile(self, f"{error.code}  {error.message}")

    def crash_report(self, error: BaseException | None) -> str:
        return crash_report(error, self.desk.settings.crash_folder, self.desk.now)

    async def action_quit(self) -> None:
        """Ask only while an execution is on its way. What is held back isn't sent, and is said."""
        if self.desk.holding.take_back("ctrl+q was pressed; once more quits"):
            return
        if is_executing(self.desk):
            asked = self.opening.begin(partial(_quit_if_agreed, self))
            self.run_worker(asked, group="ask-quit", exclusive=True)
        else:
            self.exit()

    def action_help_quit(self) -> None:
        """Ctrl+c, which other programs end with: Textual's own toast would cover amounts."""
        _say_how_to_quit(self)

    def action_profile(self, name: str) -> None:
        """End this console; the next one opens on the profile."""
        if self.desk.writing:
            self.desk.notify("A request is being sent. Wait for its answer.", "warn")
            return
        self.wanted_profile = name
        self.exit()

    # -- screens ------------------------------------------------------------------------------

    async def action_command(self, command_id: str) -> None:
        await run_command(self.COMMANDS_BY_ID, command_id, self)

    def go(self, name: str, *, closes_page: bool = False) -> None:
        is_there = name == self.current_mode
        if not is_there:
            below = self.screen_stack[0]
            if isinstance(below, DeskScreen):
                below.left()
            self.switch_mode(name)
            self.desk.remember_account()
            self.desk.remember(KEPT_SCREEN, name)
        if is_there or closes_page:
            _close_pages(self)

    def back(self) -> bool:
        is_above = len(self.screen_stack) > 1
        if is_above:
            self.pop_screen()
        return is_above

    def audit_of(self, object_id: str) -> None:
        """One trail at a time: another record's replaces the one that is open."""
        from chainteller.tui.audit.screen import AuditScreen

        if isinstance(self.screen, AuditScreen):
            self.screen.show_trail(object_id)
        else:
            self.push_screen(AuditScreen(self.desk, object_id))

    def open_help(self) -> None:
        from chainteller.tui.console.help import HelpScreen

        self.push_screen(HelpScreen(self.desk, self.screen))

    def take_note(self, object_id: str) -> None:
        from chainteller.tui.console.note_dialog import NoteScreen

        behind = self.screen
        if not object_id:
            self.desk.notify("select something to write a note about", "muted")
        elif isinstance(behind, DeskScreen):
            self.push_screen(NoteScreen(self.desk, object_id), lambda _: behind.reload())

    def start_trade(self, side: str) -> None:
        self.desk.holding.leave()
        self.typed_ahead.hold()
        self.go("quote", closes_page=True)

        def open_form() -> None:
            from chainteller.tui.quote.screen import QuoteScreen

            if isinstance(self.screen, QuoteScreen):
                self.screen.open_form(side)
            self.release_keys()

        self.call_after_refresh(open_form)

    def start_transfer(self, purpose: str) -> None:
        """The key of the command waits until Accounts shows the selected account."""
        self.open_found(Found("accounts", self.desk.customer.account_id))
        command = by_id(self.commands_of("accounts"))[f"accounts.{purpose}"]
        keys = self.desk.settings.keys.get(command.id, command.key)
        self.typed_ahead.put_first(keys.partition(",")[0])

    # -- finding ------------------------------------------------------------------------------

    def action_command_palette(self) -> None:
        """From a desk's screen only, or dialogs would pile up; and not in a window too small for
        it.
        """
        _look_for(self, "")

    def find(self, text: str) -> None:
        """Open what an id, an address, a bank account or a customer's name stands for."""
        self.open_found(Found("find", text))

    def open_found(self, found: Found) -> None:
        """Show what was found, with its customer selected. What is typed behind it is meant for
        that customer: keys wait, and are dropped where it can't be shown.
        """
        self.finding, self.awaits_rows = found, True
        self.typed_ahead.hold(ENGINE_LIMIT_S, self.typed_ahead.forget)
        if self.desk.started is not None:
            self.run_worker(Later(partial(_show, self, found)), group="find", exclusive=True)

    def on_paste(self, event: events.Paste) -> None:
        """Pasted text is never keys: an id opens what it names, also within a sentence, and one
        line is looked for; anything else is ignored. A dialog is answered first: nobody turns to
        another customer under a question.
        """
        from chainteller.tui.console.search import is_question, wanted_id

        if not self._is_at_desk:
            return
        text = wanted_id(event.text)
        if text:
            self.find(text)
        elif is_question(event.text):
            _look_for(self, event.text.strip())

    # -- keys ---------------------------------------------------------------------------------

    def deafen(self) -> None:
        self.typed_ahead.deafen(DEAF_S)

    def dialog_opened(self) -> None:
        """What was typed behind the key that opened it goes on."""
        self.typed_ahead.allow_repeat()
        self.opening.shown()

    def dialog_closed(self) -> None:
        """Two quick presses of the key that closed it close nothing else."""
        self.typed_ahead.once_only(DEAF_S)
        self.opening.answered()
        if self.closes_dialog:  # what a closed dialog hears doesn't come back
            self.closes_dialog = False
            self.release_keys()

    async def on_event(self, event: events.Event) -> None:
        """Keys are dropped while the desk is deaf, and wait while it changes its place.

        With no field open a key runs its command here and now, so that the next key already
        meets what it opened.
        """
        heard = _came_back(event)
        _say_too_early(self, event)
        if not (isinstance(event, events.Key) and await self._key_ends_here(event)):
            await super().on_event(event)  # the command of a key that came back runs now
        if heard == "tab":
            self.release_keys()
        if self.closes_dialog and heard == "escape":
            self.closes_dialog = False
            self.release_keys()

    async def _key_ends_here(self, event: events.Key) -> bool:
        if self.return_code is not None:
            return True  # typed after the end: there is no screen to take it
        if event.key == "ctrl+z":
            suspend_console(self, self.desk)
            return True
        if event.is_forwarded:  # and came back from a screen that may be gone by now
            return _finds_no_field(self, event) or fails_in_palette(self, event.key)
        at_once = self.desk.started is None and _works_at_once(self, event)
        if (
            self.typed_ahead.takes(event, at_once=at_once)
            or fails_in_palette(self, event.key)
            or await _runs_in_dialog(self, event.key)
        ):
            return True
        _wait_for_dialog(self, event.key)
        if not isinstance(self.focused, Field):
            return self._is_at_desk and (
                (event.key == "escape" and self.desk.holding.take_back())
                or await run_key(self, event.key)
                or _explain(self, event)
            )
        if event.key in _ANSWERS_FIELD:
            self.typed_ahead.hold()
            self.answered_field = self.focused
        elif event.key in _STEPS_AMOUNT and self.focused.asset is not None:
            self.typed_ahead.hold()
        return False

    def suspend_refused(self) -> None:
        self.desk.notify("The console can't be suspended: it wasn't started from a shell.", "warn")

    @property
    def _is_at_desk(self) -> bool:
        return isinstance(self.screen, DeskScreen) and self.screen.is_mounted

    def release_keys(
        self, *, forget: bool = False, by_rows: bool = False, of: int | None = None
    ) -> None:
        is_for_rows = by_rows and not (self.awaits_rows or forget)
        waits = self.finding is not None or self.is_returning or self.opening.is_awaited
        if waits or is_for_rows or of not in {None, self.typed_ahead.round}:
            return
        self.awaits_rows = False
        if forget:
            drop_keys(self)
        self.desk.holding.when_shown(self.typed_ahead.release)

    # -- news ---------------------------------------------------------------------------------

    def poll_now(self) -> None:
        self.desk.leaves_sign_in = False
        if self.desk.started is None:
            _hold_for_start(self)
            self.start_engine()
        else:
            self.run_worker(Later(partial(self._poller.poll, now=True)), group="poll")

    def alert(self, text: str, tone: str, account_id: str = "", briefly: str = "") -> None:
        """Something that was waited for: a bell, a toast, the log, and a count in the title.

        ``account_id`` is the customer's, empty for nobody's; ``briefly`` as ``Desk.notify_about``
        takes it.
        """
        self.desk.alerts += 1
        self.bell()
        told = text
        if account_id:
            told = self.desk.notify_about(account_id, text, tone, briefly=briefly)
        else:
            self.desk.notify(text, tone, account_id="")
        self.notify(told, markup=False, timeout=10)
        self.desk.on_connection.publish(self.desk.connection)
        show_title(self, self.desk.alerts)  # never a name or an amount

    # -- how it looks -------------------------------------------------------------------------

    async def may_leave(self, text: str | bytes) -> bool:
        return await may_leave(self.desk, text)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Without Textual's, which replaces the terminal's own colours: no theme has any."""
        own = (each for each in super().get_line_filters() if not isinstance(each, ANSIToTruecolor))
        return [*own, self._hostile, *([self._private] if self.desk.privacy.hidden else [])]

    def get_css_variables(self) -> dict[str, str]:
        """None while Textual builds itself: they would be of a theme that is not shown."""
        return super().get_css_variables() if self._is_made else {}

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(DEFAULT_VARIABLES)

    def action_use_theme(self, name: str) -> None:
        self.theme = name


def _hold_for_start(console: Console) -> None:
    """What is typed before the service has started is meant for its list of accounts, in which it
    acts in order. It never acts in parts: what doesn't need the service works at once only with
    nothing typed before it (decision 55).
    """

    def overdue() -> None:
        if console.awaits_rows:  # else they are let go
            drop_keys(console)
            _hold_for_start(console)

    console.awaits_rows = True
    console.typed_ahead.hold(ENGINE_LIMIT_S, overdue)


def drop_keys(console: Console) -> None:
    """Say that what was typed ahead does nothing any more."""
    number = console.typed_ahead.forget()
    if number:
        keys = f"{number} keys" if number > 1 else "1 key"
        console.desk.notify(f"{keys} typed ahead had nothing to act on: dropped", "warn")


def _say_too_early(console: Console, event: events.Event) -> None:
    """Let a dialog say that a key was typed before it could be read."""
    if not isinstance(event, events.Key) or event.is_forwarded or not console.screen_stack:
        return
    if isinstance(console.screen, Dialog) and console.typed_ahead.is_too_early(event):
        console.screen.came_too_early(event.key)


async def _runs_in_dialog(console: Console, key: str) -> bool:
    """Run a dialog's key here and now, where another dialog may follow."""
    dialog = console.screen
    return isinstance(dialog, Dialog) and dialog.leads_on and await run_key(console, key)


def _wait_for_dialog(console: Console, key: str) -> None:
    """What is typed behind a key that closes the dialog on top is meant for what lies below."""
    is_holding = console.typed_ahead.is_holding
    console.closes_dialog = key == "escape" and console.screen.is_modal and not is_holding
    if console.closes_dialog or (key == "enter" and is_palette_open(console)):
        console.typed_ahead.hold()


def _came_back(event: events.Event) -> str:
    """The key that went to a screen's widgets and was heard by all of them; empty for any other
    event. Textual marks an event as forwarded as it's sent to them.
    """
    return event.key if isinstance(event, events.Key) and event.is_forwarded else ""


def _finds_no_field(console: Console, event: events.Key) -> bool:
    """Whether a key came back when the screen was gone. What was typed behind one that would have
    closed a field waits no longer where the field is covered by now, and won't hear it.
    """
    if event.key in _ANSWERS_FIELD:
        field, console.answered_field = console.answered_field, None
        if field is not None and field is not console.focused:
            console.release_keys()
    return not console.screen.is_mounted


def _works_at_once(console: Console, event: events.Key) -> bool:
    """Whether a key works before the service answers: see ``Command.works_at_once``."""
    screen, keymap = console.screen, console.desk.settings.keys
    if isinstance(console.focused, Field):
        return console.focused.purpose == "filter" and event.is_printable
    if screen.is_modal:
        return True
    awaits_rows = isinstance(screen, AccountsScreen) and not screen.pages.is_preview
    if not isinstance(screen, DeskScreen) or (awaits_rows and console.has_first_rows):
        return False
    commands = (*screen.commands_by_id.values(), *console.COMMANDS_BY_ID.values())
    found = next((each for each in commands if each.has_key(event.key, keymap)), None)
    return found is not None and (found.works_at_once or (awaits_rows and found.is_global))


def _explain(console: Console, event: events.Key) -> bool:
    """Say that a key does nothing here; what to press instead of one that other programs quit
    with.
    """
    if event.key == "q":
        _say_how_to_quit(console)
    elif event.is_printable and event.character and isinstance(console.screen, DeskScreen):
        say(console.screen, f"{event.character} does nothing here   ? lists the keys")
    return event.is_printable


def _say_how_to_quit(console: Console) -> None:
    if (screen := _screen_behind(console)) is not None:
        say(screen, "ctrl+q quits")


def _screen_behind(console: Console) -> DeskScreen | None:
    """The screen that is shown, also behind a dialog."""
    behind = (each for each in reversed(console.screen_stack) if isinstance(each, DeskScreen))
    return next(behind, None)


def _look_for(console: Console, text: str) -> None:
    """Open the palette with a text, where it has room."""
    from chainteller.tui.console.palette import DeskPalette

    if has_room_for_palette(console.size) and isinstance(console.screen, DeskScreen):
        console.push_screen(DeskPalette(text))


def _ask_to_sign_in(console: Console, error: TellerError) -> None:
    from chainteller.tui.console.sign_in_dialog import ask_to_sign_in

    ask_to_sign_in(console, console.desk, error)


async def _quit_if_agreed(console: Console) -> None:
    if await may_quit(console.desk):
        console.exit()


async def _show(console: Console, found: Found) -> None:
    from chainteller.tui.console.search import turn_to
    from chainteller.tui.console.search_pages import open_page

    shown = None
    try:
        shown = await turn_to(console.desk, found)
    finally:
        if console.finding is found and (shown is None or shown.place not in SCREENS):
            console.finding = None
            if shown is None:
                console.typed_ahead.forget()  # why is said already
            console.release_keys()
    if shown is None:
        return
    if shown.place in SCREENS:
        console.go(shown.place)
        console.call_after_refresh(_show_on_screen, console, found, shown)
    else:
        open_page(console, shown)


def _show_on_screen(console: Console, found: Found, shown: Found) -> None:
    """Keys wait on for the list of accounts, whose cursor says who is served."""
    from chainteller.tui.console.search import show_found

    show_found(console.screen, shown)
    if console.finding is found:
        console.finding = None
        if not isinstance(console.screen, AccountsScreen):
            console.release_keys()


def _close_pages(console: Console) -> None:
    """Close what lies over the screen that is shown, such as a customer's page."""
    while len(console.screen_stack) > 1 and isinstance(console.screen, DeskScreen):
        console.pop_screen()


def _end_hold_of_other(console: "Console", before: str) -> None:  # noqa: ARG001 - the signal's value
    console.desk.holding.take_back("another customer was selected")


def _close_dialogs(console: Console, before: str) -> None:
    """Close what is shown about the customer who was served before, if anybody was."""
    for screen in console.screen_stack:
        if before and isinstance(screen, Dialog) and screen.is_about_customer:
            screen.dismiss(None)


def _make_screen(name: str, desk: Desk) -> DeskScreen:
    module = importlib.import_module(f"chainteller.tui.{name}.screen")
    made: DeskScreen = getattr(module, f"{name.capitalize()}Screen")(desk)
    return made
