"""Fields of decisions."""

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
    from chainteller.service.models.decisions import Decision

DECISION: "FieldList[Decision]" = FieldList(
    "decision",
    "decisions.Decision",
    (
        Field("id", "decision", IDENTIFIER),
        Field("kind", "kind", TEXT),
        Field("status", "status", STATUS),
        Field("subject", "about", IDENTIFIER),
        Field("trading_account_id", "account", IDENTIFIER),
        Field("customer_name", "customer", TEXT, is_private=True),
        Field("amount", "amount", TEXT),
        Field("symbol", "asset", TEXT),
        Field("control", "control", TEXT),
        Field("reason", "reason", TEXT),
        Field("words", "words", TEXT),
        Field("created", "opened", MOMENT),
        Field("opened_by", "opened by", TEXT),
        Field("due", "due", MOMENT),
        Field(
            "at_deadline",
            "if nobody decides",
            TEXT,
            value=lambda each: each.at_deadline if each.due is not None else None,
        ),
        Field("to_role", "role", TEXT),
        Field("escalated_at", "role decides since", MOMENT),
        Field("holder", "taken by", TEXT),
        Field("held_until", "taken until", MOMENT),
        Field(
            "needs_two", "needs", TEXT, value=lambda each: "two persons" if each.needs_two else None
        ),
        Field("first_by", "first", TEXT),
        Field("first_at", "first at", MOMENT),
        Field("asked", "customer was asked", TEXT),
        Field("asked_at", "asked at", MOMENT),
        Field("decided_at", "decided", MOMENT),
        Field("decided_by", "decided by", TEXT),
        Field("outcome", "refused for", TEXT),
        Field("answer", "answer", TEXT),
        Field("rule_id", "policy", IDENTIFIER),
    ),
    interfaces=Interface.COMMAND | Interface.DETAIL,
    table=(
        "id",
        "kind",
        "status",
        "subject",
        "customer_name",
        "amount",
        "symbol",
        "reason",
        "due",
        "holder",
    ),
    wire_only=("type", "digest"),
)
