"""Pages of lists, and the SQL conditions of filters."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, Table, bindparam, func, select

from chainteller.domain.clock import parse_instant
from chainteller.service.models.pages import ListQuery
from chainteller.storage.database import Record

Condition = ColumnElement[bool]


def filters(table: Table, query: ListQuery, names: tuple[str, ...]) -> list[Condition]:
    """Conditions for the given filters: equality by name, and the bounds of ``created``."""
    conditions: list[Condition] = [
        table.c[name] == value for name in names if (value := getattr(query, name)) is not None
    ]
    if query.created_gte is not None:
        conditions.append(table.c.created >= parse_instant(query.created_gte))
    if query.created_lt is not None:
        conditions.append(table.c.created < parse_instant(query.created_lt))
    return conditions


def containing(text: str) -> str:
    """The pattern of LIKE for values that contain ``text``; a backslash escapes."""
    escaped = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"


def is_filtered(query: ListQuery, names: tuple[str, ...]) -> bool:
    """Whether a filter applies, so that the total must be counted."""
    given = (*names, "created_gte", "created_lt")
    return any(getattr(query, name) is not None for name in given) or query.sort is not None


def listing(
    connection: Connection,
    statement: Select[Any],
    order: tuple[ColumnElement[Any], ...],
    query: ListQuery,
) -> tuple[list[Record], int]:
    """Read one page by offset, with a counted total."""
    total = connection.execute(select(func.count()).select_from(statement.subquery())).scalar_one()
    start = (query.page - 1) * query.limit
    if start >= total:
        return [], total
    rows = connection.execute(statement.order_by(*order).offset(start).limit(query.limit)).all()
    return list(rows), total


def by_created(table: Table, query: ListQuery) -> tuple[ColumnElement[Any], ...]:
    """The order by creation: newest first, unless the query sorts by ``created``."""
    if query.sort == "created":
        return table.c.created, table.c.id
    return table.c.created.desc(), table.c.id.desc()


def numbered(
    connection: Connection,
    table: Table,
    of: Mapping[str, str],
    query: ListQuery,
    names: tuple[str, ...],
    total: int,
) -> tuple[list[Record], int]:
    """Read one page of the rows with the values ``of``, whose ``ordinal`` numbers them from 1.

    ``names`` are the filters. Unfiltered pages are read by ordinal, in constant time.
    """
    if not is_filtered(query, names):
        return between(connection, table, of, "ordinal", *ordinals(query, total)), total
    owned = (table.c[name] == value for name, value in of.items())
    statement = select(table).where(*owned, *filters(table, query, names))
    order = table.c.ordinal if query.sort == "created" else table.c.ordinal.desc()
    return listing(connection, statement, (order,), query)


def between(
    connection: Connection,
    table: Table,
    of: Mapping[str, str],
    ordinal: str,
    first: int,
    last: int,
) -> list[Record]:
    """Read the rows with the values ``of`` and these ordinals, the last one first."""
    parameters = {f"b_{name}": value for name, value in of.items()}
    statement = _between(table, tuple(of), ordinal)
    rows = connection.execute(statement, {**parameters, "b_first": first, "b_last": last})
    return list(rows.all())


@cache
def _between(table: Table, names: tuple[str, ...], ordinal: str) -> Select[Any]:
    number = table.c[ordinal]
    return (
        select(table)
        .where(
            *(table.c[name] == bindparam(f"b_{name}") for name in names),
            number.between(bindparam("b_first"), bindparam("b_last")),
        )
        .order_by(number.desc())
    )


def ordinals(query: ListQuery, total: int) -> tuple[int, int]:
    """The ordinals (first, last) of a page of a list with ``total`` records.

    Newest first, unless the query sorts by ``created``.
    """
    if query.sort == "created":
        first = min((query.page - 1) * query.limit, total) + 1
        return first, min(first + query.limit - 1, total)
    last = max(0, total - (query.page - 1) * query.limit)
    return max(1, last - query.limit + 1), last
