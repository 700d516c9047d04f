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
from typing import Any, NamedTuple

from sqlalchemy import Connection, Table, bindparam, func, select, update
from sqlalchemy.dialects import postgresql, sqlite

from chainteller.domain.clock import MINUTE
from chainteller.storage.tables import Tables
from chainteller.storage.wallet_tables import WalletTables

LAG = 5 * MINUTE
"""Longer than any transaction: what is stamped with an earlier instant is committed."""
STEP = 20_000
"""Rows that are counted at once, within the time of a short write."""
_LEAST = 1_000
"""Rows after a tally's place that are counted with every page instead."""
_NOWHERE = -1
_EVERYTHING = 2**62
_T = Tables.tally
_PLACES: Mapping[Table, str] = {
    Tables.trading_account: "created",
    Tables.quote: "created",
    Tables.trade: "created",
    Tables.transfer: "created",
    WalletTables.blockchain_account: "created",
    WalletTables.counterparty: "created",
}
_OF = (_T.c.organisation_id == bindparam("b_organisation"), _T.c.listed == bindparam("b_listed"))
_MINE = select(_T.c.upto, _T.c.total).where(*_OF)
_SET = update(_T).where(*_OF).values(upto=bindparam("v_upto"), total=bindparam("v_total"))


class Wrong(NamedTuple):
    """A tally that isn't the number of its rows."""

    organisation_id: str
    listed: str
    said: int
    counted: int


def _totals(table: Table) -> Any:
    upto = func.coalesce(select(_T.c.upto).where(*_OF).scalar_subquery(), _NOWHERE)
    before = func.coalesce(select(_T.c.total).where(*_OF).scalar_subquery(), 0)
    if table is Tables.customer:
        counted = select(_T.c.total).where(*_OF).scalar_subquery()
        rows = (
            select(func.count())
            .select_from(table)
            .where(table.c.organisation_id == bindparam("b_organisation"))
        )
        return select(func.coalesce(counted, rows.scalar_subquery()).label("total"))
    after = (
        select(func.count())
        .select_from(table)
        .where(
            table.c.organisation_id == bindparam("b_organisation"),
            table.c[_PLACES[table]] > upto,
        )
        .scalar_subquery()
    )
    return select((before + after).label("total"))


_TOTALS = {table: _totals(table) for table in (*_PLACES, Tables.customer)}


def total(connection: Connection, table: Table, organisation_id: str) -> int:
    """How many rows of a table an organisation has."""
    values = {"b_organisation": organisation_id, "b_listed": table.name}
    return int(connection.execute(_TOTALS[table], values).scalar_one())


def added(connection: Connection, table: Table, organisation_id: str, count: int) -> None:
    """Count rows that this transaction writes, where no place in the list's order tells them."""
    row = {
        "organisation_id": organisation_id,
        "listed": table.name,
        "upto": _EVERYTHING,
        "total": count,
    }
    dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
    statement = dialect.insert(_T).values(row)
    connection.execute(
        statement.on_conflict_do_update(
            index_elements=[_T.c.organisation_id, _T.c.listed], set_={"total": _T.c.total + count}
        )
    )


def removed(connection: Connection, table: Table, organisation_id: str, places: list[int]) -> None:
    """Take rows off that this transaction removes, given their places."""
    mine = _locked(connection, table, organisation_id)
    if mine is None:
        return
    upto, counted = mine
    gone = sum(place <= upto for place in places)
    if gone:
        _set(connection, table, organisation_id, upto, counted - gone)


def restart(connection: Connection, organisation_id: str | None = None) -> None:
    """Count anew: this transaction writes rows before the places of tallies, or times go back.

    Until it ends, no tally of the organisation (by default of any) moves on.
    """
    names = [each.name for each in _PLACES]
    statement = update(_T).where(_T.c.listed.in_(names)).values(upto=_NOWHERE, total=0)
    if organisation_id is not None:
        _begin(connection, organisation_id)
        statement = statement.where(_T.c.organisation_id == organisation_id)
    connection.execute(statement)


def behind(connection: Connection, now: int) -> Iterator[tuple[Table, str]]:
    """The lists whose tallies are worth moving on: tables and organisations."""
    names = connection.execute(select(Tables.organisation.c.id)).scalars().all()
    for name in names:
        for table in _PLACES:
            mine = connection.execute(_MINE, _values(table, name)).first()
            upto = _NOWHERE if mine is None else mine.upto
            last = now - LAG
            if _place_after(connection, table, name, (upto, last), _LEAST) is not None:
                yield table, name


def fold(connection: Connection, table: Table, organisation_id: str, now: int) -> bool:
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
    place = table.c[_PLACES[table]]
    found = connection.execute(
        select(func.count())
        .select_from(table)
        .where(table.c.organisation_id == organisation_id, place > upto, place <= reached)
    ).scalar_one()
    _set(connection, table, organisation_id, reached, counted + int(found))
    return there is not None


def wrong(connection: Connection) -> Iterator[Wrong]:
    """Every tally that isn't the number of its rows, counted again."""
    tables = {table.name: table for table in _TOTALS}
    for row in connection.execute(select(_T).order_by(_T.c.organisation_id, _T.c.listed)):
        table = tables.get(row.listed)
        counted = 0
        if table is not None:
            rows = select(func.count()).where(table.c.organisation_id == row.organisation_id)
            if table in _PLACES:
                rows = rows.where(table.c[_PLACES[table]] <= row.upto)
            counted = int(connection.execute(rows).scalar_one())
        if counted != row.total:
            yield Wrong(row.organisation_id, row.listed, row.total, counted)


def _place_after(
    connection: Connection, table: Table, organisation_id: str, bounds: tuple[int, int], rows: int
) -> int | None:
    """The place of the row that is ``rows`` after one bound and not beyond the other."""
    place = table.c[_PLACES[table]]
    after, last = bounds
    found = connection.execute(
        select(place)
        .where(table.c.organisation_id == organisation_id, place > after, place <= last)
        .order_by(place)
        .offset(rows - 1)
        .limit(1)
    ).scalar()
    return None if found is None else int(found)


def _values(table: Table, organisation_id: str) -> dict[str, object]:
    return {"b_organisation": organisation_id, "b_listed": table.name}


def _begin(connection: Connection, organisation_id: str) -> None:
    """Insert the rows of tallies that aren't there yet."""
    known = set(
        connection.execute(
            select(_T.c.listed).where(_T.c.organisation_id == organisation_id)
        ).scalars()
    )
    rows = [
        {"organisation_id": organisation_id, "listed": table.name, "upto": _NOWHERE, "total": 0}
        for table in _PLACES
        if table.name not in known
    ]
    if rows:
        dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
        connection.execute(dialect.insert(_T).on_conflict_do_nothing(), rows)


def _locked(connection: Connection, table: Table, organisation_id: str) -> tuple[int, int] | None:
    values = _values(table, organisation_id)
    row = connection.execute(_MINE.with_for_update(), values).first()
    return None if row is None else (int(row.upto), int(row.total))


def _set(
    connection: Connection, table: Table, organisation_id: str, upto: int, counted: int
) -> None:
    values = _values(table, organisation_id) | {"v_upto": upto, "v_total": counted}
    connection.execute(_SET, values)
