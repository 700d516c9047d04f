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
        Field("id", "webhook", IDENTIFIER, lambda each: each.id),
        Field("url", "url", TEXT, lambda each: each.url),
        Field("types", "events", TEXT, lambda each: ", ".join(each.types) or "all"),
        Field("status", "status", STATUS, lambda each: each.status),
        Field("created", "created", MOMENT, lambda each: each.created),
        Field("created_by", "created by", TEXT, lambda each: each.created_by),
        Field("cursor", "has all up to", TEXT, lambda each: str(each.cursor)),
        Field("delivered_at", "last accepted", MOMENT, lambda each: each.delivered_at),
        Field("answer", "last answer", TEXT, lambda each: each.answer),
        Field("failing_since", "failing since", MOMENT, lambda each: each.failing_since),
        Field("attempts", "attempts", TEXT, lambda each: str(each.attempts or "") or None),
        Field("next_attempt", "next attempt", MOMENT, lambda each: each.next_attempt),
        Field("paused_at", "paused", MOMENT, lambda each: each.paused_at),
        Field("paused_reason", "paused because", TEXT, lambda each: each.paused_reason),
        Field("overlap_until", "old secret until", MOMENT, lambda each: each.overlap_until),
    ),
    interfaces=Interface.COMMAND,
    table=("id", "url", "status", "answer", "delivered_at", "failing_since"),
    wire_only=("type",),
)
