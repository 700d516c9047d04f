"""Records on screen: the columns and cells of a list, and the facts of a detail view."""

from collections.abc import Callable, Container, Mapping
from typing import Any, Generic, TypeVar

from chainteller.records.fields import FieldList, Interface
from chainteller.records.formats import Piece
from chainteller.tui.widgets.lines import Line, line
from chainteller.tui.widgets.paged_list import Column, Row

Record = TypeVar("Record")


class RecordColumns(Generic[Record]):
    """The columns of a list of records: fields by name, each with its place in the window.

    A column without a title has its field's heading; ``key`` tells records apart.

    Raises:
        FieldsInvalid: the records have no field of a name.
    """

    def __init__(
        self,
        fields: FieldList[Record],
        layout: Mapping[str, Column],
        key: Callable[[Any], str] = lambda record: record.id,
    ) -> None:
        self._fields, self._key = fields.columns(layout), key
        self.columns = tuple(
            column if column.title else column._replace(title=field.heading)
            for field, column in zip(self._fields, layout.values(), strict=True)
        )

    def of_all(self) -> tuple[Column, ...]:
        """The columns of a list of all accounts, which begins with a record's own id, its account's
        and the customer's name. The name stays: the detail and the summary show the ids.
        """
        own, account, *rest = self.columns
        ids = own._replace(rank=5), account._replace(width=own.width, rank=6)
        return *ids, Column("CUSTOMER", 14, grows=True), *rest

    def row(self, record: Record, now: int) -> Row:
        """A row whose columns with a ``whole`` show more than an abbreviation where they can."""
        whole = (
            (at, field.line(record, now)[0])
            for at, (field, column) in enumerate(zip(self._fields, self.columns, strict=True))
            if column.whole
        )
        cells = self.cells(record, now)
        return Row(self._key(record), cells, tuple((at, text) for at, text in whole if text))

    def cells(self, record: Record, now: int) -> tuple[Piece, ...]:
        """The cells of one row, in the order of the columns."""
        shown = []
        for field, column in zip(self._fields, self.columns, strict=True):
            text, tone = field.cell(record, now)
            shown.append((text, tone or column.tone))
        return tuple(shown)


def fact_lines(
    fields: FieldList[Record], record: Record, now: int, without: Container[str] = ()
) -> list[Line]:
    """A line for each fact that is known, the values at the right edge, but for some fields."""
    shown = (each for each in fields.shown_in(Interface.DETAIL) if each.name not in without)
    facts = ((each.label, each.line(record, now)) for each in shown)
    return [line((label, "muted"), right=(piece,)) for label, piece in facts if piece[0]]
