"""Expand: whether a wallet's address was a contract, and at which block.

Nothing is dropped, so the floor stays at 0002. The released build leaves both columns empty, which
means that no chain was asked.
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None
visits = ()


def upgrade() -> None:
    op.add_column("counterparty", sa.Column("code", sa.String(length=64), nullable=True))
    op.add_column("counterparty", sa.Column("code_block", sa.BigInteger(), nullable=True))
