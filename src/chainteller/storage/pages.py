"""Pages of lists: each list is declared once, and reads a page in the same time however long it is.

Unfiltered, a list has an exact total (``tallies``), and a page in its second half is read from the
end. Filtered, records are counted up to ``COUNTED``; beyond that, the total is a lower bound.
Statements are built once for each set of filters, so that nothing but values changes.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from itertools import product
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    Select,
    Table,
    bindparam,
    func,
    literal_column,
    select,
    union_all,
)

from chainteller.domain.clock import parse_instant
from chainteller.service.models.pages import ListQuery
from chainteller.storage import tallies
from chainteller.storage.columns import Record
from chainteller.storage.plain import ahead

Condition = ColumnElement[bool]
COUNTED = 10_000
"""Matches that are counted under a filter."""
_NEAR = 200
"""Rows that are skipped as a whole; beyond, only their keys are."""
_BOUNDS = ("created_gte", "created_lt")


class Counted(NamedTuple):
    """How many records a list has; more than ``more_than`` if that is known alone."""

    total: int
    more_than: int | None = None


class Extra(NamedTuple):
    """A condition that isn't equality; ``name`` tells it from others of the list."""

    name: str
    condition: Condition
    values: Mapping[str, object] = {}


class Listing:
    """A list of the rows of ``table`` that have given values in the columns ``of``.

    Args:
        table: whose rows are listed.
        of: columns whose values every page is given.
        rows: what is selected, by default the row itself.
        filters: fields of a query that are columns of the table.
        order: the columns that order the list; the last one is unique.
        orders: further orders, by the word that asks for their ascending form.
        spread: filters that share an index, with all their values: the index has them in this
            order, behind ``of`` and before ``order``.
        key: the column that names a row.
        is_tallied: whether the unfiltered list is counted by ``tallies``.
    """

    def __init__(  # noqa: PLR0913 - what a list is, declared by name
        self,
        table: Table,
        *of: str,
        rows: Select[Any] | None = None,
        filters: tuple[str, ...] = (),
        order: tuple[str, ...] = ("created", "id"),
        orders: Mapping[str, tuple[str, ...]] | None = None,
        spread: Mapping[str, tuple[str, ...]] | None = None,
        key: str = "id",
        is_tallied: bool = False,
    ) -> None:
        self.table = table
        self._of = of
        self._rows: Select[Any] = select(table) if rows is None else rows
        self._filters = filters
        self._order = order
        self._orders = orders or {}
        self._spread = spread or {}
        self._key = key
        self._is_tallied = is_tallied
        self._shapes: dict[tuple[object, ...], _Shape] = {}

    def page(
        self,
        connection: Connection,
        of: tuple[object, ...],
        query: ListQuery,
        *extras: Extra,
        total: Counted | None = None,
    ) -> tuple[list[Record], Counted]:
        """Read a page, newest first unless the query says otherwise.

        Args:
            connection: reads.
            of: the values of the columns that the list is of.
            query: page, limit, filters and order.
            extras: further conditions.
            total: of the list, if it's known.
        """
        filtered, bounds = self._asked(query)
        values = {f"b_{name}": value for name, value in zip(self._of, of, strict=True)}
        values |= {f"b_{name}": getattr(query, name) for name in filtered}
        values |= {f"b_{name}": parse_instant(getattr(query, name)) for name in bounds}
        for extra in extras:
            values |= extra.values
        shape = self._shape(filtered, bounds, query.sort, extras)
        start = (query.page - 1) * query.limit
        if total is None and self._is_tallied and not (filtered or bounds or extras):
            total = Counted(tallies.total(connection, self.table, str(of[0])))
        if total is None:
            total = shape.counted(connection, values, start + query.limit)
        if start >= total.total:
            return [], total
        if total.more_than is None and start > total.total // 2:
            first = max(0, total.total - start - query.limit)
            many = min(query.limit, total.total - start)
            found = shape.read(connection, values, first, many, from_end=True)
            return found[::-1], total
        return shape.read(connection, values, start, query.limit), total

    def near(
        self, of: tuple[object, ...], query: ListQuery
    ) -> tuple[Select[Any], dict[str, object]] | None:
        """The statement and its values of an unfiltered page that begins near the beginning of the
        order, whatever the total is; None for others."""
        start = (query.page - 1) * query.limit
        if start > _NEAR or self.is_filtered(query):
            return None
        values = {f"b_{name}": value for name, value in zip(self._of, of, strict=True)}
        return self._shape((), (), query.sort, ()).near(values, start, query.limit)

    def is_filtered(self, query: ListQuery) -> bool:
        """Whether a query asks for a part of the list."""
        return any(self._asked(query))

    def _asked(self, query: ListQuery) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The filters and the bounds of a query that this list has."""
        filtered = tuple(name for name in self._filters if getattr(query, name) is not None)
        bounds = _BOUNDS if "created" in self.table.columns else ()
        return filtered, tuple(name for name in bounds if getattr(query, name) is not None)

    def _shape(
        self,
        filtered: tuple[str, ...],
        bounds: tuple[str, ...],
        sort: str | None,
        extras: tuple[Extra, ...],
    ) -> "_Shape":
        known = (filtered, bounds, sort, *(extra.name for extra in extras))
        shape = self._shapes.get(known)
        if shape is None:
            arms = [
                [*self._conditions(filtered, bounds, arm), *(each.condition for each in extras)]
                for arm in self._arms(filtered)
            ]
            names, down = self._ordered(sort)
            own = [self.table.c[name] == bindparam(f"b_{name}") for name in self._of]
            key = self.table.c[self._key]
            shape = _Shape((self._rows, own), arms, [self.table.c[n] for n in names], key, down)
            self._shapes[known] = shape
        return shape

    def _ordered(self, sort: str | None) -> tuple[tuple[str, ...], bool]:
        word = sort or "-created"
        name = word.removeprefix("-")
        return self._orders.get(name, self._order), word.startswith("-")

    def _arms(self, filtered: tuple[str, ...]) -> Iterable[Mapping[str, str]]:
        """The values of filters that share an index and aren't given: one part of the list each."""
        given = [name for name in filtered if name in self._spread]
        if not given or len(given) < len(filtered):
            return ({},)
        missing = [name for name in self._spread if name not in given]
        found = product(*(self._spread[name] for name in missing))
        return [dict(zip(missing, values, strict=True)) for values in found]

    def _conditions(
        self, filtered: tuple[str, ...], bounds: tuple[str, ...], arm: Mapping[str, str]
    ) -> list[Condition]:
        t = self.table.c
        conditions = [t[name] == bindparam(f"b_{name}") for name in (*self._of, *filtered)]
        conditions += [t[name] == value for name, value in arm.items()]
        if "created_gte" in bounds:
            conditions.append(t.created >= bindparam("b_created_gte"))
        if "created_lt" in bounds:
            conditions.append(t.created < bindparam("b_created_lt"))
        return conditions


