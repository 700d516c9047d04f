"""Expand: what a person decides. Earlier builds would let pass what waits for a person, so that the
floor rises, too."""

import sqlalchemy as sa
from alembic import op

revision, down_revision = "0102", "0101"
_OPEN = sa.text("status = 'open'")


def upgrade() -> None:
    op.create_table(
        "decision",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column(
            "organisation_id", sa.String(64), sa.ForeignKey("organisation.id"), nullable=False
        ),
        sa.Column("kind", sa.String(64), nullable=False),
        sa.Column("subject", sa.String(64), nullable=False),
        sa.Column("trading_account_id", sa.String(64), sa.ForeignKey("trading_account.id")),
        sa.Column("control", sa.String(64)),
        sa.Column("reason", sa.String(64), nullable=False),
        sa.Column("words", sa.Text()),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.Column("opened_by", sa.String(128), nullable=False),
        sa.Column("due", sa.BigInteger(), nullable=False),
        sa.Column("at_deadline", sa.String(64), nullable=False),
        sa.Column("status", sa.String(64), nullable=False),
        sa.Column("decided_at", sa.BigInteger()),
        sa.Column("decided_by", sa.String(128)),
        sa.Column("outcome", sa.String(64)),
        sa.Column("answer", sa.Text()),
        sa.Column("asked", sa.Text()),
        sa.Column("asked_at", sa.BigInteger()),
        sa.Column("holder", sa.String(128)),
        sa.Column("held_until", sa.BigInteger()),
        sa.Column("rule_id", sa.String(64)),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("salt", sa.String(16)),
    )
    op.create_index("ix_decision_created", "decision", ["organisation_id", "created", "id"])
    op.create_index("ix_decision_due", "decision", ["organisation_id", "status", "due", "created", "id"])
    op.create_index("ix_decision_all", "decision", ["organisation_id", "due", "created", "id"])
    op.create_index(
        "ix_decision_open",
        "decision",
        ["organisation_id", "subject"],
        unique=True,
        sqlite_where=_OPEN,
        postgresql_where=_OPEN,
    )
    op.create_index(
        "ix_decision_account", "decision", ["organisation_id", "trading_account_id", "due", "created", "id"]
    )
