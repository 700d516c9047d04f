"""Random damage to databases that histories left: ``db verify`` must find it.

``python -m tests.simulation.damage --count 500`` alters one cell, deletes or adds a row, or swaps
a value with another row's, by SQL that knows nothing of the program. Left out is only what the
schema itself declares as deciding nothing.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.simulation.bank import copy_of
from tests.simulation.generators import Draw
from tests.simulation.histories import TEMPLATES, template
from tests.simulation.run import cleared
from tests.world.declared import exemptions
from tests.world.files import KEYS

from chainteller.engine.verification.full_pass import verify
from chainteller.sqlite import sqlite3
from chainteller.storage.database import open_database
from chainteller.storage.schema.wallet_tables import declared

RECOMPUTED = ("recomputed", "the sum of", "the number of", "each is hashed again")
"""How the schema says that another check than the seals finds a change."""


@dataclass(frozen=True)
class Damage:
    """What was done to which row; ``keys`` are the texts of its primary key."""

    table: str
    what: str
    keys: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.table} {' '.join(self.keys)}: {self.what}"


def exempt() -> set[tuple[str, str]]:
    """(table, column) of what decides nothing, ``*`` for a whole table."""
    return {
        (table, column)
        for table, column, reason in exemptions()
        if not any(words in reason for words in RECOMPUTED)
    }


def damaged(path: Path, draw: Draw) -> Damage | None:
    """Damage the database; None where the chosen table has no row."""
    free = exempt()
    tables = [each for each in declared() if (each.name, "*") not in free]
    table = draw.pick(tables)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.row_factory = sqlite3.Row
        with _without_triggers(connection):
            rows = connection.execute(f"SELECT * FROM {table.name}").fetchall()  # noqa: S608 - our tables
            if not rows:
                return None
            row = draw.pick(rows)
            place = {column.name: row[column.name] for column in table.primary_key}
            keys = tuple(map(str, place.values()))
            columns = [each.name for each in table.columns if (table.name, each.name) not in free]
            how = draw.below(10)
            if how == 0:
                there = _equal(place)
                connection.execute(f"DELETE FROM {table.name} WHERE {there}", [*place.values()])  # noqa: S608 - as above
                return Damage(table.name, "deleted", keys)
            if how == 1:
                return _added(connection, table.name, row, [*place])
            return _altered(connection, table.name, rows, row, draw.pick(columns), place, draw)


def _equal(place: Mapping[str, Any]) -> str:
    return " AND ".join(f'"{name}" = ?' for name in place)


@contextmanager
def _without_triggers(connection: sqlite3.Connection) -> Iterator[None]:
    """Whoever can write to the file can take the triggers away and put them back."""
    found = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
    triggers = [(row["name"], row["sql"]) for row in found]
    for name, _ in triggers:
        connection.execute(f"DROP TRIGGER {name}")
    yield
    for _, text in triggers:
        connection.execute(text)


def _added(connection: sqlite3.Connection, table: str, row: sqlite3.Row, key: list[str]) -> Damage:
    """The same row once more, under another key."""
    values = {name: row[name] for name in row.keys()}  # noqa: SIM118 - a Row's own
    names = ", ".join(f'"{name}"' for name in values)
    marks = ", ".join("?" * len(values))
    added = 0
    while not added:
        for unique in (*key, *_unique(connection, table)):
            values[unique] = _other(values[unique])
        statement = f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({marks})"  # noqa: S608 - as above
        added = connection.execute(statement, [*values.values()]).rowcount
    return Damage(table, "added", tuple(str(values[name]) for name in key))


def _unique(connection: sqlite3.Connection, table: str) -> list[str]:
    """Columns of unique indexes besides the key."""
    found = []
    for index in connection.execute(f"PRAGMA index_list({table})").fetchall():
        if index["unique"] and index["origin"] != "pk":
            parts = connection.execute(f"PRAGMA index_info({index['name']})").fetchall()
            found.append(str(parts[-1]["name"]))
    return found


def _altered(
    connection: sqlite3.Connection,
    table: str,
    rows: list[sqlite3.Row],
    row: sqlite3.Row,
    column: str,
    place: Mapping[str, Any],
    draw: Draw,
) -> Damage | None:
    before = row[column]
    after = draw.pick(rows)[column] if draw.chance(3) else _other(before)
    if after == before:
        after = _other(before)
    try:
        connection.execute(
            f'UPDATE {table} SET "{column}" = ? WHERE {_equal(place)}',  # noqa: S608 - as above
            [after, *place.values()],
        )
    except sqlite3.IntegrityError:
        return None
    keys = tuple(map(str, place.values()))
    return Damage(table, f"{column} was {before!r}, is {after!r}"[:200], keys)


def _other(value: Any) -> Any:
    """Another value of the same kind."""
    if value is None:
        return 1
    if isinstance(value, int):
        return value + 1
    text = str(value)
    if text.isdigit():
        return str(int(text) + 1)
    if not text:
        return "x"
    return text[:-1] + ("A" if text[-1] != "A" else "B")


def found(path: Path, damage: Damage) -> str:
    """Whether ``db verify`` finds it: "named" with table and key, "found", or "" if not at all."""
    database = open_database(f"sqlite:///{path}", KEYS)
    try:
        breaches = verify(database)
    finally:
        database.close()
    named = [
        each
        for each in breaches
        if damage.table in str(each) and all(key in str(each) for key in damage.keys)
    ]
    return "named" if named else "found" if breaches else ""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation.damage")
    parser.add_argument("--count", type=int, default=500)
    given = parser.parse_args()
    outcomes, number = Counter[str](), 0
    while sum(outcomes.values()) < given.count:
        number += 1
        outcome = case(number)
        if outcome is not None:
            outcomes[outcome] += 1
    sys.stdout.write(f"{dict(outcomes)}\n")
    return 1 if outcomes["missed"] * 100 > given.count else 0


def case(number: int) -> str | None:
    """One case; None where it damages nothing."""
    draw = Draw(number)
    path = copy_of(template(draw.below(TEMPLATES)).path, cleared())
    damage = damaged(path, draw)
    if damage is None:
        return None
    try:
        outcome = found(path, damage) or "missed"
    except Exception as error:  # noqa: BLE001 - a check that ends by an error is told apart
        outcome = "ended with an error"
        sys.stdout.write(f"{number} {damage}: {error!r}\n")
    if outcome != "named":
        sys.stdout.write(f"{number} {outcome}: {damage}\n")
    sys.stdout.flush()
    return outcome


if __name__ == "__main__":
    sys.exit(main())
