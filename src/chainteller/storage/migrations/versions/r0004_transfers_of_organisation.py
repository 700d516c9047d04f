"""Expand: an index for listing the deposits and withdrawals of every account.

Nothing is dropped, so the floor stays at 0002.
"""

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_transfer_organisation", "transfer", ["organisation_id", "created", "id"])
