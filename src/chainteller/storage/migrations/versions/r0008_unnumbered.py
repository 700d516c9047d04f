"""Expand: what a write on PostgreSQL puts on record until the sequencer numbers it.

Nothing is dropped, so the floor stays at 0002. The released build numbers its own writes under the
lock of the head row, which the sequencer takes too. The sequencer posts the bank's side of the
journals after the write, so a balance of the bank is no longer refused by SQL there.
"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None
scans = ("ledger_account",)


def upgrade() -> None:
    op.create_table(
        "unnumbered",
        sa.Column("position", sa.BigInteger(), primary_key=True, autoincrement=True),
        sa.Column("organisation_id", sa.String(length=64), nullable=False),
        sa.Column("written", sa.BigInteger(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
    )
    if op.get_bind().dialect.name == "postgresql":
        op.execute("ALTER TABLE ledger_account DROP CONSTRAINT balance_not_negative")
        op.execute(
            "ALTER TABLE ledger_account ADD CONSTRAINT balance_not_negative "
            "CHECK (balance >= 0 OR code NOT LIKE 'customer:%')"
        )
