"""Expand: which numbered rows are no longer kept, and old events that may be deleted.

Nothing is dropped, so the floor stays at 0002. The released build deletes no events; its own
``db verify`` takes old ones that are gone for a breach.
"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

_KEY = sa.String(length=64)
_REMOVED = (
    "SELECT max(upto) FROM removal WHERE organisation_id = '*' AND counted = 'event.seq'"
)
_BODY = f"""
 BEGIN
  IF TG_OP = 'DELETE' THEN
   IF TG_TABLE_NAME = 'event' THEN
    IF OLD.seq <= ({_REMOVED}) THEN
     RETURN OLD;
    END IF;
   END IF;
  END IF;
  RAISE EXCEPTION USING MESSAGE = TG_TABLE_NAME || ' is append-only';
 END """


def upgrade() -> None:
    op.create_table(
        "removal",
        sa.Column("organisation_id", _KEY, nullable=False),
        sa.Column("counted", _KEY, nullable=False),
        sa.Column("first", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("upto", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("found", sa.Text(), nullable=True),
        sa.Column("archive", sa.String(length=255), nullable=True),
        sa.Column("salt", sa.String(length=16), nullable=True),
        sa.PrimaryKeyConstraint("organisation_id", "counted", "first"),
    )
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE OR REPLACE FUNCTION chainteller_append_only() RETURNS trigger "
            f"LANGUAGE plpgsql AS $${_BODY}$$"
        )
        return
    op.execute("DROP TRIGGER event_refuses_delete")
    op.execute(
        "CREATE TRIGGER event_refuses_delete BEFORE DELETE ON event "
        f"WHEN OLD.seq > coalesce(({_REMOVED}), 0) "
        "BEGIN SELECT RAISE(ABORT, 'event is append-only'); END"
    )
