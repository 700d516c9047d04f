"""Fields of webhooks."""

from typing import TYPE_CHECKING

from chainteller.records.fields import (
    IDENTIFIER,
    MOMENT,
    STATUS,
    TEXT,
    Field,
    FieldList,
    Interface,
)

if TYPE_CHECKING:
    from chainteller.service.models.webhooks import Webhook

WEBHOOK: "FieldList[Webhook]" = FieldList(
    "webhook",
    "webhooks.Webhook",
    (
        Field("id", "webhook", IDENTIFIER),
        Field("url", "url", TEXT),
        Field("types", "events", TEXT, value=lambda each: ", ".join(each.types) or "all"),
        Field("status", "status", STATUS),
        Field("created", "created", MOMENT),
        Field("created_by", "created by", TEXT),
        Field("cursor", "has all up to", TEXT, value=lambda each: str(each.cursor)),
        Field("delivered_at", "last accepted", MOMENT),
        Field("answer", "last answer", TEXT),
        Field("failing_since", "failing since", MOMENT),
        Field("attempts", "attempts", TEXT, value=lambda each: str(each.attempts or "") or None),
        Field("next_attempt", "next attempt", MOMENT),
        Field("paused_at", "paused", MOMENT),
        Field("paused_reason", "paused because", TEXT),
        Field("overlap_until", "old secret until", MOMENT),
    ),
    interfaces=Interface.COMMAND,
    table=("id", "url", "status", "answer", "delivered_at", "failing_since"),
    wire_only=("type",),
)
