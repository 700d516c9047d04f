"""Indexes that migrations build on tables that exist: on PostgreSQL beside running servers, before
the migrations, which then only rename them."""

from collections.abc import Iterable
from typing import NamedTuple

import sqlalchemy as sa
from alembic import op

_AHEAD = "_ahead"
_VALID = sa.text(
    "SELECT i.indisvalid FROM pg_index i WHERE i.indexrelid = to_regclass(quote_ident(:name))"
)


class Index(NamedTuple):
    """``columns`` are names or expressions, which have parentheses; ``where`` is a condition."""

    name: str
    table: str
    columns: tuple[str, ...]
    where: str = ""


def create(indexes: Iterable[Index]) -> None:
    """Build indexes, or give those that were built ahead their names."""
    for each in indexes:
        if _is_valid(op.get_bind(), each.name + _AHEAD):
            op.execute(f"ALTER INDEX {each.name + _AHEAD} RENAME TO {each.name}")
        else:
            _create(each.name, each)


def create_ahead(index: Index) -> None:
    """Build one index under another name while its table is written to, unless it's there already;
    one that was left unfinished is built again. ``op`` has a connection to PostgreSQL, in no
    transaction."""
    name = index.name + _AHEAD
    is_valid = _is_valid(op.get_bind(), name)
    if is_valid is False:
        op.drop_index(name, postgresql_concurrently=True)
    if not is_valid:
        _create(name, index, concurrently=True)


def _is_valid(connection: sa.Connection, name: str) -> bool | None:
    """Whether PostgreSQL finished an index; None if there is none."""
    if connection.dialect.name != "postgresql":
        return None
    found: bool | None = connection.execute(_VALID, {"name": name}).scalar()
    return found


def _create(name: str, index: Index, *, concurrently: bool = False) -> None:
    columns = [sa.text(each) if "(" in each else each for each in index.columns]
    where = sa.text(index.where) if index.where else None
    op.create_index(
        name,
        index.table,
        columns,
        sqlite_where=where,
        postgresql_where=where,
        postgresql_concurrently=concurrently,
    )
