"""Statements agree with the ledger to the last digit, or aren't made."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.engine.statement_rows import compare
from tests.world.engines import World, make_world
from tests.world.logs import rewrite
from tests.world.samples import load, new_bank

from chainteller.domain.clock import DAY, format_instant, format_moment, from_datetime
from chainteller.domain.randomness import SeededRandomness
from chainteller.service.errors import StatementUnbalanced, ValidationFailed
from chainteller.sqlite import sqlite3
from chainteller.storage.log import ledger
from chainteller.workspace.statements import contradictions


def test_a_statement_adds_up_over_a_deposit_a_purchase_and_a_withdrawal(world: World) -> None:
    world.buy("100.00")
    world.settle()
    world.withdraw("250.00")
    world.settle()
    found = world.engine.statement(world.account)
    assert list(contradictions(found)) == []
    assert [(each.event, each.type) for each in found.movements] == [
        ("deposit", "deposit-transaction"),
        ("fill", "trade-execution-transaction"),
        ("sent", "withdrawal-transaction"),
    ]
    shown = {each.token.symbol: each for each in found.balances}
    assert (shown["BUSD1"].credits, shown["BUSD1"].debits) == ("5000.00", "350.00")
    assert shown["BUSD1"].closing == "4650.00"
    assert found.movements[1].fee is not None
    assert found.fees == (found.movements[1].fee,)
    empty = world.engine.statement(world.account, from_time=format_instant(world.clock.now()))
    assert (empty.movements, empty.fees) == ((), ())
    assert [each.opening for each in empty.balances] == [each.closing for each in found.balances]


@pytest.mark.parametrize(
    ("bounds", "field"),
    [
        ({"from_time": "2026-02-30"}, "from"),
        ({"to_time": "yesterday"}, "to"),
        ({"from_time": "2026-11-02", "to_time": "2026-11-01"}, "from"),
        ({"from_time": "2099-01-01"}, "from"),
        ({"from_time": "2099-01-01", "to_time": "2099-12-31"}, "from"),
    ],
)
def test_a_period_that_is_none_is_refused(
    served: World, bounds: dict[str, str], field: str
) -> None:
    with pytest.raises(ValidationFailed) as refused:
        served.engine.statement(served.account, **bounds)
    assert refused.value.details["errors"][0]["field"] == field


def test_a_day_is_whole_and_an_instant_is_excluded(served: World) -> None:
    fill = served.engine.statement(served.account).movements[1].at
    for bound, expected in ((fill, ["fill", "fill"]), (fill + timedelta(microseconds=1), ["fill"])):
        later = served.engine.statement(served.account, from_time=format_moment(bound))
        assert [each.event for each in later.movements] == expected
    until = served.engine.statement(served.account, to_time=format_moment(fill))
    assert [each.event for each in until.movements] == ["deposit"]
    served.clock.advance(2 * DAY)
    day = f"{fill:%Y-%m-%d}"
    whole = served.engine.statement(served.account, from_time=day, to_time=day)
    assert from_datetime(whole.to_time) - from_datetime(whole.from_time) == DAY
    assert len(whole.movements) == 3


@pytest.mark.slow
def test_a_thousand_random_accounts_agree_with_the_ledger(tmp_path: Path) -> None:
    compared = 0
    for seed in range(100, 106):
        folder = tmp_path / str(seed)
        folder.mkdir()
        bank = new_bank(folder)
        load(bank, str(seed))
        compared += compare(bank, SeededRandomness(str(seed)), accounts=1_000)
        bank.database.close()
    assert compared >= 1_000


# -- planted faults -------------------------------------------------------------------------------

_PARTS = {
    "$TRADES": "(SELECT id FROM trade WHERE trading_account_id = :account AND status = 'settled')",
    "$DEPOSITS": "(SELECT id FROM transfer WHERE trading_account_id = :account"
    " AND status = 'completed' AND direction = 'deposit')",
    "$BALANCE": "code = 'customer:' || :account || ':available'",
}
FAULTS = {
    "a balance": "UPDATE ledger_account SET balance = balance + 1 WHERE $BALANCE",
    "a trade's price": "UPDATE trade SET price_cents = price_cents + 1 WHERE id IN $TRADES",
    "a trade's fee": "UPDATE trade SET fee_cents = fee_cents + 1 WHERE id IN $TRADES",
    "a trade's amount": "UPDATE trade SET bought = bought + 1 WHERE id IN $TRADES",
    "a deposit's amount": "UPDATE transfer SET notional_cents = notional_cents + 1"
    " WHERE id IN $DEPOSITS",
    "a deposit's status": "UPDATE transfer SET status = 'failed' WHERE id IN $DEPOSITS",
    "a deleted deposit": "DELETE FROM transfer WHERE id IN $DEPOSITS",
    "whose a trade is": "UPDATE trade SET trading_account_id = 'TDA_ANOTHER' WHERE id IN $TRADES",
    "whether a journal is there": "UPDATE entry SET trading_account_id = NULL"
    " WHERE action = 'trade.fill'",
    "an entry's body": "UPDATE entry SET body = x'0100' WHERE trading_account_id = :account",
}


def _journals(change: Callable[[list[Any]], object]) -> Callable[..., None]:
    """Change the journals of every entry that has some."""

    def rewritten(_first: object, second: dict[str, Any], _third: object) -> None:
        if second["journals"]:
            change(second["journals"])

    return rewritten


def _add_one(journals: list[Any], *cells: int) -> None:
    for *_, legs in journals:
        for leg in legs:
            if leg[0].endswith(":available"):
                for cell in cells:
                    leg[cell] = str(int(leg[cell]) + 1)


def _move(journals: list[Any]) -> None:
    for journal in journals:
        if journal[0] == "fill":
            journal[2] += 1


def _drop_leg(journals: list[Any]) -> None:
    for journal in journals:
        del journal[3][0]


REWRITES = {
    "a posting's amount": lambda journals: _add_one(journals, 2),
    "a posting's amount and the balance after it": lambda journals: _add_one(journals, 2, 4),
    "a missing posting": _drop_leg,
    "a missing journal": list.clear,
    "when a trade was filled": _move,
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_statement_of_damaged_books_is_refused(fault: str, served: World) -> None:
    path = served.database.path
    assert path is not None
    whole = served.engine.statement(served.account)
    with _altered(path, FAULTS[fault], served.account), pytest.raises(StatementUnbalanced):
        served.engine.statement(served.account)
    assert served.engine.statement(served.account) == whole


@pytest.mark.parametrize("fault", REWRITES)
def test_a_statement_of_a_log_that_was_written_again_is_refused(fault: str, served: World) -> None:
    """Also where somebody had the writer's key, or the program posted something else."""
    path = served.database.path
    assert path is not None
    whole = served.engine.statement(served.account)
    with _altered(path):
        assert rewrite(served.database, _journals(REWRITES[fault]))
        with pytest.raises(StatementUnbalanced):
            served.engine.statement(served.account)
    assert served.engine.statement(served.account) == whole