class _Shape:
    """The statements of one list under one set of filters, in one order."""

    def __init__(
        self,
        rows: tuple[Select[Any], list[Condition]],
        arms: list[list[Condition]],
        order: list[Column[Any]],
        key: Column[Any],
        is_descending: bool,  # noqa: FBT001 - of statements that are built once
    ) -> None:
        """``rows`` are the complete rows, and whose they are; ``arms`` are the parts of the list,
        with all conditions."""
        selected, own = rows
        most = bindparam("b_most", type_=BigInteger)
        ones: list[Select[Any]] = [
            select(literal_column("1")).select_from(key.table).where(*each) for each in arms
        ]
        counted: Any = ones[0].limit(most) if len(ones) == 1 else union_all(*ones).limit(most)
        self._counted = select(func.count()).select_from(counted.subquery())
        self._key = key
        self._is_whole = len(arms) == 1
        self._whole: dict[bool, Any] = {}
        self._keys: dict[bool, Any] = {}
        self._of_keys = selected.where(*own, key.in_(bindparam("b_keys", expanding=True)))
        limit = bindparam("b_limit", type_=BigInteger)
        start = bindparam("b_start", type_=BigInteger)
        for from_end in (False, True):
            down = is_descending != from_end
            whole = selected.where(*arms[0]).order_by(*_directed(order, down=down))
            self._whole[from_end] = whole.limit(limit).offset(start)
            columns = list(dict.fromkeys((*order, key)))
            parts: list[Any] = [select(*columns).where(*each) for each in arms]
            if self._is_whole:
                keys = parts[0].order_by(*_directed(order, down=down))
            else:
                keys = _merged(parts, order, down=down)
            self._keys[from_end] = keys.limit(limit).offset(start)

    def counted(self, connection: Connection, values: Mapping[str, object], end: int) -> Counted:
        """Count the matches: all of them up to ``COUNTED``, else one more than the page needs."""
        most = max(COUNTED, end) + 1
        found = int(connection.execute(self._counted, {**values, "b_most": most}).scalar_one())
        return Counted(found, most - 1) if found == most else Counted(found)

    def near(
        self, values: Mapping[str, object], start: int, limit: int
    ) -> tuple[Select[Any], dict[str, object]]:
        """The statement that skips ``start`` rows as a whole, and its values."""
        return self._whole[False], {**values, "b_start": start, "b_limit": limit}

    def read(
        self,
        connection: Connection,
        values: Mapping[str, object],
        start: int,
        limit: int,
        *,
        from_end: bool = False,
    ) -> list[Record]:
        """``limit`` rows after ``start``, in the list's order or, ``from_end``, in the other one.

        Far from where the order begins, keys are read first: an index has them.
        """
        bounds = {**values, "b_start": start, "b_limit": limit, "b_end": start + limit}
        if self._is_whole and start <= _NEAR:
            return list(connection.execute(self._whole[from_end], bounds).all())
        name = self._key.name
        keys = [
            getattr(row, name) for row in connection.execute(self._keys[from_end], bounds).all()
        ]
        found = connection.execute(self._of_keys, {**values, "b_keys": keys}) if keys else ()
        by_key = {getattr(row, name): row for row in found}
        return [by_key[key] for key in keys]


