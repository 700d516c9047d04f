"""How many records an organisation's lists have: counted once, and from then on only the newest.

A tally is the number of rows up to a place in the list's order: an instant that no write under way
can still stamp. The total of a list is its tally and a count of the
rows after that place. The worker moves tallies on in small steps (``fold``). Whatever writes rows
before a tally's place begins it anew (``restart``), and what removes such rows takes them off
(``removed``); ``db verify`` counts again.

Customers are ordered by their reference and aren't removed: ``added`` counts them where they are
written.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from chainteller.domain.clock import MINUTE
from chainteller.storage.db import records
from chainteller.storage.db.query import Query, Session, Value, row_of
from chainteller.storage.db.records import Tables
from chainteller.storage.db.sources import Source, insert
from chainteller.storage.db.table import Table

LAG = 5 * MINUTE
"""Longer than any transaction: what is stamped with an earlier instant is committed."""
STEP = 20_000
"""Rows that are counted at once, within the time of a short write."""
_LEAST = 200
"""Rows after a tally's place that are counted with every page instead."""
_NOWHERE = -1
_EVERYTHING = 2**62
_PLACES: Mapping[Table, str] = {
    Tables.trading_account: "created",
    Tables.quote: "created",
    Tables.trade: "created",
    Tables.transfer: "created",
    Tables.blockchain_account: "created",
    Tables.counterparty: "created",
}
_OF = "organisation_id = :organisation AND listed = :listed"
_UPTO, _TOTAL = (f"(SELECT {name} FROM tally WHERE {_OF})" for name in ("upto", "total"))
_PLACE = row_of("upto", "total")
_MINE = Query(f"SELECT upto, total FROM tally WHERE {_OF}", _PLACE)
_MINE_LOCKED = Query(f"SELECT upto, total FROM tally WHERE {_OF} FOR UPDATE", _PLACE)
_SET = Query(f"UPDATE tally SET upto = :upto, total = :total WHERE {_OF}")
_LISTED = Query("SELECT listed AS value FROM tally WHERE organisation_id = :organisation", Value)
_ALL = Source(records.Tally).everything("organisation_id, listed")
_BEGIN = insert(records.Tally, "ON CONFLICT DO NOTHING")
_ADD = insert(
    records.Tally,
    "ON CONFLICT (organisation_id, listed) DO UPDATE SET total = tally.total + excluded.total",
)
_RESTART = "UPDATE tally SET upto = :nowhere, total = 0 WHERE listed IN :lists"
_RESTART_ALL = Query(_RESTART)
_RESTART_ONE = Query(f"{_RESTART} AND organisation_id = :organisation")
_ORGANISATIONS = Query("SELECT id AS value FROM organisation", Value)


class Wrong(NamedTuple):
    """A tally that isn't the number of its rows."""

    organisation_id: str
    listed: str
    said: int
    counted: int


def _counting(table: Table, *conditions: str) -> str:
    mine = " AND ".join(("organisation_id = :organisation", *conditions))
    return f"SELECT count(*) AS value FROM {table.name} WHERE {mine}"


def _totals(table: Table) -> Query:
    if table is Tables.customer:
        return Query(f"SELECT coalesce({_TOTAL}, ({_counting(table)})) AS value", Value)
    after = _counting(table, f"{_PLACES[table]} > coalesce({_UPTO}, {_NOWHERE})")
    return Query(f"SELECT coalesce({_TOTAL}, 0) + ({after}) AS value", Value)


_TOTALS = {table: _totals(table) for table in (*_PLACES, Tables.customer)}
_WHOLE = Query(_counting(Tables.customer), Value)
_BETWEEN = {
    table: Query(_counting(table, f"{place} > :after", f"{place} <= :last"), Value)
    for table, place in _PLACES.items()
}
_PLACE_AFTER = {
    table: Query(
        f"SELECT {place} AS value FROM {table.name} WHERE organisation_id = :organisation "
        f"AND {place} > :after AND {place} <= :last ORDER BY {place} LIMIT 1 OFFSET :skipped",
        Value,
    )
    for table, place in _PLACES.items()
}


def total(connection: Session, table: Table, organisation_id: str) -> int:
    """How many rows of a table an organisation has."""
    return int(connection.execute(_TOTALS[table], _values(table, organisation_id)).scalar_one())


def added(connection: Session, table: Table, organisation_id: str, count: int) -> None:
    """Count rows that this transaction writes, where no place in the list's order tells them."""
    connection.execute(_ADD, _row(table, organisation_id, _EVERYTHING, count))


