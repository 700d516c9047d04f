"""Expand: the guard of entries lets a body lose its inputs, which may name a person."""

from alembic import op

revision, down_revision = "0107", "0106"
_ARCHIVED = "(SELECT archived FROM log WHERE organisation_id = OLD.organisation_id)"
_MAY_CHANGE = (
    f"(NEW.body IS NULL AND OLD.number <= {_ARCHIVED} "
    "OR coalesce(length(NEW.body) < length(OLD.body), 1 = 0))"
)


def upgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TRIGGER entry_keeps_body")
        op.execute(
            f"CREATE TRIGGER entry_keeps_body BEFORE UPDATE OF body ON entry WHEN NOT {_MAY_CHANGE}"
            " BEGIN SELECT RAISE(ABORT, 'entry is append-only'); END"
        )
        return
    op.execute(
        f"""CREATE OR REPLACE FUNCTION chainteller_append_only() RETURNS trigger
LANGUAGE plpgsql AS $$
 BEGIN
  IF TG_NAME = 'entry_keeps_body' AND {_MAY_CHANGE} THEN
   RETURN NEW;
  END IF;
  RAISE EXCEPTION USING MESSAGE = 'entry is append-only';
 END $$"""
    )
