"""Every alteration of a table: each cell and each row, one at a time, and whether it is noticed."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any, NamedTuple

import pytest
from sqlalchemy import Column, Table, delete, insert, select, text, update
from sqlalchemy.types import Boolean, Integer, LargeBinary
from tests.tampering.bank import LEAST, OF_GATEWAYS, busy_bank
from tests.world.declared import form, sealed_tables
from tests.world.engines import World

from chainteller.engine.core.breaches import Breach
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.kept_heads import KeptHeads
from chainteller.engine.verification import replay, seals
from chainteller.storage.db.query import Session
from chainteller.storage.schema import guards
from chainteller.storage.schema.columns import Atoms, reason_unsealed
from chainteller.storage.schema.wallet_tables import Tables
from chainteller.storage.upkeep.archives import Past

Row = Mapping[str, Any]


SAVED, UNDONE = text("SAVEPOINT altered"), text("ROLLBACK TO altered")


class Alteration(NamedTuple):
    """``row`` is the key by which a finding must name it; ``before`` are its cells."""

    table: Table
    row: str
    what: str
    statement: Any
    before: Row


@contextmanager
def unguarded(world: World | EngineContext) -> Iterator[Session]:
    """A write transaction without guards and foreign keys, rolled back at the end unless it
    was committed."""
    is_postgres, sessions = world.database.is_postgres, world.database.sessions
    with closing(sessions.writing() if is_postgres else sessions.looking()) as connection:
        if is_postgres:
            connection.execute(text("SET LOCAL session_replication_role = replica"))
            connection.execute(text("SET LOCAL statement_timeout = 0"))
        else:
            connection.execute(text("PRAGMA foreign_keys=OFF"))
            connection.execute(text("BEGIN IMMEDIATE"))
        guards.drop(connection)
        try:
            yield connection
        finally:
            connection.rollback()
            if not is_postgres:
                connection.execute(text("PRAGMA foreign_keys=ON"))


def cut_log(connection: Session, name: str) -> None:
    """Remove the newest entry, and put the log back to what it was before it, with its mark:
    whoever reads the database at any moment has that mark."""
    t = Tables.entry
    mine = select(t).where(t.c.organisation_id == name)
    newest, before = connection.execute(mine.order_by(t.c.number.desc()).limit(2)).all()
    connection.execute(t.delete().where(t.c.organisation_id == name, t.c.number == newest.number))
    end_log(connection, name, before.number, before.mark)


def end_log(connection: Session, name: str, size: int, mark: bytes) -> None:
    t = Tables.log
    connection.execute(update(t).where(t.c.organisation_id == name).values(size=size, mark=mark))


def cut_behind_kept_head(context: EngineContext) -> KeptHeads:
    """Keep the head of ``default``, and remove its newest entry."""
    assert context.kept is not None
    assert context.kept.follow(context.database) == {}
    with unguarded(context) as connection:
        cut_log(connection, "default")
        guards.create(connection)
        connection.commit()
    return context.kept


def found_in_log(connection: Session) -> Iterator[Breach]:
    """What the log shows by itself and of the rows that it seals."""
    books, found = replay.read(connection, Past())
    yield from found
    yield from seals.rows_are_sealed(connection, books)


def alterations(connection: Session, table: Table, rows: int = LEAST) -> Iterator[Alteration]:
    """Of every sealed cell of some rows, one of each kind among them: other values and NULL; and of
    these rows: each deleted and each inserted once more under another key."""
    stored = connection.execute(select(table).order_by(*table.primary_key)).mappings().all()
    for row in _chosen(stored, rows):
        yield from alterations_of(table, row)


def alterations_of(table: Table, row: Row) -> Iterator[Alteration]:
    """As ``alterations``, of one row."""
    key = form(table).key(row)
    here = [column == row[column.name] for column in table.primary_key]
    for column in table.columns:
        if reason_unsealed(column) is not None:
            continue
        for value in _others(column, row[column.name]):
            changed = {**row, column.name: value}
            name = form(table).key(changed) if column.primary_key else key
            statement = update(table).where(*here).values({column.name: value})
            yield Alteration(table, name, f"{column.name} = {value!r}", statement, row)
    yield Alteration(table, key, "deleted", delete(table).where(*here), row)
    copied = _copied(table, row)
    yield Alteration(table, form(table).key(copied), "copied", insert(table).values(copied), copied)


def _chosen(stored: Sequence[Row], rows: int) -> list[Row]:
    """The first, the last and some between, and then one more of each kind that these lack; of one
    row only the first."""
    if len(stored) <= rows or rows == 1:
        return list(stored[:rows])
    spread = [stored[at * (len(stored) - 1) // (rows - 1)] for at in range(rows)]
    kinds = {_kind(row): row for row in reversed(stored)}
    for row in spread:
        kinds.pop(_kind(row), None)
    return spread + list(kinds.values())


def _kind(row: Row) -> tuple[object, ...]:
    """Which columns have a value, and how a claim was proved."""
    return row.get("method"), *(value is None for value in row.values())


def _others(column: Column[Any], value: Any) -> Iterator[Any]:
    if column.nullable and value is not None:
        yield None
    yield _other(column, value)


def _other(column: Column[Any], value: Any) -> Any:
    if isinstance(column.type, Boolean):
        return not value
    if isinstance(column.type, (Integer, Atoms)):
        return 1 if value is None else int(value) + 1_000_000
    if isinstance(value, bytes):
        return value[:-1] + bytes([value[-1] ^ 1])
    if not value:
        return b"x" if isinstance(column.type, LargeBinary) else "x"
    return value[:-1] + ("x" if value[-1] != "x" else "y")


def _copied(table: Table, row: Row) -> dict[str, Any]:
    """The row under another key, also where another index is unique."""
    unique = {column.name for column in table.columns if column.unique}
    for index in table.indexes:
        if index.unique:
            unique |= {column.name for column in index.columns}
    names = unique | {column.name for column in table.primary_key}
    return {
        name: _other(table.columns[name], value) if name in names else value
        for name, value in row.items()
    }


UNCOUNTED = -1
"""What PostgreSQL's driver says of an insert."""
Noticed = Callable[[Session, Alteration], bool]


