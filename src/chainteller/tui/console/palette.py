"""``:`` goes to anything: screens, commands, profiles, themes, any id, address or customer."""

import re
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, cast

from textual import events, on
from textual.app import ComposeResult
from textual.command import (
    CommandInput,
    CommandList,
    CommandPalette,
    DiscoveryHit,
    Hit,
    Hits,
    Provider,
)
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.geometry import Size
from textual.screen import Screen
from textual.widgets import Input, LoadingIndicator
from textual.worker import Worker

from chainteller.tui.commands import PALETTE, commands_of
from chainteller.tui.console.search import Found, search
from chainteller.tui.formats import clean
from chainteller.tui.service_calls import call_service
from chainteller.tui.textual_fixes.screen import Steady

if TYPE_CHECKING:
    from collections.abc import Callable

    from chainteller.tui.desk import Desk
    from chainteller.tui.start import ProfileRow

_LEFT_OUT = frozenset({"desk.palette", "desk.back"})
_ID = re.compile(r"[A-Za-z0-9_-]{6,}")


class HitList(CommandList):
    """Textual's list of hits, where a click may come after the hit that it meant is gone, and a
    window may be too narrow for a letter.
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


class DeskPalette(Steady, CommandPalette):
    """Textual's palette, which may be closed at any moment: a letter and ``esc`` in one breath
    begin a search after it has lost its list. It has no id of its own, because the next one may
    open before this one is gone.

    Textual's ``enter`` takes the first hit of the list that stands there, which is that of an
    earlier text while the search for the typed one runs: here it waits for its own.
    """

    CSS_PATH = "palette.tcss"
    _enter_waits = False
    """Whether ``enter`` was pressed before the hits of the typed text had come."""

    def compose(self) -> ComposeResult:
        with Vertical(id="--container"):
            with Horizontal(id="--input"):
                field = CommandInput(placeholder=self._placeholder, select_on_focus=False)
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

    @on(Input.Submitted)
    def _enter(self, event: Input.Submitted) -> None:
        """In place of Textual's own, which takes what stands there."""
        event.stop()
        event.prevent_default()
        if self._is_searching:
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
            self._release_keys()

    def on_unmount(self) -> None:
        self._release_keys()

    def _release_keys(self) -> None:
        """What was typed behind ``enter`` comes after what it did."""
        self.app.call_later(cast("Host", self.app).release_keys)


class Host(Protocol):
    """The console, as far as its palette needs it."""

    desk: "Desk"
    theme_names: tuple[str, ...]

    def release_keys(self) -> None:
        """What was typed behind ``enter`` may go on."""

    def find(self, text: str) -> None:
        """Open what ``text`` stands for."""

    def deferred(self, screen: Screen[Any], action: str) -> "Callable[[], Any]":
        """The screen's action, to be run after the palette has closed."""


def _named(row: "ProfileRow") -> str:
    """Its name, and what the top bar calls it where that is another word."""
    same = row.label.lower() in {"", row.name.lower()}
    return row.name if same else f"{row.name}  {row.label}"


class DeskProvider(Provider):
    """Commands are matched here; records by the service, a few letters at a time."""

    def __init__(self, screen: Screen[object], match_style: object = None) -> None:
        super().__init__(screen, match_style)  # type: ignore[arg-type]  # handed through

    @property
    def console(self) -> Host:
        return cast("Host", self.app)

    def _entries(self) -> list[tuple[str, str]]:
        """(name with its key, action) of all that can be run from here."""
        key, moved = getattr(self.screen, "KEY", ""), self.console.desk.settings.keys
        rows = [
            (f"{command.about}   [{command.key_in(moved)}]", command.action)
            for command in commands_of(key)
            if not command.action.startswith("move") and command.id not in _LEFT_OUT
        ]
        own = getattr(self.screen, "palette_entries", None)
        rows += own() if own is not None else []
        rows += [(command.about, command.action) for command in PALETTE]
        rows += [
            (f"theme: {name}", f"app.use_theme('{name}')") for name in self.console.theme_names
        ]
        rows += [
            (
                f"profile: {_named(row)}  {row.kind} {row.address}",
                f"app.profile({row.name!r})",
            )
            for row in self.console.desk.settings.profiles
        ]
        rows.append(("quit   [ctrl+q]", "app.quit"))
        return rows

    async def discover(self) -> Hits:
        for name, action in self._entries():
            yield DiscoveryHit(Content(name), self.console.deferred(self.screen, action), name)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        wanted = clean(query.strip())
        if _ID.fullmatch(wanted) and any(character.isdigit() for character in wanted):
            yield Hit(
                1.0,
                Content(f"find {wanted}"),
                partial(self.console.find, wanted),
                f"find {wanted}",
            )
        for name, action in self._entries():
            score = matcher.match(name)
            if score > 0:
                yield Hit(score, Content(name), self.console.deferred(self.screen, action), name)
        for found in await self._found(wanted):
            text = clean(found.label)
            score = 2.0 if wanted.lower() in text.lower() else 0.5
            yield Hit(score, Content(text), partial(self.console.find, found.text), text)

    async def _found(self, wanted: str) -> list[Found]:
        """Accounts by customer or bank account and wallets by address; none while it starts."""
        if self.console.desk.session is None:
            return []
        return await call_service(search, self.console.desk.service, wanted)
