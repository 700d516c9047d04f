"""PostgreSQL: few round trips, one snapshot however many statements, nothing left open."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlalchemy import func, select, text
from tests.cutting import CuttingProxy
from tests.world.bank import World, build

from chainteller.service.errors import NotFound, ServiceUnavailable
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.funding import Currency, DepositRequest
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.storage.schema.wallet_tables import Tables

DPT = Currency(type="deposit-token-currency", id="DPT_USD")
_TRADES = select(func.count()).select_from(Tables.trade)
_ALL_TRADES = select(Tables.trade.c.id)
IDLE = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
    "AND state LIKE 'idle in transaction%'"
)


@pytest.fixture
def cutter(postgres_bank: str) -> Iterator[CuttingProxy]:
    proxy = CuttingProxy(postgres_bank)
    yield proxy
    proxy.close()


@pytest.fixture
def world(cutter: CuttingProxy) -> Iterator[World]:
    made = build(cutter.url)
    yield made
    made.engine.close()


@pytest.fixture
def account(world: World) -> str:
    """With 45 trades, two deposits and a withdrawal."""
    opening = OpenTradingAccount(bank_account_id="DDA-1", bank_account_type="checking")
    found = world.engine.open_trading_account(opening).value.id
    for amount in ("900000.00", "1.00"):
        world.engine.deposit(found, DepositRequest(amount=amount, currency=DPT))
    for _ in range(45):
        quote = world.engine.create_quote("sol-usd", QuoteRequest(amount="10.00", side="buy"))
        world.engine.execute_quote(quote.value.id, ExecuteRequest(trading_account_id=found))
    return found


def test_a_read_takes_one_round_trip_where_nothing_depends_on_an_answer(
    world: World, cutter: CuttingProxy, account: str
) -> None:
    engine = world.engine
    trade, deposit = engine.trades(account).data[0], engine.deposits(account).data[0]
    far = ListQuery(page=16, limit=20)
    reads: dict[str, tuple[int, Callable[[], object]]] = {
        "trades": (1, lambda: engine.trades(account)),
        "the third page": (1, lambda: engine.trades(account, ListQuery(page=3, limit=20))),
        "oldest first": (1, lambda: engine.trades(account, ListQuery(sort="created"))),
        "behind the end": (1, lambda: engine.trades(account, far)),
        "of one status": (1, lambda: engine.trades(account, ListQuery(status="settled"))),
        "one trade": (1, lambda: engine.trade(account, trade.id)),
        "deposits": (1, lambda: engine.deposits(account)),
        "one deposit": (1, lambda: engine.deposit_record(account, deposit.id)),
        "balances": (1, lambda: engine.token_balances(account)),
        "limits": (2, lambda: engine.limits(account)),
        "markets": (1, engine.markets),
        "a market": (1, lambda: engine.market("sol-usd")),
        "a quote": (1, lambda: engine.quote(str(trade.quote_id))),
        "all trades": (1, engine.all_trades),
        "all transfers": (1, engine.all_transfers),
        "customers": (1, engine.customers),
        "quotes": (2, engine.quotes),
        "trading accounts": (1, engine.trading_accounts),
        "a trading account": (1, lambda: engine.trading_account(account)),
    }
    took = {}
    for name, (_, read) in reads.items():
        read()  # what it asks is prepared now
        before = cutter.round_trips
        read()
        took[name] = cutter.round_trips - before
    assert took == {name: expected for name, (expected, _) in reads.items()}


def test_a_write_takes_few_round_trips(world: World, cutter: CuttingProxy, account: str) -> None:
    """What decides is read in one, all that is written is sent with the lock of the log, and what
    rests on that with the commit. A deposit looks at its bank account after its account."""
    engine, order = world.engine, QuoteRequest(amount="10.00", side="buy")
    of, funds = (
        ExecuteRequest(trading_account_id=account),
        DepositRequest(amount="1.00", currency=DPT),
    )
    quote = engine.create_quote("sol-usd", order, idempotency_key="first").value.id
    writes: dict[str, tuple[int, Callable[[str], object]]] = {
        "quote": (3, lambda key: engine.create_quote("sol-usd", order, idempotency_key=key)),
        "deposit": (4, lambda key: engine.deposit(account, funds, idempotency_key=key)),
        "execute": (3, lambda key: engine.execute_quote(quote, of, idempotency_key=key)),
    }
    took = {}
    for name, (_, write) in writes.items():
        if name != "execute":
            write("first-key")
        before = cutter.round_trips
        write("counted")
        took[name] = cutter.round_trips - before
    assert took == {name: expected for name, (expected, _) in writes.items()}


def test_pages_near_and_far_are_one_list(world: World, account: str) -> None:
    """Pages up to 200 trades from the beginning are read in another way than those beyond."""
    for _ in range(180):
        quote = world.engine.create_quote("sol-usd", QuoteRequest(amount="10.00", side="buy"))
        world.engine.execute_quote(quote.value.id, ExecuteRequest(trading_account_id=account))
    listed: dict[str, list[str]] = {"-created": [], "created": []}
    for sort, ids in listed.items():
        for page in range(1, 9):
            found = world.engine.trades(account, ListQuery(page=page, limit=30, sort=sort))
            assert found.pagination.total == 225
            ids += [each.id for each in found.data]
        assert ids == [each.id for n in (1, 2, 3) for each in _hundred(world, account, n, sort)]
    assert len(set(listed["created"])) == 225
    assert listed["created"] == listed["-created"][::-1]


def _hundred(world: World, account: str, page: int, sort: str) -> Any:
    return world.engine.trades(account, ListQuery(page=page, limit=100, sort=sort)).data


def test_nothing_is_left_open_by_a_refusal_or_a_wrong_guess(world: World, account: str) -> None:
    for _ in range(3):
        with pytest.raises(NotFound):
            world.engine.trade(account, "TXN_AAAAAAAAAAAAAAAAAAAAAA")
        with pytest.raises(NotFound):
            world.engine.trades("TDA_AAAAAAAAAAAAAAAAAAAAAA")
        world.engine.trades(account, ListQuery(status="settled"))
        world.engine.trades(account)
    with world.context.database.look() as connection:
        assert connection.execute(text(IDLE)).scalar_one() == 0


@pytest.mark.parametrize("hostile", ["TDA_\0", "TDA_\ud800", "a" * 5_000, "'; DROP TABLE trade--"])
def test_an_impossible_id_is_not_found_and_not_sent(world: World, hostile: str) -> None:
    for read in (world.engine.trades, world.engine.token_balances, world.engine.deposits):
        for _ in range(3):
            with pytest.raises(NotFound):
                read(hostile)
    for _ in range(3):
        with pytest.raises(NotFound):
            world.engine.quote(hostile)


def test_all_statements_of_a_read_see_the_same_rows(world: World, account: str) -> None:
    with world.context.database.read() as session:
        before = session.execute(_TRADES).scalar_one()
        quote = world.engine.create_quote("sol-usd", QuoteRequest(amount="10.00", side="buy"))
        world.engine.execute_quote(quote.value.id, ExecuteRequest(trading_account_id=account))
        assert session.execute(_TRADES).scalar_one() == before
        assert sum(1 for _ in session.stream(_ALL_TRADES)) == before
        assert session.driver.execute("SELECT count(*) FROM trade").fetchone() == (before,)
        assert session.execute(_TRADES).scalar_one() == before
    with world.context.database.read() as session:
        assert session.execute(_TRADES).scalar_one() == before + 1


def test_a_read_changes_nothing(world: World) -> None:
    database = world.context.database
    statement = Tables.trade.delete()
    for _ in range(3):
        with pytest.raises(ServiceUnavailable), database.read() as session:
            session.execute(statement)


@pytest.mark.forms(1)
@pytest.mark.parametrize("where", ["before", "after"])
@pytest.mark.parametrize("word", ["FROM trading_account", "FROM trade "])
def test_a_read_whose_connection_is_lost_is_repeated_unseen(
    world: World, cutter: CuttingProxy, account: str, word: str, where: Any
) -> None:
    world.context.database.sessions.pool.close()  # what is prepared has no words
    cutter.cut_at(word, where)
    assert world.engine.trades(account).pagination.total == 45
    assert cutter.cuts == 1
