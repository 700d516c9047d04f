"""Expand: agents, cases and second persons. Earlier builds would let one person approve what waits
for two, so that the floor rises, too."""

import sqlalchemy as sa
from alembic import op

revision, down_revision = "0103", "0102"
_HAS_CASE = sa.text("case_id IS NOT NULL")
_FIXED = (
    '"organisation_id", "number", "at", "action", "object", "trading_account_id", "leaf", "case_id"'
)


def upgrade() -> None:
    op.create_table(
        "agent",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column(
            "organisation_id", sa.String(64), sa.ForeignKey("organisation.id"), nullable=False
        ),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("public_key", sa.String(64), nullable=False),
        sa.Column("roles", sa.Text(), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.Column("approved_at", sa.BigInteger()),
        sa.Column("approved_by", sa.String(128)),
        sa.Column("expires", sa.BigInteger()),
        sa.Column("revoked_at", sa.BigInteger()),
        sa.Column("revoked_by", sa.String(128)),
        sa.Column("salt", sa.String(16)),
    )
    op.create_index("ix_agent_created", "agent", ["organisation_id", "created", "id"])
    for column in (
        sa.Column("needs_two", sa.Boolean()),
        sa.Column("first_by", sa.String(128)),
        sa.Column("first_at", sa.BigInteger()),
        sa.Column("digest", sa.String(64)),
    ):
        op.add_column("decision", column)
    op.add_column("entry", sa.Column("case_id", sa.String(64)))
    op.create_index(
        "ix_entry_case",
        "entry",
        ["organisation_id", "case_id", "number"],
        sqlite_where=_HAS_CASE,
        postgresql_where=_HAS_CASE,
    )
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TRIGGER entry_refuses_update")
        op.execute(
            f"CREATE TRIGGER entry_refuses_update BEFORE UPDATE OF {_FIXED} ON entry "
            "BEGIN SELECT RAISE(ABORT, 'entry is append-only'); END"
        )
    else:
        op.execute("DROP TRIGGER entry_append_only ON entry")
        op.execute(
            f"CREATE TRIGGER entry_append_only BEFORE DELETE OR UPDATE OF {_FIXED} ON entry "
            "FOR EACH ROW EXECUTE FUNCTION chainteller_append_only()"
        )
