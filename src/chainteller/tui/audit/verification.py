"""Checks of the audit log: a whole database, or the newest rows of a remote place."""

from base64 import b64decode
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from chainteller.records.formats import Piece
from chainteller.service.audit_segment import SegmentReport, check_segment
from chainteller.service.errors import TellerError
from chainteller.tui.desk import Desk
from chainteller.tui.queries import query
from chainteller.tui.service_calls import call_service

if TYPE_CHECKING:
    from chainteller.service.models.records import AuditRow, ChainReport

_SEEN = "audit.head"
"""The kept view with the newest row that was sound: its number and its hash."""
_CHECKED_AT_ONCE = 100
_PAGES_CHECKED = 20
"""Of a remote place: the newest two thousand rows."""
_SHOWN_ONLY = (
    "\nOnly the rows that this deployment shows were checked. To check the whole log, run "
    "chainteller audit verify where the database is."
)


class Verdict(NamedTuple):
    """What a check says: in the screen's title, and as a line of the event log."""

    title: Piece
    text: str
    tone: str
    detail: str = ""


async def verify(desk: Desk, progress: Callable[[str], None]) -> Verdict:
    """Check the whole log where the database is at hand, else the newest rows.

    Args:
        desk: keeps the newest sound row for the next check.
        progress: shows how far the check is.

    Raises:
        TellerError: the rows cannot be read.
    """
    if desk.started is None or desk.started.verify_audit is None:
        return await _verify_newest(desk, progress)
    report = await call_service(desk.started.verify_audit)
    if not report.intact:
        return _broken(report)
    return Verdict(
        (f"[ok] {report.rows:,} rows intact ", "good"),
        f"audit log intact, head {report.head}",
        "good",
    )


def _broken(report: "ChainReport | SegmentReport") -> Verdict:
    return Verdict(
        (f"[x] broken at row {report.first_broken} ", "bad strong"),
        f"AUDIT BROKEN at row {report.first_broken}: {report.problem}",
        "bad",
    )


async def _signed_head(desk: Desk) -> tuple[int, bytes] | None:
    """Size and root of the signed head that the deployment gives; None where it gives none."""
    try:
        found = await call_service(desk.service.audit_checkpoint)
        return found.size, b64decode(found.root_hash, validate=True)
    except (TellerError, ValueError):
        return None


async def _verify_newest(desk: Desk, progress: Callable[[str], None]) -> Verdict:
    found: list[AuditRow] = []
    total = 0
    for page in range(1, _PAGES_CHECKED + 1):
        answer = await call_service(desk.service.audit, query(page=page, limit=_CHECKED_AT_ONCE))
        total = answer.pagination.total
        found += [row for row in answer.data if not found or row.seq < found[-1].seq]
        if len(found) >= total or len(answer.data) < _CHECKED_AT_ONCE:
            break
        progress(f"checking: {len(found):,} of {total:,} rows")
    seen = desk.remembered(_SEEN)
    known = (seen[0], seen[1]) if isinstance(seen, list) and len(seen) == 2 else None
    signed = await _signed_head(desk) if len(found) >= total else None
    report = check_segment(found[::-1], known, signed)
    if not report.intact:
        return _broken(report)
    if known is not None and found and known[0] > found[0].seq:
        gone = f"AUDIT BROKEN: row {known[0]}, seen here earlier, is missing"
        return Verdict(("[x] rows are missing ", "bad strong"), gone, "bad")
    if found:
        desk.remember(_SEEN, [found[0].seq, found[0].hash])
    is_all = report.rows >= total
    of = f"{report.rows:,}" if is_all else f"newest {report.rows:,} of {total:,}"
    again = known is not None and any(row.seq == known[0] for row in found)
    since = f", row {known[0]} as seen earlier" if known is not None and again else ""
    head = found[0].hash if found else "-"
    return Verdict(
        (f"[ok] {of} rows as shown, {report.proven:,} proven ", "good"),
        f"the audit rows shown are consistent{since}; head {head}",
        "good",
        _SHOWN_ONLY,
    )
