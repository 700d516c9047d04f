"""Loading the sample data, once per database.

It has two parts, each one transaction. The past ends at the last midnight, of which its entries
are, and depends on seed and day only, so that it may be kept in a cache; the day that begins is
counted from the loading itself.
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from chainteller.domain.actors import DEFAULT_ORGANISATION, Actor
from chainteller.domain.clock import midnight_before
from chainteller.domain.ledger import Bucket, customer
from chainteller.domain.policy import TwoPersons
from chainteller.domain.randomness import SeededRandomness
from chainteller.domain.rules import rule_of
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.ports import PriceFeed
from chainteller.engine.core.unit_of_work import UnitOfWork, work_unit
from chainteller.engine.operations import limits
from chainteller.engine.samples import customer_wallets, history, today
from chainteller.engine.samples.bank import Account, SampleBank
from chainteller.engine.samples.bulk import BulkRows
from chainteller.engine.samples.customers import Person, read_customers
from chainteller.engine.samples.timeline import Timeline
from chainteller.service.errors import Conflict
from chainteller.storage.db import records
from chainteller.storage.db.query import Query, Session, Value
from chainteller.storage.db.records import Tables
from chainteller.storage.db.session import lift_limits
from chainteller.storage.db.sources import Source
from chainteller.storage.lists import tallies
from chainteller.storage.log import append, ledger
from chainteller.storage.queries import organisations

DEFAULT_SEED = "42"
MARK = "DDA-1001"
"""The bank account whose presence says that the sample data is loaded."""
_ACTOR = Actor(name="sample-data")
_ACTION, _PAST = "load_samples", "load_sample_history"
_FIND_MARK = Query(
    "SELECT id AS value FROM bank_account WHERE organisation_id = :organisation AND id = :mark",
    Value,
)
_FIND_LOADING = Query(
    "SELECT number AS value FROM entry WHERE object = :mark AND action = :action LIMIT 1", Value
)
_OF_ORGANISATION = "organisation_id = :organisation"
_BANK_ACCOUNTS = Source(records.BankAccount).where(f"{_OF_ORGANISATION} AND id IN :ids")
_ACCOUNTS = Source(records.TradingAccount).where(f"{_OF_ORGANISATION} AND bank_account_id IN :ids")
_CUSTOMERS = Source(records.Customer).where("id IN :ids")
_BLOCKCHAIN_ACCOUNTS = Source(records.BlockchainAccount).where("customer_id IN :ids")
_COUNTERPARTIES = Source(records.Counterparty).where(_OF_ORGANISATION)


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
        Conflict: the database is a gateway's.
        ServiceUnavailable: the database cannot be used; the same call goes on.
    """

    def work(tx: UnitOfWork) -> bool:
        lift_limits(tx.connection)  # the rows are drawn in it
        append.lock(tx.connection, tx.organisation_id)
        if _FIND_LOADING.exists(tx.connection, MARK, _ACTION):
            return False
        _begin_day(tx, folder, prices, seed)
        return True

    load_past(context, folder, prices, seed)
    return work_unit(_of_one_person(context), _ACTOR, work)


def load_past(
    context: EngineContext, folder: Path, prices: PriceFeed, seed: str = DEFAULT_SEED
) -> bool:
    """Load what does not depend on the time of the day, so that it can be kept for the day.

    Arguments and errors as for ``load_samples``, which then adds the rest.
    """
    if context.provider is not None:
        told = "A gateway has its provider's accounts."
        step = "Load the sample data into another database."
        raise Conflict.over("database", context.provider.address, "GATEWAY", told, step)

    def work(tx: UnitOfWork) -> bool:
        lift_limits(tx.connection)  # the rows are drawn in it
        append.lock(tx.connection, tx.organisation_id)
        if is_loaded(tx.connection, tx.organisation_id):
            return False
        tx.begin_epoch(midnight_before(tx.now))
        _load_past(tx, folder, prices, seed)
        return True

    return work_unit(_of_one_person(context), _ACTOR, work)


def _of_one_person(context: EngineContext) -> EngineContext:
    """The bank before its policy of today: what was sent needed one person."""
    options = context.options
    policy = options.policy._replace(two=TwoPersons())
    return replace(context, options=replace(options, policy=policy))


