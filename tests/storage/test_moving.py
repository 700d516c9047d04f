"""An organisation moves into another database, with every row, its numbers and its head."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Table, event, func, insert, select, update
from tests.clock.machine import Machine, MachineClock
from tests.tampering.bank import busy_bank
from tests.world.bank import OTHER, World, build, sqlite_url
from tests.world.customers import CustomerSeed, add_customers
from tests.world.engines import World as Bank
from tests.world.engines import make_world
from tests.world.files import sealed
from tests.world.released_rows import add_audit_row

from chainteller.cli.error_output import Exit
from chainteller.cli.main import run
from chainteller.domain.actors import Actor
from chainteller.domain.clock import DAY
from chainteller.domain.ledger import SPREAD_INCOME
from chainteller.domain.timekeeping import TOLERANCE
from chainteller.engine import archiving, epochs, upkeep
from chainteller.engine.context import EngineContext
from chainteller.engine.engine import Engine
from chainteller.engine.keys import ApiKeys, Authenticator
from chainteller.engine.moving import Move
from chainteller.engine.verification import verify
from chainteller.service.errors import ServiceUnavailable
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.funding import Currency, DepositRequest
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.service.models.records import AuditRow
from chainteller.sqlite import sqlite3
from chainteller.storage import (
    chain,
    guards,
    log,
    maintenance,
    own_numbers,
    owners,
    residence,
    sealing,
)
from chainteller.storage.columns import SALT
from chainteller.storage.database import Database, open_database
from chainteller.storage.moving import Moved
from chainteller.storage.owners import Moves
from chainteller.storage.tables import Tables

TOKEN = Currency(type="deposit-token-currency", id="DPT_USD")
MOVED = Actor(OTHER, "teller")
KILLED = 9
"""How a child ends that was to be killed."""


def trade(engine: Engine, bank_account: str) -> tuple[str, str]:
    """Open an account, and buy for a part of a deposit; the trade isn't filled yet."""
    opening = OpenTradingAccount(bank_account_id=bank_account, bank_account_type="checking")
    account = engine.open_trading_account(opening).value.id
    funding = DepositRequest(amount="5000.00", currency=TOKEN)
    engine.deposit(account, funding, idempotency_key=bank_account)
    quote = engine.create_quote("sol-usd", QuoteRequest(amount="100.00", side="buy")).value
    execute = ExecuteRequest(trading_account_id=account)
    return account, engine.execute_quote(quote.id, execute).value.id


@dataclass
class Two:
    """A bank with two organisations, of which OTHER is to move to the second one. ``traded`` is an
    account of it whose trade is settled, ``busy`` one whose trade isn't filled yet."""

    here: World
    there: Bank
    traded: str
    busy: tuple[str, str]

    @property
    def source(self) -> Database:
        return self.here.context.database

    @property
    def target(self) -> Database:
        return self.there.context.database

    def move(self, organisation: str = OTHER) -> Moved:
        operator = Actor(name="operator")
        return Move(self.here.context, operator, organisation, self.target, "there").run()

    def killed_before(self, commit: int) -> None:
        """Move in a process that is killed before one of its commits."""
        child = os.fork()
        if child:
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == KILLED
            return
        left = iter(range(1, commit))
        with_own = [open_database(str(each.engine.url)) for each in (self.source, self.target)]
        for each in with_own:
            event.listen(each.engine, "commit", lambda _: next(left, None) or os._exit(KILLED))
        context = replace(self.here.context, database=with_own[0])
        try:
            Move(context, Actor(name="operator"), OTHER, with_own[1], "there").run()
        finally:
            os._exit(0)

    def close(self) -> None:
        self.here.engine.close()
        self.there.close()


@pytest.fixture(name="banks")
def two_banks(tmp_path: Path) -> Iterator[Two]:
    here = build(sqlite_url(tmp_path))
    trade(here.engine, "DDA-1")
    traded, _ = trade(here.engine.acting_as(MOVED), "ODA-1")
    here.advance(60)
    here.advance(60)
    busy = trade(here.engine.acting_as(MOVED), "ODA-3")
    trade(here.engine, "DDA-3")
    there = other_bank(tmp_path / "there.db", here.context)
    found = Two(here, there, traded, busy)
    yield found
    found.close()


def other_bank(place: Path | str, beside: EngineContext) -> Bank:
    """A deployment of its own, whose records have the numbers that others have elsewhere."""
    url = place if isinstance(place, str) else f"sqlite:///{place}"
    open_database(url).close()
    bank = make_world(url, seed=url[-9:], customers=[CustomerSeed("THERE-1")])
    bank.clock.advance(beside.clock.now() - bank.clock.now())
    trade(bank.engine, "THERE-1")
    return bank


