"""Expand: fewer b-trees for journals, postings, entries and events.

Nothing is dropped but indexes, so the floor stays at 0002. On SQLite, the tables are written again:
those of journals and postings are their primary keys now, and an event's number is that of its
row. The released build finds the same columns. Nothing looks for a journal by its record but by its
id, for the postings of a journal unless they hold funds, or for an entry by its id.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.schema import SchemaItem

from chainteller.storage.migrations import indexes as built
from chainteller.storage.migrations.indexes import Index

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None
rewrites = ("journal", "posting", "entry", "event")
"""Tables that are written again, on SQLite."""
indexes = (
    Index(
        "ix_posting_hold",
        "posting",
        ("substr(journal_id, 5, 8)",),
        "NOT debit AND substr(code, length(code) - 3) = 'held'",
    ),
)

_KEY = sa.String(length=64)
_LONG = sa.String(length=96)
_SALT = sa.String(length=16)
_BIG, _NUMBER, _TEXT = sa.BigInteger(), sa.Integer(), sa.Text()
_CLUSTERED = ("journal", "posting")
_PRIMARY = {
    "journal": ("id",),
    "posting": ("code", "asset", "account_version"),
    "entry": ("organisation_id", "number"),
    "event": ("seq",),
}
_COLUMNS: dict[str, dict[str, Any]] = {
    "journal": {
        "id": _LONG,
        "kind": _KEY,
        "reference": _KEY,
        "at": _BIG,
        "salt": _SALT,
    },
    "posting": {
        "code": _LONG,
        "asset": _KEY,
        "account_version": _NUMBER,
        "journal_id": _LONG,
        "debit": sa.Boolean(),
        "atoms": _TEXT,
        "balance_after": _TEXT,
        "salt": _SALT,
    },
    "entry": {
        "organisation_id": _KEY,
        "id": _KEY,
        "number": _BIG,
        "leaf": _KEY,
        "body": _TEXT,
        "packed": sa.LargeBinary(),
        "digest": sa.LargeBinary(),
    },
    "event": {
        "seq": _NUMBER,
        "id": _KEY,
        "type": _KEY,
        "at": _BIG,
        "organisation_id": _KEY,
        "resource": _KEY,
        "data": _TEXT,
        "salt": _SALT,
        "number": _BIG,
    },
}
_OPTIONAL = frozenset({"salt", "leaf", "packed", "digest", "number"})
"""Columns that allow NULL, except in a primary key."""


def upgrade() -> None:
    op.drop_index("ix_posting_journal", "posting", if_exists=True)
    op.drop_index("ix_journal_record", "journal", if_exists=True)
    if op.get_bind().dialect.name == "postgresql":
        _key_by_number()
    else:
        op.drop_index("ix_entry_number", "entry")
        _rewrite(["journal", "posting"])
        for name in ("entry", "event"):
            _rewrite([name])
    built.create(indexes)


def _key_by_number() -> None:
    """0004 makes the table with this key now; it didn't always."""
    key = sa.inspect(op.get_bind()).get_pk_constraint("entry")["constrained_columns"]
    if key != ["organisation_id", "number"]:
        op.drop_index("ix_entry_number", "entry")
        op.drop_constraint("entry_pkey", "entry")
        op.create_primary_key("entry_pkey", "entry", ["organisation_id", "number"])


def _rewrite(names: Sequence[str]) -> None:
    """Write tables again as they are declared below, each before those that refer to it; their
    indexes and triggers stay as they are."""
    connection = op.get_bind()
    kept = [each for name in names for each in _belonging(connection, name)]
    for name in names:
        columns = ", ".join(_COLUMNS[name])
        op.create_table(f"{name}_new", *_parts(name), sqlite_with_rowid=name not in _CLUSTERED)
        op.execute(
            f"INSERT INTO {name}_new ({columns}) SELECT {columns} FROM {name} "  # noqa: S608 - our own names
            f"ORDER BY {', '.join(_PRIMARY[name])}"
        )
    for name in reversed(names):
        op.drop_table(name)
    for name in names:
        op.rename_table(f"{name}_new", name)
    for statement in kept:
        connection.exec_driver_sql(statement)


def _belonging(connection: sa.Connection, name: str) -> list[str]:
    found = sa.text(
        "SELECT sql FROM sqlite_master WHERE tbl_name = :name AND sql IS NOT NULL "
        "AND type IN ('index', 'trigger')"
    )
    return list(connection.execute(found, {"name": name}).scalars())


def _parts(name: str) -> Iterator[SchemaItem]:
    for column, kind in _COLUMNS[name].items():
        is_optional = column in _OPTIONAL and column not in _PRIMARY[name]
        yield sa.Column(column, kind, autoincrement=False, nullable=is_optional)
    yield sa.PrimaryKeyConstraint(*_PRIMARY[name])
    if name == "posting":
        yield sa.ForeignKeyConstraint(["journal_id"], ["journal_new.id"])
