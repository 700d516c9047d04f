"""Expand: a gateway's provider, the requests that it was sent, and what it answered. Earlier builds
would carry out what belongs to the provider, so that the floor rises, too."""

import sqlalchemy as sa
from alembic import op

revision, down_revision = "0106", "0105"


def upgrade() -> None:
    op.create_table(
        "provider",
        sa.Column(
            "organisation_id", sa.String(64), sa.ForeignKey("organisation.id"), primary_key=True
        ),
        sa.Column("address", sa.String(255), nullable=False),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.Column("salt", sa.String(16)),
    )
    op.create_table(
        "provider_request",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column(
            "organisation_id", sa.String(64), sa.ForeignKey("organisation.id"), nullable=False
        ),
        sa.Column("operation", sa.String(64), nullable=False),
        sa.Column("key", sa.String(255), nullable=False),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("call", sa.Text(), nullable=False),
        sa.Column("actor", sa.String(128), nullable=False),
        sa.Column("case_id", sa.String(64), nullable=False),
        sa.Column("trading_account_id", sa.String(64)),
        sa.Column("status", sa.String(64), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.Column("updated", sa.BigInteger(), nullable=False),
        sa.Column("due", sa.BigInteger()),
        sa.Column("before", sa.Text()),
        sa.Column("after", sa.Text()),
        sa.Column("answer", sa.Text()),
        sa.Column("subject", sa.String(64)),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("salt", sa.String(16)),
    )
    for name, columns, is_unique in (
        ("key", ["organisation_id", "operation", "key"], True),
        ("same", ["organisation_id", "fingerprint", "created"], False),
        ("status", ["organisation_id", "status", "created"], False),
        ("subject", ["organisation_id", "subject"], False),
    ):
        op.create_index(
            f"ix_provider_request_{name}", "provider_request", columns, unique=is_unique
        )
    for table in ("quote", "trade", "transfer"):
        op.add_column(table, sa.Column("told", sa.Text()))
    op.add_column("transfer", sa.Column("provider_id", sa.String(64)))
