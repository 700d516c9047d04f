"""The audit trail: who did what to which record, and how it ended."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.containers import Container
from textual.widget import Widget

from chainteller.service.audit_segment import SegmentReport, check_segment
from chainteller.service.errors import NotOffered
from chainteller.tui.audit.commands import COMMANDS
from chainteller.tui.desk import Desk
from chainteller.tui.dialogs.boxes import wrapped
from chainteller.tui.formats import Piece, grouped, short_id, when
from chainteller.tui.list_screen import Listed, ListScreen
from chainteller.tui.queries import query
from chainteller.tui.service_calls import call_service
from chainteller.tui.widgets.lines import Line, Lines, line
from chainteller.tui.widgets.paged_list import PAGE_ROWS, Column, PagedList, Row

if TYPE_CHECKING:
    from chainteller.service.models.pages import Page
    from chainteller.service.models.records import AuditRow

_SEEN = "audit.head"
_CHECKED_AT_ONCE = 100
_PAGES_CHECKED = 20
"""Of a remote place: the newest two thousand rows."""


def _columns(object_id: str) -> tuple[Column, ...]:
    """In a narrow window: of an account's trail, which record; of one record's own, who."""
    is_account = object_id.startswith("TDA_")
    return (
        Column("NO", 7, "right", rank=3),
        Column("AT", 8),
        Column("WHO", 12, rank=2 if is_account else 1),
        Column("ACTION", 22, grows=True),
        Column("OBJECT", 14, rank=1 if is_account else 2),
        Column("OUTCOME", 22),
    )


class AuditScreen(ListScreen["AuditRow"]):
    KEY = "audit"
    OWN_COMMANDS = COMMANDS
    CSS_PATH = "audit.tcss"

    def __init__(self, desk: Desk, object_id: str) -> None:
        super().__init__(desk)
        self._object_id = object_id
        self._verdict: Piece | None = None
        self._own_rows_alone = False

    def columns(self) -> Sequence[Column]:
        return _columns(self._object_id)

    def body(self) -> Sequence[Widget]:
        return [
            Container(
                Container(PagedList(self.columns(), id="list"), classes="list-side"),
                Lines(id="detail", classes="detail-side"),
                classes="pair",
            )
        ]

    def on_mount(self) -> None:
        super().on_mount()
        self.paged.say_empty(("no audit rows for this record", "muted"))
        self.listed(0)

    def fetch(self, page: int) -> "Listed[AuditRow]":
        found = self._asked(page)
        now = self.desk.now
        return Listed(tuple((_row(row, now), row) for row in found.data), found.pagination.total)

    def _asked(self, page: int) -> "Page[AuditRow]":
        """Of an account all that was done to it, of any other record its own rows."""
        audit, of = self.desk.service.audit, self._object_id
        self._own_rows_alone = False
        if of.startswith("TDA_"):
            try:
                return audit(query(page=page, limit=PAGE_ROWS, trading_account_id=of))
            except NotOffered:
                self._own_rows_alone = True
        return audit(query(page=page, limit=PAGE_ROWS, text=of or None))

    def listed(self, total: int) -> None:
        of = self._object_id or "everything"
        rows = "rows of its own" if self._own_rows_alone else "rows"
        note = self._verdict or (f"{total:,} {rows}   v checks the chain ", "muted")
        self.title_line(line((" AUDIT", "strong"), f"  {of}", right=(note,)))
        self.row_chosen()

    def row_chosen(self) -> None:
        row = self.selected
        self.query_one("#detail", Lines).show(_detail(row) if row else [])
        self.draw_footer()

    def action_verify(self) -> None:
        self.read("verify", self._verify)

    async def _verify(self) -> None:
        """Every row of the trail against the row before it, not only those shown."""
        started = self.desk.started
        if started is None or started.verify_audit is None:
            await self._verify_segment()
            return
        report = await call_service(started.verify_audit)
        if report.intact:
            self._verdict = (f"[ok] {report.rows:,} rows intact ", "good")
            self.desk.notify(f"audit chain intact, head {report.head}", "good")
        else:
            self._verdict = (f"[x] broken at row {report.first_broken} ", "bad strong")
            self.desk.notify(f"AUDIT BROKEN at row {report.first_broken}: {report.problem}", "bad")
        self.listed(self.paged.total or 0)

    async def _verify_segment(self) -> None:
        """Of a remote place: the newest rows that it shows, and the head that was seen earlier."""
        found: list[AuditRow] = []
        total = 0
        for page in range(1, _PAGES_CHECKED + 1):
            asked = query(page=page, limit=_CHECKED_AT_ONCE)
            answer = await call_service(self.desk.service.audit, asked)
            total = answer.pagination.total
            found += [row for row in answer.data if not found or row.seq < found[-1].seq]
            if len(found) >= total or len(answer.data) < _CHECKED_AT_ONCE:
                break
            told = f"checking: {len(found):,} of {total:,} rows"
            self.title_line(line((" AUDIT", "strong"), right=((told, "muted"),)))
        seen = self.desk.remembered(_SEEN)
        known = (seen[0], seen[1]) if isinstance(seen, list) and len(seen) == 2 else None
        self._judge(check_segment(found[::-1], known), found, total, known)

    def _judge(
        self,
        report: SegmentReport,
        found: "Sequence[AuditRow]",
        total: int,
        known: tuple[int, str] | None,
    ) -> None:
        """Say what was checked and what was not; a sound head is kept for the next time."""
        if not report.intact:
            self._verdict = (f"[x] broken at row {report.first_broken} ", "bad strong")
            self.desk.notify(f"AUDIT BROKEN at row {report.first_broken}: {report.problem}", "bad")
        elif known is not None and found and known[0] > found[0].seq:
            self._verdict = ("[x] rows are gone ", "bad strong")
            self.desk.notify(f"AUDIT BROKEN: row {known[0]}, seen here earlier, is gone", "bad")
        else:
            of = (
                f"{report.rows:,}"
                if report.rows >= total
                else f"newest {report.rows:,} of {total:,}"
            )
            self._verdict = (f"[ok] {of} rows as shown, {report.links:,} links ", "good")
            again = known is not None and any(row.seq == known[0] for row in found)
            since = f", row {known[0]} as seen earlier" if known is not None and again else ""
            head = found[0].hash if found else "-"
            self.desk.notify(
                f"audit rows as this place shows them fit{since}; head {head}",
                "good",
                "\nonly what the deployment shows was checked: the whole chain is checked where "
                "its database is, by chainteller audit verify",
            )
            if found:
                self.desk.remember(_SEEN, [found[0].seq, found[0].hash])
        self.listed(self.paged.total or 0)

    def show_trail(self, object_id: str) -> None:
        """The trail of another record, in place of this one."""
        if object_id != self._object_id:
            self._object_id, self._verdict = object_id, None
            self.paged.reshape(self.columns())
            self.restart()

    def object_id(self) -> str:
        return self._object_id

    def main_text(self) -> str:
        return self.query_one("#detail", Lines).plain_text


def _row(row: "AuditRow", now: int) -> Row:
    refused = bool(row.error)
    return Row(
        str(row.seq),
        (
            (grouped(str(row.seq)), "muted"),
            (when(row.at, now), "muted"),
            (row.actor, ""),
            (row.action, ""),
            (short_id(row.object), "muted"),
            (row.error or row.outcome, "bad" if refused else "good"),
        ),
    )


def _detail(row: "AuditRow") -> list[Line]:
    at = row.at.strftime("%Y-%m-%dT%H:%M:%SZ")
    rows = [
        line((f"no {row.seq}", "strong"), right=((at, "muted"),)),
        line((row.action, "accent"), f"  by {row.actor}"),
        line(row.object),
        line((f"{row.outcome} {row.error or ''}".strip(), "bad" if row.error else "good")),
        line(),
        line(("INPUTS", "strong")),
    ]
    rows += [line((f"{name:<20} ", "muted"), str(value)) for name, value in row.inputs.items()]
    rows += [line(), line(("HASH", "strong"))]
    rows += [line((part, "muted")) for part in wrapped(row.hash[:32] + " " + row.hash[32:], 40)]
    rows += [line(("previous", "muted")), line((row.previous_hash[:32], "muted"))]
    rows += [line((row.previous_hash[32:], "muted"))]
    return rows
