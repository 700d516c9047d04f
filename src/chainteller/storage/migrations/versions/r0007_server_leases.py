"""Expand: the leases of the servers that run on this database.

Nothing is dropped, so the floor stays at 0002.
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "server_lease",
        sa.Column("id", sa.String(length=64), primary_key=True),
        sa.Column("renewed_at", sa.BigInteger(), nullable=False),
    )
