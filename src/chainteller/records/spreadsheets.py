"""Tables for spreadsheets."""

import csv
import io
from collections.abc import Iterable

from chainteller.domain.untrusted import spreadsheet_cell


def csv_text(rows: Iterable[Iterable[str]]) -> str:
    """The rows as CSV, which a spreadsheet doesn't evaluate (RFC 4180 with line feeds)."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows(map(spreadsheet_cell, row) for row in rows)
    return out.getvalue()
