"""Loading the sample data: one transaction, once per database.

It has two parts. The past ends at the last midnight and depends on seed and day only, so that it
may be kept in a cache; the day that begins is counted from the loading itself.
"""

from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Select, Table, bindparam, insert, select, update

from chainteller.domain.actors import DEFAULT_ORGANISATION, Actor
from chainteller.domain.clock import midnight_before
from chainteller.domain.randomness import SeededRandomness
from chainteller.engine.context import EngineContext
from chainteller.engine.ports import PriceFeed
from chainteller.engine.samples import plot
from chainteller.engine.samples.books import Books, Row
from chainteller.engine.samples.people import read_bank
from chainteller.engine.samples.world import Account, World
from chainteller.engine.unit_of_work import UnitOfWork, work_unit
from chainteller.storage import accounts, chain, ledger, organisations
from chainteller.storage.tables import Tables
from chainteller.storage.wallet_tables import WalletTables

DEFAULT_SEED = "42"
MARK = "DDA-1001"
"""The bank account whose presence says that the sample data is loaded."""
_ACTOR = Actor(name="sample-data")
_ORDER: tuple[Table, ...] = (
    Tables.customer,
    Tables.bank_account,
    Tables.trading_account,
    WalletTables.blockchain_account,
    Tables.journal,
    Tables.posting,
    Tables.quote,
    Tables.trade,
    Tables.transfer,
    Tables.job,
    WalletTables.counterparty,
    WalletTables.challenge,
    WalletTables.attempt,
    WalletTables.claim,
    WalletTables.link,
)
"""Every row stands after those that it refers to; ledger accounts come before them all."""
_ACTION = "load_samples"
_B, _L, _T = Tables.bank_account, Tables.ledger_account, Tables.trading_account
_FIND_MARK = select(_B.c.id).where(
    _B.c.organisation_id == bindparam("b_organisation"), _B.c.id == MARK
)
_FIND_LOADING = select(Tables.audit.c.seq).where(
    Tables.audit.c.object == MARK, Tables.audit.c.action == _ACTION
)
_OWNED = select(_L.c.code, _L.c.asset, _L.c.balance, _L.c.version)
_BANKS_OWN = _OWNED.where(_L.c.owner == "").with_for_update()
_BALANCES = _OWNED.where(_L.c.owner.in_(bindparam("b_owners", expanding=True))).with_for_update()
_ACCOUNTS = select(_T).where(
    _T.c.organisation_id == bindparam("b_organisation"),
    _T.c.bank_account_id.in_(bindparam("b_ids", expanding=True)),
)
_BANK_ACCOUNTS = select(_B).where(
    _B.c.organisation_id == bindparam("b_organisation"),
    _B.c.id.in_(bindparam("b_ids", expanding=True)),
)
_GROWING = ("version", *accounts.COUNTERS, "last_activity", "last_activity_type")
_UPDATE_ACCOUNT = (
    update(_T)
    .where(_T.c.id == bindparam("b_id"))
    .values({name: bindparam(f"b_{name}") for name in _GROWING})
)
_UPDATE_BANK_ACCOUNT = (
    update(_B)
    .where(_B.c.organisation_id == bindparam("b_organisation"), _B.c.id == bindparam("b_id"))
    .values(balance=bindparam("b_balance"))
)


def load_samples(
    context: EngineContext, folder: Path, prices: PriceFeed, seed: str = DEFAULT_SEED
) -> bool:
    """Load the sample data into the organisation ``default``; False when it is there already.

    On a database that ``load_past`` made, what is under way now is added.

    Args:
        context: whose database and clock are used, and whose delays unfinished work waits for.
        folder: ``sample_data``.
        prices: of the months before; it must know every market at any time. The same seed,
            prices and loading time give the same audit head.
        seed: of everything that is drawn.

    Raises:
        OSError, ValueError: the folder is not complete.
        ServiceUnavailable: the database cannot be used; nothing was changed.
    """

    def work(tx: UnitOfWork) -> bool:
        if _has_begun(tx.connection):
            return False
        if not is_loaded(tx.connection, tx.organisation_id):
            _load_past(tx, folder, prices, seed)
        _begin_day(tx, folder, prices, seed)
        return True

    return work_unit(context, _ACTOR, work)


