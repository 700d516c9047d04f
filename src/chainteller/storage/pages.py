"""Pages of lists, and the SQL conditions of filters."""

from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, Table, func, select

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


def ordinals(query: ListQuery, total: int) -> tuple[int, int]:
    """The ordinals (first, last) of a page of a list with ``total`` records.

    Newest first, unless the query sorts by ``created``.
    """
    if query.sort == "created":
        first = min((query.page - 1) * query.limit, total) + 1
        return first, min(first + query.limit - 1, total)
    last = max(0, total - (query.page - 1) * query.limit)
    return max(1, last - query.limit + 1), last
