"""Pages of lists: each list is declared once, and reads a page in the same time however long it is.

Unfiltered, a list has an exact total (``tallies``), and a page in its second half is read from the
end. Filtered, records are counted up to ``COUNTED``; beyond that, the total is a lower bound.
The text of a statement depends on which filters there are, never on their values.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any, ClassVar, Concatenate, NamedTuple, ParamSpec, Protocol, TypeVar

from chainteller.domain.clock import parse_instant
from chainteller.storage.db.query import Query, Record, Session, Value, Values, built, row_of
from chainteller.storage.db.records import ALL
from chainteller.storage.db.sources import Source

Item = TypeVar("Item")
Given = ParamSpec("Given")

COUNTED = 10_000
"""Matches that are counted under a filter."""
_NEAR = 200
"""Rows that are skipped as a whole; beyond, only their keys are."""
_TABLES = {table.name: table for table in ALL}
_BOUNDS = {"created_gte": ">=", "created_lt": "<"}


class Asked(Protocol):
    """What is asked of a list, beside the fields of its filters: a ``ListQuery``, or what reads
    without the models."""

    @property
    def page(self) -> int: ...
    @property
    def limit(self) -> int: ...
    @property
    def sort(self) -> str | None: ...
    @property
    def text(self) -> str | None: ...


class Counted(NamedTuple):
    """How many records a list has; more than ``more_than`` if that is known alone."""

    total: int
    more_than: int | None = None


class Extra(NamedTuple):
    """A condition that isn't equality, with the values of its parameters."""

    condition: str
    values: Mapping[str, object] = {}


