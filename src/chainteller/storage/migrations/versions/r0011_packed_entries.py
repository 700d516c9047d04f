"""Expand: entries in a smaller form, and smaller indexes of journals, postings and quotes.

Nothing is dropped but indexes that smaller ones replace, so the floor stays at 0002. Entries that
exist stay as they are; both forms are read. The released build knows no entries, and reads journals
and postings only as a whole.
"""

import sqlalchemy as sa
from alembic import op

from chainteller.storage.migrations import indexes as built
from chainteller.storage.migrations.indexes import Index

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None
indexes = (
    Index(
        "ix_quote_account",
        "quote",
        ("organisation_id", "trading_account_id", "created", "id"),
        "trading_account_id IS NOT NULL",
    ),
)

_ENTRY = ("organisation_id", "id", "number", "leaf", "body", "packed", "digest")


def upgrade() -> None:
    known = {column["name"] for column in sa.inspect(op.get_bind()).get_columns("entry")}
    for name in ("packed", "digest"):
        if name not in known:  # 0004 begins the logs in the smaller form
            op.add_column("entry", sa.Column(name, sa.LargeBinary(), nullable=True))
    _guard()
    op.drop_index("ix_posting_journal_id", "posting")
    op.drop_index("ix_journal_reference", "journal")
    op.drop_index("ix_quote_account", "quote", if_exists=True)
    built.create(indexes)


def _guard() -> None:
    """The new columns are append-only too."""
    listed = ", ".join(f'"{column}"' for column in _ENTRY)
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP TRIGGER IF EXISTS entry_append_only ON entry")
        op.execute(
            f"CREATE TRIGGER entry_append_only BEFORE DELETE OR UPDATE OF {listed} ON entry "
            "FOR EACH ROW EXECUTE FUNCTION chainteller_append_only()"
        )
        return
    op.execute("DROP TRIGGER IF EXISTS entry_refuses_update")
    op.execute(
        f"CREATE TRIGGER entry_refuses_update BEFORE UPDATE OF {listed} ON entry "
        "BEGIN SELECT RAISE(ABORT, 'entry is append-only'); END"
    )
