"""Expand: endpoints that are sent events. Earlier builds deliver none, and lose none."""

import sqlalchemy as sa
from alembic import op

revision, down_revision = "0108", "0107"


def upgrade() -> None:
    op.create_table(
        "webhook",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column(
            "organisation_id", sa.String(64), sa.ForeignKey("organisation.id"), nullable=False
        ),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("types", sa.Text(), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.Column("created_by", sa.String(128), nullable=False),
        sa.Column("made_with", sa.String(64), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("overlap_until", sa.BigInteger()),
        sa.Column("paused_at", sa.BigInteger()),
        sa.Column("paused_reason", sa.String(64)),
        sa.Column("sent_upto", sa.BigInteger(), nullable=False),
        sa.Column("ahead", sa.Text(), nullable=False),
        sa.Column("delivered_at", sa.BigInteger()),
        sa.Column("answer", sa.String(64)),
        sa.Column("failing_since", sa.BigInteger()),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_at", sa.BigInteger()),
        sa.Column("held_by", sa.String(64)),
        sa.Column("held_until", sa.BigInteger()),
        sa.Column("salt", sa.String(16)),
    )
    op.create_index("ix_webhook_created", "webhook", ["organisation_id", "created", "id"])
