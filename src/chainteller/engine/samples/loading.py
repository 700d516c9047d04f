"""Loading the sample data: one transaction, once per database."""

from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, bindparam, insert, select

from chainteller.domain.actors import DEFAULT_ORGANISATION, Actor
from chainteller.domain.randomness import SeededRandomness
from chainteller.engine.bank import Bank
from chainteller.engine.ports import PriceFeed
from chainteller.engine.samples import plot
from chainteller.engine.samples.books import Books
from chainteller.engine.samples.people import read_bank
from chainteller.engine.samples.world import World
from chainteller.engine.transaction import Transaction, work_unit
from chainteller.storage import chain, ledger, organisations
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
)
"""Every row stands after those that it refers to; ledger accounts come before them all."""
_B, _L = Tables.bank_account, Tables.ledger_account
_FIND_MARK = select(_B.c.id).where(
    _B.c.organisation_id == bindparam("b_organisation"), _B.c.id == MARK
)
_BANKS_OWN = select(_L.c.code, _L.c.asset, _L.c.balance, _L.c.version).where(_L.c.owner == "")


def load_samples(bank: Bank, folder: Path, prices: PriceFeed, seed: str = DEFAULT_SEED) -> bool:
    """Load the sample data into the organisation ``default``; False when it is there already.

    Args:
        bank: whose database and clock are used, and whose delays unfinished work waits for.
        folder: ``sample_data``.
        prices: of the months before; it must know every market at any time. The same seed,
            prices and loading time give the same audit head.
        seed: of everything that is drawn.

    Raises:
        OSError, ValueError: the folder is not complete.
        ServiceUnavailable: the database cannot be used; nothing was changed.
    """

    def work(tx: Transaction) -> bool:
        if is_loaded(tx.connection, tx.organisation_id):
            return False
        world = World(
            organisation_id=tx.organisation_id,
            books=Books(_banks_own(tx.connection)),
            randomness=SeededRandomness(f"sample data {seed}"),
            prices=prices,
            fees=organisations.fee_schedule(tx.connection, tx.organisation_id),
            options=bank.options,
            now=tx.now,
        )
        plot.tell(world, read_bank(folder, world.randomness))
        world.audit(tx.now, "load_samples", MARK, {"seed": seed}, _ACTOR.name)
        _write(tx.connection, world)
        return True

    return work_unit(bank, _ACTOR, work)


def is_loaded(connection: Connection, organisation_id: str = DEFAULT_ORGANISATION) -> bool:
    found = connection.execute(_FIND_MARK, {"b_organisation": organisation_id})
    return found.first() is not None


def _banks_own(connection: Connection) -> ledger.Balances:
    rows = connection.execute(_BANKS_OWN.with_for_update())
    return {(row.code, row.asset): (row.balance, row.version) for row in rows}


def _write(connection: Connection, world: World) -> None:
    books = world.books
    _insert(connection, _L, books.new_balances())
    changed = books.changed_balances()
    if changed:
        ledger.update_balances(connection, changed)
    for table in _ORDER:
        _insert(connection, table, books.rows[table.name])
    chain.append(connection, world.audit_entries, world.events, world.now)


def _insert(connection: Connection, table: Table, rows: list[dict[str, Any]]) -> None:
    if rows:
        connection.execute(insert(table), rows)