def _merged(parts: list[Any], order: list[Column[Any]], *, down: bool) -> Any:
    """The keys of several parts in one order. Each part has no more of them than the page may
    need, because PostgreSQL sorts what it merges."""
    end = bindparam("b_end", type_=BigInteger)
    limited = [each.order_by(*_directed(order, down=down)).limit(end).subquery() for each in parts]
    keys = union_all(*(select(*each.columns) for each in limited))
    chosen = [keys.selected_columns[each.name] for each in order]
    return keys.order_by(*_directed(chosen, down=down))


def _directed(columns: Iterable[ColumnElement[Any]], *, down: bool) -> list[ColumnElement[Any]]:
    return [each.desc() if down else each.asc() for each in columns]


def numbered(
    connection: Connection,
    listing: Listing,
    of: Mapping[str, str],
    query: ListQuery,
    total: int,
) -> tuple[list[Record], Counted]:
    """Read one page of the rows with the values ``of``, whose ``ordinal`` numbers them from 1.

    Unfiltered pages far from where the order begins are read by ordinal, in constant time.
    """
    if listing.is_filtered(query):
        return listing.page(connection, tuple(of.values()), query)
    if (near := listing.near(tuple(of.values()), query)) is not None:
        return list(connection.execute(*near).all()), Counted(total)
    rows = between(connection, listing.table, of, "ordinal", *ordinals(query, total))
    return (rows[::-1] if query.sort == "created" else rows), Counted(total)


def numbered_ahead(
    connection: Connection, listing: Listing, of: Mapping[str, str], query: ListQuery
) -> None:
    """Send what ``numbered`` will read if that doesn't depend on the total; see ``Plain.ahead``."""
    if (near := listing.near(tuple(of.values()), query)) is not None:
        ahead(connection, *near)


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
