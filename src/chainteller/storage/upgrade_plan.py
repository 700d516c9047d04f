"""What an upgrade would do: its steps, the rows they visit, and about how long they take.

Only reads. A migration names the tables whose rows it visits one by one (``visits``), those that a
statement reads as a whole (``scans``), those that it writes again on SQLite (``rewrites``), and the
indexes that it builds (``indexes``). On PostgreSQL, much of it is done beforehand.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Select, Table, func, inspect, select, table
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from chainteller.service.models.databases import UpgradePlan, UpgradeStep
from chainteller.storage import schema, sealing, upgrade_ahead
from chainteller.storage.columns import SALT
from chainteller.storage.database import Database, connect, sqlite_path
from chainteller.storage.faults import explain, unavailable
from chainteller.storage.maintenance import free_beside, require_file, size_of
from chainteller.storage.revision import REVISION, State

if TYPE_CHECKING:
    from chainteller.storage.migrations.indexes import Index

_ROWS_PER_S = 10_000
"""How many rows are visited, sealed or verified in a second: about half of what was measured on
two cores (docs/how-to/operating.md)."""
_SCANNED_PER_S = 300_000
_REWRITTEN_PER_S = 100_000
"""Rows that a statement reads, for an index too, and that it writes again in a second: likewise."""
_SEARCHED = ("customer", "bank_account", "counterparty", "blockchain_account")
_GROWTH = 2
"""A file grows to less than so many times its size while rows are sealed and rolled back."""


def plan(url: str) -> UpgradePlan:
    """The steps of ``db upgrade``, in their order.

    Raises:
        ServiceUnavailable: NO_DATABASE, or as ``maintenance.upgrade``.
    """
    path = sqlite_path(url)
    if path is not None:
        require_file(path)
    database = connect(url, as_it_is=True)
    try:
        with database.read(patient=True) as connection:
            return _plan(database, connection)
    except (DBAPIError, PoolTimeout) as error:
        raise explain(error) from error
    finally:
        database.close()


def require_time(planned: UpgradePlan, within_s: float) -> None:
    """Refuse a plan that takes longer than there is time for, before anything is changed.

    Raises:
        ServiceUnavailable: UPGRADE_TOO_LONG, with ``seconds``.
    """
    if planned.seconds > within_s:
        error = unavailable(
            "UPGRADE_TOO_LONG",
            f"The upgrade takes about {planned.seconds} s; there are {within_s:g} s. "
            "Nothing was changed.",
            "Choose a longer window; chainteller db upgrade --plan shows the steps.",
        )
        error.details["seconds"] = planned.seconds
        raise error


def _plan(database: Database, connection: Connection) -> UpgradePlan:
    found = schema.state(connection)
    if found not in (State.NEW, State.OUTDATED):
        schema.require_current(found)
    before = "" if found is State.NEW else schema.revision(connection)
    counts = _Counts(connection)
    steps = [*_migrations(counts, before), *_afterwards(counts, found)]
    size = size_of(connection, database.path)
    return UpgradePlan(
        before=before,
        after=REVISION,
        steps=tuple(step.shown() for step in steps),
        rows=sum(step.rows for step in steps),
        seconds=ceil(sum(step.seconds for step in steps)),
        waiting_seconds=ceil(sum(step.seconds for step in steps if step.waits)),
        size_bytes=size,
        needed_bytes=0 if before == REVISION else _GROWTH * size,
        free_bytes=None if database.path is None else free_beside(database.path),
    )


@dataclass
class _Step:
    """``seconds`` is not rounded, so that many small steps don't add up to what none of them
    takes."""

    name: str
    does: str
    waits: bool
    rows: int = 0
    seconds: float = 0.0
    indexes: list["Index"] = field(default_factory=list)
    rewrites: tuple[str, ...] = ()

    def visit(self, rows: int, rows_per_s: int = _ROWS_PER_S) -> None:
        self.rows += rows
        self.seconds += rows / rows_per_s

    def shown(self) -> UpgradeStep:
        built = list(dict.fromkeys(each.table for each in self.indexes))
        parts = [self.does]
        if built:
            count = "an index" if len(self.indexes) == 1 else f"{len(self.indexes)} indexes"
            parts.append(f"Builds {count} on {_listed(built)}.")
        if self.rewrites:
            parts.append(f"Writes {_listed(self.rewrites)} again.")
        return UpgradeStep(
            step=self.name,
            does=" ".join(parts),
            rows=self.rows,
            seconds=round(self.seconds),
            writers="wait" if self.waits else "go on",
            indexes=tuple(each.name for each in self.indexes),
            rewrites=self.rewrites,
        )


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


class _Counts:
    """Rows of the tables that are there, each table counted once."""

    def __init__(self, connection: Connection) -> None:
        self.is_postgres = connection.dialect.name == "postgresql"
        self._connection = connection
        self._inspected = inspect(connection)
        self._present = set(self._inspected.get_table_names())
        self._rows: dict[str, int] = {}

    def rows(self, name: str) -> int:
        if name not in self._present:
            return 0
        if name not in self._rows:
            self._rows[name] = self._scalar(select(func.count()).select_from(table(name)))
        return self._rows[name]

    def all_rows(self) -> int:
        return sum(map(self.rows, self._present))

    def unsealed(self, each: Table) -> int:
        """Rows without a seal: all of them where the table has no column for its salt yet."""
        if each.name not in self._present:
            return 0
        if SALT not in {column["name"] for column in self._inspected.get_columns(each.name)}:
            return self.rows(each.name)
        return self._scalar(select(func.count()).select_from(each).where(each.c[SALT].is_(None)))

    def _scalar(self, counting: Select[Any]) -> int:
        return int(self._connection.execute(counting).scalar_one())


def _migrations(counts: _Counts, before: str) -> Iterator[_Step]:
    """The migrations, after what PostgreSQL does ahead of them."""
    modules = upgrade_ahead.pending(before)
    ahead = _Step(
        "ahead",
        "Begin the logs and build indexes beside writers; it can be interrupted.",
        waits=False,
    )
    does_ahead = counts.is_postgres and bool(before)
    steps = []
    for module in modules:
        step = _Step(module.revision, _sentence(module.__doc__.partition("\n\n")[0]), waits=True)
        visiting = ahead if does_ahead and hasattr(module, "ahead") else step
        for name in getattr(module, "visits", ()):
            visiting.visit(counts.rows(name))
        for name in getattr(module, "scans", ()):
            step.visit(counts.rows(name), _SCANNED_PER_S)
        building = ahead if does_ahead else step
        for index in getattr(module, "indexes", ()):
            building.indexes.append(index)
            building.visit(counts.rows(index.table), _SCANNED_PER_S)
        if not counts.is_postgres:
            step.rewrites = getattr(module, "rewrites", ())
            for name in step.rewrites:
                step.visit(counts.rows(name), _REWRITTEN_PER_S)
        steps.append(step)
    if ahead.indexes:
        yield ahead
    yield from steps


def _sentence(title: str) -> str:
    """A migration's title without the kind of change."""
    found = title.removeprefix("Expand: ").removeprefix("Contract: ")
    return found[:1].upper() + found[1:]


def _afterwards(counts: _Counts, found: State) -> Iterator[_Step]:
    """What follows the migrations, as far as there is anything to do."""
    if found is State.OUTDATED:
        searched = _Step(
            "search",
            "Write the search entries that are missing, and recount the tallies.",
            waits=not counts.is_postgres,
        )
        searched.visit(sum(map(counts.rows, _SEARCHED)))
        yield searched
    unsealed = sum(map(counts.unsealed, sealing.sealed_tables()))
    if unsealed:
        sealed = _Step(
            "seal",
            "Seal the rows that have no seal, in batches; it can be interrupted.",
            waits=False,
        )
        sealed.visit(unsealed)
        yield sealed
    verified = _Step("verify", "Verify everything, and list what is wrong already.", waits=False)
    verified.visit(counts.all_rows())
    yield verified