def load_past(
    context: EngineContext, folder: Path, prices: PriceFeed, seed: str = DEFAULT_SEED
) -> bool:
    """Load what does not depend on the time of the day, so that it can be kept for the day.

    Arguments and errors as for ``load_samples``, which then adds the rest.
    """

    def work(tx: UnitOfWork) -> bool:
        if is_loaded(tx.connection, tx.organisation_id):
            return False
        _load_past(tx, folder, prices, seed)
        return True

    return work_unit(context, _ACTOR, work)


def is_loaded(connection: Connection, organisation_id: str = DEFAULT_ORGANISATION) -> bool:
    found = connection.execute(_FIND_MARK, {"b_organisation": organisation_id})
    return found.first() is not None


def _has_begun(connection: Connection) -> bool:
    return connection.execute(_FIND_LOADING).first() is not None


def _load_past(tx: UnitOfWork, folder: Path, prices: PriceFeed, seed: str) -> None:
    world = _world(tx, prices, _bank_randomness(seed), midnight_before(tx.now))
    world.books = Books(_balances(tx.connection, _BANKS_OWN))
    told = read_bank(folder, world.randomness)
    world.wallets = told.wallets_by_name
    plot.tell_past(world, told)
    _write(tx.connection, world)


def _begin_day(tx: UnitOfWork, folder: Path, prices: PriceFeed, seed: str) -> None:
    told = read_bank(folder, _bank_randomness(seed))
    people = plot.waiting(told)
    world = _world(tx, prices, SeededRandomness(f"sample day {seed}"), tx.now)
    world.wallets = told.wallets_by_name
    references = {person.accounts[0].id: person for person in people}
    keys = {"b_organisation": tx.organisation_id, "b_ids": list(references)}
    rows = [dict(row) for row in tx.connection.execute(_ACCOUNTS, keys).mappings()]
    banks = {row["id"]: dict(row) for row in tx.connection.execute(_BANK_ACCOUNTS, keys).mappings()}
    for row in rows:
        person = references[row["bank_account_id"]]
        world.accounts[person.reference] = Account(row, banks[row["bank_account_id"]], person)
    owners = ["", *(row["id"] for row in rows)]
    world.books = Books(_balances(tx.connection, _BALANCES, {"b_owners": owners}))
    plot.begin_day(world, people)
    world.audit(tx.now, _ACTION, MARK, {"seed": seed}, _ACTOR.name)
    tx.connection.execute(_UPDATE_ACCOUNT, [_changed(row) for row in rows])
    tx.connection.execute(
        _UPDATE_BANK_ACCOUNT,
        [
            {"b_organisation": tx.organisation_id, "b_id": row["id"], "b_balance": row["balance"]}
            for row in banks.values()
        ],
    )
    _write(tx.connection, world)


def _bank_randomness(seed: str) -> SeededRandomness:
    return SeededRandomness(f"sample data {seed}")


def _world(tx: UnitOfWork, prices: PriceFeed, randomness: SeededRandomness, now: int) -> World:
    return World(
        organisation_id=tx.organisation_id,
        books=Books({}),
        randomness=randomness,
        prices=prices,
        fees=organisations.fee_schedule(tx.connection, tx.organisation_id),
        options=tx.context.options,
        now=now,
    )


def _balances(
    connection: Connection, statement: Select[Any], keys: Row | None = None
) -> ledger.Balances:
    rows = connection.execute(statement, keys or {})
    return {(row.code, row.asset): (row.balance, row.version) for row in rows}


def _changed(account: Row) -> Row:
    return {f"b_{name}": account[name] for name in ("id", *_GROWING)}


def _write(connection: Connection, world: World) -> None:
    books = world.books
    _insert(connection, _L, books.new_balances())
    changed = books.changed_balances()
    if changed:
        ledger.update_balances(connection, changed)
    for table in _ORDER:
        _insert(connection, table, books.rows[table.name])
    chain.append(connection, world.audit_entries, world.events, world.now)


def _insert(connection: Connection, table: Table, rows: list[Row]) -> None:
    if rows:
        connection.execute(insert(table), rows)
