"""``:profile``: the places that are configured; also what is shown when one cannot be reached."""

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from chainteller.tui.desk import Desk
from chainteller.tui.dialogs.list_dialog import KeyedListDialog
from chainteller.tui.widgets.bars import TooSmall
from chainteller.tui.widgets.lines import Line, Lines, line, wrapped
from chainteller.tui.widgets.paged_list import Column, PagedList, Row

_COLUMNS = (
    Column("PROFILE", 14),
    Column("SHOWN AS", 12),
    Column("KIND", 8),
    Column("MODE", 9, rank=1),
    Column("PLACE", 22, grows=True),
)
_OWN_KEYS = frozenset("jkqr")


class ProfilesScreen(KeyedListDialog[None]):
    """Enter closes this console and opens the chosen place with an empty desk."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "take", show=False),
        Binding("r", "again", show=False),
    ]
    DEFAULT_CSS = """
    ProfilesScreen { align: center middle; background: $background 60%; }
    ProfilesScreen > Vertical {
        width: 84; max-width: 100%; height: auto; max-height: 90%; background: $panel;
        border: solid $accent; padding: 0 1;
    }
    ProfilesScreen PagedList { height: 10; background: $panel; }
    """

    def __init__(self, desk: Desk, reason: str) -> None:
        super().__init__()
        self._desk, self._reason = desk, reason
        self._typed = ""
        """The letters of a name that were typed since the cursor was moved."""

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Lines(self._head(), id="head")
            yield PagedList(_COLUMNS, id="profiles")
        yield TooSmall()

    def _head(self) -> list[Line]:
        keys = [("enter", "key"), (" opens   ", "muted"), ("esc", "key"), (" closes", "muted")]
        if not self._reason:
            return [line(("PROFILES", "strong"), (self._said(), "muted"), right=keys), line()]
        here = self._desk.settings.profile or self._desk.settings.label
        rows = [
            line(
                (f"{here} can't be used", "bad strong"),
                (self._said(), "muted"),
                right=(("r", "key"), " again  ", *keys),
            )
        ]
        rows += [line((row, "bad")) for row in wrapped(self._reason, 76)]
        return [*rows, line()]

    def _said(self) -> str:
        """The letters that were typed, or where the desk is now."""
        if self._typed:
            found = "" if self._matching() is not None else ": no profile starts with this"
            return f"   {self._typed}{found}"
        here = self._desk.settings.profile
        if self._reason:
            return ""
        return f"   now on {here}" if here else "   or type its first letters"

    def on_mount(self) -> None:
        look, listed = self._desk.settings, self.query_one(PagedList)
        rows = [
            Row(
                row.name,
                (
                    (row.name, "strong" if row.name == look.profile else ""),
                    (row.label, ""),
                    (row.kind, "muted"),
                    ("read-only" if row.read_only else "rw", "warn" if row.read_only else "muted"),
                    (row.address, "muted"),
                ),
            )
            for row in look.profiles
        ]
        listed.put(1, rows, len(rows), follow=False)
        listed.move_to_key(look.profile)
        listed.say_empty(("no profiles are configured: [profiles.NAME] in config.toml", "muted"))

    def action_move(self, step: int) -> None:
        self._type("")
        super().action_move(step)

    # -- typed letters ------------------------------------------------------------------------

    def _matching(self) -> str | None:
        """The first profile whose name, or what it is shown as, begins with what was typed."""
        begun = self._typed.lower()
        for row in self._desk.settings.profiles:
            if row.name.lower().startswith(begun) or row.label.lower().startswith(begun):
                return row.name
        return None

    def _type(self, typed: str) -> None:
        self._typed = typed
        self.query_one("#head", Lines).show(self._head())

    def on_key(self, event: events.Key) -> None:
        """A letter that a profile begins with goes to it, before it is the key of anything else;
        whoever typed a name and ``enter`` must not land on another place.
        """
        letter = event.character or ""
        if event.key == "backspace":
            self._type(self._typed[:-1])
        elif len(letter) == 1 and letter.isprintable():
            before, self._typed = self._typed, self._typed + letter
            found = self._matching()
            if found is None and not before and letter in _OWN_KEYS:
                self._typed = ""
                return
            self._type(self._typed)
            if found is not None:
                self.query_one(PagedList).move_to_key(found)
        else:
            return
        event.stop()
        event.prevent_default()

    def action_again(self) -> None:
        if self._reason:
            self.dismiss()
            self._desk.shell.poll_now()

    async def action_take(self) -> None:
        name = self.query_one(PagedList).cursor_key
        if name is not None and self._matching() is not None:
            self.dismiss()
            await self.app.run_action(f"profile({name!r})", self.app)
