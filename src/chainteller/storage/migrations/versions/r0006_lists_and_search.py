"""Expand: tallies, search tables, and the indexes of lists.

Nothing is dropped but indexes that wider ones replace, so the floor stays where it is. The search
tables are filled after the migrations, as is what a released build writes beside this one
(``search.complete``).
"""

import sqlalchemy as sa
from alembic import op

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
_INDEXES = {
    "ix_customer_reference": ("customer", "organisation_id", "reference", "id"),
    "ix_quote_account": ("quote", "organisation_id", "trading_account_id", "created", "id"),
    "ix_quote_status": ("quote", "organisation_id", "status", "created", "id", "expires"),
    "ix_quote_market": ("quote", "organisation_id", "market", "side", "created", "id"),
    "ix_trade_market": ("trade", "organisation_id", "market", "side", "created", "id"),
    "ix_transfer_created": (
        "transfer", "trading_account_id", "direction", "created", "status", "destination_class",
        "notional_cents",
    ),
    "ix_transfer_account": ("transfer", "organisation_id", "trading_account_id", "created", "id"),
    "ix_transfer_status": ("transfer", "organisation_id", "status", "created", "id"),
    "ix_transfer_direction": ("transfer", "organisation_id", "direction", "created", "id"),
    "ix_transfer_amount": ("transfer", "organisation_id", "amount", "created"),
    "ix_audit_object": ("audit", "organisation_id", "object", "seq"),
    "ix_audit_organisation": ("audit", "organisation_id", "seq"),
    "ix_event_organisation": ("event", "organisation_id", "seq"),
    "ix_blockchain_account_account": (
        "blockchain_account", "organisation_id", "trading_account_id", "created", "id",
    ),
    "ix_challenge_created": ("challenge", "blockchain_account_id", "created", "id"),
    "ix_link_account": ("link", "blockchain_account_id", "first_linked_at", "counterparty_id"),
}  # fmt: skip
_PARTIAL = {
    "ix_quote_live": ("quote", "status = 'open'", "expires", "id"),
    "ix_transfer_wallet": (
        "transfer", "counterparty_id IS NOT NULL", "counterparty_id", "created",
    ),
    "ix_transfer_hash": ("transfer", "network_tx_hash IS NOT NULL", "network_tx_hash"),
}  # fmt: skip
visits = tuple(dict.fromkeys(table for table, *_ in (*_INDEXES.values(), *_PARTIAL.values())))


def upgrade() -> None:
    for name, table in _REPLACED.items():
        op.drop_index(name, table)
    for name, (table, *columns) in _INDEXES.items():
        op.create_index(name, table, columns)
    ending = sa.text("substr(id, length(id) - 3)")
    op.create_index("ix_transfer_end", "transfer", ["organisation_id", ending])
    for name, (table, condition, *columns) in _PARTIAL.items():
        there = sa.text(condition)
        op.create_index(
            name,
            table,
            ["organisation_id", *columns],
            sqlite_where=there,
            postgresql_where=there,
        )
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
