"""Expand: an index for listing the deposits and withdrawals of every account, and the method
of each ownership claim.

Nothing is dropped, so the floor stays at 0002.
"""

from alembic import op
from sqlalchemy import Column, String

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_transfer_organisation", "transfer", ["organisation_id", "created", "id"])
    _add_method_of_claims()


def _add_method_of_claims() -> None:
    """Every earlier claim is a signature, and so are those that the released build still makes."""
    op.add_column(
        "claim", Column("method", String(64), nullable=False, server_default="signature")
    )
