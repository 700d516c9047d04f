"""Expand: find the accounts that a wallet was verified for.

Nothing is dropped, so the floor stays at 0002.
"""

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_link_counterparty", "link", ["counterparty_id"])
