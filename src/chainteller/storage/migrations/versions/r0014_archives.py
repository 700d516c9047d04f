"""Expand: the leaf hashes of archived entries, and archived rows that may be deleted.

Nothing is dropped, so the floor stays at 0002. The released build archives nothing; its own
``db verify`` takes archived audit rows for removed ones.
"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

_REMOVED = "SELECT max(upto) FROM removal WHERE organisation_id = {of} AND counted = '{counted}'"
_EVENTS = _REMOVED.format(of="'*'", counted="event.seq")
_AUDITS = _REMOVED.format(of="'*'", counted="audit.seq")
_ENTRIES = _REMOVED.format(of="OLD.organisation_id", counted="entry.number")
_BODY = f"""
 BEGIN
  IF TG_OP = 'DELETE' THEN
   IF TG_TABLE_NAME = 'event' THEN
    IF OLD.seq <= ({_EVENTS}) THEN
     RETURN OLD;
    END IF;
   ELSIF TG_TABLE_NAME = 'audit' THEN
    IF OLD.seq <= ({_AUDITS}) THEN
     RETURN OLD;
    END IF;
   ELSIF TG_TABLE_NAME = 'entry' THEN
    IF OLD.number <= ({_ENTRIES}) THEN
     RETURN OLD;
    END IF;
   END IF;
  END IF;
  RAISE EXCEPTION USING MESSAGE = TG_TABLE_NAME || ' is append-only';
 END """


def upgrade() -> None:
    op.create_table(
        "archived_leaves",
        sa.Column("organisation_id", sa.String(length=64), nullable=False),
        sa.Column("first", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("leaves", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("organisation_id", "first"),
    )
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE OR REPLACE FUNCTION chainteller_append_only() RETURNS trigger "
            f"LANGUAGE plpgsql AS $${_BODY}$$"
        )
        return
    for table, number, removed in (
        ("audit", "OLD.seq", _AUDITS),
        ("entry", "OLD.number", _ENTRIES),
    ):
        op.execute(f"DROP TRIGGER {table}_refuses_delete")
        op.execute(
            f"CREATE TRIGGER {table}_refuses_delete BEFORE DELETE ON {table} "
            f"WHEN coalesce({number} > coalesce(({removed}), 0), 1) "
            f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
        )
