"""A row that was altered and that the engine then writes is named too: each entry says what the
write found.

Otherwise the new seal would cover what was altered, and nothing would be left to find.
"""

import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.postgres import PostgresServer
from tests.tampering.altering import (
    Alteration,
    alterations_of,
    found_in_log,
    require_noticed,
    require_noticed_everywhere,
    unguarded,
)
from tests.tampering.bank import NAMES, busy_bank, prove_wallet
from tests.world.declared import form, sealed_tables, shape
from tests.world.engines import START, World, make_world
from tests.world.files import put_on_record, sealed

from chainteller.domain.clock import SECOND
from chainteller.engine.operations.keys import ApiKeys
from chainteller.engine.verification import replay
from chainteller.engine.verification.full_pass import verify
from chainteller.service.errors import ServiceError
from chainteller.service.models.counterparties import ReverificationRequest
from chainteller.storage.db.query import Session
from chainteller.storage.log import views
from chainteller.storage.log.rows import Writer
from chainteller.storage.queries import markets
from chainteller.storage.schema import guards
from chainteller.storage.upkeep import inspection
from chainteller.storage.upkeep.archives import Past


def write_over(connection: Session, altered: Alteration) -> None:
    """Write the altered row as the engine does, but none of its altered cells: another column of it
    gets the value that it has. A row without such a column is removed, one that was deleted is
    inserted once more."""
    table = altered.table
    writer, key = Writer(connection), form(table).primary_key(altered.row)
    assert key is not None
    row = inspection.row_by_key(connection, shape(table), altered.row)
    column = altered.what.partition(" ")[0]
    others = [name for name in form(table).names if name not in (*key, column)]
    if row is None:
        writer.insert(shape(table), [altered.before])
    elif others:
        writer.update(shape(table), key, {others[0]: row[others[0]]})
    else:
        here = " AND ".join(f"{name} = :{name}" for name in key)
        assert len(writer.delete(shape(table), here, key)) == 1
    put_on_record(writer, actor="the engine")


def named(connection: Session) -> dict[str, str]:
    return {each.where: each.what for each in found_in_log(connection) if each.invariant == 20}


def is_named_when_written(connection: Session, altered: Alteration) -> bool:
    write_over(connection, altered)
    what = named(connection).get(f"{altered.table.name} {altered.row}", "")
    return "then written over by the engine at" in what


@pytest.mark.forms(1)
@pytest.mark.parametrize("table", ["api_key", "customer", "trading_account", "job"])
def test_an_altered_row_that_is_written_is_named(bank: World, table: str) -> None:
    """The quick form: one row of a few tables."""
    chosen = [each for each in sealed_tables() if each.name == table]
    assert require_noticed(bank, is_named_when_written, chosen, rows=1) > 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_every_cell_of_every_table_is_named_after_the_row_is_written(
    kind: str, bank: World, request: pytest.FixtureRequest
) -> None:
    require_noticed_everywhere(kind, bank, request, is_named_when_written)


# Through the engine's own operations


def _execute(world: World) -> None:
    world.execute(next(each for each in world.engine.quotes().data if each.status == "open"))


def _key(world: World) -> str:
    """A key in force."""
    return next(
        str(each["id"]) for each in ApiKeys(world.context).listed() if each["status"] == "active"
    )


def _reverify(world: World) -> None:
    request = ReverificationRequest(reason="AGENT_REQUEST")
    for custody in world.engine.blockchain_accounts().data:
        for linked in world.engine.linked_counterparties(custody.id).data:
            world.engine.require_reverification(custody.id, linked.id, request)


def _prove_another_wallet(world: World) -> None:
    prove_wallet(world.engine, world.account, NAMES[0])


def _close_market(world: World) -> None:
    with sealed(world.database) as rows:
        markets.close(rows, "btc-usd", "HALTED", None)


OPERATIONS: Mapping[str, Callable[[World], object]] = {
    "execute": _execute,
    "settle": World.settle,
    "deposit": World.deposit,
    "withdraw": World.withdraw,
    "revoke": lambda world: ApiKeys(world.context).revoke(_key(world)),
    "rotate": lambda world: ApiKeys(world.context).rotate(_key(world)),
    "reverify": _reverify,
    "prove another wallet": _prove_another_wallet,
    "close a market": _close_market,
}
WRITTEN = {
    "api_key", "bank_account", "challenge", "claim", "job", "link", "market_control", "quote",
    "trade", "trading_account", "transfer",
}  # fmt: skip
"""Tables of which these operations update or remove a row. The engine never writes the others'
rows a second time."""


