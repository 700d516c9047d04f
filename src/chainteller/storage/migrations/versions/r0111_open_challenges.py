"""Expand: open challenges of an organisation are counted by an index."""

import sqlalchemy as sa
from alembic import op

revision, down_revision = "0111", "0108"

_OPEN = sa.text("status = 'open'")


def upgrade() -> None:
    op.create_index(
        "ix_challenge_open",
        "challenge",
        ["organisation_id", "expires"],
        sqlite_where=_OPEN,
        postgresql_where=_OPEN,
    )
