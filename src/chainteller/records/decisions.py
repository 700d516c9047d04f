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
        Field("id", "decision", IDENTIFIER, lambda each: each.id),
        Field("kind", "kind", TEXT, lambda each: each.kind),
        Field("status", "status", STATUS, lambda each: each.status),
        Field("subject", "about", IDENTIFIER, lambda each: each.subject),
        Field("trading_account_id", "account", IDENTIFIER, lambda each: each.trading_account_id),
        Field("customer_name", "customer", TEXT, lambda each: each.customer_name, is_private=True),
        Field("amount", "amount", TEXT, lambda each: each.amount),
        Field("symbol", "asset", TEXT, lambda each: each.symbol),
        Field("control", "control", TEXT, lambda each: each.control),
        Field("reason", "reason", TEXT, lambda each: each.reason),
        Field("words", "words", TEXT, lambda each: each.words),
        Field("created", "opened", MOMENT, lambda each: each.created),
        Field("opened_by", "opened by", TEXT, lambda each: each.opened_by),
        Field("due", "due", MOMENT, lambda each: each.due),
        Field(
            "at_deadline",
            "if nobody decides",
            TEXT,
            lambda each: each.at_deadline if each.due is not None else None,
        ),
        Field("to_role", "role", TEXT, lambda each: each.to_role),
        Field("escalated_at", "role decides since", MOMENT, lambda each: each.escalated_at),
        Field("holder", "taken by", TEXT, lambda each: each.holder),
        Field("held_until", "taken until", MOMENT, lambda each: each.held_until),
        Field("needs_two", "needs", TEXT, lambda each: "two persons" if each.needs_two else None),
        Field("first_by", "first", TEXT, lambda each: each.first_by),
        Field("first_at", "first at", MOMENT, lambda each: each.first_at),
        Field("asked", "customer was asked", TEXT, lambda each: each.asked),
        Field("asked_at", "asked at", MOMENT, lambda each: each.asked_at),
        Field("decided_at", "decided", MOMENT, lambda each: each.decided_at),
        Field("decided_by", "decided by", TEXT, lambda each: each.decided_by),
        Field("outcome", "refused for", TEXT, lambda each: each.outcome),
        Field("answer", "answer", TEXT, lambda each: each.answer),
        Field("rule_id", "policy", IDENTIFIER, lambda each: each.rule_id),
    ),
    interfaces=Interface.COMMAND | Interface.DETAIL,
    table=("id", "kind", "status", "subject", "reason", "due", "holder"),
    wire_only=("type", "digest"),
)