def removed(connection: Session, table: Table, organisation_id: str, places: list[int]) -> None:
    """Take rows off that this transaction removes, given their places."""
    mine = _locked(connection, table, organisation_id)
    if mine is None:
        return
    upto, counted = mine
    gone = sum(place <= upto for place in places)
    if gone:
        _set(connection, table, organisation_id, upto, counted - gone)


def restart(connection: Session, organisation_id: str | None = None) -> None:
    """Count anew: this transaction writes rows before the places of tallies, or times go back.

    Until it ends, no tally of the organisation (by default of any) moves on.
    """
    values = {"nowhere": _NOWHERE, "lists": [each.name for each in _PLACES]}
    if organisation_id is None:
        connection.execute(_RESTART_ALL, values)
        return
    _begin(connection, organisation_id)
    connection.execute(_RESTART_ONE, values | {"organisation": organisation_id})


def behind(connection: Session, now: int) -> Iterator[tuple[Table, str]]:
    """The lists whose tallies are worth moving on: tables and organisations."""
    for name in connection.execute(_ORGANISATIONS).scalars():
        for table in _PLACES:
            mine = connection.execute(_MINE, _values(table, name)).first()
            upto = _NOWHERE if mine is None else mine.upto
            last = now - LAG
            if _place_after(connection, table, name, (upto, last), _LEAST) is not None:
                yield table, name


def fold(connection: Session, table: Table, organisation_id: str, now: int) -> bool:
    """Move a tally on by at most ``STEP`` rows; the caller commits. False if it was moved to the
    last place that it may have."""
    _begin(connection, organisation_id)
    mine = _locked(connection, table, organisation_id)
    if mine is None:
        raise AssertionError(f"the tally of {table.name} has no row")
    upto, counted = mine
    last = now - LAG
    there = _place_after(connection, table, organisation_id, (upto, last), STEP)
    reached = last if there is None else there
    if reached <= upto:
        return False
    found = _between(connection, table, organisation_id, (upto, reached))
    _set(connection, table, organisation_id, reached, counted + found)
    return there is not None


def wrong(connection: Session) -> Iterator[Wrong]:
    """Every tally that isn't the number of its rows, counted again."""
    tables = {table.name: table for table in _TOTALS}
    for row in connection.execute(_ALL):
        table, counted = tables.get(row.listed), 0
        if table is not None and table in _PLACES:
            counted = _between(connection, table, row.organisation_id, (_NOWHERE, row.upto))
        elif table is not None:
            counted = _WHOLE.run(connection, row.organisation_id).scalar_one()
        if counted != row.total:
            yield Wrong(row.organisation_id, row.listed, row.total, counted)


def _between(
    connection: Session, table: Table, organisation_id: str, bounds: tuple[int, int]
) -> int:
    """Rows after one place and not beyond another."""
    values = {"organisation": organisation_id, "after": bounds[0], "last": bounds[1]}
    return int(connection.execute(_BETWEEN[table], values).scalar_one())


def _place_after(
    connection: Session, table: Table, organisation_id: str, bounds: tuple[int, int], rows: int
) -> int | None:
    """The place of the row that is ``rows`` after one bound and not beyond the other."""
    after, last = bounds
    values = {"organisation": organisation_id, "after": after, "last": last, "skipped": rows - 1}
    found = connection.execute(_PLACE_AFTER[table], values).scalar()
    return None if found is None else int(found)


def _values(table: Table, organisation_id: str) -> dict[str, object]:
    return {"organisation": organisation_id, "listed": table.name}


def _begin(connection: Session, organisation_id: str) -> None:
    """Insert the rows of tallies that aren't there yet."""
    known = set(_LISTED.values(connection, organisation_id))
    for table in _PLACES:
        if table.name not in known:
            connection.later(_BEGIN, _row(table, organisation_id, _NOWHERE, 0))


def _row(table: Table, organisation_id: str, upto: int, count: int) -> dict[str, object]:
    return {
        "organisation_id": organisation_id,
        "listed": table.name,
        "upto": upto,
        "total": count,
    }


def _locked(connection: Session, table: Table, organisation_id: str) -> tuple[int, int] | None:
    row = connection.execute(_MINE_LOCKED, _values(table, organisation_id)).first()
    return None if row is None else (int(row.upto), int(row.total))


def _set(connection: Session, table: Table, organisation_id: str, upto: int, counted: int) -> None:
    values = _values(table, organisation_id) | {"upto": upto, "total": counted}
    connection.execute(_SET, values)
