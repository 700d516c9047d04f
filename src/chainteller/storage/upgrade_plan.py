"""What an upgrade would do: its steps, the rows they visit, and about how long they take.

Only reads. A migration names the tables whose rows it visits (``visits``).
"""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, Select, Table, func, inspect, select, table
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from chainteller.service.models.databases import UpgradePlan, UpgradeStep
from chainteller.storage import maintenance, schema, sealing
from chainteller.storage.columns import SALT
from chainteller.storage.database import Database, connect, sqlite_path
from chainteller.storage.faults import explain, unavailable
from chainteller.storage.maintenance import free_beside, require_file, size_of
from chainteller.storage.revision import REVISION, State

_ROWS_PER_S = 10_000
"""How many rows are visited, sealed or verified in a second: about half of what was measured on
two cores (docs/how-to/operating.md)."""
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
    rows = sum(step.rows for step in steps)
    size = size_of(connection, database.path)
    return UpgradePlan(
        before=before,
        after=REVISION,
        steps=tuple(steps),
        rows=rows,
        seconds=-(-rows // _ROWS_PER_S),
        size_bytes=size,
        needed_bytes=0 if before == REVISION else _GROWTH * size,
        free_bytes=None if database.path is None else free_beside(database.path),
    )


class _Counts:
    """Rows of the tables that are there, each table counted once."""

    def __init__(self, connection: Connection) -> None:
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


def _migrations(counts: _Counts, before: str) -> Iterator[UpgradeStep]:
    for module in maintenance.pending(before):
        visited: Sequence[str] = getattr(module, "visits", ())
        yield UpgradeStep(
            step=module.revision,
            does=_sentence(module.__doc__.partition("\n\n")[0]),
            rows=sum(map(counts.rows, visited)),
            writers="wait",
        )


def _sentence(title: str) -> str:
    """A migration's title without the kind of change."""
    found = title.removeprefix("Expand: ").removeprefix("Contract: ")
    return found[:1].upper() + found[1:]


def _afterwards(counts: _Counts, found: State) -> Iterator[UpgradeStep]:
    """What follows the migrations, as far as there is anything to do."""
    if found is State.OUTDATED:
        yield UpgradeStep(
            step="search",
            does="Write the search entries that are missing, and recount the tallies.",
            rows=sum(map(counts.rows, _SEARCHED)),
            writers="wait",
        )
    unsealed = sum(map(counts.unsealed, sealing.sealed_tables()))
    if unsealed:
        yield UpgradeStep(
            step="seal",
            does="Seal the rows that have no seal, in batches; it can be interrupted.",
            rows=unsealed,
            writers="go on",
        )
    yield UpgradeStep(
        step="verify",
        does="Verify everything, and list what is wrong already.",
        rows=counts.all_rows(),
        writers="go on",
    )
