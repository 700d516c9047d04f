"""Expand: challenges of one customer may share a signing page."""

import sqlalchemy as sa
from alembic import op

revision, down_revision = "0113", "0112"
_HAS_PAGE = sa.text("page_token IS NOT NULL")


def upgrade() -> None:
    op.drop_index("ix_challenge_page", "challenge")
    op.create_index(
        "ix_challenge_page",
        "challenge",
        ["page_token"],
        sqlite_where=_HAS_PAGE,
        postgresql_where=_HAS_PAGE,
    )
