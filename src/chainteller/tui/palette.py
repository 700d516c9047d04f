"""``:`` goes to anything: screens, commands, themes, and any id, address or bank account."""

import re
from functools import partial
from typing import TYPE_CHECKING, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.screen import Screen

from chainteller.tui.formats import clean
from chainteller.tui.keys import commands_of

if TYPE_CHECKING:
    from chainteller.tui.app import Console

_ID = re.compile(r"[A-Za-z0-9_-]{6,}")


class DeskProvider(Provider):
    """Nothing is asked of the service here: a chosen id is looked up when it is opened."""

    def __init__(self, screen: Screen[object], match_style: object = None) -> None:
        super().__init__(screen, match_style)  # type: ignore[arg-type]  # handed through

    @property
    def console(self) -> "Console":
        return cast("Console", self.app)

    def _entries(self) -> list[tuple[str, str, str]]:
        """(name, action, help) of all that can be run from here."""
        key = getattr(self.screen, "KEY", "")
        rows = [
            (command.about, command.action, f"{command.shown_key}  {command.where}")
            for command in commands_of(key)
            if not command.action.startswith("move") and command.id != "desk.palette"
        ]
        own = getattr(self.screen, "palette_entries", None)
        rows += own() if own is not None else []
        rows.append(("sample data: load it into an empty database", "app.samples", "asks first"))
        rows += [
            (f"theme: {name}", f"app.use_theme('{name}')", "colours")
            for name in self.console.theme_names
        ]
        rows.append(("quit", "app.quit", "ctrl+q"))
        return rows

    async def discover(self) -> Hits:
        for name, action, about in self._entries():
            yield DiscoveryHit(name, self.console.deferred(self.screen, action), help=about)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        wanted = clean(query.strip())
        if _ID.fullmatch(wanted) and any(character.isdigit() for character in wanted):
            yield Hit(
                1.0,
                f"find {wanted}",
                partial(self.console.find, wanted),
                help="an id, an address or a bank account",
            )
        for name, action, about in self._entries():
            score = matcher.match(name)
            if score > 0:
                yield Hit(
                    score,
                    matcher.highlight(name),
                    self.console.deferred(self.screen, action),
                    help=about,
                )
