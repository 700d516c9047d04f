"""Expand: an index for listing the deposits and withdrawals of every account; the clock's row.

Nothing is dropped, so the floor stays at 0002.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_transfer_organisation", "transfer", ["organisation_id", "created", "id"])
    _add_clock()


def _add_clock() -> None:
    """The clock's table with its only row: the first epoch, not anchored yet."""
    columns: list[sa.Column[Any]] = [
        sa.Column("name", sa.String(length=64), nullable=False, primary_key=True),
        sa.Column("epoch", sa.BigInteger(), nullable=False),
        sa.Column("began_at", sa.BigInteger(), nullable=False),
        sa.Column("boot", sa.String(length=64), nullable=False),
        sa.Column("anchor_at", sa.BigInteger(), nullable=False),
        sa.Column("anchor_elapsed", sa.BigInteger(), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.Column("doubt", sa.String(length=64), nullable=False),
        sa.Column("stepped", sa.Boolean(), nullable=False),
    ]
    table = op.create_table("clock", *columns)
    first = {"name": "bank", "boot": "", "doubt": "", "stepped": False}
    numbers = ("epoch", "began_at", "anchor_at", "anchor_elapsed", "seen_at")
    op.bulk_insert(table, [first | dict.fromkeys(numbers, 0)])