class Copies:
    """Copies of one bank, each opened where the bank was left."""

    def __init__(self, folder: Path, server: PostgresServer | None) -> None:
        self._folder, self._server, self._number = folder, server, 0
        self._place = server.fresh() if server else f"sqlite:///{folder / 'bank.db'}"
        world = busy_bank(self._place)
        self._passed = world.clock.now() - START + 2 * SECOND
        self._accounts = world.accounts
        ApiKeys(world.context).create("in force", organisation="bank-1")
        world.close()

    @contextmanager
    def copy(self) -> Iterator[World]:
        self._number += 1
        if self._server:
            place = self._server.fresh(self._place)
        else:
            file = self._folder / f"copy{self._number % 2}.db"
            shutil.copyfile(self._folder / "bank.db", file)
            place = f"sqlite:///{file}"
        world = make_world(place, customers=(), seed="later")
        world.clock.advance(self._passed)
        world.accounts = list(self._accounts)
        try:
            yield world
        finally:
            world.close()
            if self._server:
                self._server.drop(place)


def written_by(copies: Copies, operation: str) -> set[tuple[str, str]]:
    """Table and key of the rows that an operation finds and writes."""
    with copies.copy() as world:
        with world.database.read() as connection:
            sizes = views.sizes(connection)
        OPERATIONS[operation](world)
        assert verify(world.database) == ()
        with world.database.read() as connection:
            entries = [
                each
                for each in replay.entries_of(connection, replay.Books(Past()))
                if each.number > sizes.get(each.log, 0)
            ]
    return {(row[0], row[1]) for each in entries for row in each.rows if len(row) > 4}


def after(
    operations: Iterable[str], copies: Copies, columns: Mapping[str, str] | None = None
) -> tuple[list[str], set[str], int]:
    """Alter each cell of each row that an operation writes, alone, and let it write the row.

    Args:
        operations: their names.
        copies: of the bank.
        columns: by table, the only one that is altered.

    Returns:
        The alterations that no finding names, the tables, and how many were written over.
    """
    missed, tables, written_over = [], set[str](), 0
    for operation in operations:
        for name, key in sorted(written_by(copies, operation)):
            (table,) = [each for each in sealed_tables() if each.name == name]
            tables.add(name)
            with copies.copy() as world, world.database.read() as connection:
                row = inspection.row_by_key(connection, shape(table), key)
            if row is None:
                continue  # the operation itself wrote it first
            for each in alterations_of(table, row):
                if columns is not None and not each.what.startswith(f"{columns.get(name)} ="):
                    continue
                what = _altered_and_written(copies, operation, each)
                written_over += "then written over by" in what
                if not what:
                    missed.append(f"{operation}: {name} {each.row}: {each.what}")
    return missed, tables, written_over


def _altered_and_written(copies: Copies, operation: str, altered: Alteration) -> str:
    """What is said of the row; an operation may refuse it."""
    with copies.copy() as world:
        with unguarded(world) as connection:
            connection.execute(altered.statement)
            guards.create(connection)
            connection.commit()
        with suppress(
            ServiceError, AssertionError, ValueError, LookupError, TypeError, StopIteration
        ):
            OPERATIONS[operation](world)
        with world.database.read() as connection:
            return named(connection).get(f"{altered.table.name} {altered.row}", "")


def test_an_altered_row_that_an_operation_writes_is_named(tmp_path: Path) -> None:
    """The quick form: one cell of the rows that a few operations write."""
    columns = {
        "api_key": "scopes",
        "link": "first_linked_at",
        "quote": "bought",
        "trading_account": "bank_account_type",
    }
    copies = Copies(tmp_path, None)
    missed, tables, written_over = after(("execute", "revoke", "reverify"), copies, columns)
    assert missed == []
    assert tables == columns.keys()
    assert written_over >= len(tables)


def test_what_was_altered_is_named_with_both_entries_and_the_column(tmp_path: Path) -> None:
    with Copies(tmp_path, None).copy() as world:
        key_id = _key(world)
        with unguarded(world) as connection:
            connection.execute(text("UPDATE api_key SET scopes = 'admin'"))
            guards.create(connection)
            connection.commit()
        ApiKeys(world.context).revoke(key_id)
        found = [each for each in verify(world.database) if each.where == f"api_key {key_id}"]
    (breach,) = found
    assert breach.invariant == 20
    assert re.fullmatch(
        r"changed \(scopes was .*, is admin\); last written by .* \(entry 3 of bank-1\); "
        r"then written over by .* \(entry 4 of bank-1\)",
        breach.what,
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_every_cell_is_named_after_every_operation(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    server = request.getfixturevalue("postgres_server") if kind == "postgres" else None
    missed, tables, written_over = after(OPERATIONS, Copies(tmp_path, server))
    assert missed == []
    assert tables == WRITTEN
    assert written_over > 200
