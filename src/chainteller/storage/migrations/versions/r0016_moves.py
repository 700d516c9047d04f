"""Expand: organisations that left for another deployment, or came from one.

Nothing is dropped, so the floor stays at 0002. The released build doesn't know that an organisation
is closed: none may run while one moves.
"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

_KEY = sa.String(length=64)


def upgrade() -> None:
    op.create_table(
        "departure",
        sa.Column("organisation_id", _KEY, nullable=False),
        sa.Column("target", _KEY, nullable=False),
        sa.Column("place", sa.String(length=255), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=True),
        sa.Column("root", _KEY, nullable=True),
        sa.Column("salt", sa.String(length=16), nullable=True),
        sa.PrimaryKeyConstraint("organisation_id"),
    )
    op.create_table(
        "arrival",
        sa.Column("organisation_id", _KEY, nullable=False),
        sa.Column("origin", _KEY, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("root", _KEY, nullable=False),
        sa.Column("base", sa.BigInteger(), nullable=False),
        sa.Column("event_seq", sa.BigInteger(), nullable=False),
        sa.Column("audit_seq", sa.BigInteger(), nullable=False),
        sa.Column("salt", sa.String(length=16), nullable=True),
        sa.PrimaryKeyConstraint("organisation_id"),
    )