def shown(engine: Engine) -> tuple[Any, ...]:
    """What an organisation is shown, oldest first."""
    rows = reversed(engine.audit().data)
    accounts = {
        (account.id, each.token.symbol): (each.amount, each.held, each.incoming)
        for account in engine.trading_accounts().data
        for each in engine.token_balances(account.id).data
    }
    return [*rows], [*engine.events(0).data], [*engine.events(7).data], accounts


def heads(database: Database) -> dict[str, log.Head]:
    with database.read() as connection:
        return {each.organisation_id: each for each in log.heads(connection)}


def reason(refused: pytest.ExceptionInfo[ServiceUnavailable]) -> str:
    return str(refused.value.details["reason"])


def require_open_here(banks: Two) -> None:
    banks.here.engine.acting_as(MOVED).create_quote(
        "sol-usd", QuoteRequest(amount="1.00", side="buy")
    )
    assert (verify(banks.source), verify(banks.target)) == ((), ())
    assert OTHER not in heads(banks.target)


def require_moved(banks: Two, moved: Moved) -> None:
    """In both databases everything holds, and work goes on in one of them."""
    assert (verify(banks.source), verify(banks.target)) == ((), ())
    assert heads(banks.source)[OTHER] == moved.head
    with banks.target.read() as connection:
        leaves = log.leaves(connection, OTHER, moved.head.size)
    with banks.source.read() as connection:
        assert log.leaves(connection, OTHER) == leaves
    account, open_trade = banks.busy
    for bank, status in ((banks.here, "processing"), (banks.there, "settled")):
        for _ in range(2):
            bank.context.clock.advance(60_000_000)  # type: ignore[attr-defined]  # moved by hand
            bank.engine.run_due()
        mine = bank.engine.acting_as(MOVED)
        assert mine.trade(account, open_trade).status == status
    trade(banks.here.engine, "DDA-5")
    assert (verify(banks.source), verify(banks.target)) == ((), ())


def test_an_organisation_moves_with_all_that_it_was_shown(banks: Two, tmp_path: Path) -> None:
    here, there = (each.engine.acting_as(MOVED) for each in (banks.here, banks.there))
    key = banks.here.key(organisation=OTHER)
    before, total = shown(here), here.trading_accounts().pagination.total
    moved = banks.move()
    audits, events, later, balances = shown(there)
    assert (audits[: len(before[0])], events, later, balances) == before
    assert [row.action for row in audits[-2:]] == ["move_organisation", "receive_organisation"]
    assert there.trading_accounts().pagination.total == total
    assert Authenticator(banks.there.context).principal(key).actor.organisation == OTHER
    funding = DepositRequest(amount="5000.00", currency=TOKEN)
    assert there.deposit(banks.traded, funding, idempotency_key="ODA-1").replayed
    with pytest.raises(ServiceUnavailable) as closed:
        here.deposit(banks.traded, funding)
    with pytest.raises(ServiceUnavailable) as silent:
        Authenticator(banks.here.context).principal(key)
    assert (reason(closed), reason(silent)) == ("ORGANISATION_LEFT", "ORGANISATION_LEFT")
    require_moved(banks, moved)
    assert banks.move() == Moved(0, moved.head)
    third = other_bank(tmp_path / "third.db", banks.there.context)
    again = Move(banks.there.context, Actor(), OTHER, third.database, "third").run()
    assert verify(third.database) == verify(banks.target) == ()
    assert shown(third.engine.acting_as(MOVED))[0][: len(audits)] == audits
    assert again.head.size > moved.head.size
    third.close()


_THOROUGH = pytest.mark.thorough


@pytest.mark.parametrize(
    "commit", [pytest.param(2, marks=_THOROUGH), pytest.param(3, marks=_THOROUGH), 4]
)
def test_a_killed_move_goes_on(banks: Two, commit: int) -> None:
    """It was closed; everything was copied; the copy was committed."""
    banks.killed_before(commit)
    mine = banks.here.engine.acting_as(MOVED)
    mine.trading_accounts()
    with pytest.raises(ServiceUnavailable) as closed:
        mine.create_quote("sol-usd", QuoteRequest(amount="1.00", side="buy"))
    assert reason(closed) == "ORGANISATION_LEAVING"
    assert (verify(banks.source), verify(banks.target)) == ((), ())
    with pytest.raises(ServiceUnavailable) as elsewhere:
        Move(banks.here.context, Actor(), OTHER, banks.source, "here").run()
    assert reason(elsewhere) == "ORGANISATION_LEAVING"
    with banks.source.read() as connection:
        (note,) = residence.described(connection)
    assert note == "other is closed and moves to there: chainteller db move"
    moved = banks.move()
    assert bool(moved.rows) == (commit < 4)
    require_moved(banks, moved)


