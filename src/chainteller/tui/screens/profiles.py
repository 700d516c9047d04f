"""``:profile``: the places that are configured; also what is shown when one cannot be reached."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from chainteller.tui.desk import Desk
from chainteller.tui.dialogs.boxes import wrapped
from chainteller.tui.dialogs.list_dialog import KeyedListDialog
from chainteller.tui.widgets.bars import TooSmall
from chainteller.tui.widgets.lines import Line, Lines, line
from chainteller.tui.widgets.paged_list import Column, PagedList, Row

_COLUMNS = (
    Column("PROFILE", 16),
    Column("KIND", 8),
    Column("MODE", 9, rank=1),
    Column("PLACE", 24, grows=True),
)


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

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Lines(self._head())
            yield PagedList(_COLUMNS, id="profiles")
        yield TooSmall()

    def _head(self) -> list[Line]:
        keys = [("enter", "key"), (" opens   ", "muted"), ("esc", "key"), (" closes", "muted")]
        if not self._reason:
            return [line(("PROFILES", "strong"), right=keys), line()]
        here = self._desk.look.profile or self._desk.look.label
        rows = [
            line((f"{here} cannot be used", "bad strong"), right=(("r", "key"), " again  ", *keys))
        ]
        rows += [line((row, "bad")) for row in wrapped(self._reason, 76)]
        return [*rows, line()]

    def on_mount(self) -> None:
        look, listed = self._desk.look, self.query_one(PagedList)
        rows = [
            Row(
                row.name,
                (
                    (row.label or row.name, "strong" if row.name == look.profile else ""),
                    (row.kind, "muted"),
                    ("read-only" if row.read_only else "rw", "warn" if row.read_only else "muted"),
                    (row.address, "muted"),
                ),
            )
            for row in look.profiles
        ]
        listed.put(1, rows, len(rows), follow=False)
        listed.say_empty(("no profiles are configured: [profiles.NAME] in config.toml", "muted"))

    def action_again(self) -> None:
        if self._reason:
            self.dismiss()
            self._desk.shell.poll_now()

    async def action_take(self) -> None:
        name = self.query_one(PagedList).cursor_key
        if name is not None:
            self.dismiss()
            await self.app.run_action(f"profile({name!r})", self.app)