class Listing:
    """A list of the rows of a table that have given values in the columns ``of``.

    Args:
        source: what is read of each row.
        of: columns whose values every page is given.
        filters: fields of a query that are columns of the table.
        order: the columns that order the list; the last one is unique.
        orders: further orders, by the word that asks for their ascending form.
        sort: the order of a query that asks for none.
        spread: filters that share an index, with all their values: the index has them in this
            order, behind ``of`` and before ``order``.
        condition: what is true of every row besides.
        is_tallied: whether the unfiltered list is counted by ``tallies``.
    """

    declared: ClassVar[list["Listing"]] = []

    def __init__(  # noqa: PLR0913 - what a list is, declared by name
        self,
        source: Any,
        *of: str,
        filters: tuple[str, ...] = (),
        order: tuple[str, ...] = ("created", "id"),
        orders: Mapping[str, tuple[str, ...]] | None = None,
        sort: str = "-created",
        spread: Mapping[str, tuple[str, ...]] | None = None,
        condition: str = "",
        is_tallied: bool = False,
    ) -> None:
        self.source = source if isinstance(source, Source) else Source(source)
        self.filters = filters
        self.orders = {"created": order, **(orders or {})}
        self._of, self._sort = of, sort
        self._spread = spread or {}
        self._condition = condition
        self._is_tallied = is_tallied
        self._shapes: dict[tuple[object, ...], _Shape] = {}
        Listing.declared.append(self)

    def page(
        self,
        connection: Session,
        of: tuple[object, ...],
        query: Asked,
        *extras: Extra,
        total: Counted | None = None,
    ) -> tuple[list[Record], Counted]:
        """Read a page, newest first unless the query says otherwise.

        ``of`` has the values of the columns that the list is of, ``extras`` are further conditions,
        and ``total`` is that of the list, if it's known.
        """
        filtered, bounds = self.asked(query)
        values: dict[str, object] = dict(zip(self._of, of, strict=True))
        values |= {name: getattr(query, name) for name in filtered}
        values |= {name: parse_instant(getattr(query, name)) for name in bounds}
        for extra in extras:
            values |= extra.values
        shape = self.shape(filtered, bounds, query.sort, [each.condition for each in extras])
        start = (query.page - 1) * query.limit
        if start == 0:  # together with what counts the list
            connection.ahead(shape.read, values, start, query.limit)
        if total is None and self._is_tallied and not (filtered or bounds or extras):
            total = Counted(self._tallied(connection, str(of[0])))
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

    def models(
        self, model: Callable[Concatenate[Record, Given], Item]
    ) -> Callable[Concatenate[Session, str, Asked, Given], tuple[tuple[Item, ...], Counted]]:
        """What reads a page, as models, of the rows that have one value in the column ``of``."""

        def page(
            connection: Session, of: str, query: Asked, /, *given: Given.args, **named: Given.kwargs
        ) -> tuple[tuple[Item, ...], Counted]:
            rows, total = self.page(connection, (of,), query)
            return tuple(model(row, *given, **named) for row in rows), total

        return page

    def shape(
        self,
        filtered: tuple[str, ...],
        bounds: tuple[str, ...],
        sort: str | None,
        extras: Sequence[str],
    ) -> "_Shape":
        """The statements under these filters and conditions, in one order."""
        known = (filtered, bounds, sort, *extras)
        shape = self._shapes.get(known)
        if shape is None:
            table = self.source.table
            given = [f"{table}.{name} = :{name}" for name in (*self._of, *filtered)]
            given += [f"{table}.created {_BOUNDS[name]} :{name}" for name in bounds]
            given += [each for each in (self._condition, *extras) if each]
            arms = [
                [*given, *(f"{table}.{name} = '{value}'" for name, value in arm.items())]
                for arm in self._arms(filtered)
            ]
            word = sort or self._sort
            order = self.orders.get(word.removeprefix("-"), self.orders["created"])
            # SQLite would read all rows of an organisation for a few ids, if it might use an index.
            hidden = " || ''" if order[-1] == "id" else ""
            own = [f"{table}.{name}{hidden} = :{name}" for name in self._of]
            shape = _Shape(self.source, own, arms, order, is_descending=word.startswith("-"))
            self._shapes[known] = shape
        return shape

    def _tallied(self, connection: Session, organisation_id: str) -> int:
        from chainteller.storage.lists.tallies import total  # noqa: PLC0415 - it has its own list

        return total(connection, _TABLES[self.source.table], organisation_id)

    def asked(self, query: Asked) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The filters and the bounds of a query that this list has."""
        filtered = tuple(name for name in self.filters if getattr(query, name) is not None)
        bounds = _BOUNDS if "created" in self.source.row._fields else ()
        return filtered, tuple(name for name in bounds if getattr(query, name) is not None)

    def _arms(self, filtered: tuple[str, ...]) -> Iterable[Mapping[str, str]]:
        """The values of filters that share an index and aren't given: one part of the list each."""
        given = [name for name in filtered if name in self._spread]
        if not given or len(given) < len(filtered):
            return ({},)
        missing = [name for name in self._spread if name not in given]
        found = product(*(self._spread[name] for name in missing))
        return [dict(zip(missing, values, strict=True)) for values in found]


