"""The audit trail of a record: who did what to it, and how it ended."""

from contextlib import suppress
from typing import TYPE_CHECKING

from chainteller.records.audit import AUDIT_ROW
from chainteller.records.formats import Piece
from chainteller.service.errors import NotOffered
from chainteller.tui.audit import verification
from chainteller.tui.desk import Desk
from chainteller.tui.desk_screen import draw_around
from chainteller.tui.list_screen import Blocks, Listing, ListScreen
from chainteller.tui.queries import query
from chainteller.tui.widgets.lines import Line, heading, line, wrapped
from chainteller.tui.widgets.paged_list import PAGE_ROWS, Column
from chainteller.tui.widgets.record_lines import RecordColumns

if TYPE_CHECKING:
    from chainteller.service.models.pages import Page
    from chainteller.service.models.records import AuditRow

OF_CASE = "#"
"""Before the number of a case, whose trail is shown in place of a record's."""


def _listing(object_id: str) -> Listing:
    """The columns don't depend on what stands in them. In a window under 80 columns: of an
    account's or a case's trail, which record; of one record's own, who."""
    is_account = object_id.startswith(("TDA_", OF_CASE))
    shown = RecordColumns(
        AUDIT_ROW,
        {
            "seq": Column("NO", 7, "right", rank=3, tone="muted"),
            "at": Column("", 8),
            "actor": Column("", 12, rank=2 if is_account else 1),
            "action": Column("", 16, grows=True),
            "object": Column("", 14, rank=1 if is_account else 2, tone="muted"),
            "outcome": Column("", 20),
        },
        key=lambda row: str(row.seq),
    )
    return Listing(
        titles=("Entries", "Entry"),
        columns=shown.columns,
        row=shown.row,
        read=_audit_page,
        headline=_headline,
        empty=lambda _: (("No audit entries for this record", "muted"),),
        blocks=_blocks,
    )


def _audit_page(screen: "AuditScreen", number: int) -> "Page[AuditRow]":
    """Read what was done to a record or for a case; of an account also what was done to its other
    records, where the deployment can collect those.
    """
    of, audit = screen.object_id(), screen.desk.service.audit
    screen.own_rows_alone = bool(of)
    if of.startswith(OF_CASE):
        screen.own_rows_alone = False
        return audit(query(page=number, limit=PAGE_ROWS, case_id=of.removeprefix(OF_CASE)))
    if of.startswith("TDA_"):
        with suppress(NotOffered):
            found = audit(query(page=number, limit=PAGE_ROWS, trading_account_id=of))
            screen.own_rows_alone = False
            return found
    return audit(query(page=number, limit=PAGE_ROWS, text=of or None))


def _headline(screen: "AuditScreen", total: int) -> Line:
    rows = "row" if total == 1 else "rows"
    rows += " of its own   v checks" if screen.own_rows_alone else "   v checks the log"
    note = screen.verdict or (f"{total:,} {rows} ", "muted")
    of = screen.object_id() or "everything"
    return line((" AUDIT", "strong"), f"  {of}", right=(note,))


def _blocks(screen: "AuditScreen", row: "AuditRow") -> Blocks:  # noqa: ARG001 - as all blocks
    now, facts = _now_lines(row), _facts(row)
    return Blocks(lambda _: now, lambda _: facts)


def _now_lines(row: "AuditRow") -> list[Line]:
    at = row.at.strftime("%Y-%m-%dT%H:%M:%SZ")
    outcome = f"{row.outcome} {row.error or ''}".strip(), "bad" if row.error else "good"
    return [
        line((f"no {row.seq}", "strong"), right=((at, "muted"),)),
        line((row.action, "accent"), f"  by {row.actor}", right=(outcome,)),
        line(row.object, right=((row.case or "", "muted"),)),
    ]


def _facts(row: "AuditRow") -> list[Line]:
    hashed = wrapped(row.hash[:32] + " " + row.hash[32:], 40)
    given = [line((f"{name:<20} ", "muted"), str(value)) for name, value in row.inputs.items()]
    return [
        *([heading("INPUTS"), *given, line()] if given else []),
        heading("HASH"),
        *(line((part, "muted")) for part in hashed),
    ]


class AuditScreen(ListScreen["AuditRow"]):
    KEY = "audit"

    def __init__(self, desk: Desk, object_id: str) -> None:
        super().__init__(desk)
        self._object_id, self.listing = object_id, _listing(object_id)
        self.verdict: Piece | None = None
        """What a check of the log has found."""
        self.own_rows_alone = False
        """Whether what was done to other records isn't among the rows: of an account where the
        deployment can't collect that, and of any other record."""
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

    async def verify(self) -> None:
        """Check the whole log, not only the rows shown."""

        def progress(told: str) -> None:
            self.title_line(line((" AUDIT", "strong"), right=((told, "muted"),)))

        verdict = await verification.verify(self.desk, progress)
        self.verdict = verdict.title
        self.desk.notify(verdict.text, verdict.tone, verdict.detail)
        self.listed(self.paged.total or 0)

    def show_trail(self, object_id: str) -> None:
        """The trail of another record, in place of this one."""
        if object_id != self._object_id:
            self._object_id, self.listing = object_id, _listing(object_id)
            self.verdict = None
            self.paged.reshape(self.listing.columns)
            self.restart()
            draw_around(self)

    @property
    def shows_all(self) -> bool:
        """Whether it isn't known to be about the customer being served alone."""
        session = self.desk.session
        owner = session.ownership.owner_of(self._object_id) if session is not None else ""
        return owner != self.desk.customer.account_id

    def object_id(self) -> str:
        return self._object_id
