"""What can be done from everywhere on the desk: profiles, themes, notes, finding, privacy.

The console itself is wiring; this is its base, so that each errand stands in one place. What an
errand needs is imported when it is first asked for.
"""

import contextlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, cast

from textual import events
from textual.app import App
from textual.await_complete import AwaitComplete
from textual.command import CommandPalette, Provider
from textual.screen import Screen

from chainteller.domain.clock import DAY
from chainteller.service.errors import TellerError
from chainteller.tui.commands import SCREENS
from chainteller.tui.console.themes import DEFAULT_VARIABLES, changed_files, find_theme, load_themes
from chainteller.tui.console.typed_ahead import TypedAhead
from chainteller.tui.desk import KEPT_ACCOUNT, Desk
from chainteller.tui.desk_screen import DeskScreen
from chainteller.tui.service_calls import Later, call_service
from chainteller.tui.start import StartedDesk
from chainteller.tui.textual_fixes.app import SteadyApp
from chainteller.tui.widgets.bars import LEAST_HEIGHT, LEAST_WIDTH

_THEMES_EVERY_S = 2.0
_PLACE = "place"


def desk_commands() -> type[Provider]:
    """What ``:`` offers; Textual asks when the palette is first opened."""
    from chainteller.tui.console.palette import DeskProvider  # noqa: PLC0415 - after the first frame

    return DeskProvider


