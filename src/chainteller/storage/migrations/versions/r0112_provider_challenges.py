"""Expand: challenges that a gateway's provider issued."""

import sqlalchemy as sa
from alembic import op

revision, down_revision = "0112", "0111"

_HAS_PAGE = sa.text("page_token IS NOT NULL")


def upgrade() -> None:
    op.create_table(
        "provider_challenge",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column(
            "organisation_id", sa.String(64), sa.ForeignKey("organisation.id"), nullable=False
        ),
        sa.Column("blockchain_account_id", sa.String(64), nullable=False),
        sa.Column(
            "counterparty_id", sa.String(64), sa.ForeignKey("counterparty.id"), nullable=False
        ),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("status", sa.String(64), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.Column("expires", sa.BigInteger(), nullable=False),
        sa.Column("used_at", sa.BigInteger()),
        sa.Column("claim_id", sa.String(64)),
        sa.Column("page_token", sa.String(64)),
        sa.Column("page_signature", sa.Text()),
        sa.Column("page_sent", sa.Integer()),
        sa.Column("salt", sa.String(16)),
    )
    op.create_index(
        "ix_provider_challenge_account",
        "provider_challenge",
        ["organisation_id", "blockchain_account_id", "created", "id"],
    )
    op.create_index(
        "ix_provider_challenge_page",
        "provider_challenge",
        ["page_token"],
        unique=True,
        sqlite_where=_HAS_PAGE,
        postgresql_where=_HAS_PAGE,
    )
