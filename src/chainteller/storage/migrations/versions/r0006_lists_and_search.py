"""Expand: tallies, search tables, and the indexes of lists.

Nothing is dropped but indexes that wider ones replace, so the floor stays where it is. The search
tables are filled after the migrations, as is what a released build writes beside this one
(``search.complete``).
"""

import sqlalchemy as sa
from alembic import op

from chainteller.storage.migrations import indexes as built
from chainteller.storage.migrations.indexes import Index

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_KEY = sa.String(length=64)
_WORD = sa.String(length=64).with_variant(sa.String(length=64, collation="C"), "postgresql")
_SEARCH_KEY = sa.String(length=128).with_variant(
    sa.String(length=128, collation="C"), "postgresql"
)
_REPLACED = {
    "ix_customer_reference": "customer",
    "ix_quote_account": "quote",
    "ix_transfer_created": "transfer",
    "ix_audit_object": "audit",
    "ix_blockchain_account_trading_account_id": "blockchain_account",
}
indexes = (
    Index("ix_customer_reference", "customer", ("organisation_id", "reference", "id")),
    Index("ix_quote_status", "quote", ("organisation_id", "status", "created", "id", "expires")),
    Index("ix_quote_market", "quote", ("organisation_id", "market", "side", "created", "id")),
    Index("ix_trade_market", "trade", ("organisation_id", "market", "side", "created", "id")),
    Index(
        "ix_transfer_created",
        "transfer",
        (
            "trading_account_id", "direction", "created", "status", "destination_class",
            "notional_cents",
        ),
    ),
    Index(
        "ix_transfer_account",
        "transfer",
        ("organisation_id", "trading_account_id", "created", "id"),
    ),
    Index("ix_transfer_status", "transfer", ("organisation_id", "status", "created", "id")),
    Index("ix_transfer_direction", "transfer", ("organisation_id", "direction", "created", "id")),
    Index("ix_transfer_amount", "transfer", ("organisation_id", "amount", "created")),
    Index("ix_audit_object", "audit", ("organisation_id", "object", "seq")),
    Index(
        "ix_blockchain_account_account",
        "blockchain_account",
        ("organisation_id", "trading_account_id", "created", "id"),
    ),
    Index("ix_challenge_created", "challenge", ("blockchain_account_id", "created", "id")),
    Index(
        "ix_link_account",
        "link",
        ("blockchain_account_id", "first_linked_at", "counterparty_id"),
    ),
    Index("ix_transfer_end", "transfer", ("organisation_id", "substr(id, length(id) - 3)")),
    Index("ix_quote_live", "quote", ("organisation_id", "expires", "id"), "status = 'open'"),
    Index(
        "ix_transfer_wallet",
        "transfer",
        ("organisation_id", "counterparty_id", "created"),
        "counterparty_id IS NOT NULL",
    ),
    Index(
        "ix_transfer_hash",
        "transfer",
        ("organisation_id", "network_tx_hash"),
        "network_tx_hash IS NOT NULL",
    ),
)  # fmt: skip
"""Audit rows by organisation are indexed by 0004, events by 0009, quotes by account by 0011."""


def upgrade() -> None:
    for name, table in _REPLACED.items():
        op.drop_index(name, table)
    built.create(indexes)
    op.create_table(
        "tally",
        sa.Column("organisation_id", _KEY, nullable=False),
        sa.Column("listed", _KEY, nullable=False),
        sa.Column("upto", sa.BigInteger(), nullable=False),
        sa.Column("total", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("organisation_id", "listed"),
    )
    op.create_table(
        "search_word",
        sa.Column("organisation_id", _KEY, nullable=False),
        sa.Column("word", _WORD, nullable=False),
        sa.PrimaryKeyConstraint("organisation_id", "word"),
    )
    op.create_table(
        "search_name",
        sa.Column("organisation_id", _KEY, nullable=False),
        sa.Column("word", _WORD, nullable=False),
        sa.Column("customer_id", _KEY, nullable=False),
        sa.PrimaryKeyConstraint("organisation_id", "word", "customer_id"),
    )
    op.create_index(
        "ix_search_name_customer", "search_name", ["organisation_id", "customer_id", "word"]
    )
    op.create_table(
        "search_key",
        sa.Column("organisation_id", _KEY, nullable=False),
        sa.Column("form", sa.String(length=1), nullable=False),
        sa.Column("key", _SEARCH_KEY, nullable=False),
        sa.Column("kind", _KEY, nullable=False),
        sa.Column("id", _KEY, nullable=False),
        sa.PrimaryKeyConstraint("organisation_id", "form", "key", "kind", "id"),
    )
