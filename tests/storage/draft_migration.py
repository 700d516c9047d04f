"""Writes migration 0001 anew from the metadata: ``python -m tests.storage.draft_migration``.

Only while nothing is released; afterwards a change of the schema is a migration of its own.
"""

from pathlib import Path
from typing import Literal

from alembic.autogenerate import produce_migrations, render_python_code
from alembic.autogenerate.api import AutogenContext
from alembic.migration import MigrationContext
from sqlalchemy import create_engine
from sqlmodel import SQLModel
from sqlmodel.sql.sqltypes import AutoString

from chainteller.storage import schema
from chainteller.storage.columns import Atoms

TARGET = Path(schema.__file__).parent / "migrations" / "versions" / "r0001_schema.py"
HEADER = '''"""The whole schema of the first release."""

import sqlalchemy as sa
from alembic import op

from chainteller.storage.columns import Atoms
from chainteller.storage.migrations.guards import append_only, positive_balances

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
'''
FOOTER = """    append_only(("audit", "event", "journal", "posting"))
    positive_balances()
    op.bulk_insert(
        sa.table(
            "head", *map(sa.column, ("name", "event_seq", "audit_seq", "audit_hash", "last_at"))
        ),
        [{"name": "bank", "event_seq": 0, "audit_seq": 0, "audit_hash": "0" * 64, "last_at": 0}],
    )
    op.execute(
        "INSERT INTO organisation "
        "(id, name, fee_flat_cents, fee_bps, fee_minimum_cents, created) "
        "VALUES ('default', 'Default organisation', 0, 50, 1, 0)"
    )
"""


def render_item(kind: str, item: object, _context: AutogenContext) -> str | Literal[False]:
    if kind == "type" and isinstance(item, Atoms):
        return "Atoms()"
    if kind == "type" and isinstance(item, AutoString):
        return f"sa.String(length={item.length})" if item.length else "sa.String()"
    return False


def draft() -> str:
    tables = {table.name for table in schema.own_tables()}
    with create_engine("sqlite://").connect() as connection:
        context = MigrationContext.configure(
            connection,
            opts={
                "render_item": render_item,
                "include_name": lambda name, kind, _parents: kind != "table" or name in tables,
                "include_object": lambda _, name, kind, *__: kind != "table" or name in tables,
            },
        )
        script = produce_migrations(context, SQLModel.metadata)
        assert script.upgrade_ops is not None
        body = render_python_code(script.upgrade_ops, render_item=render_item)
    lines = [line for line in body.splitlines() if "commands auto generated" not in line]
    kept = [line for line in lines if "end Alembic commands" not in line]
    # The first line comes back without its indent.
    return HEADER + "    " + "\n".join(kept).strip() + "\n" + FOOTER


if __name__ == "__main__":
    TARGET.write_text(draft())