def require_noticed(
    world: World, noticed: Noticed, tables: Iterable[Table], rows: int = LEAST
) -> int:
    """Make every alteration of some rows of the tables, each alone; how many there were.

    Raises:
        AssertionError: ``noticed`` denies some of them, which it names.
    """
    total, missed = 0, []
    with unguarded(world) as connection:
        for table in tables:
            found = list(alterations(connection, table, rows))
            assert len(found) > len(form(table).names)
            total += len(found)
            for each in found:
                connection.execute(SAVED)
                assert connection.execute(each.statement).rowcount in (1, UNCOUNTED), each
                if not noticed(connection, each):
                    missed.append(f"{table.name} {each.row}: {each.what}")
                connection.execute(UNDONE)
    assert not missed, "\n".join(missed)
    return total


def require_noticed_everywhere(
    kind: str, bank: World, request: pytest.FixtureRequest, noticed: Noticed
) -> None:
    """As ``require_noticed``, for every sealed table of a bank, on SQLite or on PostgreSQL.
    Disputes are altered in engine/test_disputes."""
    world = busy_bank(request.getfixturevalue("own_postgres_bank")) if kind == "postgres" else bank
    of_gateways = {each.name for each in OF_GATEWAYS}
    tables = [each for each in sealed_tables() if each.name not in of_gateways | {"dispute"}]
    total = require_noticed(world, noticed, tables)
    print(total, "alterations on", kind)  # noqa: T201 - the figure of the proof
    assert total > 500
    if kind == "postgres":
        world.close()
