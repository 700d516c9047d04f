"""What this desk asked of the service; ``c`` copies a call as curl, its key left out."""

from collections.abc import Sequence
from functools import partial
from itertools import islice
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from chainteller.tui import clipboard as copying
from chainteller.tui.desk import Desk
from chainteller.tui.dialogs.list_dialog import KeyedListDialog
from chainteller.tui.exports import Export, Table, export
from chainteller.tui.messages import PageWanted
from chainteller.tui.request_log import Request
from chainteller.tui.service_calls import Later
from chainteller.tui.widgets.bars import TooSmall
from chainteller.tui.widgets.lines import Lines, line
from chainteller.tui.widgets.paged_list import PAGE_ROWS, Column, PagedList, Row

_COLUMNS = (
    Column("AT", 8),
    Column("METHOD", 6),
    Column("PATH", 30, grows=True),
    Column("STATUS", 6, "right"),
    Column("MS", 5, "right"),
    Column("ID", 12, rank=1),
)


class RequestsScreen(KeyedListDialog[None]):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("c", "copy", show=False),
        Binding("e", "export", show=False),
    ]
    DEFAULT_CSS = """
    RequestsScreen { align: center middle; background: $background 60%; }
    RequestsScreen > Vertical {
        width: 116; max-width: 100%; height: 90%; background: $panel; border: solid $accent;
        padding: 0 1;
    }
    RequestsScreen #said { height: 2; }
    """

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk = desk
        rows = desk.session.requests.rows if desk.session else ()
        self._requests = {str(row.number): row for row in reversed(rows)}

    def compose(self) -> ComposeResult:
        keys = [("c", "key"), (" copies as curl  ", "muted"), ("e", "key"), (" file  ", "muted")]
        keys += [("esc", "key"), (" closes", "muted")]
        with Vertical():
            yield Lines([line(("REQUESTS", "strong"), "  of this console", right=keys)])
            yield PagedList(_COLUMNS, id="requests")
            yield Lines([line(), line()], id="said")
        yield TooSmall()

    def on_mount(self) -> None:
        self._put(1)
        self.query_one(PagedList).say_empty(("No requests yet", "muted"))
        self._tell()

    def on_page_wanted(self, message: PageWanted) -> None:
        self._put(message.page)

    def _put(self, page: int) -> None:
        """Page by page, as of any list: it does not keep more than some."""
        first = (page - 1) * PAGE_ROWS
        rows = [_row(row) for row in islice(self._requests.values(), first, first + PAGE_ROWS)]
        self.query_one(PagedList).put(page, rows, len(self._requests), follow=False)

    def on_row_chosen(self) -> None:
        self._tell()

    @property
    def _chosen(self) -> Request | None:
        return self._requests.get(self.query_one(PagedList).cursor_key or "")

    def _tell(self) -> None:
        chosen = self._chosen
        if chosen is None:
            return
        ended = f"{chosen.status} {chosen.code}".strip() if chosen.status else "no answer"
        if not chosen.status and chosen.code:
            ended = chosen.code
        where = "" if self.desk.settings.kind == "REMOTE" else "  the same call over HTTP"
        self.query_one("#said", Lines).show(
            [
                line((f"{chosen.method} {chosen.path}", "strong")),
                line((f"{ended}  {chosen.took_ms} ms  id {chosen.id}{where}", "muted")),
            ]
        )

    def action_copy(self) -> None:
        chosen = self._chosen
        if chosen is not None:
            text = chosen.as_curl(self.desk.settings.base_url)
            self.run_worker(Later(partial(self._copy, text)), group="copy", exclusive=True)

    async def _copy(self, text: str) -> None:
        said = await copying.copy(self.app, text)
        self.query_one("#said", Lines).show([line((said, "good")), line((text, "muted"))])

    # -- to a file ----------------------------------------------------------------------------

    async def ready(self) -> None:
        """All of it is here."""

    def exports(self) -> Sequence[Export]:
        table = Table("requests", [column.title for column in _COLUMNS], self._gather)
        return table.exports(f"all {len(self._requests)} rows")

    async def _gather(self) -> tuple[list[list[str]], int]:
        rows = [[text for text, _ in _row(row).cells] for row in self._requests.values()]
        return rows, len(rows)

    def action_export(self) -> None:
        self.run_worker(Later(partial(export, self)), group="ask-export", exclusive=True)


def _row(request: Request) -> Row:
    refused = request.status == 0 or request.status >= 400
    status = f"[x]{request.status or ' -'}" if refused else str(request.status)
    return Row(
        str(request.number),
        (
            (request.at, "muted"),
            (request.method, "accent" if request.method == "POST" else ""),
            (request.path, ""),
            (status, "bad" if refused else "good"),
            (str(request.took_ms), "muted"),
            (request.id, "muted"),
        ),
    )
