"""The command palette where keys come faster than its hits, and in windows too small for it.

Each fix says what Textual 8.2.8 does instead; ``tests/tui/test_textual_fixes.py`` has a test for
each that fails once Textual does it by itself.
"""

from collections.abc import Sequence
from typing import Any, cast

from textual import events, on
from textual.app import App, ComposeResult
from textual.command import Command, CommandInput, CommandList, CommandPalette, Hit
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.geometry import Size
from textual.widgets import Input, LoadingIndicator
from textual.widgets.option_list import Option
from textual.worker import Worker

from chainteller.tui.textual_fixes.screen import SteadyScreen
from chainteller.tui.widgets.bars import LEAST_HEIGHT, LEAST_WIDTH
from chainteller.tui.widgets.ordered_input import OrderedInput


class OrderedCommandInput(CommandInput, OrderedInput):
    """The palette's field."""


def is_palette_open(app: App[Any]) -> bool:
    return CommandPalette.is_open(cast("App[object]", app))


def has_room_for_palette(size: Size) -> bool:
    return size.width >= LEAST_WIDTH and size.height >= LEAST_HEIGHT


def close_palette_without_room(app: App[Any], size: Size) -> None:
    """A palette left open in a window that became too small for it would fail."""
    if not has_room_for_palette(size) and is_palette_open(app):
        app.pop_screen()


def fails_in_palette(app: App[Any], key: str) -> bool:
    """Whether Textual's palette may fail on the key: on page keys, until its list is laid out."""
    return key in {"pageup", "pagedown"} and is_palette_open(app)


class HitList(CommandList):
    """The list of hits, where a click may come after the hit that it meant is gone, and a window
    may be too narrow for a letter.
    """

    def _holds_a_letter(self, width: int) -> bool:
        """Textual would wrap the hits at no cells at all, which ends in a fault."""
        return width > self.get_component_styles("option-list--option").padding.width

    def _update_lines(self) -> None:
        """Without a size the list has no styles either, perhaps."""
        region = self.scrollable_content_region
        if region and self._holds_a_letter(region.width):
            super()._update_lines()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        if not self._holds_a_letter(width):
            return 1
        return super().get_content_height(container, viewport, width)

    def on_click(self, event: events.Click) -> None:
        if event.style.meta.get("option", -1) >= self.option_count:
            event.prevent_default()


def _text_of(option: Option) -> str:
    """The text of a hit; empty for a line that is none."""
    return str(option.hit.text) if isinstance(option, Command) else ""


def _muted(text: str) -> Content:
    return Content(text).stylize("$text-muted")


class SteadyPalette(SteadyScreen, CommandPalette):
    """A palette that may be closed at any moment: a letter and ``esc`` in one breath begin a
    search after it has lost its list. It has no id of its own, because the next one may open
    before this one is gone.

    Textual's ``enter`` takes the first hit of the list that is shown, which is that of an earlier
    text while the search for the typed one runs: here it waits for its own. And where it finds
    nothing it says so half a second later, and no more than that.
    """

    note = ""
    """What has to be said about the search of the typed text; a search sets it."""

    _enter_waits = False
    """Whether ``enter`` was pressed before the hits of the typed text had come."""
    _is_part = False
    """Whether the list shows the first hits of the typed text, and others are still awaited."""

    def compose(self) -> ComposeResult:
        with Vertical(id="--container"):
            with Horizontal(id="--input"):
                field = OrderedCommandInput(placeholder=self._placeholder, select_on_focus=False)
                field.cursor_blink = False
                yield field
            with Vertical(id="--results"):
                yield HitList()
                yield LoadingIndicator()

    @property
    def _is_searching(self) -> bool:
        return any(
            worker.node is self and not worker.is_finished and not worker.is_cancelled
            for worker in self.workers
        )

    def _refresh_command_list(
        self,
        command_list: CommandList,
        commands: list[Command],
        clear_current: bool,  # noqa: FBT001 - Textual's signature
    ) -> None:
        chosen = self._chosen()
        super()._refresh_command_list(command_list, commands, clear_current)
        for at in range(command_list.option_count if chosen else 0):
            if _text_of(command_list.get_option_at_index(at)) == chosen:
                command_list.highlighted = at
        self._is_part = False
        if commands and self.note:
            command_list.add_option(Option(_muted(self.note), disabled=True))

    def _start_no_matches_countdown(self, search_value: str) -> None:
        """Say it at once."""
        if search_value:
            shown = _muted(self.nothing_found(search_value))
            option = Option(shown, disabled=True, id=self._NO_MATCHES)
            self.query_one(CommandList).add_option(option)
            self._list_visible = True

    def show_waiting(self, first: Sequence[Hit]) -> None:
        """Show what was found so far in place of an earlier text's hits; the rest is long in
        coming."""
        listed = self.query_one(CommandList)
        commands = [Command(cast("Content", each.prompt), each) for each in first]
        self._refresh_command_list(listed, commands, clear_current=True)
        listed.add_option(Option(_muted("searching"), disabled=True))
        self._list_visible = self._is_part = True

    def _chosen(self) -> str:
        """The hit that was moved to while others are awaited; empty for none."""
        listed = self.query_one(CommandList)
        if not self._is_part or not listed.highlighted:
            return ""
        return _text_of(listed.get_option_at_index(listed.highlighted))

    @on(Input.Changed)
    def _begin_anew(self) -> None:
        self._is_part = False

    def nothing_found(self, text: str) -> str:
        """What is said where nothing was found for a text."""
        return f"Nothing found for {text}"

    @on(Input.Submitted)
    def _enter(self, event: Input.Submitted) -> None:
        event.stop()
        event.prevent_default()
        if self._is_searching and not self._chosen():
            self._enter_waits = True
        else:
            self._take()

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """The search has ended: the ``enter`` that waited for it counts now."""
        if self._enter_waits and event.worker.is_finished and not self._is_searching:
            self._take()

    def _take(self) -> None:
        """Run the chosen hit, if there is one, and close."""
        self._enter_waits = False
        self._select_or_command()
        if self.query_one(CommandList).highlighted is None:
            self.nothing_chosen()

    def nothing_chosen(self) -> None:
        """Enter found no hit."""