@pytest.mark.thorough
def test_of_two_moves_at_once_one_takes_it_along(banks: Two) -> None:
    def outcome(_: int) -> Moved | str:
        try:
            return banks.move()
        except ServiceUnavailable as error:
            return str(error.details["reason"])

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(outcome, range(4)))
    moved = [each for each in found if isinstance(each, Moved) and each.rows]
    assert len(moved) == 1, found
    refusals = {each for each in found if isinstance(each, str)}
    assert refusals <= {"HOLDS_ORGANISATION", "ORGANISATION_LEAVING", "STORAGE_CHANGED"}
    require_moved(banks, moved[0])


def test_what_cannot_move_is_refused_by_name(
    banks: Two, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    customer, posting = Tables.customer, Tables.posting
    of_fees = (owners.rows_of(posting, OTHER), posting.c.code == SPREAD_INCOME)

    def refusal(organisation: str = OTHER, *altered: Any) -> str:
        for statement in altered:
            alter(banks.source, statement)
        with pytest.raises(ServiceUnavailable) as refused:
            banks.move(organisation)
        return str(refused.value.details["reason"])

    assert refusal("default") == "HOLDS_ORGANISATION"
    assert refusal("nobody") == "NO_ORGANISATION"
    renamed = update(customer).where(customer.c.id == "CUS_ODA-1")
    assert refusal(OTHER, renamed.values(name="Somebody else")) == "ROWS_DIFFER"
    alter(banks.source, renamed.values(name="Customer 1"))
    require_open_here(banks)
    turned = update(posting).where(*of_fees).values(debit=~posting.c.debit)
    assert refusal(OTHER, turned) == "BELOW_ZERO"
    alter(banks.source, turned)
    with sealed(banks.target) as rows:
        add_customers(rows, [CustomerSeed("ODA-1")])
    assert refusal() == "IDS_COLLIDE"
    ApiKeys(banks.there.context).create("first", organisation=OTHER)
    assert refusal() == "HOLDS_ORGANISATION"
    newer = tmp_path / "newer.db"
    open_database(f"sqlite:///{newer}").close()
    with closing(sqlite3.connect(newer)) as file:
        file.execute("PRAGMA user_version=9999")
    address = str(banks.source.engine.url)
    code = run(["db", "move", OTHER, "--to", f"sqlite:///{newer}", "--database", address, "--json"])
    assert (code, "NEWER_SCHEMA" in capsys.readouterr().out) == (Exit.REFUSED, True)
    with banks.source.read() as connection:
        assert not list(residence.described(connection))
    assert verify(banks.source) == ()


def contents(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    with database.read() as connection:
        return {
            table.name: sorted((tuple(row) for row in connection.execute(select(table))), key=repr)
            for table in sealing.own_tables()
        }


def refused_unchanged(banks: Two) -> str:
    """Why OTHER can't move; no row of either database is another one afterwards."""
    before = [contents(each) for each in (banks.source, banks.target)]
    with pytest.raises(ServiceUnavailable) as refused:
        banks.move()
    assert [contents(each) for each in (banks.source, banks.target)] == before
    return reason(refused)


def test_with_entries_in_an_archive_it_stays(banks: Two, tmp_path: Path) -> None:
    banks.here.advance(31 * 86_400)
    assert sum(archiving.archive(banks.here.context, tmp_path / "audit.archive", 30))
    assert refused_unchanged(banks) == "ARCHIVED_ENTRIES"


def test_databases_must_agree_on_the_time(banks: Two) -> None:
    banks.there.clock.advance(TOLERANCE + 1)
    banks.there.deposit(account=banks.there.engine.trading_accounts().data[0].id)
    assert refused_unchanged(banks) == "CLOCKS_DIFFER"
    banks.here.advance(0.000_001)
    require_moved(banks, banks.move())


def test_with_rows_that_the_released_build_wrote_it_waits_for_the_upgrade(banks: Two) -> None:
    with banks.source.write() as connection:
        add_audit_row(connection, chain.head(connection).last_at)
        connection.commit()
    assert refused_unchanged(banks) == "UNSEALED_ROWS"
    require_open_here(banks)  # which numbers that row
    quote, url = Tables.quote, str(banks.source.engine.url)
    with banks.source.write() as connection:
        mine = (owners.rows_of(quote, OTHER), quote.c.status == "open")
        found = connection.execute(select(quote).where(*mine)).mappings()
        known = {**next(iter(found)), "id": "QTE_RELEASED", SALT: None}
        connection.execute(insert(quote), known)
        connection.commit()
    assert refused_unchanged(banks) == "UNSEALED_ROWS"
    maintenance.upgrade(url)
    require_moved(banks, banks.move())


def test_with_records_of_two_epochs_it_stays(tmp_path: Path) -> None:
    machine = Machine()
    here = build(sqlite_url(tmp_path), clock=MachineClock(machine))
    trade(here.engine.acting_as(MOVED), "ODA-1")
    machine.step(-3_600)
    assert epochs.accept(here.context, Actor(name="operator"))
    ApiKeys(here.context).create("first", organisation="new")
    there = make_world(tmp_path / "there.db")
    banks = Two(here, there, "", ("", ""))
    assert refused_unchanged(banks) == "CLOCK_WAS_SET"
    banks.move("new")
    machine.passes(401 * 86_400)
    trade(here.engine.acting_as(MOVED), "ODA-3")
    assert upkeep.remove_events(here.context)  # all of the first epoch
    assert refused_unchanged(banks) == "CLOCK_WAS_SET"
    banks.close()


def alter(database: Database, statement: Any) -> None:
    """Change rows behind the engine's back, as somebody who owns the file."""
    with database.write() as connection:
        guards.drop(connection)
        connection.execute(statement)
        guards.create(connection)
        connection.commit()


def as_numbered_by_the_deployment(connection: Connection) -> None:
    """All that is there is from before organisations had numbers of their own (revision 0009)."""
    head, audit = Tables.head, Tables.audit
    connection.execute(update(audit).values(number=None, follows=None))
    connection.execute(update(Tables.event).values(number=None))
    ends = {"event_number": None, "audit_number": None, "audit_hash": None}
    connection.execute(update(Tables.log).values(**ends))
    owned = {"events_owned": head.c.event_seq, "audits_owned": head.c.audit_seq}
    connection.execute(
        update(head).values(own_base=1_000_000, events_shared=head.c.event_seq, **owned)
    )


def count(database: Database, table: Table) -> int:
    mine = select(func.count()).select_from(table).where(owners.rows_of(table, OTHER))
    with database.read() as connection:
        return int(connection.execute(mine).scalar_one())


def require_proved(connection: Connection, row: AuditRow) -> None:
    """An entry names an audit row by the number that its organisation is shown, or by its hash."""
    seq = own_numbers.seq_of_audit(connection, OTHER, row.seq)
    assert seq is not None
    first = own_numbers.first_seq(connection, OTHER, row.seq, seq)
    assert first is not None
    assert any(log.entries_about(connection, OTHER, seq, row.seq, first)), row


@pytest.mark.thorough
@pytest.mark.parametrize("is_older", [False, True])
def test_every_kind_of_row_moves(tmp_path: Path, postgres_url: str, *, is_older: bool) -> None:
    """Of a bank with rows in every table, with own numbers and with the deployment's: to PostgreSQL
    and on to SQLite."""
    bank = busy_bank(tmp_path / "busy.db", OTHER)
    if is_older:
        with bank.database.write() as connection:
            as_numbered_by_the_deployment(connection)
            connection.commit()
        bank.deposit("1.00")
    bank.clock.advance(bank.context.options.keep_events_days * DAY)
    assert upkeep.remove_events(bank.context, 40)
    assert verify(bank.database) == ()
    before = shown(bank.engine)
    there = other_bank(postgres_url, bank.context)
    if is_older:
        with there.database.write() as connection:
            as_numbered_by_the_deployment(connection)
            connection.commit()
    moved = Move(bank.context, Actor(), OTHER, there.database, "there").run()
    assert (verify(bank.database), verify(there.database)) == ((), ())
    copied = (Moves.AS_THEY_ARE, Moves.LEDGER)
    for table, owner in owners.OWNERS.items():
        if owner is not None and owner.moves in copied:
            assert count(bank.database, table) == count(there.database, table) >= 1, table.name
    tally, people = Tables.tally, count(there.database, Tables.customer)
    counted = select(tally.c.total).where(
        tally.c.listed == Tables.customer.name, tally.c.organisation_id == OTHER
    )
    with there.database.read() as connection:
        assert connection.execute(counted).scalar() == people
    mine = there.engine.acting_as(MOVED)
    audits = mine.audit(ListQuery(limit=200)).data
    assert shown(mine)[1:] == before[1:]
    there.clock.advance(DAY)
    there.engine.run_due()
    with there.database.read() as connection:
        for row in audits:
            require_proved(connection, row)
    assert moved.rows > 600
    there.clock.advance(there.context.options.keep_events_days * DAY)
    assert upkeep.remove_events(there.context, 40)
    assert verify(there.database) == ()
    third = other_bank(tmp_path / "third.db", there.context)
    Move(there.context, Actor(), OTHER, third.database, "third").run()
    assert (verify(there.database), verify(third.database)) == ((), ())
    assert shown(third.engine.acting_as(MOVED))[1:] == shown(mine)[1:]
    for each in (bank, there, third):
        each.close()
