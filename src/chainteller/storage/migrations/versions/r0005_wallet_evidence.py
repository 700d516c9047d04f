"""Expand: find the accounts that a wallet was verified for; keep what a chain said of a claim.

Nothing is dropped, so the floor stays at 0002.
"""

import sqlalchemy as sa
from alembic import op

from chainteller.storage.migrations import indexes as built
from chainteller.storage.migrations.indexes import Index

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None
indexes = (Index("ix_link_counterparty", "link", ("counterparty_id",)),)

_KEY = sa.String(length=64)


def upgrade() -> None:
    built.create(indexes)
    op.create_table(
        "claim_evidence",
        sa.Column("claim_id", _KEY, nullable=False),
        sa.Column("organisation_id", _KEY, nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("salt", sa.String(length=16), nullable=True),
        sa.ForeignKeyConstraint(["claim_id"], ["claim.id"]),
        sa.ForeignKeyConstraint(["organisation_id"], ["organisation.id"]),
        sa.PrimaryKeyConstraint("claim_id"),
    )
