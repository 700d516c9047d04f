"""Fields of what a search of everything finds."""

from typing import TYPE_CHECKING

from chainteller.records.fields import IDENTIFIER, MOMENT, NOWHERE, TEXT, WHOLE, Field, FieldList

if TYPE_CHECKING:
    from chainteller.service.models.finding import Found

FOUND: "FieldList[Found]" = FieldList(
    "find",
    "finding.Found",
    (
        Field("kind", "kind", TEXT, lambda each: each.kind),
        Field("id", "id", IDENTIFIER, lambda each: each.id),
        Field("title", "title", TEXT, lambda each: each.title, is_private=True),
        Field("matched", "matched", TEXT, lambda each: each.matched, is_private=True),
        Field("score", "score", WHOLE, lambda each: each.score),
        Field("name", "customer", TEXT, lambda each: each.name, is_private=True),
        Field("reference", "reference", TEXT, lambda each: each.reference),
        Field("customer_id", "customer id", IDENTIFIER, lambda each: each.customer_id),
        Field("bank_account_id", "bank account", TEXT, lambda each: each.bank_account_id),
        Field("trading_account_id", "account", IDENTIFIER, lambda each: each.trading_account_id),
        Field("status", "status", TEXT, lambda each: each.status),
        Field("created", "created", MOMENT, lambda each: each.created),
    ),
    interfaces=NOWHERE,
    table=("score", "kind", "id", "title", "matched"),
)