class _Shape:
    """The statements of one list under one set of filters, in one order: ``own`` says whose rows
    they are, each of ``arms`` has all conditions of a part, and the last column of ``order`` names
    a row."""

    def __init__(
        self,
        source: Source,
        own: list[str],
        arms: list[list[str]],
        order: tuple[str, ...],
        *,
        is_descending: bool,
    ) -> None:
        table, self._key = source.table, order[-1]
        where = [" AND ".join(each) for each in arms]
        ones = " UNION ALL ".join(f"SELECT 1 AS one FROM {table} WHERE {each}" for each in where)
        self.count = built(f"SELECT count(*) AS value FROM ({ones} LIMIT :most) AS counted", Value)
        self._is_whole = len(arms) == 1
        self.whole: dict[bool, Query] = {}
        self.keys: dict[bool, Query] = {}
        self.of_keys = source.listed(
            f"WHERE {' AND '.join([*own, f'{table}.{self._key} IN :keys'])}"
        )
        part = "LIMIT :limit OFFSET :start"
        columns = ", ".join(f"{table}.{name}" for name in order)
        for from_end in (False, True):
            directed = _directed(order, table, down=is_descending != from_end)
            if self._is_whole:
                ordered = f"WHERE {where[0]} ORDER BY {directed} {part}"
                self.whole[from_end] = source.listed(ordered)
                keys = f"SELECT {columns} FROM {table} {ordered}"
            else:
                # PostgreSQL sorts what it merges, so no part has more than the page may need.
                parts = (
                    f"SELECT * FROM (SELECT {columns} FROM {table} WHERE {each} "
                    f"ORDER BY {directed} LIMIT :end) AS part{at}"
                    for at, each in enumerate(where)
                )
                merged = _directed(order, "", down=is_descending != from_end)
                keys = f"{' UNION ALL '.join(parts)} ORDER BY {merged} {part}"
            self.keys[from_end] = built(keys, _row_of_keys(order))

    def counted(self, connection: Session, values: Values, end: int) -> Counted:
        """Count the matches: all of them up to ``COUNTED``, else one more than the page needs."""
        most = max(COUNTED, end) + 1
        found = int(connection.execute(self.count, {**values, "most": most}).scalar_one())
        return Counted(found, most - 1) if found == most else Counted(found)

    def read(
        self,
        connection: Session,
        values: Values,
        start: int,
        limit: int,
        *,
        from_end: bool = False,
    ) -> list[Record]:
        """``limit`` rows after ``start``, in the list's order or, ``from_end``, in the other one.

        Far from where the order begins, keys are read first: an index has them.
        """
        bounds = {**values, "start": start, "limit": limit, "end": start + limit}
        if self._is_whole and start <= _NEAR:
            return list(connection.execute(self.whole[from_end], bounds).all())
        name = self._key
        found = connection.execute(self.keys[from_end], bounds).all()
        keys = [getattr(row, name) for row in found]
        rows = connection.execute(self.of_keys, {**values, "keys": keys}) if keys else ()
        by_key = {getattr(row, name): row for row in rows}
        return [by_key[key] for key in keys]


@cache
def _row_of_keys(order: tuple[str, ...]) -> Any:
    return row_of(*order)


def _directed(columns: Iterable[str], table: str, *, down: bool) -> str:
    place, way = f"{table}." if table else "", "DESC" if down else "ASC"
    return ", ".join(f"{place}{name} {way}" for name in columns)


def numbered(
    connection: Session,
    listing: Listing,
    of: Mapping[str, str],
    query: Asked,
    total: int,
) -> tuple[list[Record], Counted]:
    """Read one page of the rows with the values ``of``, whose ``ordinal`` numbers them from 1.

    Unfiltered pages far from where the order begins are read by ordinal, in constant time.
    """
    if any(listing.asked(query)):
        return listing.page(connection, tuple(of.values()), query)
    start = (query.page - 1) * query.limit
    if start <= _NEAR:
        statement = listing.shape((), (), query.sort, ()).whole[False]
        bounds = {**of, "start": start, "limit": query.limit}
        return list(connection.execute(statement, bounds).all()), Counted(total)
    rows = between(connection, listing.source, of, "ordinal", *ordinals(query, total))
    return (rows[::-1] if query.sort == "created" else rows), Counted(total)


def between(
    connection: Session,
    source: Source,
    of: Mapping[str, str],
    ordinal: str,
    first: int,
    last: int,
) -> list[Record]:
    """Read the rows with the values ``of`` and these ordinals, the last one first."""
    query = _between(source, tuple(of), ordinal)
    return list(connection.execute(query, {**of, "first": first, "last": last}).all())


@cache
def _between(source: Source, names: tuple[str, ...], ordinal: str) -> Query:
    given = [*(f"{name} = :{name}" for name in names), f"{ordinal} BETWEEN :first AND :last"]
    return source.listed(f"WHERE {' AND '.join(given)} ORDER BY {ordinal} DESC")


def ordinals(query: Asked, total: int) -> tuple[int, int]:
    """The ordinals (first, last) of a page of a list with ``total`` records.

    Newest first, unless the query sorts by ``created``.
    """
    if query.sort == "created":
        first = min((query.page - 1) * query.limit, total) + 1
        return first, min(first + query.limit - 1, total)
    last = max(0, total - (query.page - 1) * query.limit)
    return max(1, last - query.limit + 1), last
