"""Expand: each organisation's own numbers of events and audit rows, and its own audit chain.

Nothing is dropped but an index that a wider one replaces, so the floor stays at 0002. What exists
keeps its number. Own numbers begin at a power of ten that is at least ten times as large as the
last number, so that a cursor of the released build, which may write meanwhile, is known for one.
"""

import sqlalchemy as sa
from alembic import op

from chainteller.storage.migrations import indexes as built
from chainteller.storage.migrations.indexes import Early, Index

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None
indexes = (Index("ix_event_organisation", "event", ("organisation_id", "number", "seq")),)
early = (Early("event", "number", sa.BigInteger()),)

_KEY = sa.String(length=64)
_COLUMNS = {
    "head": ("own_base", "events_owned", "audits_owned", "events_shared"),
    "log": ("event_number", "audit_number"),
    "audit": ("number",),
}
_LEAST = 1_000_000


def upgrade() -> None:
    for table, names in _COLUMNS.items():
        for name in names:
            op.add_column(table, sa.Column(name, sa.BigInteger(), nullable=True))
    op.add_column("log", sa.Column("audit_hash", _KEY, nullable=True))
    op.add_column("audit", sa.Column("follows", _KEY, nullable=True))
    built.add_early(early)
    op.drop_index("ix_event_organisation", "event", if_exists=True)
    built.create(indexes)
    events, audits = op.get_bind().execute(sa.text("SELECT event_seq, audit_seq FROM head")).one()
    op.get_bind().execute(
        sa.text(
            "UPDATE head SET own_base = :base, events_owned = event_seq, "
            "audits_owned = audit_seq, events_shared = event_seq"
        ),
        {"base": _base(max(events, audits))},
    )


def _base(last: int) -> int:
    """Where own numbers begin; a database in which nothing happened has no older ones."""
    return max(_LEAST, 10 ** len(str(10 * last - 1))) if last else 0
