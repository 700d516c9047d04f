"""Fields of events and of the audit trail's rows."""

from typing import TYPE_CHECKING

from chainteller.records.fields import (
    IDENTIFIER,
    MOMENT,
    NOWHERE,
    TEXT,
    WHOLE,
    Field,
    FieldList,
    Format,
    Interface,
)
from chainteller.records.formats import Piece

if TYPE_CHECKING:
    from chainteller.service.models.records import AuditRow, Event


class Outcome(Format["AuditRow"]):
    """The error's code, or how the operation ended."""

    def plain(self, value: "AuditRow") -> str:
        return value.error or value.outcome

    def line(self, value: "AuditRow", now: int) -> Piece:  # noqa: ARG002
        return self.plain(value), "bad" if value.error else "good"


class Hash(Format[str]):
    """A link of the chain: whole in receipts, its beginning in tables."""

    def column(self, value: str) -> str:
        return value[:12]

    def csv(self, value: str) -> str:
        return value


EVENT: "FieldList[Event]" = FieldList(
    "event",
    "records.Event",
    (
        Field("seq", "event", WHOLE, heading="SEQ"),
        Field("at", "at", MOMENT),
        Field("type", "type", TEXT),
        Field("resource", "record", IDENTIFIER),
        Field("id", "event id", IDENTIFIER),
    ),
    interfaces=NOWHERE,
    table=("seq", "at", "type", "resource"),
    wire_only=("actor", "data"),
)  # fmt: skip


AUDIT_ROW: "FieldList[AuditRow]" = FieldList(
    "audit row",
    "records.AuditRow",
    (
        Field("seq", "audit row", WHOLE, heading="SEQ"),
        Field("at", "at", MOMENT, NOWHERE),
        Field("actor", "who", TEXT, NOWHERE),
        Field("action", "action", TEXT, NOWHERE),
        Field("object", "object", IDENTIFIER, NOWHERE),
        Field("case", "case", TEXT, NOWHERE),
        Field("agent", "agent", IDENTIFIER, NOWHERE),
        Field("outcome", "outcome", Outcome(), NOWHERE, value=lambda each: each,
              of=("outcome", "error")),
        Field("error", "error code", TEXT, NOWHERE),
        Field("hash", "audit hash", Hash(), heading="HASH"),
    ),
    interfaces=Interface.RECEIPT,
    table=("seq", "at", "actor", "case", "action", "object", "outcome", "hash"),
    wire_only=("organisation", "inputs"),
)  # fmt: skip
