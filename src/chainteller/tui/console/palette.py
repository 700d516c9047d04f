"""``:`` goes to anything: screens, commands, profiles, themes, any id, address or customer."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from textual import on
from textual.command import CommandInput, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input

from chainteller.domain.search_texts import words_of
from chainteller.records.formats import clean
from chainteller.tui.commands import SCREENS, AnyCommand
from chainteller.tui.console.command_table import COMMANDS, PALETTE, commands_of, refuse
from chainteller.tui.console.marks import marked
from chainteller.tui.console.protection import suspend_console
from chainteller.tui.console.search import (
    BEGINS,
    BEGUN,
    COMMAND,
    LEAST_LETTERS,
    LITERAL,
    MENTIONED,
    NOT_SENT,
    STARTING,
    TRY,
    Results,
    search,
)
from chainteller.tui.textual_fixes.palette import SteadyPalette

if TYPE_CHECKING:
    from chainteller.tui.console.shell import ConsoleShell
    from chainteller.tui.start import ProfileRow

_LEFT_OUT = frozenset(
    f"desk.{name}"
    for name in ("palette", "back", "up", "down", "page_up", "page_down", "first", "last")
)
_OF_ANY_LIST = frozenset({"enter", "f", "o", "0", "slash,ctrl+f"})
"""Keys of commands that every list has, this screen's, too."""
_ELSEWHERE = 0.1
"""How much less than a command of this screen one of another screen is meant."""
_REST_S = 0.06
"""How long the keyboard has to rest before the service is asked."""
_PATIENCE_S = 0.3
"""How long the hits of an earlier text stand while the service is asked."""


_LEAST_OF_WORD = 4
"""Letters of a word that tells commands apart: not "the"."""


class DeskPalette(SteadyPalette):
    CSS_PATH = "palette.tcss"

    def __init__(self, text: str = "") -> None:
        """``text`` is looked for at once."""
        super().__init__(placeholder="name, id, address, amount, day or command")
        self._text = text
        self._round = 0
        """Of the keys that wait behind ``enter``."""

    def on_mount(self) -> None:
        if self._text:
            self.query_one(CommandInput).value = self._text

    def on_unmount(self) -> None:
        self.nothing_chosen()

    @on(Input.Submitted)
    def _keys_wait(self) -> None:
        self._round = cast("ConsoleShell", self.app).typed_ahead.round

    def nothing_chosen(self) -> None:
        """What was typed behind ``enter`` comes after what it did. The palette may be gone for a
        while by then, and newer keys wait for something else.
        """
        self.app.call_later(cast("ConsoleShell", self.app).release_keys, of=self._round)

    def tell(self, note: str) -> None:
        """Keep what has to be said about the search; what looks like a secret isn't shown."""
        self.note = note
        self.query_one(CommandInput).password = note == NOT_SENT

    def nothing_found(self, text: str) -> str:
        if self.note in {NOT_SENT, STARTING}:
            return self.note
        return f'No matches for "{clean(text)}". {self.note or TRY}'


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


class Entry(NamedTuple):
    """A command of the palette; ``name`` is the one word that it goes by, if there is one."""

    title: str
    action: Action
    name: str = ""


