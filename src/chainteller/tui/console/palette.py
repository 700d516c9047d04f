"""``:`` goes to anything: screens, commands, profiles, themes, any id, address or customer."""

import re
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.screen import Screen

from chainteller.records.formats import clean
from chainteller.tui.console.command_table import PALETTE, commands_of
from chainteller.tui.console.protection import suspend_console
from chainteller.tui.console.search import Found, search
from chainteller.tui.service_calls import call_service
from chainteller.tui.textual_fixes.palette import SteadyPalette

if TYPE_CHECKING:
    from chainteller.tui.console.app import Console
    from chainteller.tui.start import ProfileRow

_LEFT_OUT = frozenset(
    f"desk.{name}"
    for name in ("palette", "back", "up", "down", "page_up", "page_down", "first", "last")
)
_ID = re.compile(r"[A-Za-z0-9_-]{6,}")


class DeskPalette(SteadyPalette):
    CSS_PATH = "palette.tcss"

    def on_unmount(self) -> None:
        self.nothing_chosen()

    def nothing_chosen(self) -> None:
        """What was typed behind ``enter`` comes after what it did."""
        self.app.call_later(cast("Console", self.app).release_keys)


Action = str | Callable[[], object]
"""An action of the screen, as Textual writes it, or a function."""


def deferred(screen: Screen[Any], action: Action) -> Callable[[], Any]:
    """Run an action of a screen after the palette has closed."""
    if not isinstance(action, str):
        return partial(screen.app.call_later, action)
    return partial(screen.app.call_later, screen.app.run_action, action, screen)


def _named(row: "ProfileRow") -> str:
    """Its name, and what the top bar calls it where that is another word."""
    same = row.label.lower() in {"", row.name.lower()}
    return row.name if same else f"{row.name}  {row.label}"


class DeskProvider(Provider):
    """Commands are matched here; records by the service, a few letters at a time."""

    def __init__(self, screen: Screen[object], match_style: object = None) -> None:
        super().__init__(screen, match_style)  # type: ignore[arg-type]  # handed through

    @property
    def console(self) -> "Console":
        return cast("Console", self.app)

    def _entries(self) -> list[tuple[str, Action]]:
        """(name with its key, action) of all that can be run from here."""
        key, moved = getattr(self.screen, "KEY", ""), self.console.desk.settings.keys
        rows: list[tuple[str, Action]] = [
            (f"{command.about}   [{command.key_in(moved)}]", command.action)
            for command in commands_of(key)
            if command.id not in _LEFT_OUT
        ]
        own = getattr(self.screen, "palette_entries", None)
        rows += own() if own is not None else []
        rows += [(command.about, command.action) for command in PALETTE]
        rows += [
            (f"theme: {name}", f"app.use_theme('{name}')") for name in self.console.themes.names
        ]
        rows += [
            (
                f"profile: {_named(row)}  {row.kind} {row.address}",
                f"app.profile({row.name!r})",
            )
            for row in self.console.desk.settings.profiles
        ]
        rows.append(("suspend to the shell; fg returns   [ctrl+z]", self._suspend))
        rows.append(("quit   [ctrl+q]", "app.quit"))
        return rows

    def _suspend(self) -> None:
        suspend_console(self.console, self.console.desk)

    async def discover(self) -> Hits:
        for name, action in self._entries():
            yield DiscoveryHit(Content(name), deferred(self.screen, action), name)

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
                yield Hit(score, Content(name), deferred(self.screen, action), name)
        for found in await self._found(wanted):
            text = clean(found.label)
            score = 2.0 if wanted.lower() in text.lower() else 0.5
            yield Hit(score, Content(text), partial(self.console.find, found.text), text)

    async def _found(self, wanted: str) -> list[Found]:
        """Accounts by customer or bank account and wallets by address; none while it starts."""
        if self.console.desk.session is None:
            return []
        return await call_service(search, self.console.desk.service, wanted)
