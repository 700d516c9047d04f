"""Fields of what a search of everything finds."""

from typing import TYPE_CHECKING

from chainteller.records.fields import IDENTIFIER, MOMENT, NOWHERE, TEXT, WHOLE, Field, FieldList

if TYPE_CHECKING:
    from chainteller.service.models.finding import Found

FOUND: "FieldList[Found]" = FieldList(
    "find",
    "finding.Found",
    (
        Field("kind", "kind", TEXT),
        Field("id", "id", IDENTIFIER),
        Field("title", "title", TEXT, is_private=True),
        Field("matched", "matched", TEXT, is_private=True),
        Field("score", "score", WHOLE),
        Field("name", "customer", TEXT, is_private=True),
        Field("reference", "reference", TEXT),
        Field("customer_id", "customer id", IDENTIFIER),
        Field("bank_account_id", "bank account", TEXT),
        Field("trading_account_id", "account", IDENTIFIER),
        Field("status", "status", TEXT),
        Field("created", "created", MOMENT),
    ),
    interfaces=NOWHERE,
    table=("score", "kind", "id", "title", "matched"),
)
