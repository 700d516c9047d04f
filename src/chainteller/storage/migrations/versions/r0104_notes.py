"""Expand: notes of the team, and decisions that go to a role at their first deadline. Earlier builds
would refuse then what such a role may still decide, so that the floor rises, too."""

import sqlalchemy as sa
from alembic import op

revision, down_revision = "0104", "0103"


def upgrade() -> None:
    op.create_table(
        "note",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column(
            "organisation_id", sa.String(64), sa.ForeignKey("organisation.id"), nullable=False
        ),
        sa.Column("subject", sa.String(64), nullable=False),
        sa.Column("trading_account_id", sa.String(64), sa.ForeignKey("trading_account.id")),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.Column("author", sa.String(128), nullable=False),
        sa.Column("content", sa.Text()),
        sa.Column("erased_at", sa.BigInteger()),
        sa.Column("erased_by", sa.String(128)),
        sa.Column("salt", sa.String(16)),
    )
    op.create_index("ix_note_created", "note", ["organisation_id", "created", "id"])
    op.create_index("ix_note_subject", "note", ["organisation_id", "subject", "created", "id"])
    op.create_index(
        "ix_note_account", "note", ["organisation_id", "trading_account_id", "created", "id"]
    )
    op.add_column("decision", sa.Column("to_role", sa.String(64)))
    op.add_column("decision", sa.Column("escalated_at", sa.BigInteger()))
