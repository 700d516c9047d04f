"""Expand: small transfers and statements as proof of a wallet, and levels of evidence.

Nothing is dropped, so the floor stays at 0002. The released build takes a small transfer for a
challenge whose text nobody signs, and counts a withdrawal on a lower level as one to a verified
wallet.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

from chainteller.storage.migrations import indexes as built
from chainteller.storage.migrations.indexes import Early, Index

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_KEY = sa.String(length=64)
indexes = (
    Index(
        "ix_transfer_level",
        "transfer",
        ("trading_account_id", "created"),
        "evidence_level IS NOT NULL",
    ),
)
early = (Early("transfer", "evidence_level", _KEY),)
_ADDRESS = sa.String(length=128)


def _atoms() -> sa.Numeric[Any] | sa.Text:
    is_postgres = op.get_bind().dialect.name == "postgresql"
    return sa.Numeric(38, 0) if is_postgres else sa.Text()


def upgrade() -> None:
    op.add_column("claim", sa.Column("level", _KEY, nullable=True))
    built.add_early(early)
    built.create(indexes)
    op.create_table(
        "small_transfer",
        sa.Column("challenge_id", _KEY, nullable=False),
        sa.Column("organisation_id", _KEY, nullable=False),
        sa.Column("asset", _KEY, nullable=False),
        sa.Column("amount", _atoms(), nullable=False),
        sa.Column("deadline", sa.BigInteger(), nullable=False),
        sa.Column("salt", sa.String(length=16), nullable=True),
        sa.ForeignKeyConstraint(["challenge_id"], ["challenge.id"]),
        sa.ForeignKeyConstraint(["organisation_id"], ["organisation.id"]),
        sa.PrimaryKeyConstraint("challenge_id"),
    )
    op.create_table(
        "small_transfer_arrival",
        sa.Column("challenge_id", _KEY, nullable=False),
        sa.Column("hash", _ADDRESS, nullable=False),
        sa.Column("organisation_id", _KEY, nullable=False),
        sa.Column("sender", _ADDRESS, nullable=False),
        sa.Column("asset", _KEY, nullable=False),
        sa.Column("amount", _atoms(), nullable=False),
        sa.Column("arrived", sa.BigInteger(), nullable=False),
        sa.Column("seen", sa.BigInteger(), nullable=False),
        sa.Column("finding", _KEY, nullable=False),
        sa.Column("salt", sa.String(length=16), nullable=True),
        sa.ForeignKeyConstraint(["challenge_id"], ["small_transfer.challenge_id"]),
        sa.ForeignKeyConstraint(["organisation_id"], ["organisation.id"]),
        sa.PrimaryKeyConstraint("challenge_id", "hash"),
    )
    op.create_table(
        "ownership_statement",
        sa.Column("id", _KEY, nullable=False),
        sa.Column("organisation_id", _KEY, nullable=False),
        sa.Column("blockchain_account_id", _KEY, nullable=False),
        sa.Column("counterparty_id", _KEY, nullable=False),
        sa.Column("customer_id", _KEY, nullable=False),
        sa.Column("reason", _KEY, nullable=False),
        sa.Column("statement", sa.Text(), nullable=False),
        sa.Column("level", _KEY, nullable=False),
        sa.Column("status", _KEY, nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.Column("salt", sa.String(length=16), nullable=True),
        sa.ForeignKeyConstraint(["organisation_id"], ["organisation.id"]),
        sa.ForeignKeyConstraint(["blockchain_account_id"], ["blockchain_account.id"]),
        sa.ForeignKeyConstraint(["counterparty_id"], ["counterparty.id"]),
        sa.ForeignKeyConstraint(["customer_id"], ["customer.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(
        "ix_ownership_statement_created",
        "ownership_statement",
        ["blockchain_account_id", "created", "id"],
    )
