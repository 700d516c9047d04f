"""The audit trail of a record: who did what to it, and how it ended."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.containers import Container
from textual.widget import Widget

from chainteller.records.audit import AUDIT_ROW
from chainteller.records.formats import Piece
from chainteller.service.errors import NotOffered
from chainteller.tui.audit import verification
from chainteller.tui.desk import Desk
from chainteller.tui.dialogs.boxes import wrapped
from chainteller.tui.list_screen import Listed, ListScreen
from chainteller.tui.queries import query
from chainteller.tui.widgets.detail import Detail
from chainteller.tui.widgets.ground import titled
from chainteller.tui.widgets.lines import Line, line
from chainteller.tui.widgets.paged_list import PAGE_ROWS, Column, PagedList, Row
from chainteller.tui.widgets.record_lines import RecordColumns

if TYPE_CHECKING:
    from chainteller.service.interface import Service
    from chainteller.service.models.pages import Page
    from chainteller.service.models.records import AuditRow


def _list(object_id: str) -> "RecordColumns[AuditRow]":
    """In a narrow window: of an account's trail, which record; of one record's own, who."""
    is_account = object_id.startswith("TDA_")
    return RecordColumns(
        AUDIT_ROW,
        {
            "seq": Column("NO", 7, "right", rank=3, tone="muted"),
            "at": Column("", 8),
            "actor": Column("", 12, rank=2 if is_account else 1),
            "action": Column("", 16, grows=True, most=30),
            "object": Column("", 14, rank=1 if is_account else 2, tone="muted"),
            "outcome": Column("", 8, most=30),
        },
    )


class AuditScreen(ListScreen["AuditRow"]):
    KEY = "audit"
    CSS_PATH = "audit.tcss"

    def __init__(self, desk: Desk, object_id: str) -> None:
        super().__init__(desk)
        self._object_id = object_id
        self._verdict: Piece | None = None
        self._own_rows_alone = False
        self._served_id = desk.customer.account_id
        """Whose record it was opened for."""

    def resumed(self) -> None:
        """Close where another customer was selected meanwhile."""
        if self._served_id != self.desk.customer.account_id:
            self.dismiss()
        else:
            super().resumed()

    def _customer_changed(self, before: str) -> None:
        super()._customer_changed(before)
        if self.is_current and self._served_id != self.desk.customer.account_id:
            self.dismiss()

    def columns(self) -> Sequence[Column]:
        return _list(self._object_id).columns

    def body(self) -> Sequence[Widget]:
        return [
            Container(
                Container(
                    titled("Entries", PagedList(self.columns(), id="list")), classes="list-side"
                ),
                titled("Entry", Detail(id="detail")),
                classes="pair",
            )
        ]

    def mounted(self) -> None:
        super().mounted()
        self.paged.say_empty(("No audit entries for this record", "muted"))
        self.listed(0)

    def fetch(self, page: int) -> "Listed[AuditRow]":
        found, self._own_rows_alone = _audit_page(self.desk.service, self._object_id, page)
        now, shown = self.desk.now, _list(self._object_id)
        rows = tuple((Row(str(row.seq), shown.cells(row, now)), row) for row in found.data)
        return Listed(rows, found.pagination.total)

    def listed(self, total: int) -> None:
        of = self._object_id or "everything"
        rows = "rows of its own" if self._own_rows_alone else "rows"
        note = self._verdict or (f"{total:,} {rows}   v checks the log ", "muted")
        self.title_line(line((" AUDIT", "strong"), f"  {of}", right=(note,)))
        self.row_chosen()

    def row_chosen(self) -> None:
        row = self.selected
        self.query_one("#detail", Detail).tell(_detail(row) if row else [])
        self.draw_footer()

    async def verify(self) -> None:
        """Check the whole log, not only the rows shown."""

        def progress(told: str) -> None:
            self.title_line(line((" AUDIT", "strong"), right=((told, "muted"),)))

        verdict = await verification.verify(self.desk, progress)
        self._verdict = verdict.title
        self.desk.notify(verdict.text, verdict.tone, verdict.detail)
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
        return self.query_one("#detail", Detail).facts_text


def _audit_page(service: "Service", of: str, page: int) -> "tuple[Page[AuditRow], bool]":
    """Read what was done to a record; of an account also what was done to its other records.

    Returns the page, and whether it has the rows of the account alone because the deployment
    cannot collect the others.
    """
    own_rows_alone = False
    if of.startswith("TDA_"):
        try:
            asked = query(page=page, limit=PAGE_ROWS, trading_account_id=of)
            return service.audit(asked), False
        except NotOffered:
            own_rows_alone = True
    return service.audit(query(page=page, limit=PAGE_ROWS, text=of or None)), own_rows_alone


def _detail(row: "AuditRow") -> list[Line]:
    at = row.at.strftime("%Y-%m-%dT%H:%M:%SZ")
    outcome = f"{row.outcome} {row.error or ''}".strip(), "bad" if row.error else "good"
    rows = [
        line((f"no {row.seq}", "strong"), right=((at, "muted"),)),
        line((row.action, "accent"), f"  by {row.actor}", right=(outcome,)),
        line(row.object),
        line(),
        line(("INPUTS", "strong")),
    ]
    rows += [line((f"{name:<20} ", "muted"), str(value)) for name, value in row.inputs.items()]
    rows += [line(), line(("HASH", "strong"))]
    rows += [line((part, "muted")) for part in wrapped(row.hash[:32] + " " + row.hash[32:], 40)]
    return rows