def is_loaded(connection: Session, organisation_id: str = DEFAULT_ORGANISATION) -> bool:
    found = _FIND_MARK.run(connection, organisation_id, MARK)
    return found.first() is not None


def _load_past(tx: UnitOfWork, folder: Path, prices: PriceFeed, seed: str) -> None:
    bank = _sample_bank(tx, prices, _past_randomness(seed), midnight_before(tx.now), ())
    data = read_customers(folder, bank.randomness)
    bank.wallets = data.wallets_by_name
    history.generate(bank, data)
    bank.record_loading(_ACTOR.name, _PAST, MARK, {"seed": seed})
    _write(tx, bank, seed)


def _begin_day(tx: UnitOfWork, folder: Path, prices: PriceFeed, seed: str) -> None:
    data = read_customers(folder, _past_randomness(seed))
    people = today.people_with_work(data)
    accounts = _read_accounts(tx, people)
    theirs = (customer(account.id, bucket) for account in accounts for bucket in Bucket)
    randomness = SeededRandomness(f"sample day {seed}")
    bank = _sample_bank(tx, prices, randomness, tx.now, theirs)
    bank.wallets = data.wallets_by_name
    bank.accounts = {account.person.reference: account for account in accounts}
    bank.spent = {account.id: list(limits.load_spent(tx, account.id)) for account in accounts}
    _load_rows(tx, bank.rows, people)
    today.generate(Timeline(bank), people, customer_wallets.plan(data))
    bank.record_loading(_ACTOR.name, _ACTION, MARK, {"seed": seed})
    slow = rule_of(replace(bank.options, deposit_delay_s=today.SLOW_DEPOSIT_S))
    tx.rows.insert_if_new(Tables.rule, {"id": slow.id, "body": slow.body, "since": bank.until})
    _write(tx, bank, seed)


def _read_accounts(tx: UnitOfWork, people: tuple[Person, ...]) -> list[Account]:
    person_of = {person.accounts[0].id: person for person in people}
    return [
        Account(row.id, row.bank_account_id, person_of[row.bank_account_id])
        for row in _ACCOUNTS.rows(tx.connection, tx.organisation_id, list(person_of))
    ]


def _load_rows(tx: UnitOfWork, rows: BulkRows, people: tuple[Person, ...]) -> None:
    """What today changes or depends on of the past: the customers' accounts and wallets."""
    by_bank_account = [person.accounts[0].id for person in people]
    by_customer = [person.id for person in people]
    for table, statement, ids in (
        (Tables.customer, _CUSTOMERS, by_customer),
        (Tables.bank_account, _BANK_ACCOUNTS, by_bank_account),
        (Tables.trading_account, _ACCOUNTS, by_bank_account),
        (Tables.blockchain_account, _BLOCKCHAIN_ACCOUNTS, by_customer),
        (Tables.counterparty, _COUNTERPARTIES, []),
    ):
        keys = {"organisation": tx.organisation_id, "ids": ids}
        found = tx.connection.execute(statement, keys).mappings()
        rows.load(table, (dict(row) for row in found))


def _past_randomness(seed: str) -> SeededRandomness:
    return SeededRandomness(f"sample data {seed}")


def _sample_bank(
    tx: UnitOfWork,
    prices: PriceFeed,
    randomness: SeededRandomness,
    until: int,
    codes: Iterable[str],
) -> SampleBank:
    """``codes`` are those of the ledger accounts that may exist."""
    return SampleBank(
        organisation_id=tx.organisation_id,
        rows=BulkRows(ledger.of_codes(tx.connection, tx.organisation_id, codes)),
        randomness=randomness,
        prices=prices,
        fees=organisations.fee_schedule(tx.connection, tx.organisation_id),
        options=tx.context.options,
        until=until,
    )


def _write(tx: UnitOfWork, bank: SampleBank, seed: str) -> None:
    tallies.restart(tx.connection, tx.organisation_id)
    tx.rows.randomness = SeededRandomness(f"salts {seed} {bank.until}")
    bank.rows.write(tx.rows, tx.organisation_id)
    tx.under_rule()
    seals = tx.rows.take()
    own = seals.pop(tx.organisation_id, {}) | seals.pop(None, {})
    tx.report(bank.sealed(own))
    tx.rows.seals.update(seals)  # of the deployment's log
