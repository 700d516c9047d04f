"""Expand: signing pages. Earlier builds would seal challenges without what came from their page, and
check a signature of a page's text against the other one, so that the floor rises, too."""

import sqlalchemy as sa
from alembic import op

revision, down_revision = "0105", "0104"
_HAS_PAGE = sa.text("page_token IS NOT NULL")


def upgrade() -> None:
    for column in (
        sa.Column("page_token", sa.String(64)),
        sa.Column("page_text", sa.Text()),
        sa.Column("page_signature", sa.Text()),
        sa.Column("page_sent", sa.Integer()),
    ):
        op.add_column("challenge", column)
    op.add_column("claim", sa.Column("of_page", sa.Boolean()))
    op.create_index(
        "ix_challenge_page",
        "challenge",
        ["page_token"],
        unique=True,
        sqlite_where=_HAS_PAGE,
        postgresql_where=_HAS_PAGE,
    )