def test_a_statement_is_refused_where_posting_and_balance_were_altered_alike(
    served: World,
) -> None:
    path, code = served.database.path, f"customer:{served.account}:available"
    assert path is not None
    with served.database.read() as connection:
        newest = ledger.of_account(connection, served.account)

    def add_one(journals: list[Any]) -> None:
        for *_, legs in journals:
            for leg in legs:
                if leg[0] == code and leg[3] == newest[code, leg[1]][1]:
                    leg[2], leg[4] = str(int(leg[2]) + 1), str(int(leg[4]) + 1)

    with _altered(path):
        assert rewrite(served.database, _journals(add_one))
        with closing(sqlite3.connect(path, isolation_level=None)) as rows:
            _run(rows, FAULTS["a balance"], served.account)
        with pytest.raises(StatementUnbalanced):
            served.engine.statement(served.account)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A bank with an account that made a deposit, a purchase and a sale."""
    bank = make_world(tmp_path_factory.mktemp("served") / "bank.db")
    bank.open()
    bank.deposit("5000.00")
    bank.buy("100.00")
    bank.settle()
    bank.execute(bank.quote("0.1", "sell"))
    bank.settle()
    yield bank
    bank.close()


def _run(rows: sqlite3.Connection, script: str, account: str) -> None:
    triggers = rows.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
    for (name,) in triggers:
        rows.execute(f"DROP TRIGGER {name}")
    for name, part in _PARTS.items():
        script = script.replace(name, part)
    assert sum(rows.execute(each, {"account": account}).rowcount for each in script.split(";"))


@contextmanager
def _altered(path: Path, script: str = "", account: str = "") -> Iterator[None]:
    """The database after some SQL without its triggers; as it was, afterwards."""
    kept = path.with_suffix(".kept")
    with closing(sqlite3.connect(path, isolation_level=None)) as rows:
        with closing(sqlite3.connect(kept)) as copy:
            rows.backup(copy)
        if script:
            _run(rows, script, account)
    try:
        yield
    finally:
        with closing(sqlite3.connect(kept)) as copy, closing(sqlite3.connect(path)) as rows:
            copy.backup(rows)