class DeskProvider(Provider):
    """Commands are matched here; records by the service, where the keyboard rests."""

    def __init__(self, screen: Screen[object], match_style: object = None) -> None:
        super().__init__(screen, match_style)  # type: ignore[arg-type]  # handed through

    @property
    def console(self) -> "ConsoleShell":
        return cast("ConsoleShell", self.app)

    def _entries(self) -> list[Entry]:
        """All that can be run from here, with their keys."""
        key, moved = getattr(self.screen, "KEY", ""), self.console.desk.settings.keys
        rows = [
            Entry(_titled(command, moved), partial(self._run, command), command.name)
            for command in (*commands_of(key), *PALETTE)
            if command.id not in _LEFT_OUT
        ]
        own = getattr(self.screen, "palette_entries", None)
        rows += [Entry(*each) for each in (own() if own is not None else [])]
        rows += [
            Entry(f"theme: {name}", f"app.use_theme('{name}')", name)
            for name in self.console.themes.names
        ]
        rows += [
            Entry(
                f"profile: {_named(row)}  {row.kind} {row.address}",
                f"app.profile({row.name!r})",
            )
            for row in self.console.desk.settings.profiles
        ]
        suspends = "suspend to the shell; fg returns   [ctrl+z]"
        rows.append(Entry(suspends, self._suspend, "suspend"))
        rows.append(Entry("quit   [ctrl+q]", "app.quit", "quit"))
        return rows

    def _entries_elsewhere(self) -> list[Entry]:
        """Commands of the other screens, which go there and name the key."""
        desk, here = self.console.desk, getattr(self.screen, "KEY", "")
        numbers, moved = {name: at for at, name in enumerate(SCREENS, start=1)}, desk.settings.keys
        return [
            Entry(
                f"{each.about}   [{numbers[each.where]}, then {each.key_in(moved)}]",
                f"app.command('desk.{each.where}')",
                each.name,
            )
            for each in COMMANDS
            if each.where in SCREENS
            and each.where != here
            and each.key not in _OF_ANY_LIST
            and (not each.feature or desk.offers(each.feature))
        ]

    async def _run(self, command: AnyCommand) -> None:
        if not refuse(command, self.console, self.screen):
            await self.console.run_action(command.action, self.screen)

    def _suspend(self) -> None:
        suspend_console(self.console, self.console.desk)

    async def discover(self) -> Hits:
        for entry in self._entries():
            title = Content(entry.title)
            yield DiscoveryHit(title, deferred(self.screen, entry.action), entry.title)

    async def search(self, query: str) -> Hits:
        """Records, and commands by their name or by the beginnings of their words."""
        wanted = clean(query.strip())
        words = words_of(wanted.casefold())
        found = [(rank(entry, words), entry) for entry in self._entries()]
        found += [(_ELSEWHERE * rank(entry, words), entry) for entry in self._entries_elsewhere()]
        begun = [self._command(score, entry, wanted) for score, entry in found if score]
        results = await self._found(wanted, begun)
        palette = self.app.screen
        if isinstance(palette, DeskPalette):
            palette.tell(results.note)
        for record in results.found:
            label = clean(record.label)
            if record.place in {"quote", "trades", "transfers"}:
                label = self.console.desk.privacy.figures(label)
            show = partial(self.console.open_found, record)
            yield Hit(record.rank, self._marked(label, wanted), show, label)
        for hit in begun:
            yield hit

    def _command(self, score: float, entry: Entry, wanted: str) -> Hit:
        run = deferred(self.screen, entry.action)
        return Hit(score, self._marked(entry.title, wanted), run, entry.title)

    def _marked(self, label: str, wanted: str) -> Content:
        shown = Content(label)
        for start, end in marked(label, wanted) if wanted else []:
            shown = shown.stylize(self.match_style or "bold underline", start, end)
        return shown

    async def _found(self, wanted: str, begun: Sequence[Hit]) -> Results:
        """Records; none while the service starts. Commands don't wait for slow ones."""
        console = self.console
        if console.desk.session is None or len(wanted) < LEAST_LETTERS:
            return Results()
        await asyncio.sleep(_REST_S)
        answer = asyncio.ensure_future(console.searches.call(search, console.desk, wanted))
        try:
            done, _ = await asyncio.wait([answer], timeout=_PATIENCE_S)
            if not done and isinstance(self.app.screen, DeskPalette):
                self.app.screen.show_waiting(begun)
            return await answer
        finally:
            answer.cancel()


def _titled(command: AnyCommand, moved: Mapping[str, str]) -> str:
    return f"{command.about}   [{command.key_in(moved)}]" if command.key else command.about


def rank(entry: Entry, typed: Sequence[str]) -> float:
    """How well a command answers a text; 0 not at all."""
    if not typed:
        return 0.0
    title, wanted = entry.title.partition("   [")[0].casefold(), list(typed)
    names = [words_of(each) for each in (title.partition(":")[0], title, entry.name)]
    if wanted in names:
        return LITERAL + 0.1 * (names[0] == wanted)
    if any(name[: len(wanted)] == wanted for name in names):
        return COMMAND
    if len("".join(wanted)) >= _LEAST_OF_WORD and any(_begins(name, wanted) for name in names):
        return BEGINS
    words = {*words_of(entry.name), *words_of(title)}
    if words.issuperset(wanted) and max(map(len, wanted)) >= _LEAST_OF_WORD:
        return MENTIONED
    if not all(any(word.startswith(each) for word in words) for each in wanted):
        return 0.0
    return BEGUN + 0.5 * any(name[:1] == wanted[:1] for name in names)


def _begins(name: Sequence[str], typed: Sequence[str]) -> bool:
    """Whether a name begins with a text whose last word isn't complete."""
    *whole, last = typed
    return name[: len(whole)] == whole and "".join(name[len(whole) :][:1]).startswith(last)