class Errands(SteadyApp):
    desk: Desk
    typed_ahead: TypedAhead
    wanted_profile = ""
    """The profile to open when this console has ended."""
    theme_names: tuple[str, ...] = ()
    _is_made = False
    _asks_to_leave = False
    _theme_files: tuple[tuple[Path, int], ...] = ()

    # -- the start ----------------------------------------------------------------------------

    def begin(self, started: StartedDesk) -> None:
        """The engine or client answers: tell the screens, and go to the last place."""
        from chainteller.tui.console.session import DeskSession  # noqa: PLC0415 - after the first frame

        desk = self.desk
        desk.begin(started, DeskSession(desk, started))
        kept = desk.remembered(KEPT_ACCOUNT)
        desk.choice.kept_account = kept if isinstance(kept, str) else ""
        desk.on_start.publish(started)
        self.run_worker(Later(self._to_last_place), group="place")
        sent = desk.session.workspace.in_doubt() if desk.session else []
        in_doubt = [row for row in sent if desk.now - row.sent_at < DAY]
        if in_doubt:
            desk.notify(
                f"{len(in_doubt)} requests of an earlier session were never answered",
                "warn",
                "\n".join(
                    ["", *(f"{row.operation} {row.key} {row.arguments}" for row in in_doubt)]
                ),
            )

    async def _to_last_place(self) -> None:
        """Where the desk was left, with its account, unless the agent was quicker."""
        desk, place = self.desk, self.desk.remembered(_PLACE)
        if place not in SCREENS or place == "accounts" or not self._is_untouched():
            return
        if desk.choice.kept_account:
            with contextlib.suppress(TellerError):
                kept = await call_service(desk.service.trading_account, desk.choice.kept_account)
                desk.choice.account = kept
        if self._is_untouched():
            self.go(place)

    def _is_untouched(self) -> bool:
        return self.current_mode == "accounts" and len(self.screen_stack) == 1

    def not_started(self, error: TellerError) -> None:
        """Say why; with profiles configured, offer the others."""
        self.desk.unheard(0, error)
        if isinstance(self.screen, DeskScreen):
            self.screen.fail(error)
        if self.desk.settings.profiles:
            self.push_screen(_screen("profiles", self.desk, f"{error.code}  {error.message}"))

    def go(self, name: str) -> None:
        """Overridden by the console: show one of the five screens."""

    def on_mode_changed(self, name: str) -> None:
        self.desk.remember_account()
        self.desk.remember(_PLACE, name)

    # -- what Textual's own screens stumble over -----------------------------------------------

    def pop_screen(self) -> AwaitComplete:
        """Two quick keys can both dismiss a dialog; the second finds nothing left to close."""
        if len(self.screen_stack) < 2:
            return AwaitComplete.nothing()  # type: ignore[no-any-return,no-untyped-call]  # Textual's
        return super().pop_screen()

    def on_resize(self, event: events.Resize) -> None:
        """A palette left open in a window that became too small for it would fail too."""
        small = event.size.width < LEAST_WIDTH or event.size.height < LEAST_HEIGHT
        if small and CommandPalette.is_open(cast("App[object]", self)):
            self.pop_screen()

    def ends_in_palette(self, key: str) -> bool:
        """Textual's palette fails on a page key until its list is laid out; arrows do. What is
        typed behind its ``enter`` waits until that has been done.
        """
        if key not in {"pageup", "pagedown", "enter"}:
            return False
        is_open = CommandPalette.is_open(cast("App[object]", self))
        if is_open and key == "enter":
            self.typed_ahead.hold()
        return is_open and key != "enter"

    # -- themes -------------------------------------------------------------------------------

    @property
    def css_update_count(self) -> int:
        """Textual reads all styles anew for a screen that lags behind this."""
        return self._css_update_count

    def get_css_variables(self) -> dict[str, str]:
        """None while Textual builds itself: they would be of a theme that is not shown."""
        return super().get_css_variables() if self._is_made else {}

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(DEFAULT_VARIABLES)

    def begin_in_theme(self) -> None:
        """The desk's theme alone, before anything is styled: the others can wait."""
        self._is_made = True
        file = find_theme(self.desk.settings.theme_folders, self.desk.settings.theme)
        if file is not None:
            self.register_theme(file.theme())
            self._begin_in(file.name)
        self.stylesheet.set_variables(self.get_css_variables())

    def load_themes(self) -> None:
        """Register every theme file; what is wrong with a file is told once, with file and key."""
        themes, problems = load_themes(self.desk.settings.theme_folders)
        for file in themes.values():
            self.register_theme(file.theme())
        self.theme_names = tuple(themes)
        if self.desk.settings.theme in themes:
            self.theme = self.desk.settings.theme
        self._tell_problems(problems)
        self._theme_files = changed_files(self.desk.settings.theme_folders)

    def _begin_in(self, theme: str) -> None:
        """The first theme, before anything is styled: a change would style everything twice."""
        self.set_reactive(App.theme, theme)
        dark = self.current_theme.dark
        self.set_class(dark, "-dark-mode", update=False)
        self.set_class(not dark, "-light-mode", update=False)

    def watch_theme_files(self) -> None:
        """Theme files are followed while the desk runs; nothing is painted until one changes."""
        if self.desk.settings.poll_interval_s > 0:
            self.set_interval(_THEMES_EVERY_S, self.reload_themes)

    def reload_themes(self) -> None:
        """Take changed theme files in; a broken one leaves the colours as they are."""
        found = changed_files(self.desk.settings.theme_folders)
        if found == self._theme_files:
            return
        self._theme_files = found
        themes, problems = load_themes(self.desk.settings.theme_folders)
        for file in themes.values():
            self.register_theme(file.theme())
        self.theme_names = tuple(themes)
        if self.theme in themes:
            current = self.theme
            with self.batch_update():
                self.theme = next(name for name in self.available_themes if name != current)
                self.theme = current
        self.desk.notify("theme files read again", "muted")
        self._tell_problems(problems)

    def _tell_problems(self, problems: list[str]) -> None:
        if problems:
            files = "1 theme file" if len(problems) == 1 else f"{len(problems)} theme files"
            told = f"{files} left out: {problems[0]}"
            self.desk.notify(told, "warn", "\n".join(["", *problems]))

    def action_use_theme(self, name: str) -> None:
        self.theme = name

    # -- finding ------------------------------------------------------------------------------

    def action_command_palette(self) -> None:
        """From a desk's screen only, or dialogs would pile up; and not in a window too small for
        it, where Textual's palette fails.
        """
        fits = self.size.width >= LEAST_WIDTH and self.size.height >= LEAST_HEIGHT
        if fits and isinstance(self.screen, DeskScreen) and self.screen.is_mounted:
            from chainteller.tui.console.palette import DeskPalette  # noqa: PLC0415 - after the first frame

            self.push_screen(DeskPalette())

    def find(self, text: str) -> None:
        """Open what an id, an address, a bank account or a customer's name stands for."""
        from chainteller.tui.console.search import open_found  # noqa: PLC0415 - after the first frame

        self.run_worker(Later(partial(open_found, self, text)), group="find", exclusive=True)

    def on_paste(self, event: events.Paste) -> None:
        """Pasted text is never keys: an id opens what it names, anything else is ignored."""
        from chainteller.tui.console.search import wanted_id  # noqa: PLC0415 - after the first frame

        text = wanted_id(event.text)
        if text:
            self.find(text)

    def deferred(self, screen: Screen[Any], action: str) -> Callable[[], Any]:
        """An action of a screen, to be run after the palette has closed."""
        return lambda: self.call_later(self.run_action, action, screen)

    def action_samples(self) -> None:
        from chainteller.tui.console.search import load_samples  # noqa: PLC0415 - after the first frame

        self.run_worker(Later(partial(load_samples, self, self.desk)), group="samples")

    # -- safety -------------------------------------------------------------------------------

    def action_read_only(self) -> None:
        """On at once; off again with a question where the desk was opened read-only."""
        desk = self.desk
        if desk.read_only and desk.settings.read_only:
            self.run_worker(Later(self._allow_writes), group="ask-writes", exclusive=True)
            return
        desk.set_read_only(on=not desk.read_only)
        desk.notify(
            "read-only: every change is refused" if desk.read_only else "writing is on", "warn"
        )

    async def _allow_writes(self) -> None:
        from chainteller.tui.dialogs.question import Ask, Question  # noqa: PLC0415 - after the first frame

        label = self.desk.settings.label or self.desk.settings.kind
        asked = Ask(
            f"ALLOW CHANGES on {label}?",
            ("this desk was opened read-only, by its profile or by --read-only",),
        )
        if await self.push_screen_wait(Question(asked, self.deafen)):
            self.desk.set_read_only(on=False)
            self.desk.notify("writing is on", "warn")

    def deafen(self) -> None:
        """Overridden by the console: ignore all keys for a moment."""

    async def may_leave(self, text: str) -> bool:
        """What is hidden leaves the desk only after a ``y``: a file or a clipboard has no mask."""
        if not self.desk.privacy.would_show(text):
            return True
        from chainteller.tui.dialogs.question import (  # noqa: PLC0415 - after the first frame
            Ask,
            Question,
        )

        asked = Ask(
            "NAMES AND BALANCES ARE HIDDEN here: let this text out with them?",
            ("a copied text and a file are not masked   : hide shows them again",),
        )
        answer: bool | None = await self.push_screen_wait(Question(asked, self.deafen))
        return bool(answer)

    def action_hide(self) -> None:
        """Mask names and balances while the screen is shared, or show them again."""
        privacy = self.desk.privacy
        privacy.hidden = not privacy.hidden
        told = "names and balances are hidden" if privacy.hidden else "names and balances are shown"
        self.desk.notify(told, "warn")
        self.desk.on_connection.publish(self.desk.connection)
        for screen in self.screen_stack:
            screen.refresh(layout=True)
            for widget in screen.query("*"):
                widget.refresh()

    async def action_quit(self) -> None:
        """Asks only while an execution is on its way."""
        behind = self.desk.session
        if behind is None or not behind.requests.is_under_way("execute_quote"):
            self.exit()
        elif not self._asks_to_leave:
            self.run_worker(Later(self._leave), group="ask-quit")

    async def _leave(self) -> None:
        from chainteller.tui.dialogs.question import Ask, Question  # noqa: PLC0415 - after the first frame

        asked = Ask(
            "QUIT while an execution is on its way?",
            ("it may happen all the same; the next start tells that its answer never came",),
        )
        self._asks_to_leave = True
        try:
            if await self.push_screen_wait(Question(asked, self.deafen)):
                self.exit()
        finally:
            self._asks_to_leave = False

    # -- profiles, requests, facts ------------------------------------------------------------

    def action_profiles(self) -> None:
        self.push_screen(_screen("profiles", self.desk, ""))

    def action_profile(self, name: str) -> None:
        """End this console; the next one opens on the profile."""
        if self.desk.writing:
            self.desk.notify("a request is on its way: wait for its answer", "warn")
            return
        self.wanted_profile = name
        self.exit()

    def action_requests(self) -> None:
        self.push_screen(_screen("requests", self.desk))

    def action_info(self) -> None:
        self.push_screen(_screen("info", self.desk))

    # -- the call -----------------------------------------------------------------------------

    def action_call(self) -> None:
        """Begin the call's timer, or end it and offer the note."""
        desk = self.desk
        if desk.call_began is None:
            desk.call_began = desk.now
            desk.notify("call began   i ends it, h makes the note", "muted")
        else:
            self.action_handover()
            desk.call_began = None
        desk.on_connection.publish(desk.connection)

    def action_handover(self) -> None:
        from chainteller.tui.console.handover import show_handover_note  # noqa: PLC0415 - at the first `h`

        shown = partial(show_handover_note, self, self.desk, self.desk.call_began)
        self.run_worker(Later(shown), group="handover", exclusive=True)

    def action_note(self) -> None:
        """Write a note about what is selected."""
        behind = self.screen
        about = behind.object_id() if isinstance(behind, DeskScreen) else ""
        if not about:
            self.desk.notify("nothing is selected to note about", "muted")
            return
        self.push_screen(_screen("note", self.desk, about), partial(_again, behind))

    # -- alerts -------------------------------------------------------------------------------

    def alert(self, text: str, tone: str) -> None:
        """Something that was waited for: a bell, a toast, the log, and a count in the title."""
        self.desk.alerts += 1
        self.bell()
        self.notify(text, markup=False, timeout=10)
        self.desk.notify(text, tone)
        self.desk.on_connection.publish(self.desk.connection)
        self.title_badge()

    def title_badge(self) -> None:
        """The terminal's own title carries the count, never a name or an amount."""
        from chainteller.tui.textual_fixes.terminal_title import show_title  # noqa: PLC0415 - at the first alert

        show_title(self, self.desk.alerts)


def _again(screen: Screen[Any], _: object) -> None:
    if isinstance(screen, DeskScreen):
        screen.reload()


def _screen(name: str, *given: object) -> Screen[Any]:
    from chainteller.tui import screens as registry  # noqa: PLC0415 - after the first frame

    return registry.make(name, *given)
